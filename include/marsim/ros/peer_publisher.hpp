#pragma once

#include <cstdint>
#include <vector>

#include <ros/ros.h>

#include "marsim/PeerBody.h"
#include "marsim/ros/params.hpp"
#include "marsim/scene/peers.hpp"
#include "marsim/sim/collisions.hpp"

namespace marsim::ros_nodes {

/// Tells the other UAVs of the machine, and its bridge to other machines, of one UAV.
///
/// Out: /peers (marsim/Peers), the motion at `peer_rate` [Hz] (50) and the body every second.
/// Parameters: peer_rate, uav_id (see readUavId).
class PeerPublisher {
 public:
  /// Throws ConfigError.
  PeerPublisher(ros::NodeHandle& handle, Params& params);

  /// What is told of the body.
  void setBody(const vehicle::VehicleConfig& vehicle);
  /// Call with every state; publishes those that are due, and at once those in which it struck
  /// others.
  void publish(const KinematicState& motion, std::uint32_t placements,
               const std::vector<sim::Strike>& strikes = {});

 private:
  ros::Publisher publisher_;
  TimeNs period_;
  TimeNs last_ = -1, body_told_ = 0;  ///< stamps; last_ < 0: nothing published yet
  scene::PeerState state_;
  marsim::PeerBody body_;
};

}  // namespace marsim::ros_nodes
