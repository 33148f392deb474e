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
/// With a delay (World, lockstep) a state is used once it is that old; callers must deliver it by
/// then. Without a delay it is used on arrival. Safe to use from several threads.
class Surroundings {
 public:
  using Source = std::shared_ptr<const scene::ObjectSource>;

  /// Throws ConfigError.
  Surroundings(const scene::PeersConfig& config, std::optional<TimeNs> delay)
      : delay_(delay), peers_(config) {}

  scene::Peers& peers() { return peers_; }
  const scene::Peers& peers() const { return peers_; }
  /// Keeps enough of the UAVs' motion to render scans of a period [s] while the UAVs fly on.
  void keepForScans(double period) { peers_.keepAtLeast(kPeriodsKept * period); }
  /// Accepts impacts on a UAV from now on.
  void accept(std::uint32_t struck);
  /// Adds an impact on the UAV with the id `struck`; Impact::identity is the striking UAV's id.
  void put(std::uint32_t struck, const Impact& impact);

  /// The latest stamp of the states known at an instant.
  TimeNs knownUntil(TimeNs time) const { return delay_ ? time - *delay_ : scene::kAllKnown; }
  /// The objects around UAV `id` during [begin, end] (see scene::ObjectSource), as
  /// known at `end`.
  std::vector<scene::MovingObject> objects(std::uint32_t id, TimeNs begin, TimeNs end,
                                           const std::vector<Source>& sources) const;
  /// The objects for the collision check of a body with the bounding sphere `body`: UAVs that are
  /// far from it at `end` are left out.
  collision::NearbyObjects objectsNear(std::uint32_t id, const scene::BoundingSphere& body,
                                       TimeNs begin, TimeNs end,
                                       const std::vector<Source>& sources) const;
  /// Returns mass and motion of a UAV at an instant, from the states known then; none if `identity`
  /// is no UAV's or nothing is known of it.
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
