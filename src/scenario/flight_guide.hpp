// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scenario/recording.hpp"
#include "scenario/scenario.hpp"

namespace marsim::scenario {

/// A part of a flight: a way to a goal, or a path, or a rest.
struct Stage {
  Way way;                                     ///< empty: a path or a rest
  std::optional<double> yaw = {};              ///< [rad] during the way; none: towards its places
  TimeNs duration = 0;                         ///< of the path or rest
  std::function<KinematicState(TimeNs)> path;  ///< by the time since its start; empty: a rest
};

/// A climb by `height` [m] from rest at a pose, at up to 4 m/s^2: accelerometers feel that the rest
/// is over. A second of hovering follows.
Stage climb(const Pose& X_WB, double height);
/// An excitation of all axes of an IMU at a pose (control::Excitation), and half a second more.
Stage excite(const Pose& X_WB, double reach);
/// The way down to where a UAV stands [m]: it ends a little below, so that the UAV touches down.
Stage landing(const Eigen::Vector3d& p_WB);

/// The stages of a scenario's flight from a pose, whose yaw is kept along a figure-eight. Throws
/// the errors of readPoseFile().
std::vector<Stage> stagesOf(const Flight& flight, const Pose& X_WB);

/// Flies one UAV through stages: states in, commands out. Commands have stamps kLead ahead of the
/// state that they answer, so that they act at the same instant however late they arrive. A goal is
/// reached when the UAV has rested within a tolerance of it for kSettle; the places before it are
/// passed at kPassRadius.
class FlightGuide {
 public:
  static constexpr TimeNs kLead = 15 * kNsPerSecond / 100;
  static constexpr TimeNs kBegin = kNsPerSecond / 2;  ///< before the flight begins
  static constexpr TimeNs kLinger = kNsPerSecond;     ///< of recording, after the flight
  static constexpr TimeNs kSettle = kNsPerSecond / 2;
  static constexpr double kRestSpeed = 0.1;   ///< [m/s]
  static constexpr double kPassRadius = 0.3;  ///< [m]

  struct Commands {
    std::optional<StampedPose> goal;         ///< fly there
    std::vector<KinematicState> references;  ///< full states to be tracked at their stamps
  };

  /// `goal_tolerance` [m]; `start_yaw` [rad] is kept until a goal sets another one.
  FlightGuide(std::vector<Stage> stages, double goal_tolerance, double start_yaw)
      : stages_(std::move(stages)), tolerance_(goal_tolerance), goal_yaw_(start_yaw) {}
  /// Flies a UAV of a scenario.
  FlightGuide(const Scenario& scenario, const std::string& uav);

  /// The flight begins soon after a stamp, and never before this was called.
  void beginAfter(TimeNs stamp) { begin_ = stamp + kBegin; }
  /// Returns the commands that answer a state. States come with rising stamps.
  Commands answer(const MotionSample& state);
  /// When the flight was completed; none: it is not yet.
  std::optional<TimeNs> flownAt() const { return flown_at_; }
  std::size_t goalCount() const;
  /// Whether the last goal has been sent, or there are none.
  bool hasSentGoals() const;
  bool hasPath() const;
  /// Goals with a way that has begun.
  const std::vector<GoalRecord>& goals() const { return goals_; }

 private:
  bool approach(const Stage& stage, const MotionSample& state, Commands& commands);
  bool follow(const Stage& stage, const MotionSample& state, Commands& commands);
  void send(const Stage& stage, const MotionSample& state, Commands& commands);

  std::vector<Stage> stages_;
  std::optional<Flight> flight_;  ///< its stages begin where the UAV is then; none: they are known
  double tolerance_, goal_yaw_;   ///< [m], [rad]
  std::optional<TimeNs> begin_;   ///< of the present stage; none: not known yet
  std::size_t stage_ = 0;         ///< the present one
  std::optional<std::size_t> place_;  ///< the present place on its way; none: not begun
  TimeNs rests_since_ = -1;           ///< at the goal; < 0: not at rest
  TimeNs path_sent_ = -1;             ///< since the path's begin
  std::vector<GoalRecord> goals_;
  std::optional<TimeNs> flown_at_;
};

}  // namespace marsim::scenario
