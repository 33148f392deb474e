// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include <ros/node_handle.h>

#include "marsim/Impact.h"
#include "marsim/Peer.h"
#include "marsim/PeerBody.h"
#include "marsim/scene/peers.hpp"
#include "marsim/sim/collisions.hpp"
#include "ros/common/params.hpp"

namespace marsim::ros_nodes {

marsim::Peer toMessage(const scene::PeerState& state);
scene::PeerState fromMessage(const marsim::Peer& message);

/// Fills everything except id, vehicle and mass.
marsim::PeerBody toMessage(const scene::BodyConfig& body);
scene::BodyConfig fromMessage(const marsim::PeerBody& message);

/// Fills everything except the noticing UAV.
marsim::Impact toMessage(const sim::Impact& impact);
/// The impact for the struck UAV. Not finite if the message is not.
sim::Impact fromMessage(const marsim::Impact& message);
bool isFinite(const sim::Impact& impact);

/// The UAV's number in its world: the parameter `uav_id`, by default ("auto") the digits at the end
/// of its namespace, 0 if it has none. Throws ConfigError.
std::uint32_t readUavId(Params& params, const ros::NodeHandle& handle);
/// The default number for a namespace; errors name `where`.
std::uint32_t uavIdOf(const std::string& name, const std::string& where);

/// Period of a UAV's announcements to the others: the parameter `peer_rate` [Hz] (50, in lockstep
/// no other). Throws ConfigError.
TimeNs readPeerPeriod(Params& params);

}  // namespace marsim::ros_nodes
