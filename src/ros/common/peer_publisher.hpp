// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <ros/ros.h>

#include "marsim/PeerBody.h"
#include "marsim/Peers.h"
#include "marsim/sim/announcer.hpp"
#include "ros/common/params.hpp"
#include "ros/common/watched_publisher.hpp"

namespace marsim::ros_nodes {

/// Announces one UAV to the other UAVs of the machine, and to its bridge to other machines.
///
/// Out: /peers (marsim/Peers), the motion at `peer_rate` [Hz] (50) and the body every second.
/// Parameters: peer_rate, uav_id (see readUavId).
class PeerPublisher {
 public:
  /// Throws ConfigError.
  PeerPublisher(ros::NodeHandle& handle, Params& params);

  /// Sets the body for announcements.
  void setBody(const vehicle::VehicleConfig& vehicle);
  /// Call it with every state; publishes due announcements (see sim::Announcer).
  void publish(const KinematicState& motion, std::uint32_t placements,
               const std::vector<sim::Impact>& impacts = {});
  /// Repeats the last state and the body, for late subscribers.
  void repeat() const;

 private:
  WatchedPublisher<marsim::Peers> publisher_;
  sim::Announcer announcer_;
  std::optional<scene::PeerState> last_;
  marsim::PeerBody body_;
};

}  // namespace marsim::ros_nodes
