#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <ros/ros.h>

#include "marsim/ros/obstacle_listener.hpp"
#include "marsim/ros/params.hpp"
#include "marsim/ros/peer_listener.hpp"
#include "marsim/scene/moving_thing.hpp"

namespace marsim::ros_nodes {

/// What else moves in the world, as a UAV's nodes hear of it.
///
/// In: /peers (marsim/Peers): the other UAVs; what ObstacleListener names. Parameters: uav_id (see
/// readUavId), peer_timeout and peer_extrapolation (see PeerListener).
class WorldInput {
 public:
  /// Subscribes in the UAV's namespace `handle`; parameters are the node's. Throws ConfigError.
  WorldInput(ros::NodeHandle& handle, Params& params);

  /// The map of the node, in which obstacles find free places; without it there are none.
  void useMap(std::shared_ptr<const map::SurfelMap> map) { obstacles_.useMap(std::move(map)); }

  /// The things of [begin, end] (see scene::ThingSource). From any thread.
  std::vector<scene::MovingThing> things(TimeNs begin, TimeNs end) const;

  /// Mass and motion of another UAV at an instant; none for what is none, or not known.
  std::optional<collision::RigidBody> bodyAt(std::uint32_t identity, TimeNs t) const;
  /// See PeerListener, for this UAV.
  std::vector<sim::Strike> takeStrikes() { return peers_->takeStrikes(uav_id_); }

  /// The UAV's number in the world.
  std::uint32_t uavId() const { return uav_id_; }
  /// What is heard of the other UAVs.
  void diagnose(diagnostic_updater::DiagnosticStatusWrapper& status) const;

 private:
  std::uint32_t uav_id_;
  std::shared_ptr<PeerListener> peers_;
  ObstacleListener obstacles_;
};

}  // namespace marsim::ros_nodes
