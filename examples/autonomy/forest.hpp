// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "marsim/marsim.hpp"

namespace autonomy {

struct ForestConfig {
  double density = 0.1;  ///< [1/m^2] obstacles
  double size = 40.0;    ///< [m] side of the square around the origin
  double margin = 4.0;   ///< [m] of bare ground around it
  double gap = 0.8;      ///< [m] least distance between two cylinders; yields to the density
  double shortest = 0.0, tallest = 3.0;    ///< [m]
  std::vector<Eigen::Vector2d> free = {};  ///< [m] places with the gap around them
  std::uint32_t seed = 1;
};

struct Post {
  Eigen::Vector2d p;  ///< [m] axis
  double radius;      ///< [m]
  double height;      ///< [m]
};

/// A random forest of cylinders of 0.2 to 0.6 m (Zhong 2023, section 4.5.3).
struct Forest {
  std::vector<Post> posts;
  std::size_t too_near = 0;  ///< posts without the gap, as the density left no room
};

inline Forest plantForest(const ForestConfig& config) {
  std::mt19937 random(config.seed);
  const auto uniform = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(random()) / 4294967295.0;
  };
  Forest forest;
  const auto wanted = static_cast<std::size_t>(config.density * config.size * config.size);
  for (std::size_t tries = 0; forest.posts.size() < wanted; ++tries) {
    const double half = config.size / 2.0, radius = uniform(0.1, 0.3);
    const Eigen::Vector2d p(uniform(-half, half), uniform(-half, half));
    bool is_near = false;
    for (const Eigen::Vector2d& place : config.free) {
      is_near = is_near || (place - p).norm() < config.gap + radius;
    }
    if (is_near) continue;
    for (const Post& post : forest.posts) {
      is_near = is_near || (post.p - p).norm() < config.gap + radius + post.radius;
    }
    if (is_near && tries < 500 * wanted) continue;
    if (is_near) ++forest.too_near;
    forest.posts.push_back({p, radius, uniform(config.shortest, config.tallest)});
  }
  return forest;
}

/// The map of a forest: points `spacing` [m] apart on the cylinders and on the ground.
inline std::shared_ptr<const marsim::map::SurfelMap> mapOf(const ForestConfig& config,
                                                           const Forest& forest) {
  constexpr double kSpacing = 0.05;
  marsim::map::PointCloud cloud;
  const auto add = [&](double x, double y, double z) {
    cloud.points.emplace_back(Eigen::Vector3d(x, y, z).cast<float>());
  };
  const double half = config.size / 2.0 + config.margin;
  for (double x = -half; x <= half; x += 2.0 * kSpacing) {
    for (double y = -half; y <= half; y += 2.0 * kSpacing) add(x, y, 0.0);
  }
  for (const Post& post : forest.posts) {
    for (double r = post.radius; r > 0.0; r -= kSpacing) {
      const int count = static_cast<int>(std::ceil(2.0 * M_PI * r / kSpacing));
      for (int i = 0; i < count; ++i) {
        const double angle = 2.0 * M_PI * i / count;
        const double x = post.p.x() + r * std::cos(angle), y = post.p.y() + r * std::sin(angle);
        const double bottom = r == post.radius ? 0.0 : post.height;  // side, then top
        for (double z = post.height; z >= bottom; z -= kSpacing) add(x, y, z);
      }
    }
  }
  return std::make_shared<const marsim::map::SurfelMap>(marsim::map::SurfelMap::build(cloud, {}));
}

}  // namespace autonomy
