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

/// Fills all but id, vehicle and mass.
marsim::PeerBody toMessage(const scene::BodyConfig& body);
scene::BodyConfig fromMessage(const marsim::PeerBody& message);

/// Fills all but who noticed.
marsim::Impact toMessage(const sim::Impact& impact);
/// As who is struck takes it. Not finite where the message is not.
sim::Impact fromMessage(const marsim::Impact& message);
bool isFinite(const sim::Impact& impact);

/// The UAV's number in its world: the parameter `uav_id`, by default ("auto") the digits at the end
/// of its namespace, 0 where there are none. Throws ConfigError.
std::uint32_t readUavId(Params& params, const ros::NodeHandle& handle);
/// That default, for a namespace; `where` is for errors.
std::uint32_t uavIdOf(const std::string& name, const std::string& where);

/// Between two states that a UAV tells the others: the parameter `peer_rate` [Hz] (50, in lockstep
/// no other). Throws ConfigError.
TimeNs readPeerPeriod(Params& params);

}  // namespace marsim::ros_nodes
