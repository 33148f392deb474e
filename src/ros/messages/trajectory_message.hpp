// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <trajectory_msgs/MultiDOFJointTrajectory.h>

#include "sim/command_input.hpp"

namespace marsim::ros_nodes {

/// The points of a trajectory in RotorS' sense: the first transform, velocity and acceleration of
/// every point, in W; yaw from the rotation (`present_yaw` [rad] if it is unset), its rate from
/// velocity.angular.z; times relative to the first point's. A point without velocities does not
/// move. Throws Error naming the point if there is no point, a point has no transform, or its
/// place, yaw or velocity is NaN or infinite.
sim::TrajectoryCommand fromMessage(const trajectory_msgs::MultiDOFJointTrajectory& message,
                                   double present_yaw);

}  // namespace marsim::ros_nodes
