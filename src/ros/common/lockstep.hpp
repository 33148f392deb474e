// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <ros/node_handle.h>

#include "ros/common/params.hpp"

namespace marsim::ros_nodes {

/// How a node of a UAV takes part in lockstep. Launch files name the participants below
/// `/sim_clock/participants`: true for a node with that name (or its parts, one below the other),
/// for a quadrotor its uav_id. Simulated time begins when all of them have granted some.
struct Lockstep {
  bool on = false;
  double patience = std::numeric_limits<double>::infinity();  ///< [s] wall time
  std::vector<std::uint32_t> uavs;                            ///< numbers of the participating UAVs
  bool obstacles = false;                                     ///< the obstacles' node takes part

  /// States queued for a slow listener: in lockstep those of 10 s, more than time gets ahead of any
  /// sensor, so that none is lost.
  std::uint32_t stateQueue() const { return on ? 5000 : 100; }

  /// Parameters: lockstep; patience [s], auto (the default): for ever. Throws ConfigError.
  static Lockstep read(Params& params);
};

/// Full names of the participating nodes, sorted; empty without lockstep. Throws ConfigError.
std::vector<std::string> readParticipants(const std::string& parameter);

}  // namespace marsim::ros_nodes
