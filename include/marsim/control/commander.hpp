#pragma once

#include <optional>

#include "marsim/control/controller.hpp"
#include "marsim/control/reference.hpp"

namespace marsim::control {

/// Decides what the controller tracks: holds the place where it first saw the vehicle, flies to
/// goals, follows full-state references and holds the last one of them.
class Commander {
 public:
  explicit Commander(const GoalLimits& limits) : limits_(limits) {}

  /// Flies smoothly from the present reference to a goal in W [m, rad].
  void setGoal(const Eigen::Vector3d& p_WB, double yaw, TimeNs now);
  /// Tracks a full state at once. It holds (velocity and acceleration fade to zero: the last
  /// position is kept) when nothing newer comes for `hold_after`.
  void setReference(const Reference& reference, TimeNs now);
  /// Whether anything was ever commanded (a vehicle on the ground stays there until then).
  bool commanded() const { return commanded_; }
  /// The reference for now; the first call fixes the place to hold.
  Reference reference(const KinematicState& state);
  /// Forgets goals and references; the next reference() fixes a new place to hold.
  void reset();

  /// A full-state reference older than this is held: position kept, velocity and acceleration zero.
  static constexpr TimeNs kHoldAfter = 500'000'000;

 private:
  GoalLimits limits_;
  std::optional<GoalPath> path_;
  Reference last_;
  TimeNs last_command_ = 0;
  bool initialised_ = false;
  bool commanded_ = false;
  bool streaming_ = false;
};

}  // namespace marsim::control
