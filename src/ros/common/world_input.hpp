// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <ros/ros.h>

#include "marsim/scene/moving_object.hpp"
#include "ros/common/lockstep.hpp"
#include "ros/common/obstacle_listener.hpp"
#include "ros/common/params.hpp"
#include "ros/common/peer_listener.hpp"

namespace marsim::ros_nodes {

/// The moving objects of the world, as a UAV's nodes hear of them. Outside of lockstep these are
/// the states that have arrived; in lockstep the states published one peer period before, and a
/// caller waits until they have arrived.
///
/// In: /peers (marsim/Peers): the other UAVs; what ObstacleListener names. Parameters: uav_id (see
/// readUavId), peer_timeout and peer_extrapolation (see PeerListener), those of Lockstep.
class WorldInput {
 public:
  using WallClock = std::chrono::steady_clock;

  /// Subscribes in the UAV's namespace `handle`; parameters are the node's. In lockstep `on_heard`
  /// is called in the node's callbacks when more may be known. Throws ConfigError.
  WorldInput(ros::NodeHandle& handle, Params& params, std::function<void()> on_heard);

  /// Sets the node's map, in which obstacles find free places; without it there are none.
  void useMap(std::shared_ptr<const map::SurfelMap> map) { obstacles_.useMap(std::move(map)); }
  sim::Surroundings& surroundings() { return peers_->surroundings(); }

  const Lockstep& lockstep() const { return lockstep_; }
  /// Whether everything that acts until `time` has been heard; always true outside of lockstep. A
  /// UAV silent for longer than the patience is given up until it is heard again.
  bool knows(TimeNs time);
  /// Whether all participants were heard (with the same patience); always true outside of lockstep.
  /// Before that time must not begin, or a first message might be missed.
  bool hasMet();
  /// Names for the user of nodes awaited for so long [s] of wall time; empty: none.
  std::string waitsFor(double since) const;

  /// The objects of [begin, end] (see scene::ObjectSource) as known at `end`. From any thread.
  std::vector<scene::MovingObject> objects(TimeNs begin, TimeNs end) const;
  /// The objects for a collision check (see sim::Surroundings::objectsNear).
  collision::NearbyObjects objectsNear(const scene::BoundingSphere& body, TimeNs begin,
                                       TimeNs end) const;
  /// Mass and motion of another UAV at an instant; none for other objects or if unknown.
  std::optional<collision::RigidBody> bodyAt(std::uint32_t identity, TimeNs t) const;
  /// Impacts on this UAV, as known at an instant, see PeerListener.
  std::vector<sim::Impact> takeImpacts(TimeNs time) {
    return peers_->surroundings().takeImpacts(uav_id_, time);
  }

  /// The UAV's number in the world.
  std::uint32_t uavId() const { return uav_id_; }
  /// Reports on the other UAVs and on refused messages.
  void diagnose(diagnostic_updater::DiagnosticStatusWrapper& status) const;

 private:
  std::vector<sim::Surroundings::Source> sources() const;
  bool waitForAll(const std::function<bool(std::uint32_t)>& hasHeardOf, TimeNs known_until);
  bool waitFor(const std::vector<std::string>& silent);
  bool hasHeard(std::uint32_t uav, TimeNs known_until) const;
  bool hasHeardOfObstacles(TimeNs known_until) const;

  std::uint32_t uav_id_;
  Lockstep lockstep_;
  std::shared_ptr<PeerListener> peers_;
  ObstacleListener obstacles_;
  std::string waits_for_;
  WallClock::time_point waits_since_;
  std::set<std::string> given_up_;  ///< by name
};

}  // namespace marsim::ros_nodes
