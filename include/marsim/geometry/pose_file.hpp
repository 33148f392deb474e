// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "marsim/geometry/pose_track.hpp"

namespace marsim {

/// The poses of a trajectory file, as PoseTrack takes them. Blank lines and comments (`#`, `%`,
/// `//`) are passed over. Two formats:
/// - TUM: `stamp x y z qx qy qz qw`, separated by blanks; a comment or first line that names the
///   columns may give another order.
/// - CSV with a line or comment of column names: stamp (or t, time, timestamp), x, y, z, qx, qy, qz
///   and qw in any order, a unit of time in brackets ([s], [ms], [us], [ns]). Other columns are
///   skipped. The names of EuRoC's ground truth (`#timestamp`, `p_RS_R_x`, `q_RS_w`, ..., in
///   nanoseconds) are known.
/// Throws FileError naming line, field, value and what is allowed.
std::vector<StampedPose> readPoseFile(const std::filesystem::path& path);

/// Poses from which the scans of a recording were taken.
struct ScanPoses {
  std::vector<StampedPose> poses;  ///< q of length 1
  bool has_stamps = true;          ///< else the stamps count the poses
  std::string format;              ///< for messages
};

/// Reads the formats of readPoseFile(), with any time and turn between two poses, and poses without
/// stamps: `x y z qx qy qz qw`, or matrices row by row, 3 x 4 (12 numbers a line, KITTI) or 4 x 4
/// (16 numbers a line or four lines of 4). The last number of a 4 x 4 matrix may be the stamp [s]
/// in place of 1. Throws FileError, also where the order of seven columns is not sure.
ScanPoses readScanPoses(const std::filesystem::path& path);

}  // namespace marsim
