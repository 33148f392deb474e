#pragma once

#include <cstdint>

#include "marsim/geometry/kinematic_state.hpp"

namespace marsim::sim {

/// The report of a vehicle at a state step.
struct VehicleReport {
  KinematicState motion;
  bool on_ground = false;
  std::uint32_t placements = 0;  ///< how often it was put somewhere: no motion leads there
};

/// The motion of a vehicle as its reports tell it. It begins afresh where no motion leads from one
/// report to the next: the simulation was restarted, the vehicle placed somewhere else, or ten
/// seconds are missing.
class MotionTrack {
 public:
  enum class Effect {
    kIgnored,    ///< a state that was there before
    kContinued,  ///< a later state of the same motion
    kBegun,      ///< the first state, or the first after a leap: what was planned before is void
  };
  Effect push(const VehicleReport& report);

  StateHistory& history() { return history_; }
  const StateHistory& history() const { return history_; }

 private:
  StateHistory history_;
  std::uint32_t placements_ = 0;
};

}  // namespace marsim::sim
