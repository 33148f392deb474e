// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include <Eigen/Geometry>

#include "marsim/lidar/renderer.hpp"

namespace marsim::lidar {

/// An object's poses prepared for thousands of queries: MovingObject::at, but faster.
class ObjectMotion {
 public:
  /// Keeps the object.
  explicit ObjectMotion(const MovingObject& object)
      : object_(&object), per_step_(1.0 / object.step) {
    const std::vector<Pose>& poses = object.X_WM;
    for (std::size_t i = 0; i + 1 < poses.size() && !turns_; ++i) {
      turns_ = poses[i].q.coeffs() != poses[i + 1].q.coeffs();
    }
    if (!turns_) return;
    half_turns_.reserve(poses.size() - 1);
    for (std::size_t i = 0; i + 1 < poses.size(); ++i) {
      half_turns_.push_back(halfLog(poses[i].q.conjugate() * poses[i + 1].q));
      most2_ = std::max(most2_, half_turns_.back().squaredNorm());
    }
  }

  bool moves() const { return size() > 1; }
  bool turns() const { return turns_; }
  std::size_t size() const { return object_->X_WM.size(); }
  double timeOf(std::size_t pose) const {
    return object_->begin + static_cast<double>(pose) * object_->step;
  }
  const Pose& pose(std::size_t number) const { return object_->X_WM[number]; }

  Pose at(double time) const {
    if (!moves() || !(time > object_->begin)) return pose(0);
    const double steps = (time - object_->begin) * per_step_;
    const auto last = size() - 1;
    if (steps >= static_cast<double>(last)) return pose(last);
    const auto i = static_cast<std::size_t>(steps);
    const double part = steps - static_cast<double>(i);
    const Pose &from = pose(i), &to = pose(i + 1);
    const Eigen::Vector3d p = from.p + part * (to.p - from.p);
    if (!turns_) return {from.q, p};
    return {from.q * turn(part * half_turns_[i]), p};
  }

  /// How far a point at `reach` [m] from M's origin deviates from straight lines between its places
  /// at the poses: an eighth of the second derivative.
  double bulge(double reach) const { return 0.5 * reach * most2_; }

 private:
  // Half the rotation vector, half of logMap's.
  static Eigen::Vector3d halfLog(const Eigen::Quaterniond& q) {
    const double norm2 = q.squaredNorm(), sine2 = q.vec().squaredNorm() / norm2;
    if (sine2 > 0.01) return 0.5 * logMap(q);
    // asin(x) / x within 1e-13.
    const double ratio =
        1.0 +
        sine2 * (1.0 / 6.0 +
                 sine2 * (3.0 / 40.0 + sine2 * (5.0 / 112.0 + sine2 * (35.0 / 1152.0 +
                                                                       sine2 * (63.0 / 2816.0)))));
    return (std::copysign(ratio, q.w()) / std::sqrt(norm2)) * q.vec();
  }

  // The rotation by twice the given vector.
  static Eigen::Quaterniond turn(const Eigen::Vector3d& half) {
    const double a = half.squaredNorm();
    double cosine, sinc;
    if (a < 0.1) {  // within 1e-12
      cosine = 1.0 - a / 2.0 * (1.0 - a / 12.0 * (1.0 - a / 30.0 * (1.0 - a / 56.0)));
      sinc = 1.0 - a / 6.0 * (1.0 - a / 20.0 * (1.0 - a / 42.0 * (1.0 - a / 72.0)));
    } else {
      const double angle = std::sqrt(a);
      cosine = std::cos(angle);
      sinc = std::sin(angle) / angle;
    }
    return {cosine, sinc * half.x(), sinc * half.y(), sinc * half.z()};
  }

  const MovingObject* object_;
  double per_step_;                          // [1/s]
  std::vector<Eigen::Vector3d> half_turns_;  // [rad] half the rotation vector to the next pose, in
                                             // M; empty if the object does not turn
  double most2_ = 0.0;                       // the largest of their squares
  bool turns_ = false;
};

}  // namespace marsim::lidar
