// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <set>
#include <string>
#include <vector>

#include <trajectory_msgs/MultiDOFJointTrajectory.h>

#include "marsim/control/commander.hpp"

namespace marsim::ros_nodes {

struct TrajectoryCommand {
  std::vector<control::TrajectoryPoint> points;
  /// Names of accelerations and velocities.angular.z that were NaN or infinite: they count as zero.
  std::set<std::string> not_given;
};

/// The points of a trajectory in RotorS' sense: the first transform, velocity and acceleration of
/// every point, in W; yaw from the rotation (`present_yaw` [rad] if it is unset), its rate from
/// velocity.angular.z; times relative to the first point's. A point without velocities does not
/// move. Throws Error naming the point if there is no point, a point has no transform, or its
/// place, yaw or velocity is NaN or infinite.
TrajectoryCommand fromMessage(const trajectory_msgs::MultiDOFJointTrajectory& message,
                              double present_yaw);

}  // namespace marsim::ros_nodes
