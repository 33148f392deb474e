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

/// Between two states that a UAV tells the others. What is told with a stamp is known to the others
/// one such period after it, so that no result depends on when a message arrives.
constexpr TimeNs kPeerPeriod = kNsPerSecond / 50;

// UAVs tell each other numbers as messages carry them, in single precision.
scene::PeerState inSinglePrecision(const scene::PeerState& state);
Impact inSinglePrecision(const Impact& impact);
/// The body and the mass of a vehicle as they are told.
scene::BodyConfig toldBodyOf(const vehicle::VehicleConfig& vehicle);
scene::PeerMass toldMassOf(const vehicle::VehicleConfig& vehicle);

/// The message of a UAV to the others at an instant.
struct Announcement {
  scene::PeerState state;
  bool with_body = false;       ///< body and mass are told, too
  std::vector<Impact> impacts;  ///< that it gave; their identity is of who is struck
};

/// A schedule that says when a UAV tells the others of itself: in every period once, where it was
/// placed, and in each step in which it struck others; its body once a second and where it was
/// placed.
class Announcer {
 public:
  /// `run` tells two UAVs of one number apart.
  Announcer(std::uint32_t id, std::uint32_t run, TimeNs period);

  /// Call with every state; none where nothing is due.
  std::optional<Announcement> announce(const KinematicState& motion, std::uint32_t placements,
                                       const std::vector<Impact>& impacts = {});

 private:
  TimeNs period_;
  TimeNs last_ = -1;       ///< stamp; < 0: nothing told yet
  TimeNs body_told_ = -1;  ///< the same of the body
  scene::PeerState state_;
};

/// Impacts on their way to who is struck. Not safe from several threads.
class PendingImpacts {
 public:
  /// Keeps what comes for a UAV from now on.
  void open(std::uint32_t struck) { impacts_[struck]; }
  /// `impact.identity` is of who struck; dropped where no box is open.
  void put(std::uint32_t struck, const Impact& impact);
  /// Takes out those with stamps up to `told_until`, by stamp and then by who struck.
  std::vector<Impact> take(std::uint32_t struck, TimeNs told_until);

 private:
  std::map<std::uint32_t, std::vector<Impact>> impacts_;
};

}  // namespace marsim::sim
