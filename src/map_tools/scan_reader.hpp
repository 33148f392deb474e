// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "map_tools/point_times.hpp"
#include "map_tools/recording.hpp"
#include "marsim/geometry/pose_file.hpp"

/// Declarations shared by the readers of folders and bags.
namespace marsim::map_tools {

/// A recorded scan.
struct RawScan {
  std::string name;
  TimeNs stamp = 0;
  std::optional<Pose> X_WB;   ///< if it is known without the stamp
  map::PointCloud cloud;      ///< [m] in the LiDAR's frame
  std::vector<double> times;  ///< for each point, in the unit of its field; empty: none
  std::string time_field;
  bool times_are_float32 = false;
};

/// The first part of map_importer's answer on a bag.
struct BagContents {
  std::string clouds, odometry;    ///< topics
  std::vector<StampedPose> poses;  ///< of `odometry`, with rising stamps
  std::uint64_t messages = 0;      ///< on `clouds`
};

/// Places scans along a trajectory and counts them.
class ScanPlacer {
 public:
  ScanPlacer(const RecordingConfig& config, ScanPoses poses,
             const std::function<void(const Keyframe& keyframe)>& take)
      : config_(config),
        has_stamps_(poses.has_stamps),
        trajectory_(std::move(poses.poses)),
        take_(take) {}

  /// Throws FileError if an earlier scan had the same stamp.
  void add(RawScan scan);
  /// Throws FileError if no scan had a pose.
  RecordingReport finish();
  RecordingReport report;

 private:
  void judgeTimes();
  void place(const RawScan& scan);
  void placeBy(const RawScan& scan, const Pose& X_WB);
  bool placeByPoint(const RawScan& scan);
  bool append(const RawScan& scan, std::size_t i, const Pose& X_WL, Keyframe& keyframe);
  void takeScan(const RawScan& scan, const Keyframe& keyframe);
  void addNotes();

  const RecordingConfig& config_;
  bool has_stamps_;
  Trajectory trajectory_;
  const std::function<void(const Keyframe& keyframe)>& take_;
  std::set<TimeNs> stamps_;       // of the scans
  std::vector<RawScan> waiting_;  // scans that wait until the unit of their times is known
  bool is_judged_ = false;
  std::optional<PointTimes> times_;
  std::string times_note_;
  std::size_t by_pose_ = 0;  // scans with times that the trajectory does not cover
};

/// Reads a folder of PCD or PLY files.
void readFolder(const RecordingConfig& config, Progress& progress, RecordingReport& report,
                const std::function<void(const Keyframe& keyframe)>& take);

/// Reads a bag by the program map_importer.
void readBag(const RecordingConfig& config, Progress& progress, RecordingReport& report,
             const std::function<void(const Keyframe& keyframe)>& take);

}  // namespace marsim::map_tools
