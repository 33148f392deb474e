#pragma once

#include <chrono>

#include "marsim/common/time.hpp"

namespace marsim {

/// Keeps the control loop closed on a machine that is too busy for real time: while a controller
/// answers every state, the dynamics wait for each answer at the state from which it acts
/// (`control_latency` states after the one that it answers), and time waits with them. A controller
/// with a rate of its own is not waited for, but in lockstep.
class ControlWait {
 public:
  using WallClock = std::chrono::steady_clock;
  /// [s] of wall time without an answer after which the dynamics go on alone.
  static constexpr double kPatience = 2.0;
  /// [s] the same where another controller is started in the place of one that died; below the
  /// patience of the clock and of other UAVs, which are held meanwhile.
  static constexpr double kRespawnPatience = 4.0;
  static constexpr double kShareOfPatience = 0.8;  ///< of theirs, in lockstep

  /// `latency` [states].
  ControlWait(TimeNs state_period, int latency, double patience = kPatience,
              bool in_lockstep = false)
      : period_(state_period),
        latency_(latency),
        patience_(patience),
        in_lockstep_(in_lockstep),
        follows_(in_lockstep) {}

  double patience() const { return patience_; }
  /// The vehicle was put somewhere at `stamp`: in lockstep the first state from then on is waited
  /// for, else a controller may rest.
  void reset(TimeNs stamp) {
    *this = ControlWait(period_, latency_, patience_, in_lockstep_);
    if (in_lockstep_) answered_ = (stamp - 1 + period_) / period_ * period_ - period_;
  }
  /// A motor command came, computed from the state of that stamp. One that was waited for is
  /// followed by others, also from a new controller that never saw the states before.
  void onCommand(TimeNs computed_from);
  /// Whether the dynamics, at `stamp`, must wait for the controller.
  bool mustWait(TimeNs stamp, WallClock::time_point now);
  /// [s] of wall time for which the dynamics have waited by now; 0 where they do not.
  double waited(WallClock::time_point now) const;
  /// The controller was waited for in vain; true once for every time.
  bool gaveUp();

 private:
  TimeNs period_;
  int latency_;
  double patience_;
  bool in_lockstep_;
  TimeNs answered_ = 0;   ///< state that the last command was computed from
  bool follows_ = false;  ///< each command came from the state after the one before
  bool waiting_ = false;
  bool gave_up_ = false;
  WallClock::time_point since_;
};

}  // namespace marsim
