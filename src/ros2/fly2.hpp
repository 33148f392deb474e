// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <optional>
#include <string>

#include "marsim/common/time.hpp"

namespace marsim::ros2 {

/// Flies UAVs and serves ROS 2's topics until the user interrupts it or `duration` of simulated
/// time is over. `arguments`: those of sim.launch, `n` and `swarm` of swarm.launch, and
/// `transport`. Throws the errors of loaders, ConfigError and UnknownNameError for arguments, Error
/// of the network.
void fly2(const std::map<std::string, std::string>& arguments, std::optional<TimeNs> duration);

}  // namespace marsim::ros2
