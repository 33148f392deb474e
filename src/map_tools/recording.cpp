#include "map_tools/recording.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "common/input_file.hpp"
#include "common/output_file.hpp"
#include "common/text.hpp"
#include "map_tools/scan_reader.hpp"
#include "marsim/common/error.hpp"
#include "marsim/geometry/pose_file.hpp"
#include "marsim/map/cloud_io.hpp"

namespace marsim::map_tools {
namespace {

namespace fs = std::filesystem;

constexpr TimeNs kLongestGap = kNsPerSecond;
constexpr double kAtSensor =
    0.05;  // [m] what is nearer to the LiDAR is itself, or a shot that missed

/// KITTI's poses: rows of a 3 x 4 matrix; in a trajectory of the same number of scans.
std::optional<std::vector<StampedPose>> readKitti(const fs::path& path) {
  std::istringstream text(readFile(path, std::size_t{1} << 30U));
  std::vector<StampedPose> poses;
  std::size_t number = 0;
  for (std::string line; std::getline(text, line);) {
    ++number;
    std::istringstream words(line);
    std::vector<double> values;
    for (double value = 0.0; words >> value;) values.push_back(value);
    if (values.empty() || line[0] == '#') continue;
    if (values.size() != 12) {
      if (poses.empty()) return std::nullopt;
      throw FileError(path.string(), fmt::format("line {}: {} numbers, allowed: 12 as in line 1",
                                                 number, values.size()));
    }
    Eigen::Matrix3d R;
    Eigen::Vector3d p;
    for (int row = 0; row < 3; ++row) {
      for (int column = 0; column < 3; ++column) {
        R(row, column) = values[static_cast<std::size_t>(4 * row + column)];
      }
      p[row] = values[static_cast<std::size_t>(4 * row + 3)];
    }
    if (!p.allFinite() || !(R * R.transpose()).isIdentity(1e-3) || R.determinant() < 0.0) {
      throw FileError(path.string(), fmt::format("line {}: no pose, allowed: a rotation matrix and "
                                                 "finite numbers",
                                                 number));
    }
    poses.push_back({static_cast<TimeNs>(poses.size()), {Eigen::Quaterniond(R).normalized(), p}});
  }
  return poses;
}

/// Clouds of a folder, in the order of their names; numbers by their value.
std::vector<fs::path> cloudsOf(const fs::path& folder) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string extension = lowerExtension(entry.path());
    const auto& formats = map::cloudFormats();
    if (std::find(formats.begin(), formats.end(), extension) != formats.end()) {
      paths.push_back(entry.path());
    }
  }
  if (paths.empty()) throw FileError(folder.string(), "has no PCD or PLY file");
  std::sort(paths.begin(), paths.end(), [](const fs::path& a, const fs::path& b) {
    const std::string x = a.stem().string(), y = b.stem().string();
    return x.size() != y.size() && parseWhole(x) && parseWhole(y) ? x.size() < y.size() : x < y;
  });
  return paths;
}

/// The stamp in a file's name: seconds with a point (1650000000.25), or nanoseconds of 16 digits or
/// more.
std::optional<TimeNs> stampOf(const fs::path& path) {
  const std::string stem = path.stem().string();
  const std::size_t point = stem.find('.');
  const auto whole = parseWhole(stem.substr(0, point));
  if (!whole || *whole > 4'000'000'000'000'000'000U) return std::nullopt;
  if (point == std::string::npos) {
    if (stem.size() < 16) return std::nullopt;
    return static_cast<TimeNs>(*whole);
  }
  std::string decimals = stem.substr(point + 1, 9);
  if (*whole > 4'000'000'000U || !parseWhole(decimals)) return std::nullopt;
  decimals.resize(9, '0');
  return static_cast<TimeNs>(*whole) * kNsPerSecond + static_cast<TimeNs>(*parseWhole(decimals));
}

void readFolder(const RecordingConfig& config, Progress& progress, RecordingReport& report,
                const std::function<void(const Keyframe& keyframe)>& take) {
  if (config.poses.empty()) {
    throw ConfigError("command line", "--poses", "absent",
                      "the trajectory of the scans in " + config.source.string());
  }
  const std::vector<fs::path> paths = cloudsOf(config.source);
  bool has_stamps = false;
  const std::vector<StampedPose> poses = readTrajectory(config.poses, has_stamps);
  const bool by_stamp = has_stamps && std::all_of(paths.begin(), paths.end(), [](const auto& path) {
                          return stampOf(path).has_value();
                        });
  if (!by_stamp && poses.size() != paths.size()) {
    throw FileError(config.poses.string(),
                    fmt::format("has {} poses for {} clouds in {}, allowed: as many, or clouds "
                                "named by their stamps (1650000000.25.pcd) and poses with stamps",
                                poses.size(), paths.size(), config.source.string()));
  }
  ScanPlacer placer(config, Trajectory(poses), take);
  progress.phase("reading scans", paths.size());
  for (std::size_t i = 0; i < paths.size(); ++i) {
    RawScan scan;
    scan.name = paths[i].string();
    Progress quiet("", Progress::Output::kNone);
    map::LoadedCloud loaded = map::loadCloud(paths[i], quiet);
    scan.cloud = std::move(loaded.cloud);
    placer.report.not_finite += loaded.non_finite;
    if (!loaded.origin.isZero()) {
      throw FileError(scan.name,
                      "lies more than 10 km from its origin, allowed: the LiDAR's frame");
    }
    if (by_stamp) {
      scan.stamp = *stampOf(paths[i]);
      placer.add(scan);
    } else {
      placer.add(scan, poses[i].X_WB);
    }
    progress.update(i + 1);
  }
  report = placer.finish();
}

}  // namespace

std::optional<Pose> Trajectory::at(TimeNs stamp) const {
  const auto after =
      std::lower_bound(poses_.begin(), poses_.end(), stamp,
                       [](const StampedPose& pose, TimeNs wanted) { return pose.stamp < wanted; });
  if (after == poses_.end()) return std::nullopt;
  if (after->stamp == stamp) return after->X_WB;
  if (after == poses_.begin()) return std::nullopt;
  const StampedPose& before = *(after - 1);
  const TimeNs gap = after->stamp - before.stamp;
  if (gap > kLongestGap) return std::nullopt;
  const double share = static_cast<double>(stamp - before.stamp) / static_cast<double>(gap);
  return Pose{before.X_WB.q.slerp(share, after->X_WB.q),
              before.X_WB.p + share * (after->X_WB.p - before.X_WB.p)};
}

std::vector<StampedPose> readTrajectory(const fs::path& path, bool& has_stamps) {
  if (auto kitti = readKitti(path); kitti && !kitti->empty()) {
    has_stamps = false;
    return *kitti;
  }
  has_stamps = true;
  std::vector<StampedPose> poses = readPoseFile(path, true);
  for (StampedPose& pose : poses) pose.X_WB.q.normalize();
  return poses;
}

bool ScanPlacer::append(const RawScan& scan, std::size_t i, const Pose& X_WL, Keyframe& keyframe) {
  const Eigen::Vector3d p_L = scan.cloud.points[i].cast<double>();
  if (!p_L.allFinite() || p_L.norm() < kAtSensor) return false;
  keyframe.cloud.points.push_back((X_WL * p_L).cast<float>());
  map::appendChannels(scan.cloud, i, keyframe.cloud);
  return true;
}

void ScanPlacer::add(const RawScan& scan, const Pose& X_WB) {
  Keyframe keyframe;
  const Pose X_WL = X_WB * config_.X_BL;
  keyframe.origin = X_WL.p;
  for (std::size_t i = 0; i < scan.cloud.size(); ++i) {
    if (!append(scan, i, X_WL, keyframe)) ++report.not_finite;
  }
  ++report.scans;
  report.points += scan.cloud.size();
  take_(keyframe);
}

void ScanPlacer::add(const RawScan& scan) {
  if (!stamps_.insert(scan.stamp).second) {
    throw FileError(scan.name, fmt::format("has a second scan at {:.9f} s, allowed: one a stamp",
                                           toSeconds(scan.stamp)));
  }
  if (scan.times.empty()) {
    const std::optional<Pose> X_WB = trajectory_.at(scan.stamp);
    X_WB ? add(scan, *X_WB) : static_cast<void>(++report.outside);
    return;
  }
  report.by_point = true;
  const auto [least, most] = std::minmax_element(scan.times.begin(), scan.times.end());
  if (!trajectory_.at(scan.stamp + *least) || !trajectory_.at(scan.stamp + *most)) {
    ++report.outside;
    return;
  }
  Keyframe keyframe;
  keyframe.origin = (*trajectory_.at(scan.stamp + (*least + *most) / 2) * config_.X_BL).p;
  std::int64_t known = *least;
  Pose X_WL = *trajectory_.at(scan.stamp + known) * config_.X_BL;
  for (std::size_t i = 0; i < scan.cloud.size(); ++i) {
    if (scan.times[i] != known) {
      known = scan.times[i];
      const std::optional<Pose> X_WB = trajectory_.at(scan.stamp + known);
      if (!X_WB) continue;
      X_WL = *X_WB * config_.X_BL;
    }
    if (!append(scan, i, X_WL, keyframe)) ++report.not_finite;
  }
  ++report.scans;
  report.points += scan.cloud.size();
  take_(keyframe);
}

RecordingReport ScanPlacer::finish() {
  if (report.scans > 0) {
    if (report.points == report.not_finite) {
      throw FileError(config_.source.string(), "has scans without a single point");
    }
    return report;
  }
  if (stamps_.empty()) throw FileError(config_.source.string(), "has no scan");
  throw FileError(
      config_.poses.empty() ? config_.source.string() : config_.poses.string(),
      fmt::format("poses from {:.3f} to {:.3f} s fit none of the {} scans from {:.3f} to {:.3f} s: "
                  "are they of another clock or recording?",
                  toSeconds(trajectory_.begin()), toSeconds(trajectory_.end()), report.outside,
                  toSeconds(*stamps_.begin()), toSeconds(*stamps_.rbegin())));
}

bool isRecording(const fs::path& path) {
  std::error_code none;
  return fs::is_directory(path, none) || lowerExtension(path) == ".bag";
}

RecordingReport readRecording(const RecordingConfig& config, Progress& progress,
                              const std::function<void(const Keyframe& keyframe)>& take) {
  RecordingReport report;
  if (fs::is_directory(config.source)) {
    readFolder(config, progress, report, take);
    report.source = "PCD or PLY files";
  } else {
    readBag(config, progress, report, take);
  }
  return report;
}

}  // namespace marsim::map_tools
