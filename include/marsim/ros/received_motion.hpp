#pragma once

#include <cstdint>

#include "marsim/VehicleState.h"
#include "marsim/geometry/kinematic_state.hpp"

namespace marsim::ros_nodes {

/// The motion that `state` messages tell. It begins afresh where no motion leads from one state to
/// the next: the simulation was restarted, or the vehicle placed somewhere else.
class ReceivedMotion {
 public:
  enum class Effect {
    kIgnored,    ///< a state that was there before
    kContinued,  ///< a later state of the same motion
    kBegun,      ///< the first state, or the first after a leap: what was planned before is void
  };
  Effect push(const marsim::VehicleState& message);

  StateHistory& history() { return history_; }
  const StateHistory& history() const { return history_; }

 private:
  StateHistory history_;
  std::uint32_t placements_ = 0;
};

}  // namespace marsim::ros_nodes
