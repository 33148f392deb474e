// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "marsim/geometry/kinematic_state.hpp"

namespace marsim::sim {

/// A vehicle's state, reported to its controller and sensors at each state step. A state step is a
/// dynamics step that ends at a multiple of the period of RateConfig::state. The controller may
/// answer a report with motor speeds or, with ideal dynamics, a reference. A placement (start,
/// reset or teleport) puts the vehicle at rest at a given pose.
struct VehicleReport {
  KinematicState motion;
  bool on_ground = false;        ///< it stands or rolls on the ground
  std::uint32_t placements = 0;  ///< number of placements so far; at least 1 once it has started
};

/// The motion of a vehicle from its reports. It starts over where the motion breaks between two
/// reports: the simulation was restarted, the vehicle placed elsewhere, or ten seconds are missing.
class MotionTrack {
 public:
  enum class Effect {
    kIgnored,    ///< the last state again
    kContinued,  ///< a later state of the same motion
    kBegun,      ///< the first state, or the first after a break
  };
  Effect push(const VehicleReport& report);

  StateHistory& history() { return history_; }
  const StateHistory& history() const { return history_; }

 private:
  StateHistory history_;
  std::uint32_t placements_ = 0;
};

}  // namespace marsim::sim
