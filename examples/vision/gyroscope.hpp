// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <deque>
#include <optional>

#include <Eigen/Geometry>

namespace vision {

/// Turns between images by the angular velocities of a gyroscope.
class Gyroscope {
 public:
  /// Adds a measurement, in order of time [s]; a step back begins anew. `w_I` [rad/s] in the
  /// gyroscope's frame I.
  void add(double time, const Eigen::Vector3d& w_I) {
    if (!rates_.empty() && time < rates_.back().time) rates_.clear();
    rates_.push_back({time, w_I});
  }

  /// Returns the rotation from I at one time [s] to I at a later one, and forgets what was measured
  /// before. Nothing if the measurements leave a gap of more than 0.02 s.
  std::optional<Eigen::Quaterniond> turn(double from, double to) {
    while (rates_.size() > 1 && rates_[1].time <= from) rates_.pop_front();
    if (rates_.empty() || rates_.front().time > from + kGap) return std::nullopt;
    Eigen::Quaterniond q = Eigen::Quaterniond::Identity();
    double time = from;
    for (std::size_t i = 1; i < rates_.size() && time < to; ++i) {
      if (rates_[i].time > time + kGap) return std::nullopt;
      const double until = std::min(rates_[i].time, to);
      rotate(q, 0.5 * (until - time) * (rates_[i - 1].w_I + rates_[i].w_I));
      time = until;
    }
    if (to > time + kGap) return std::nullopt;
    rotate(q, (to - time) * rates_.back().w_I);
    return q;
  }

 private:
  static constexpr double kGap = 0.02;  // [s]

  struct Rate {
    double time;
    Eigen::Vector3d w_I;
  };

  static void rotate(Eigen::Quaterniond& q, const Eigen::Vector3d& by) {
    if (by.norm() > 0.0) q = q * Eigen::Quaterniond(Eigen::AngleAxisd(by.norm(), by.normalized()));
  }

  std::deque<Rate> rates_;
};

}  // namespace vision
