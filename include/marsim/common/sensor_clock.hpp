// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "marsim/common/settings.hpp"
#include "marsim/common/time.hpp"

namespace marsim {

/// Errors of a sensor's clock against the IMU's, which shows simulated time, and lost measurements.
/// A measurement of time t has the stamp t + offset + drift t + j with j uniform in +-jitter.
struct ClockErrors {
  double offset = 0.0;  ///< [s] positive: stamps are late
  double drift = 0.0;   ///< [s/s] 20e-6: 20 ppm fast
  double jitter = 0.0;  ///< [s] up to half the period, so that stamps rise
  double drops = 0.0;   ///< share of measurements lost at random

  bool any() const { return offset != 0.0 || drift != 0.0 || jitter != 0.0 || drops != 0.0; }
  void declare(Settings& settings);
  /// `rate` [Hz] of the sensor. Errors name fields as "clock.jitter". Throws ConfigError.
  void validate(const std::string& where, double rate) const;
};

/// The clock of a sensor.
class SensorClock {
 public:
  /// The clock of simulated time.
  SensorClock() = default;
  /// `name` tells the sensors of one seed apart.
  SensorClock(const ClockErrors& errors, std::uint64_t seed, std::string_view name);
  /// The stamp of a measurement of simulated time `t`; none if it is lost or its stamp is below 0.
  /// Depends on errors, seed, name and t only.
  std::optional<TimeNs> stampOf(TimeNs t) const;

 private:
  ClockErrors errors_;
  std::uint64_t key_ = 0;
};

}  // namespace marsim
