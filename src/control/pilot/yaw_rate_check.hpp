// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <optional>

#include "marsim/common/time.hpp"
#include "marsim/geometry/pose.hpp"

namespace marsim::control {

/// Compares the yaw rates of a stream of references with the change of their yaw, over half a
/// second at a time. A step of the yaw or a gap in the stream begins anew.
class YawRateCheck {
 public:
  /// Whether the rates [rad/s] lately agreed with the change of the yaw [rad].
  bool agrees(TimeNs stamp, double yaw, double rate) {
    const double step = last_ ? wrapAngle(yaw - last_->yaw) : 0.0;
    const bool goes_on = last_ && stamp >= last_->stamp && stamp - last_->stamp <= kLongestGap &&
                         std::abs(step) <= kLargestStep;
    if (goes_on) {
      turned_ += step;
      told_ += toSeconds(stamp - last_->stamp) * last_->rate;
    } else {
      begin(stamp);
    }
    last_ = Sample{stamp, yaw, rate};
    if (stamp - begun_ >= kWindow) {
      if (std::abs(told_) > kLeast) agrees_ = std::abs(turned_ - told_) <= allowed();
      begin(stamp);
    }
    return agrees_ || rate == 0.0;
  }

 private:
  struct Sample {
    TimeNs stamp;
    double yaw, rate;  // [rad], [rad/s]
  };
  static constexpr TimeNs kWindow = kNsPerSecond / 2, kLongestGap = kNsPerSecond / 4;
  static constexpr double kLargestStep = 0.5, kLeast = 0.05;  // [rad]

  double allowed() const { return 0.05 + 0.3 * std::abs(told_); }  // [rad]
  void begin(TimeNs stamp) {
    begun_ = stamp;
    turned_ = told_ = 0.0;
  }

  std::optional<Sample> last_;
  TimeNs begun_ = 0;
  double turned_ = 0.0, told_ = 0.0;  // [rad] since then: change of the yaw, integral of the rates
  bool agrees_ = true;
};

}  // namespace marsim::control
