#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include <ros/ros.h>

#include "marsim/ros/params.hpp"
#include "marsim/ros/peer_listener.hpp"
#include "marsim/scene/moving_thing.hpp"

namespace marsim::ros_nodes {

/// What else moves in the world, as a UAV's nodes hear of it.
///
/// In: /peers (marsim/Peers): the other UAVs. Parameters: uav_id (see readUavId), peer_timeout and
/// peer_extrapolation (see PeerListener).
class WorldInput {
 public:
  /// Subscribes in the UAV's namespace `handle`; parameters are the node's. Throws ConfigError.
  WorldInput(ros::NodeHandle& handle, Params& params);

  /// The things of [begin, end] (see scene::ThingSource). From any thread.
  std::vector<scene::MovingThing> things(TimeNs begin, TimeNs end) const;

  /// The UAV's number in the world.
  std::uint32_t uavId() const { return uav_id_; }
  /// What is heard of the other UAVs.
  void diagnose(diagnostic_updater::DiagnosticStatusWrapper& status) const;

 private:
  std::uint32_t uav_id_;
  std::shared_ptr<const PeerListener> peers_;
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<const scene::ThingSource>> sources_;
};

}  // namespace marsim::ros_nodes
