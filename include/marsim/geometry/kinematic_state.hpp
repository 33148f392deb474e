// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <deque>

#include "marsim/common/time.hpp"
#include "marsim/geometry/pose.hpp"

namespace marsim {

/// The motion of a body at one instant.
struct KinematicState {
  TimeNs stamp = 0;                                   ///< simulated time
  Pose X_WB;                                          ///< body in world
  Eigen::Vector3d v_WB = Eigen::Vector3d::Zero();     ///< [m/s] in W
  Eigen::Vector3d a_WB = Eigen::Vector3d::Zero();     ///< [m/s^2] in W, kinematic
  Eigen::Vector3d w_WB_B = Eigen::Vector3d::Zero();   ///< [rad/s] in B
  Eigen::Vector3d dw_WB_B = Eigen::Vector3d::Zero();  ///< [rad/s^2] in B
};

/// Pose between two states: cubic Hermite in position (from position and velocity) and in the
/// rotation vector relative to `from` (from orientation and body rate, through the inverse right
/// Jacobian of SO(3), Forster et al., T-RO 2017, eq. 8). `t` is clamped to the states' interval.
Pose interpolatePose(const KinematicState& from, const KinematicState& to, TimeNs t);

/// The states of the last moments, oldest first, for looking up poses in between.
class StateHistory {
 public:
  StateHistory() = default;
  /// The history of a body at rest from `begin` to `end`.
  StateHistory(const Pose& X_WB, TimeNs begin, TimeNs end);
  /// Appends a state. One that is not newer than the newest is ignored and false returned.
  bool push(const KinematicState& state);
  /// Whether poses from `begin` to `end` can be looked up.
  bool covers(TimeNs begin, TimeNs end) const;
  /// Interpolated pose; t must be covered (clamped otherwise). The history must not be empty.
  Pose poseAt(TimeNs t) const;
  /// Forgets states that are not needed for times from t on.
  void discardBefore(TimeNs t);

  bool empty() const { return states_.empty(); }
  std::size_t size() const { return states_.size(); }
  const KinematicState& front() const { return states_.front(); }
  const KinematicState& back() const { return states_.back(); }
  void clear() { states_.clear(); }

 private:
  std::deque<KinematicState> states_;
};

}  // namespace marsim
