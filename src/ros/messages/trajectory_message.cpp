// SPDX-License-Identifier: BSD-3-Clause
#include "ros/messages/trajectory_message.hpp"

#include <cmath>

#include <fmt/format.h>

#include "marsim/common/error.hpp"
#include "ros/messages/conversions.hpp"

namespace marsim::ros_nodes {
namespace {

control::TrajectoryPoint fromPointMessage(
    const trajectory_msgs::MultiDOFJointTrajectoryPoint& message, double present_yaw) {
  control::TrajectoryPoint point;
  control::Reference& r = point.reference;
  const geometry_msgs::Transform& transform = message.transforms.front();
  r.p_WB = fromVector3(transform.translation);
  r.yaw = yawOrPresent(fromQuaternion(transform.rotation), present_yaw);
  point.moves = !message.velocities.empty();
  if (!point.moves) return point;
  r.v_WB = fromVector3(message.velocities.front().linear);
  r.yaw_rate = message.velocities.front().angular.z;
  if (!message.accelerations.empty()) {
    r.a_WB = fromVector3(message.accelerations.front().linear);
  }
  return point;
}

}  // namespace

TrajectoryCommand fromMessage(const trajectory_msgs::MultiDOFJointTrajectory& message,
                              double present_yaw) {
  if (message.points.empty()) throw Error("points is empty, allowed: at least one");
  const ros::Duration first = message.points.front().time_from_start;
  TrajectoryCommand command;
  for (std::size_t i = 0; i < message.points.size(); ++i) {
    const auto& from = message.points[i];
    if (from.transforms.empty()) {
      throw Error(fmt::format("points[{}].transforms is empty, allowed: at least one", i));
    }
    control::TrajectoryPoint point = fromPointMessage(from, present_yaw);
    point.after = (from.time_from_start - first).toNSec();
    control::Reference& r = point.reference;
    if (!r.p_WB.allFinite() || !r.v_WB.allFinite() || !std::isfinite(r.yaw)) {
      throw Error(
          fmt::format("points[{}] has a place, yaw or velocity that is NaN or infinite", i));
    }
    const auto dropped = control::dropUnusable(r, {"accelerations", "", "velocities.angular.z"});
    command.not_given.insert(dropped.begin(), dropped.end());
    command.points.push_back(point);
  }
  return command;
}

}  // namespace marsim::ros_nodes
