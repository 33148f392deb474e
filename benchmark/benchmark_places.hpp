#pragma once

#include <memory>
#include <string>
#include <vector>

#include "marsim/lidar/renderer.hpp"
#include "marsim/map/surfel_map.hpp"

/// What is rendered, and from where.
namespace marsim::benchmarks {

struct Place {
  std::string name;   ///< "forest", "building"
  double resolution;  ///< [m] r; points are sampled 0.4 r apart
};

constexpr int kPoses = 10;
constexpr double kRangeMax = 30.0;  ///< [m]

/// Made once and kept until another one is asked for.
std::shared_ptr<const map::SurfelMap> mapOf(const Place& place);

Pose poseOf(const Place& place, int index);

/// 24,000 shots, 0.1 s, of a Livox Avia, as its file in config/lidars describes it.
std::vector<lidar::Ray> aviaRays(const Pose& X_WS, int scan);

/// 385 x 350 cells over the Avia's field of view.
lidar::ImageGrid denseGrid();

}  // namespace marsim::benchmarks
