#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "scenario/goal_flight.hpp"
#include "scenario/scenario.hpp"

namespace marsim::scenario {

/// Flies one UAV of a scenario along its goals and its path: states in, commands out. Commands
/// carry stamps kLead ahead of the state that they answer, so that they act at the same instant
/// however late they come.
class FlightGuide {
 public:
  static constexpr TimeNs kLead = 15 * kNsPerSecond / 100;
  static constexpr TimeNs kBegin = kNsPerSecond / 2;  ///< before the flight begins

  struct Commands {
    std::optional<StampedPose> goal;         ///< fly there
    std::vector<KinematicState> references;  ///< full states to be tracked at their stamps
  };

  /// `start_yaw` [rad] is kept until a goal says otherwise. Throws what readPoseFile() throws.
  FlightGuide(const Flight& flight, double goal_tolerance, double start_yaw);

  /// The flight begins soon after a stamp, and never before this was called.
  void beginAfter(TimeNs stamp) { begin_ = stamp + kBegin; }
  /// The commands that answer a state. States by rising stamps.
  Commands answer(const MotionSample& state);
  /// When nothing was left to be flown; none: something is.
  std::optional<TimeNs> flownAt() const { return flown_at_; }
  const GoalFlight& goals() const { return goals_; }
  bool hasPath() const { return path_ != nullptr; }

 private:
  void setPath(const Flight& flight, double start_yaw);
  StampedPose towards(const Eigen::Vector3d& goal, const MotionSample& state);

  GoalFlight goals_;
  double goal_yaw_;                               ///< [rad]
  std::function<KinematicState(TimeNs t)> path_;  ///< by the time since the flight began
  std::optional<TimeNs> begin_;                   ///< of the flight; none: not known yet
  TimeNs path_duration_ = 0, path_sent_ = -1;     ///< since the flight began
  std::optional<TimeNs> flown_at_;
};

}  // namespace marsim::scenario
