// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "marsim/lidar/renderer.hpp"

namespace marsim::physics {

/// Vertical cylinders without ends, finer than any surfel, and walls across the x axis, in double
/// precision.
class ExactScene : public lidar::RayRenderer {
 public:
  struct Cylinder {
    double x, y, radius;  // [m]
  };

  /// `walls`: their x [m].
  ExactScene(std::vector<Cylinder> cylinders, std::vector<double> walls);

  std::string name() const override { return "exact"; }
  void cast(const std::vector<lidar::Ray>& rays, View<lidar::MovingObject> objects,
            std::vector<lidar::Hit>& hits) const override;

  const std::vector<Cylinder>& cylinders() const { return cylinders_; }
  const std::vector<double>& walls() const { return walls_; }

 private:
  lidar::Hit hitOf(const lidar::Ray& ray) const;

  std::vector<Cylinder> cylinders_;  // sorted by y
  std::vector<double> walls_;
  double largest_ = 0.0;  // largest radius
};

}  // namespace marsim::physics
