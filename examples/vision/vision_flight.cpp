// SPDX-License-Identifier: BSD-3-Clause
// Visual odometry among people and hovering on it, without ROS:
// vision_flight SEQUENCE [SECONDS [PICTURE.png [AT]]], SEQUENCE walking_xyz ...;
// vision_flight all [SECONDS [BOXES.png [SEEDS]]], medians over the seeds 1 to SEEDS;
// vision_flight hover d435i|stereo [SECONDS];
// vision_flight paths FOLDER [SECONDS], the sequences' paths as TUM files.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <iomanip>
#include <string>
#include <vector>

#include <opencv2/imgproc.hpp>

#include "box_plot.hpp"
#include "hover.hpp"
#include "marsim/marsim.hpp"
#include "marsim/viz/picture.hpp"
#include "sequence.hpp"

using namespace vision;

namespace {

using Results = std::vector<SequenceResult>;  // of a sequence, by seed

double medianOf(const Results& results, const std::function<double(const SequenceResult&)>& value) {
  std::vector<double> values;
  for (const SequenceResult& result : results) values.push_back(value(result));
  return statisticsOf(values).median;
}

void print(const char* name, const Results& results,
           const std::function<std::vector<double>(const SequenceResult&)>& errors) {
  std::printf(" %s", name);
  for (const auto part :
       {&Statistics::rms, &Statistics::mean, &Statistics::median, &Statistics::deviation}) {
    std::printf(" %.4f", medianOf(results, [&](const SequenceResult& result) {
                  return statisticsOf(errors(result)).*part;
                }));
  }
}

void print(const std::string& name, const char* kind, const Results& results,
           std::vector<PosePair> SequenceResult::*poses) {
  std::printf("%-18s %-15s [m] (rms, mean, median, deviation)", name.c_str(), kind);
  print("ATE", results,
        [&](const SequenceResult& result) { return absoluteErrors(result.*poses); });
  print("RPE", results,
        [&](const SequenceResult& result) { return relativeErrors(result.*poses); });
  std::printf(", lost in");
  for (const SequenceResult& result : results)
    std::printf(" %zu", result.images - (result.*poses).size());
  std::printf(" of %zu images\n", results[0].images);
}

double share(std::size_t part, std::size_t whole) {
  return whole == 0 ? 100.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

// Rms of the absolute errors with removal over that without [%].
double ratioOf(const SequenceResult& result) {
  return 100.0 * statisticsOf(absoluteErrors(result.with_removal)).rms /
         statisticsOf(absoluteErrors(result.without)).rms;
}

// Prints medians over the seeds.
void print(const std::string& name, const Results& results) {
  print(name, "without removal", results, &SequenceResult::without);
  print(name, "with removal", results, &SequenceResult::with_removal);
  std::printf("%-18s ATE rms with removal %.0f %% of that without (", name.c_str(),
              medianOf(results, ratioOf));
  for (const SequenceResult& result : results) std::printf(" %.0f", ratioOf(result));
  std::printf(
      " ); boxes on %.0f %% of the images; in boxes %.1f %% of features on people are moving, "
      "%.1f %% of the room's static; velocities: median error %.2f m/s\n",
      medianOf(results, [](const SequenceResult& result) { return 100.0 * result.in_boxes; }),
      medianOf(
          results,
          [](const SequenceResult& result) { return share(result.moving_found, result.moving); }),
      medianOf(results,
               [](const SequenceResult& result) { return share(result.still_kept, result.still); }),
      medianOf(results, [](const SequenceResult& result) {
        return statisticsOf(result.velocity_errors).median;
      }));
  std::fflush(stdout);
}

// Writes an image of red, green and blue bytes as PNG.
void write(const cv::Mat& picture, const std::string& path) {
  marsim::lidar::CameraConfig camera;
  camera.model.width = picture.cols;
  camera.model.height = picture.rows;
  camera.encoding = marsim::lidar::ImageEncoding::kRgb8;
  marsim::lidar::CameraImage out;
  out.pixels.assign(picture.data, picture.data + picture.total() * picture.elemSize());
  marsim::viz::drawCameraImage(out, camera, path);
}

// Boxes in blue, static points and their flows in green, moving ones in red, unknown in yellow.
void draw(const LabelledImage& image, const std::string& path) {
  cv::Mat picture;
  cv::cvtColor(image.grey, picture, cv::COLOR_GRAY2RGB);
  for (const Box& box : image.boxes) {
    cv::rectangle(picture, cv::Point2d(box.left, box.top), cv::Point2d(box.right, box.bottom),
                  {60, 90, 255}, 2);
  }
  for (const PointFlow& point : image.points) {
    const cv::Scalar colour = point.label == Label::kStatic   ? cv::Scalar(0, 220, 0)
                              : point.label == Label::kMoving ? cv::Scalar(255, 30, 30)
                                                              : cv::Scalar(240, 220, 0);
    cv::circle(picture, point.now, 2, colour, cv::FILLED, cv::LINE_AA);
    cv::line(picture, point.then, point.now, colour, 1, cv::LINE_AA);
  }
  write(picture, path);
}

int runSequences(const std::string& name, int argc, char** argv) {
  const double seconds = argc > 2 ? std::atof(argv[2]) : 20.0,
               at = argc > 4 ? std::atof(argv[4]) : 3.0;
  if (name != "all" && kSequences.count(name) == 0)
    throw marsim::Error("unknown sequence '" + name +
                        "', known: all, hover, paths, sitting_rpy, sitting_static, sitting_xyz, "
                        "walking_halfsphere, walking_rpy, walking_static, walking_xyz");
  const std::string path = argc > 3 ? argv[3] : "";
  bool is_drawn = path.empty() || name == "all";
  const auto show = [&](const LabelledImage& image) {
    if (is_drawn || image.time < at) return;
    draw(image, path);
    is_drawn = true;
  };
  const int last = argc > 4 && name == "all" ? std::atoi(argv[4]) : 1;
  if (last < 1 || last > 20)
    throw marsim::Error(std::string("SEEDS is '") + argv[4] + "', allowed: 1 to 20");
  std::vector<Errors> absolute, relative;
  for (const auto& [known, sequence] : kSequences) {
    if (name != "all" && name != known) continue;
    std::vector<std::future<SequenceResult>> runs;
    for (int seed = 1; seed <= last; ++seed) {
      runs.push_back(std::async(std::launch::async, run, sequence, seconds, seed, show));
    }
    Results results;
    for (auto& result : runs) results.push_back(result.get());
    print(known, results);
    const auto add = [](std::vector<double>& errors, const std::vector<double>& more) {
      errors.insert(errors.end(), more.begin(), more.end());
    };
    Errors &of_all = absolute.emplace_back(), &over_time = relative.emplace_back();
    of_all.name = over_time.name = known;
    for (const SequenceResult& result : results) {
      add(of_all.without, absoluteErrors(result.without));
      add(of_all.with_removal, absoluteErrors(result.with_removal));
      add(over_time.without, relativeErrors(result.without));
      add(over_time.with_removal, relativeErrors(result.with_removal));
    }
  }
  if (name == "all" && !path.empty()) write(boxPlots(absolute, relative), path);
  return 0;
}

int runHover(int argc, char** argv) {
  const std::string camera = argc > 2 ? argv[2] : "d435i";
  const Hover result = hover(camera, argc > 3 ? std::atof(argv[3]) : 60.0);
  const Eigen::Vector3d &e = result.largest, &o = result.of_odometry;
  std::printf(
      "hover on %s: at most %.3f, %.3f, %.3f m from its place in x, y, z; odometry at most "
      "%.3f, %.3f, %.3f m; lost in %zu of %zu images; %s\n",
      camera.c_str(), e.x(), e.y(), e.z(), o.x(), o.y(), o.z(), result.lost, result.images,
      result.on_estimates ? "on estimates until the end" : "NOT ON ESTIMATES");
  return 0;
}

int writePaths(int argc, char** argv) {
  const std::filesystem::path folder = argc > 2 ? argv[2] : ".";
  for (const auto& [name, sequence] : kSequences) {
    if (!sequence.people_walk) continue;
    std::ofstream file(folder / (name.substr(name.find('_') + 1) + ".tum"));
    file << std::fixed << std::setprecision(6);
    for (const marsim::StampedPose& pose : pathOf(sequence, argc > 3 ? std::atof(argv[3]) : 20.0)) {
      const Eigen::Vector3d& p = pose.X_WB.p;
      const Eigen::Quaterniond& q = pose.X_WB.q;
      file << marsim::toSeconds(pose.stamp) << ' ' << p.x() << ' ' << p.y() << ' ' << p.z() << ' '
           << q.x() << ' ' << q.y() << ' ' << q.z() << ' ' << q.w() << '\n';
    }
    if (!file.flush()) throw marsim::Error("cannot write into '" + folder.string() + "'");
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::string name = argc > 1 ? argv[1] : "all";
    if (name == "paths") return writePaths(argc, argv);
    return name == "hover" ? runHover(argc, argv) : runSequences(name, argc, argv);
  } catch (const marsim::Error& error) {
    std::fprintf(stderr, "vision_flight: %s\n", error.what());
    return 1;
  }
}
