// SPDX-License-Identifier: BSD-3-Clause
#include "ros/messages/tum_file.hpp"

#include <utility>

#include <fmt/format.h>

#include "common/seconds_text.hpp"
#include "ros/messages/conversions.hpp"
#include "ros/messages/pose_messages.hpp"

namespace marsim::ros_nodes {

const char* const kTumHeader = "# stamp x y z qx qy qz qw\n";

std::string tumLine(TimeNs stamp, const Pose& X_WB) {
  const Eigen::Vector3d& p = X_WB.p;
  const Eigen::Quaterniond& q = X_WB.q;
  return fmt::format("{} {:.9g} {:.9g} {:.9g} {:.9g} {:.9g} {:.9g} {:.9g}\n", secondsText(stamp),
                     p.x(), p.y(), p.z(), q.x(), q.y(), q.z(), q.w());
}

TumFile::TumFile(std::filesystem::path path, TimeNs offset)
    : path_(std::move(path)), offset_(offset), file_(path_) {}

std::string TumFile::linesOf(const std::vector<geometry_msgs::PoseStamped>& poses) {
  std::string lines;
  for (const geometry_msgs::PoseStamped& stamped : poses) {
    if (!isUsable(stamped.pose)) {
      ++left_out_;
      continue;
    }
    lines += tumLine(fromRos(stamped.header.stamp, 0) + offset_,
                     {fromQuaternion(stamped.pose.orientation), fromPoint(stamped.pose.position)});
    ++poses_;
  }
  return lines;
}

void TumFile::take(const std::string& type, const std::string& md5,
                   std::vector<std::uint8_t> message) {
  const MessagePoses poses = readPoses(type, md5, std::move(message));
  if (poses.is_path) {
    poses_ = left_out_ = 0;
    writeFile(path_, kTumHeader + linesOf(poses.poses));
    return;
  }
  if (!is_begun_) file_.write(kTumHeader);
  is_begun_ = true;
  file_.write(linesOf(poses.poses));
}

}  // namespace marsim::ros_nodes
