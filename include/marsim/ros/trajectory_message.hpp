#pragma once

#include <vector>

#include <trajectory_msgs/MultiDOFJointTrajectory.h>

#include "marsim/control/commander.hpp"

namespace marsim::ros_nodes {

/// The points of a trajectory as RotorS reads them: the first transform, velocity and acceleration
/// of every point, in W; yaw from the rotation (`present_yaw` [rad] where it is unset), its rate
/// from velocity.angular.z; times relative to the first point's. A point without velocities does
/// not move. Throws Error where there is no point, a point has no transform, or a value is NaN or
/// infinite; its text names the field.
std::vector<control::TrajectoryPoint> fromMessage(
    const trajectory_msgs::MultiDOFJointTrajectory& message, double present_yaw);

}  // namespace marsim::ros_nodes
