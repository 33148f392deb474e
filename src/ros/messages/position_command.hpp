#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "marsim/control/reference.hpp"

/// The messages called quadrotor_msgs/PositionCommand. Planners bring definitions of their own
/// under that name; an md5 tells which, so that none of their packages is needed here.
namespace marsim::ros_nodes {

/// The values that a controller takes from such a message. Gains are not among them.
struct PositionCommand {
  TimeNs stamp = 0;
  std::string frame_id;
  control::Reference reference;                 ///< jerk zero where the definition has none
  std::optional<std::uint8_t> trajectory_flag;  ///< where the definition has one
  /// Which of acceleration, jerk and yaw_dot were NaN or infinite: they count as zero.
  std::vector<std::string> not_given;
};

/// The planners that use the definition with this md5 ("EGO-Planner, ..."); null where it is not
/// known.
const char* positionCommandUsers(const std::string& md5);

/// The known definitions, for a message: "<md5> (<users>), ...".
std::string knownPositionCommands();

/// Reads a serialised message (little endian, as ROS serialises). Throws Error where md5 is not
/// known, the size is not that of the definition, or position, velocity or yaw are NaN or infinite;
/// its text names the md5, and sizes [bytes] or field.
PositionCommand decodePositionCommand(const std::string& md5,
                                      const std::vector<std::uint8_t>& bytes);

/// Whether a message with this trajectory_flag is to be followed: EMPTY (0: what a planner sends
/// that does not set it), READY (1), EMER (2: SUPER's way to a safe stop, a trajectory like any
/// other) and COMPLETED (3). With the others (ABORT 4, ILLEGAL_START 5, ILLEGAL_FINAL 6,
/// IMPOSSIBLE 7, ACTION_STOP 8 and unknown ones) the vehicle stops and holds.
bool isFollowed(std::uint8_t trajectory_flag);

}  // namespace marsim::ros_nodes
