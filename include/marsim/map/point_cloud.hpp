#pragma once

#include <cstddef>
#include <vector>

#include <Eigen/Core>

namespace marsim::map {

/// Points of a place in the world frame [m], with an optional intensity for each (0-255 as scanners
/// deliver it, empty where the source has none).
struct PointCloud {
  std::vector<Eigen::Vector3f> points;
  std::vector<float> intensity;
  /// How many points each point stands for, in a cloud of means; empty where each is one.
  std::vector<float> weight = {};

  std::size_t size() const { return points.size(); }
  bool empty() const { return points.empty(); }
  bool hasIntensity() const { return !intensity.empty(); }
};

}  // namespace marsim::map
