#pragma once

#include <cstddef>
#include <vector>

#include "scenario/recording.hpp"

namespace marsim::scenario {

/// A UAV's way from goal to goal: says when the next one is to be sent. A goal is reached when the
/// UAV has been at rest within `tolerance` of it for kSettle; the next one follows then.
class GoalFlight {
 public:
  static constexpr TimeNs kSettle = kNsPerSecond / 2;
  static constexpr double kRestSpeed = 0.1;  ///< [m/s]

  /// Without goals: over at once.
  GoalFlight() = default;
  /// Goals in W and tolerance [m].
  GoalFlight(std::vector<Eigen::Vector3d> goals, double tolerance);

  /// The goal to send at this state, null: none. States by rising stamps.
  const Eigen::Vector3d* next(const MotionSample& state);
  bool over() const { return records_.size() == goals_.size() && !is_under_way_; }
  /// The goals that were sent.
  const std::vector<GoalRecord>& records() const { return records_; }
  std::size_t count() const { return goals_.size(); }

 private:
  std::vector<Eigen::Vector3d> goals_;
  double tolerance_ = 0.0;
  bool is_under_way_ = false;
  TimeNs rests_since_ = -1;
  std::vector<GoalRecord> records_;
};

}  // namespace marsim::scenario
