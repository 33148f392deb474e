#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include <Eigen/Geometry>

#include "marsim/lidar/renderer.hpp"

namespace marsim::lidar {

/// A thing's poses made ready to be asked for at thousands of times: MovingThing::at, quicker.
class PoseTrack {
 public:
  explicit PoseTrack(const MovingThing& thing)
      : begin_(thing.begin), step_(thing.step), per_step_(1.0 / thing.step) {
    segments_.reserve(thing.X_WM.size());
    for (std::size_t i = 0; i < thing.X_WM.size(); ++i) {
      const Pose& pose = thing.X_WM[i];
      Segment segment{pose.q, Eigen::Vector3d::Zero(), pose.p, Eigen::Vector3d::Zero()};
      if (i + 1 < thing.X_WM.size()) {
        const Pose& next = thing.X_WM[i + 1];
        segment.half_turn = 0.5 * logMap(pose.q.conjugate() * next.q);
        segment.way = next.p - pose.p;
        turns_ |= !segment.half_turn.isZero();
      }
      segments_.push_back(segment);
    }
  }

  bool moves() const { return segments_.size() > 1; }
  std::size_t size() const { return segments_.size(); }
  double timeOf(std::size_t pose) const { return begin_ + static_cast<double>(pose) * step_; }

  Pose at(double time) const {
    if (!moves() || !(time > begin_)) return start(0);
    const double steps = (time - begin_) * per_step_;
    const auto last = segments_.size() - 1;
    if (steps >= static_cast<double>(last)) return start(last);
    const auto i = static_cast<std::size_t>(steps);
    const double part = steps - static_cast<double>(i);
    const Segment& segment = segments_[i];
    if (!turns_) return {segment.q, segment.p + part * segment.way};
    return {segment.q * turn(part * segment.half_turn), segment.p + part * segment.way};
  }

  /// How far a point at `reach` [m] from M's origin leaves the straight lines between where the
  /// poses take it: an eighth of the second derivative.
  double bulge(double reach) const {
    double most = 0.0;
    for (const Segment& segment : segments_) most = std::max(most, segment.half_turn.squaredNorm());
    return 0.5 * reach * most;
  }

 private:
  struct Segment {
    Eigen::Quaterniond q;
    Eigen::Vector3d half_turn;  // [rad] half the rotation vector to the next pose, in M
    Eigen::Vector3d p, way;     // [m] and to the next
  };

  Pose start(std::size_t i) const { return {segments_[i].q, segments_[i].p}; }

  // By twice the given rotation vector.
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

  double begin_, step_, per_step_;  // [s], [s], [1/s]
  std::vector<Segment> segments_;
  bool turns_ = false;
};

}  // namespace marsim::lidar
