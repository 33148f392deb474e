// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "marsim/lidar/renderer.hpp"
#include "marsim/lidar/scan_pattern.hpp"

namespace marsim::benchmarks {

constexpr double kRangeMax = 30.0;  ///< [m] of every sensor, so that rows can be compared

/// A sensor to render: the shots of a scan pattern, or a dense image.
struct Sensor {
  std::string name;
  std::optional<lidar::PatternConfig> pattern;
  lidar::ImageGrid image;  ///< if there is no pattern
  bool optical = false;    ///< the image's frame has z forward, x right

  /// Rays [W] of the 0.1 s from scan * 0.1 s on, or of the image's cells, row by row.
  std::vector<lidar::Ray> rays(const Pose& X_WS, int scan) const;
  /// Pose of the image's frame for a sensor (x forward) at X_WS.
  Pose imagePose(const Pose& X_WS) const;
};

/// Names as in config/lidar, and two dense images: "avia_image" (385 x 350 cells over the Avia's
/// field of view) and "d455_image" (640 x 480, pinhole).
std::vector<std::string> sensorNames();
/// Throws UnknownNameError.
Sensor sensorOf(const std::string& name);

}  // namespace marsim::benchmarks
