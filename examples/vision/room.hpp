// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <random>

#include "marsim/marsim.hpp"

namespace vision {

/// A room of 7 x 7 x 3 m (Zhong 2023, section 5.3.3) around (0, 0, 1.5), with blocks and shelves at
/// its walls and a table before the wall in the direction of x.
class Room {
 public:
  Room() {
    addBox({-3.5, -3.5, 0.0}, {3.5, 3.5, 3.0}, {188, 184, 172});
    addBox({2.4, -1.2, 0.5}, {3.1, 1.2, 0.75}, {140, 100, 62});
    for (const double y : {-0.9, -0.1, 0.7}) {
      addBox({2.7, y, 0.75}, {2.95, y + 0.5, 1.2}, {90, 96, 110});
      addBox({2.45, y + 0.1, 0.75}, {2.65, y + 0.3, 0.95}, {190, 90, 70});
    }
    std::mt19937 random(1);
    const auto uniform = [&](double low, double high) {
      return low + (high - low) * static_cast<double>(random()) / 4294967295.0;
    };
    for (int i = 0; i < 24; ++i) {
      const double along = uniform(-3.0, 2.4), out = uniform(0.2, 0.6), z = uniform(0.0, 1.8);
      const Eigen::Vector3d size(out, uniform(0.3, 0.8), uniform(0.3, 0.9));
      Eigen::Vector3d low(3.5 - out, along, z);
      const marsim::map::Colour colour = {static_cast<std::uint8_t>(uniform(60, 220)),
                                          static_cast<std::uint8_t>(uniform(60, 220)),
                                          static_cast<std::uint8_t>(uniform(60, 220))};
      Eigen::Vector3d high = low + size;
      for (int turn = i % 4; turn > 0; --turn) {  // to the other walls
        std::swap(low.x(), low.y());
        std::swap(high.x(), high.y());
        const double x = low.x();
        low.x() = -high.x();
        high.x() = -x;
      }
      addBox(low, high, colour);
    }
  }

  std::shared_ptr<const marsim::map::SurfelMap> map() const {
    marsim::map::SurfelMapConfig config;
    config.resolution = kSpacing;
    return std::make_shared<const marsim::map::SurfelMap>(
        marsim::map::SurfelMap::build(cloud_, config));
  }

 private:
  static constexpr double kSpacing = 0.05;  // [m]

  // Points on a box's six sides.
  void addBox(const Eigen::Vector3d& low, const Eigen::Vector3d& high,
              const marsim::map::Colour& colour) {
    for (int axis = 0; axis < 3; ++axis) {
      const int u = (axis + 1) % 3, v = (axis + 2) % 3;
      for (const double side : {low[axis], high[axis]}) {
        for (double a = low[u]; a <= high[u] + 1e-6; a += kSpacing) {
          for (double b = low[v]; b <= high[v] + 1e-6; b += kSpacing) {
            Eigen::Vector3d p;
            p[axis] = side;
            p[u] = a;
            p[v] = b;
            cloud_.points.emplace_back(p.cast<float>());
            cloud_.colour.push_back(colour);
          }
        }
      }
    }
  }

  marsim::map::PointCloud cloud_;
};

}  // namespace vision
