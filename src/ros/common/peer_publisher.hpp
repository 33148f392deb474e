#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <ros/ros.h>

#include "marsim/PeerBody.h"
#include "marsim/sim/announcer.hpp"
#include "ros/common/params.hpp"

namespace marsim::ros_nodes {

/// Tells the other UAVs of the machine, and its bridge to other machines, of one UAV.
///
/// Out: /peers (marsim/Peers), the motion at `peer_rate` [Hz] (50) and the body every second.
/// Parameters: peer_rate, uav_id (see readUavId).
class PeerPublisher {
 public:
  /// Throws ConfigError.
  PeerPublisher(ros::NodeHandle& handle, Params& params);

  /// Sets the body that the others are told.
  void setBody(const vehicle::VehicleConfig& vehicle);
  /// Call with every state; publishes what is due (see sim::Announcer).
  void publish(const KinematicState& motion, std::uint32_t placements,
               const std::vector<sim::Impact>& impacts = {});
  /// The last state and the body again, for who came late.
  void repeat() const;

 private:
  ros::Publisher publisher_;
  sim::Announcer announcer_;
  std::optional<scene::PeerState> last_;
  marsim::PeerBody body_;
};

}  // namespace marsim::ros_nodes
