#pragma once

#include <set>

#include "map_tools/recording.hpp"

/// What the readers of folders and bags share.
namespace marsim::map_tools {

/// A scan as it was recorded.
struct RawScan {
  std::string name;
  TimeNs stamp = 0;
  map::PointCloud cloud;            ///< [m] in the LiDAR's frame
  std::vector<std::int64_t> times;  ///< [ns] of each point since the stamp; empty: none
};

/// Places scans along a trajectory and counts.
class ScanPlacer {
 public:
  ScanPlacer(const RecordingConfig& config, Trajectory trajectory,
             const std::function<void(const Keyframe& keyframe)>& take)
      : config_(config), trajectory_(std::move(trajectory)), take_(take) {}

  /// Throws FileError where another scan had its stamp.
  void add(const RawScan& scan);
  /// A scan whose pose is known without its stamp.
  void add(const RawScan& scan, const Pose& X_WB);
  /// Throws FileError where no scan had a pose.
  RecordingReport finish();
  RecordingReport report;

 private:
  bool append(const RawScan& scan, std::size_t i, const Pose& X_WL, Keyframe& keyframe);

  const RecordingConfig& config_;
  Trajectory trajectory_;
  const std::function<void(const Keyframe& keyframe)>& take_;
  std::set<TimeNs> stamps_;  // of the scans
};

/// The poses of config.poses. Throws FileError.
std::vector<StampedPose> readTrajectory(const std::filesystem::path& path, bool& has_stamps);

void readBag(const RecordingConfig& config, Progress& progress, RecordingReport& report,
             const std::function<void(const Keyframe& keyframe)>& take);

}  // namespace marsim::map_tools
