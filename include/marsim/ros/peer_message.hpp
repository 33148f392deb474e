#pragma once

#include <cstdint>

#include <ros/node_handle.h>

#include "marsim/Peer.h"
#include "marsim/PeerBody.h"
#include "marsim/ros/params.hpp"
#include "marsim/scene/peers.hpp"

namespace marsim::ros_nodes {

marsim::Peer toMessage(const scene::PeerState& state);
scene::PeerState fromMessage(const marsim::Peer& message);

/// Fills all but id and vehicle.
marsim::PeerBody toMessage(const scene::BodyConfig& body);
scene::BodyConfig fromMessage(const marsim::PeerBody& message);

/// The UAV's number in its world: the parameter `uav_id`, by default ("auto") the digits at the end
/// of its namespace, 0 where there are none. Throws ConfigError.
std::uint32_t readUavId(Params& params, const ros::NodeHandle& handle);

}  // namespace marsim::ros_nodes
