#pragma once

#include <chrono>

#include "marsim/common/time.hpp"

namespace marsim::ros_nodes {

/// Keeps the control loop closed on a machine that is too busy for real time: while a controller
/// answers every state, the dynamics go no more than two states past the one it answered last, and
/// time waits instead. A controller with a rate of its own is not waited for.
class ControlWait {
 public:
  using WallClock = std::chrono::steady_clock;
  /// [s] of wall time without an answer after which the dynamics go on alone.
  static constexpr double kPatience = 2.0;

  explicit ControlWait(TimeNs state_period) : period_(state_period) {}

  /// The vehicle was put somewhere: a controller may rest from here on.
  void reset() { *this = ControlWait(period_); }
  /// A motor command came, computed from the state of that stamp.
  void onCommand(TimeNs computed_from);
  /// Whether the dynamics, at `stamp`, must wait for the controller.
  bool mustWait(TimeNs stamp, WallClock::time_point now);
  /// The controller was waited for in vain; true once for every time.
  bool gaveUp();

 private:
  TimeNs period_;
  TimeNs answered_ = 0;   ///< state that the last command was computed from
  bool follows_ = false;  ///< each command came from the state after the one before
  bool waiting_ = false;
  bool gave_up_ = false;
  WallClock::time_point since_;
};

}  // namespace marsim::ros_nodes
