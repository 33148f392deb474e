// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include "marsim/common/settings.hpp"

namespace marsim::lidar {

/// The intensity scale of a sensor's driver. With the reflectivity along the beam q (that of
/// the surface times Lambert's cosine) and the range R the intensity is scale q, or
/// scale q (range_reference / R)^2 where the driver delivers the signal itself; a whole number of
/// at most `limit`.
struct IntensityConfig {
  double scale = 100.0;                           ///< at 100 %; velodyne 100, hesai 100, livox 150
  double limit = 255.0;                           ///< the largest that is reported
  double range_reference = 0.0;                   ///< [m] 0: calibrated, the same at any range
  std::optional<double> constant = std::nullopt;  ///< reported instead, 0 to 255

  void declare(Settings& settings);
};

}  // namespace marsim::lidar
