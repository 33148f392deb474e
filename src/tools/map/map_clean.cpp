// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/bounds.hpp"
#include "common/output_file.hpp"
#include "common/text.hpp"
#include "map_tools/clean.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"
#include "marsim/config/load.hpp"
#include "marsim/map/cloud_io.hpp"
#include "marsim/map/voxel_grid.hpp"
#include "tools/map/map_commands.hpp"
#include "tools/map/points.hpp"
#include "tools/map/recording_options.hpp"
#include "tools/process/command_line.hpp"

namespace marsim::tools {
namespace {

/// The command line of `marsim map clean`.
struct CleanOptions {
  std::string name, out;
  std::string moving, outliers, lonely, crop, origin;
  std::optional<double> fill, downsample;  ///< [m]
  bool level = false, json = false;
  RecordingOptions recording;
  map_tools::TraceConfig traces;
};

/// The numbers in a text, which must hold `count` of them.
std::vector<double> numbersOf(const std::string& option, const std::string& text, std::size_t count,
                              const std::string& allowed) {
  std::string spaced = text;
  std::replace(spaced.begin(), spaced.end(), ',', ' ');
  std::istringstream words(spaced);
  std::vector<double> numbers;
  for (double number = 0.0; words >> number;) numbers.push_back(number);
  if (numbers.size() != count || !words.eof()) {
    throw ConfigError("command line", option, fmt::format("'{}'", clipped(text)), allowed);
  }
  return numbers;
}

std::size_t wholeOf(const std::string& option, double number) {
  Validator("command line").within(option, number, 1.0, 1000.0);
  return static_cast<std::size_t>(number);
}

/// Result of a step.
struct Step {
  std::string name;
  std::size_t before, after;  ///< points
  std::string more;           ///< in words; may be empty
};

std::string textOf(const Step& step) {
  const std::string change = step.after > step.before
                                 ? withThousands(step.after - step.before) + " added"
                                 : withThousands(step.before - step.after) + " removed";
  return fmt::format("{} -> {} points, {}{}{}", withThousands(step.before),
                     withThousands(step.after), change, step.more.empty() ? "" : "; ", step.more);
}

/// The steps, in their order.
class Cleaner {
 public:
  Cleaner(const CleanOptions& options, map::PointCloud cloud, Progress& progress)
      : options_(options), cloud_(std::move(cloud)), progress_(progress) {}

  void run() {
    if (!options_.moving.empty()) removeMoving();
    if (!options_.outliers.empty()) removeOutliers();
    if (!options_.lonely.empty()) removeLonely();
    if (!options_.crop.empty()) crop();
    if (options_.level) level();
    if (!options_.origin.empty()) moveOrigin();
    if (options_.fill) fill();
    if (options_.downsample) downsample();
  }
  const map::PointCloud& cloud() const { return cloud_; }
  const std::vector<Step>& steps() const { return steps_; }

 private:
  void become(const std::string& step, map::PointCloud next, const std::string& more = "") {
    if (next.empty()) throw Error("--" + step + " leaves no point of the map");
    steps_.push_back({step, cloud_.size(), next.size(), more});
    cloud_ = std::move(next);
  }

  void removeMoving() {
    map_tools::RecordingConfig recording = options_.recording.config();
    recording.source = options_.moving;
    map_tools::TraceReport report;
    map::PointCloud next =
        map_tools::removeMovingTraces(cloud_, recording, options_.traces, report, progress_);
    become("moving", std::move(next),
           fmt::format("{} voxels of {} m that {} scans saw through", withThousands(report.voxels),
                       options_.traces.voxel, withThousands(report.scans)));
  }
  void removeOutliers() {
    const auto numbers =
        numbersOf("--outliers", options_.outliers, 2, "neighbours,sigmas, as 12,3");
    Bounds{0.0, 1000.0, true}.require("command line", "--outliers", numbers[1]);
    become("outliers", map_tools::removeOutliers(
                           cloud_, {wholeOf("--outliers", numbers[0]), numbers[1]}, progress_));
  }
  void removeLonely() {
    const auto numbers =
        numbersOf("--radius", options_.lonely, 2, "radius [m],neighbours, as 0.3,2");
    kResolutions.require("command line", "--radius", numbers[0], "m");
    become("radius",
           map_tools::removeLonely(cloud_, numbers[0], wholeOf("--radius", numbers[1]), progress_));
  }
  void crop() {
    const auto n = numbersOf("--crop", options_.crop, 6, "x0,y0,z0,x1,y1,z1 [m]");
    const Eigen::AlignedBox3d box(Eigen::Vector3d(n[0], n[1], n[2]),
                                  Eigen::Vector3d(n[3], n[4], n[5]));
    if (box.isEmpty()) {
      throw ConfigError("command line", "--crop", fmt::format("'{}'", options_.crop),
                        "the lower corner first");
    }
    become("crop", map_tools::crop(cloud_, box));
  }
  void level() {
    const map_tools::GroundPlane ground = map_tools::findGround(cloud_, progress_);
    const double tilt = degrees(std::acos(std::min(1.0, ground.normal.z())));
    become("level", map_tools::levelled(cloud_, ground),
           fmt::format("turned by {:.2f} deg, the ground is at z = {:.2f} m", tilt, ground.height));
  }
  void moveOrigin() {
    const Eigen::Vector3d origin = parsePoint(options_.origin, "--origin");
    map::PointCloud next = cloud_;
    for (Eigen::Vector3f& p : next.points) p = (p.cast<double>() - origin).cast<float>();
    become("origin", std::move(next), fmt::format("{} is (0, 0, 0) now", pointText(origin)));
  }
  void fill() { become("fill", map_tools::fillHoles(cloud_, *options_.fill, progress_)); }
  void downsample() {
    map::PointCloud next = map::downsample(cloud_, *options_.downsample);
    next.weight.clear();
    become("downsample", std::move(next), fmt::format("one a voxel of {} m", *options_.downsample));
  }

  const CleanOptions& options_;
  map::PointCloud cloud_;
  Progress& progress_;
  std::vector<Step> steps_;
};

void report(const map::LoadedCloud& loaded, const Cleaner& cleaner, const std::string& out) {
  printLine("read", fmt::format("{} points; {} not finite and {} duplicates dropped",
                                withThousands(loaded.read), withThousands(loaded.non_finite),
                                withThousands(loaded.duplicates)));
  if (!loaded.origin.isZero()) {
    printLine("origin",
              fmt::format("{} of the source is (0, 0, 0) of the copy", pointText(loaded.origin)));
  }
  for (const Step& step : cleaner.steps()) printLine(step.name, textOf(step));
  printLine("written", fmt::format("{}, {} points", out, withThousands(cleaner.cloud().size())));
}

// Writes the report as one JSON object.
void reportJson(const map::LoadedCloud& loaded, const Cleaner& cleaner, const std::string& out) {
  nlohmann::json steps = nlohmann::json::array();
  for (const Step& step : cleaner.steps()) {
    steps.push_back(
        {{"step", step.name}, {"before", step.before}, {"after", step.after}, {"note", step.more}});
  }
  const Eigen::Vector3d& origin = loaded.origin;
  const nlohmann::json json{{"read", loaded.read},
                            {"not_finite", loaded.non_finite},
                            {"duplicates", loaded.duplicates},
                            {"origin", {origin.x(), origin.y(), origin.z()}},
                            {"steps", steps},
                            {"written", out},
                            {"points", cleaner.cloud().size()}};
  fmt::print("{}\n", json.dump(2));
}

int runClean(const CleanOptions& options) {
  requireExtension(options.out, map::cloudFormats());
  requireWritable(options.out);
  const std::vector<std::string> steps = {options.moving, options.outliers, options.lonely,
                                          options.crop, options.origin};
  const bool any = options.level || options.fill || options.downsample ||
                   std::any_of(steps.begin(), steps.end(),
                               [](const std::string& step) { return !step.empty(); });
  if (!any) {
    throw ConfigError("command line", "steps", "none",
                      "one or more of --moving, --outliers, --radius, --crop, --level, --origin, "
                      "--fill, --downsample");
  }
  if (options.moving.empty()) options.recording.requireNone("with --moving");
  Progress progress("clean");
  map::LoadedCloud loaded = map::loadCloud(config::resolveMap(options.name), progress);
  Cleaner cleaner(options, std::move(loaded.cloud), progress);
  cleaner.run();
  progress.phase("writing");
  const int code = saveWhole(options.out, cleaner.cloud());
  progress.finish();
  options.json ? reportJson(loaded, cleaner, options.out) : report(loaded, cleaner, options.out);
  return code;
}

}  // namespace

MapCommand addMapClean(CommandLine& line) {
  const auto options = std::make_shared<CleanOptions>();
  CommandLine sub = line.subcommand(
      "clean",
      "Removes outliers and traces of what moved, crops, levels, fills, thins. Steps are done in "
      "the order of this list");
  addMapName(sub, options->name);
  sub.option("--out", options->out, kOutput, "PCD or PLY to write").required();
  sub.option("--moving", options->moving, kInput,
             "the recording that the map was imported from: removes what its beams saw through");
  options->recording.addTo(sub);
  sub.option("--voxel", options->traces.voxel,
             number(Quantity::kLength, map_tools::TraceConfig::kVoxels), "[m] of --moving");
  sub.option("--outliers", options->outliers, {"NUMBERS:K,S"},
             "K,S: removes points whose mean distance to K neighbours is S standard "
             "deviations above the mean, as 12,3");
  sub.option("--radius", options->lonely, {"NUMBERS:R,N"},
             "R,N: removes points with fewer than N others within R [m]");
  sub.option("--crop", options->crop, {"NUMBERS:x0,y0,z0,x1,y1,z1"},
             "x0,y0,z0,x1,y1,z1: keeps what is in that box [m]");
  sub.flag("--level", options->level, "turns the map about its origin until the ground is level");
  sub.option("--origin", options->origin, {"NUMBERS:x,y,z"},
             "x,y,z: this place becomes the origin [m]");
  sub.option("--fill", options->fill, number(Quantity::kLength, map_tools::kHoleWidths),
             "fills holes of surfaces up to this width [m]");
  sub.option("--downsample", options->downsample, number(Quantity::kLength, kResolutions),
             "one point a voxel of this side [m]");
  sub.flag("--json", options->json, "print one JSON object");
  return {sub, [options] { return runClean(*options); }};
}

}  // namespace marsim::tools
