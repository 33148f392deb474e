// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ros/callback_queue.h>
#include <ros/ros.h>

namespace marsim::test {

constexpr double kGuard = 300.0;  ///< [s] of wall time that only a broken program needs

/// Handles what arrives until the condition holds, and says whether it did within a wall time [s].
/// A shorter time than the guard is for conditions that must not come to hold.
template <class Condition>
bool waitFor(Condition condition, double wall_seconds = kGuard) {
  const ros::WallTime end = ros::WallTime::now() + ros::WallDuration(wall_seconds);
  while (ros::ok() && ros::WallTime::now() < end) {
    ros::getGlobalCallbackQueue()->callAvailable(ros::WallDuration(0.02));
    if (condition()) return true;
  }
  return false;
}

}  // namespace marsim::test
