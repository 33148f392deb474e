// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "map_tools/sources.hpp"
#include "marsim/common/progress.hpp"
#include "marsim/geometry/pose_track.hpp"
#include "marsim/map/point_cloud.hpp"

/// Recordings of a LiDAR: scans and the trajectory along which they were taken.
namespace marsim::map_tools {

/// Place of a recording and how to read it.
struct RecordingConfig {
  std::filesystem::path source;  ///< a folder of PCD or PLY files, or a ROS 1 bag
  /// The trajectory, a file that readScanPoses() reads. Empty: a bag's odometry.
  std::filesystem::path poses;
  Pose X_BL;             ///< of the LiDAR in the body whose poses these are
  std::string clouds;    ///< topic of a bag's clouds; empty: the only one of its type
  std::string odometry;  ///< topic of a bag's odometry; likewise
  ImportLimits limits;   ///< for reading a bag
};

/// Poses of a body over time.
class Trajectory {
 public:
  /// `poses` have rising stamps; at least one.
  explicit Trajectory(std::vector<StampedPose> poses) : poses_(std::move(poses)) {}
  /// The pose between two poses: on a straight line, turning evenly. None before the first, after
  /// the last and in gaps of more than a second.
  std::optional<Pose> at(TimeNs stamp) const;
  TimeNs begin() const { return poses_.front().stamp; }
  TimeNs end() const { return poses_.back().stamp; }
  std::size_t size() const { return poses_.size(); }

 private:
  std::vector<StampedPose> poses_;
};

/// One scan, in W.
struct Keyframe {
  Eigen::Vector3d origin =
      Eigen::Vector3d::Zero();  ///< [m] of the LiDAR, in the middle of the scan
  map::PointCloud cloud;        ///< [m] without points that are not finite
};

/// Statistics of a recording.
struct RecordingReport {
  std::size_t scans = 0;    ///< used scans
  std::size_t outside = 0;  ///< dropped: the trajectory has no pose for them
  std::size_t points = 0;
  std::size_t not_finite = 0;      ///< dropped points: not finite, or at the LiDAR itself
  bool by_point = false;           ///< points had times and were each placed by their own pose
  std::string source, odometry;    ///< names of what was read
  std::vector<std::string> notes;  ///< how it was read, a line each
};

/// Calls take() for one scan after another. Throws FileError and ConfigError, which name the
/// missing data, if the poses do not fit the scans or no scan has a pose.
RecordingReport readRecording(const RecordingConfig& config, Progress& progress,
                              const std::function<void(const Keyframe& keyframe)>& take);

/// Whether a path is a recording: a folder or a .bag file.
bool isRecording(const std::filesystem::path& path);

}  // namespace marsim::map_tools
