// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "marsim/collision/checker.hpp"
#include "marsim/collision/impact.hpp"
#include "marsim/scene/moving_object.hpp"
#include "marsim/scene/peers.hpp"
#include "marsim/sim/announcer.hpp"

namespace marsim::sim {

/// The moving objects around each UAV of a world, the other UAVs included, as known at an instant.
/// With a delay a state is known that long after its stamp, whenever it arrives; without one it is
/// known on arrival. Safe to use from several threads.
class Surroundings {
 public:
  using Source = std::shared_ptr<const scene::ObjectSource>;

  /// Throws ConfigError.
  Surroundings(const scene::PeersConfig& config, std::optional<TimeNs> delay)
      : delay_(delay), peers_(config) {}

  scene::Peers& peers() { return peers_; }
  const scene::Peers& peers() const { return peers_; }
  /// Keeps enough motion to render scans of that period [s] while the UAVs fly on.
  void keepForScans(double period) { peers_.keepAtLeast(kPeriodsKept * period); }
  /// Keeps impacts on a UAV from now on.
  void open(std::uint32_t struck);
  /// Adds an impact on the UAV with the id `struck`; Impact::identity is the striking UAV's id.
  void put(std::uint32_t struck, const Impact& impact);

  /// The latest stamp of the states known at an instant.
  TimeNs toldUntil(TimeNs time) const { return delay_ ? time - *delay_ : scene::kAllTold; }
  /// The objects about the UAV with the id `own` during [begin, end] (see scene::ObjectSource), as
  /// known at `end`.
  std::vector<scene::MovingObject> objects(std::uint32_t own, TimeNs begin, TimeNs end,
                                           const std::vector<Source>& sources) const;
  /// The objects for a collision check of a body in a sphere: UAVs that are far from it at `end`
  /// are left out.
  collision::ObjectsAbout objectsAbout(std::uint32_t own, const scene::BoundingSphere& body,
                                       TimeNs begin, TimeNs end,
                                       const std::vector<Source>& sources) const;
  /// Mass and motion at an instant of the UAV with an id, as known then; none for other objects or
  /// if unknown.
  std::optional<collision::RigidBody> bodyAt(std::uint32_t identity, TimeNs time) const;
  /// Removes and returns the impacts on a UAV that act by an instant.
  std::vector<Impact> takeImpacts(std::uint32_t struck, TimeNs time);

 private:
  static constexpr double kPeriodsKept = 4.0;

  std::optional<TimeNs> delay_;
  scene::Peers peers_;
  std::mutex mutex_;  ///< guards the members below
  PendingImpacts impacts_;
};

}  // namespace marsim::sim
