// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <geometry_msgs/PoseStamped.h>
#include <ros/time.h>

#include "common/output_file.hpp"
#include "marsim/common/time.hpp"
#include "marsim/geometry/pose.hpp"

namespace marsim::ros_nodes {

/// The first line of a file in TUM format.
extern const char* const kTumHeader;

/// A line of such a file: stamp and pose in the world.
std::string tumLine(TimeNs stamp, const Pose& X_WB);

/// A trajectory file in TUM format (stamp x y z qx qy qz qw), filled with the poses of messages.
/// The first message empties it. Every message is in the file when take() returns.
class TumFile {
 public:
  /// `offset` is added to every stamp. Throws FileError.
  TumFile(std::filesystem::path path, TimeNs offset);

  /// Takes a serialised message, identified by its md5: nav_msgs/Odometry and
  /// geometry_msgs/PoseStamped (and PoseWithCovarianceStamped) add a line, a nav_msgs/Path replaces
  /// all lines. Poses with numbers that are not finite, or larger than a FaultFinder allows, are
  /// left out. Throws Error naming `type` for any other message, and FileError if the file cannot
  /// be written.
  void take(const std::string& type, const std::string& md5, std::vector<std::uint8_t> message);

  std::size_t poses() const { return poses_; }        ///< in the file
  std::size_t left_out() const { return left_out_; }  ///< see take()

 private:
  std::string linesOf(const std::vector<geometry_msgs::PoseStamped>& poses);

  std::filesystem::path path_;
  TimeNs offset_;
  OutputStream file_;
  bool is_begun_ = false;
  std::size_t poses_ = 0, left_out_ = 0;
};

}  // namespace marsim::ros_nodes
