// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <deque>
#include <optional>

#include "marsim/control/commander.hpp"
#include "marsim/control/reference.hpp"
#include "marsim/geometry/kinematic_state.hpp"

namespace marsim::sim {

/// The state of a multirotor that moves exactly as a reference says: thrust along acceleration less
/// gravity, x in the vertical plane of the yaw (Mellinger and Kumar, ICRA 2011; body rates as in
/// Faessler, Franchi and Scaramuzza, RA-L 2018, without drag). The angular acceleration is that
/// without snap. In free fall the vehicle stays level.
KinematicState flatState(const control::Reference& reference, TimeNs stamp);

/// A reference extrapolated by some time [s], with constant jerk and yaw rate.
control::Reference carriedOn(const control::Reference& reference, double seconds);

/// The motion of a vehicle with ideal dynamics: it follows the references of its controller, each
/// extrapolated until the next one acts. Without a next one the vehicle stops after kCarryOn and
/// stays where it is.
class IdealMotion {
 public:
  static constexpr TimeNs kCarryOn = control::Commander::kCarryOn;

  /// A reference that holds at `stamp` and acts from `acts_at` on.
  void add(const control::Reference& reference, TimeNs stamp, TimeNs acts_at);
  /// Forgets all references.
  void clear();
  /// The state at a stamp later than `now`, by the references that act by then; without any, the
  /// present pose at rest.
  KinematicState after(const KinematicState& now, TimeNs stamp);

 private:
  struct Timed {
    control::Reference reference;
    TimeNs stamp, acts_at;
  };

  std::optional<Timed> active_;
  std::deque<Timed> waiting_;
};

}  // namespace marsim::sim
