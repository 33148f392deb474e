// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "marsim/geometry/kinematic_state.hpp"

namespace marsim {

/// The pose of a body at an instant.
struct StampedPose {
  TimeNs stamp = 0;
  Pose X_WB;
};

/// A motion through stamped poses. Natural cubic splines go through the positions and through the
/// quaternions, whose signs are made continuous and whose length is made 1 at every instant, so
/// that position and orientation are twice continuously differentiable between the first stamp and
/// the last. Before the first and after the last stamp the body rests at that pose: its velocities
/// jump there.
class PoseTrack {
 public:
  static constexpr double kLongestGap = 5.0;     ///< [s] between two poses
  static constexpr double kLargestTurn = 120.0;  ///< [deg] between two poses

  /// Throws ConfigError where there are less than two poses, their stamps do not rise, one is not
  /// finite or its quaternion's length is not within 1 % of 1, or two exceed the limits above.
  explicit PoseTrack(const std::vector<StampedPose>& poses,
                     const std::string& where = "trajectory");

  TimeNs begin() const { return stamps_.front(); }
  TimeNs end() const { return stamps_.back(); }
  /// Pose, velocity, acceleration, body rate and its derivative at an instant.
  KinematicState at(TimeNs stamp) const;

 private:
  using Vector7d = Eigen::Matrix<double, 7, 1>;  // p and q (x y z w)
  /// Values and, at a knot, second derivatives by time [1/s^2].
  struct Knot {
    Vector7d value, curvature;
  };

  double secondsTo(std::size_t knot) const;
  void bend();

  std::vector<TimeNs> stamps_;
  std::vector<Knot> knots_;
};

/// Returns the reason why PoseTrack rejects two neighbouring poses, "field is value, allowed: ...";
/// empty if it accepts them. With `before` null only the pose itself is checked.
std::string problemOf(const StampedPose& pose, const StampedPose* before);

}  // namespace marsim
