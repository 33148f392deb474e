// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "marsim/common/units.hpp"
#include "marsim/lidar/lidar.hpp"

/// A world that is one plane, and a spinning sensor to look at it.
namespace marsim::lidar {

/// The world is one plane: n . x = offset.
class PlaneRenderer : public RayRenderer {
 public:
  PlaneRenderer(const Eigen::Vector3d& normal, double offset)
      : normal_(normal.normalized()), offset_(offset) {}

  std::string name() const override { return "plane"; }
  void cast(const std::vector<Ray>& rays, View<MovingObject>,
            std::vector<Hit>& hits) const override {
    hits.assign(rays.size(), Hit{});
    for (std::size_t i = 0; i < rays.size(); ++i) {
      const Eigen::Vector3d o = rays[i].origin.cast<double>(), d = rays[i].direction.cast<double>();
      const double range = rangeFrom(o, d);
      if (!(range > 0.0 && range <= rays[i].range_max)) continue;
      const Eigen::Vector3d towards = normal_.dot(d) < 0.0 ? normal_ : -normal_;
      hits[i] = {static_cast<float>(range), 7, kMapIdentity, towards.cast<float>()};
    }
  }

  double distance(const Eigen::Vector3d& p) const { return normal_.dot(p) - offset_; }
  /// Along a unit direction; negative behind.
  double rangeFrom(const Eigen::Vector3d& origin, const Eigen::Vector3d& direction) const {
    return distance(origin) / -normal_.dot(direction);
  }

 private:
  Eigen::Vector3d normal_;
  double offset_;
};

/// Sixteen channels from -15 to 15 degrees, 10 Hz, 18,084 columns a second.
inline LidarConfig spinner() {
  SpinningPatternConfig pattern;
  for (int i = 0; i < 16; ++i) pattern.channels.push_back({radians(2.0 * i - 15.0), 0.0, i * 2e-6});
  pattern.cycle_period = 55.296e-6;
  pattern.rotation_rate = -20.0 * kPi;
  LidarConfig config;
  config.name = "spinner";
  config.range_min = 0.5;
  config.range_max = 60.0;
  config.noise.range_by_reflectivity = {{1e-4, 1e5}};  // sees everything
  config.pattern = pattern;
  return config;
}

/// A body that does not move for some seconds.
inline StateHistory resting(const Pose& X_WB, TimeNs until = kNsPerSecond) {
  return {X_WB, 0, until};
}

}  // namespace marsim::lidar
