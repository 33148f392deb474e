// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>

#include "marsim/common/time.hpp"

namespace marsim {

/// Keeps the control loop closed on a machine that is too slow for real time: while a controller
/// answers every state, the dynamics wait for each answer at the state from which it acts
/// (`control_latency` states after the answered one), and time waits with them. A controller with a
/// rate of its own is waited for in lockstep only.
class ControlWait {
 public:
  using WallClock = std::chrono::steady_clock;
  /// [s] of wall time without an answer after which the dynamics go on alone.
  static constexpr double kPatience = 2.0;
  /// [s] the patience where a controller is started in place of one that died; below the patience
  /// of the clock and of other UAVs, which wait meanwhile.
  static constexpr double kRespawnPatience = 4.0;
  static constexpr double kShareOfPatience = 0.8;  ///< share of the clock's patience, in lockstep

  /// `latency` in states.
  ControlWait(TimeNs state_period, int latency, double patience = kPatience,
              bool in_lockstep = false)
      : period_(state_period),
        latency_(latency),
        patience_(patience),
        in_lockstep_(in_lockstep),
        follows_(in_lockstep) {}

  double patience() const { return patience_; }
  /// The vehicle was placed at `stamp`: in lockstep the first state from then on must be answered
  /// before the next step, since a controller that starts late is told the last state only; else a
  /// controller may rest.
  void reset(TimeNs stamp) {
    *this = ControlWait(period_, latency_, patience_, in_lockstep_);
    if (in_lockstep_) {
      answered_ = (stamp - 1 + period_) / period_ * period_ - (latency_ + 1) * period_;
    }
  }
  /// Takes a motor command computed from the state of that stamp. After an awaited command others
  /// are awaited, also from a new controller that never saw the earlier states.
  void onCommand(TimeNs computed_from);
  /// Whether the dynamics, at `stamp`, must wait for the controller.
  bool mustWait(TimeNs stamp, WallClock::time_point now);
  /// [s] of wall time for which the dynamics have waited; 0 if they do not wait.
  double waited(WallClock::time_point now) const;
  /// Whether the wait for the controller timed out; true once for each time-out.
  bool gaveUp();

 private:
  TimeNs period_;
  int latency_;
  double patience_;
  bool in_lockstep_;
  TimeNs answered_ = 0;   ///< the last command's state
  bool follows_ = false;  ///< each command answers the state after the previous one's
  bool waiting_ = false;
  bool gave_up_ = false;
  WallClock::time_point since_;
};

}  // namespace marsim
