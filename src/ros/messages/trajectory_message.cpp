// SPDX-License-Identifier: BSD-3-Clause
#include "ros/messages/trajectory_message.hpp"

#include <utility>
#include <vector>

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
  r.yaw = sim::yawOrPresent(fromQuaternion(transform.rotation), present_yaw);
  point.after = message.time_from_start.toNSec();
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

sim::TrajectoryCommand fromMessage(const trajectory_msgs::MultiDOFJointTrajectory& message,
                                   double present_yaw) {
  std::vector<control::TrajectoryPoint> points;
  for (const auto& from : message.points) {
    if (from.transforms.empty()) {
      throw Error(
          fmt::format("points[{}].transforms is empty, allowed: at least one", points.size()));
    }
    points.push_back(fromPointMessage(from, present_yaw));
  }
  return sim::checkTrajectory(std::move(points));
}

}  // namespace marsim::ros_nodes
