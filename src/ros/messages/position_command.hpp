// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "marsim/control/reference.hpp"
#include "ros/messages/conversions.hpp"

/// Messages called quadrotor_msgs/PositionCommand. Planners have definitions of their own under
/// that name; an md5 tells which one, so that none of their packages is needed here.
namespace marsim::ros_nodes {

/// The values of such a message for a controller. Gains are not among them.
struct PositionCommand {
  TimeNs stamp = 0;  ///< simulated time
  std::string frame_id;
  control::Reference reference;                 ///< jerk is zero if the definition has none
  std::optional<std::uint8_t> trajectory_flag;  ///< if the definition has one
  /// Names of acceleration, jerk and yaw_dot that were NaN or infinite: they count as zero.
  std::vector<std::string> not_given;
};

/// The planners that use the definition with this md5 ("EGO-Planner, ..."); null for an unknown
/// md5.
const char* positionCommandUsers(const std::string& md5);

/// The known definitions, for messages: "<md5> (<users>), ...".
std::string knownPositionCommands();

/// Reads a serialised message (little endian, as ROS serialises). Throws Error if md5 is unknown,
/// the size is not that of the definition, or position, velocity or yaw are NaN or infinite; the
/// text names the md5, and sizes [bytes] or field.
PositionCommand decodePositionCommand(const std::string& md5,
                                      const std::vector<std::uint8_t>& bytes,
                                      TimeNs epoch = ros_nodes::epoch());

/// Whether a message with this trajectory_flag is to be followed: EMPTY (0, of planners that do not
/// set it), READY (1), EMER (2: SUPER's way to a safe stop, a trajectory like any other) and
/// COMPLETED (3). With the others (ABORT 4, ILLEGAL_START 5, ILLEGAL_FINAL 6, IMPOSSIBLE 7,
/// ACTION_STOP 8 and unknown ones) the vehicle stops and holds.
bool isFollowed(std::uint8_t trajectory_flag);

}  // namespace marsim::ros_nodes
