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

  /// Flies smoothly from the present reference to a goal in W [m, rad]; before the first
  /// reference(): from the place that it fixes.
  void setGoal(const Eigen::Vector3d& p_WB, double yaw, TimeNs now);
  /// Tracks a full state at once, carried on by its own velocity and acceleration for
  /// kCarryOn so that a slower stream gives a smooth reference. When nothing newer comes its
  /// velocity fades to zero by kHoldAfter, and the position reached then is kept.
  void setReference(const Reference& reference, TimeNs now);
  /// Whether anything was ever commanded (a vehicle on the ground stays there until then).
  bool commanded() const { return commanded_; }
  /// The reference for now; the first call fixes the place to hold.
  Reference reference(const KinematicState& state);
  /// Forgets goals and references; the next reference() fixes a new place to hold.
  void reset();

  /// A full-state reference younger than this is carried on by its own motion.
  static constexpr TimeNs kCarryOn = 100'000'000;
  /// A full-state reference older than this is held: position kept, velocity and acceleration zero.
  static constexpr TimeNs kHoldAfter = 500'000'000;

 private:
  struct Goal {
    Eigen::Vector3d p_WB;
    double yaw;
  };
  Reference streamed(TimeNs now) const;

  GoalLimits limits_;
  std::optional<GoalPath> path_;
  std::optional<Goal> waiting_goal_;  // set before the start was known
  Reference last_;                    // of the stream, or the place to hold
  TimeNs last_command_ = 0;
  bool initialised_ = false;
  bool commanded_ = false;
  bool streaming_ = false;
};

}  // namespace marsim::control
