// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "marsim/scene/peers.hpp"
#include "marsim/scene/vehicle_body.hpp"
#include "marsim/sim/collisions.hpp"
#include "marsim/vehicle/vehicle_config.hpp"

namespace marsim::sim {

/// Period of a UAV's announcements to the others. In a World, and in nodes with lockstep, a
/// state becomes known to the others one period after its stamp; nodes without lockstep use it on
/// arrival (see Surroundings).
constexpr TimeNs kPeerPeriod = kNsPerSecond / 50;

// Announced quantities are in single precision, as messages carry them.
scene::PeerState inSinglePrecision(const scene::PeerState& state);
Impact inSinglePrecision(const Impact& impact);
/// The body (bodyOf()) and the mass of a vehicle, in single precision.
scene::BodyConfig announcedBodyOf(const vehicle::VehicleConfig& vehicle);
scene::PeerMass announcedMassOf(const vehicle::VehicleConfig& vehicle);

/// The message of a UAV to the others at an instant.
struct Announcement {
  scene::PeerState state;
  bool with_body = false;       ///< body and mass are announced, too
  std::vector<Impact> impacts;  ///< on other UAVs; Impact::identity: id of the struck one
};

/// Schedules a UAV's announcements to the others: one every period, one after a placement (start,
/// reset or teleport), one in each step in which it struck others. The body is announced once a
/// second and after a placement.
class Announcer {
 public:
  /// `run`: a number drawn at the start; it differs for two programs that use the same id.
  Announcer(std::uint32_t id, std::uint32_t run, TimeNs period);

  /// Returns the announcement that is due after a dynamics step, if any. Call it after every step,
  /// or impacts are lost.
  std::optional<Announcement> announce(const KinematicState& motion, std::uint32_t placements,
                                       const std::vector<Impact>& impacts = {});

 private:
  TimeNs period_;
  TimeNs last_ = -1;            ///< stamp; < 0: nothing announced yet
  TimeNs body_announced_ = -1;  ///< stamp of the last announcement with body
  scene::PeerState state_;      ///< last announced
};

/// Impacts waiting for the struck UAV. Not safe from several threads.
class PendingImpacts {
 public:
  /// Accepts impacts on a UAV from now on.
  void accept(std::uint32_t struck) { impacts_[struck]; }
  /// Adds an impact on the UAV with the id `struck`; Impact::identity is the striking UAV's id.
  /// Drops it unless accept(struck) was called.
  void put(std::uint32_t struck, const Impact& impact);
  /// Removes and returns the impacts with stamps up to `known_until`, sorted by stamp, then by the
  /// striking UAV's id.
  std::vector<Impact> take(std::uint32_t struck, TimeNs known_until);

 private:
  std::map<std::uint32_t, std::vector<Impact>> impacts_;
};

}  // namespace marsim::sim
