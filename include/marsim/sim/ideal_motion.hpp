#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "marsim/control/commander.hpp"
#include "marsim/control/reference.hpp"
#include "marsim/geometry/kinematic_state.hpp"

namespace marsim::sim {

/// The state of a multirotor that moves exactly as a reference says: thrust along acceleration less
/// gravity, x in the vertical plane of the yaw (Mellinger and Kumar, ICRA 2011; body rates as in
/// Faessler, Franchi and Scaramuzza, RA-L 2018, without drag). The angular acceleration is that
/// without snap. In free fall it stays level.
KinematicState flatState(const control::Reference& reference, TimeNs stamp);

/// A reference after some time [s] of its own motion, its jerk and yaw rate kept.
control::Reference carriedOn(const control::Reference& reference, double seconds);

/// The motion of a vehicle with ideal dynamics: that of the references its controller tracks, each
/// carried on by its own motion until the next one acts. One that nothing follows is left after
/// kCarryOn: the vehicle then stands still where it had got to.
class IdealMotion {
 public:
  static constexpr TimeNs kCarryOn = control::Commander::kCarryOn;

  /// A reference that holds at `stamp` and acts from `acts_at` on.
  void add(const control::Reference& reference, TimeNs stamp, TimeNs acts_at);
  /// Forgets all references.
  void clear();
  /// The state at a stamp later than `now`, by the references that act by then; of a vehicle that
  /// has none: the state as it is, at rest.
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
