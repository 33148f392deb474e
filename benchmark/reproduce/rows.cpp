// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include "marsim/common/random.hpp"
#include "marsim/common/units.hpp"
#include "marsim/config/load.hpp"
#include "marsim/lidar/lidar.hpp"
#include "marsim/map/surfel_map.hpp"
#include "reproduce/experiment.hpp"

namespace marsim::reproduce {
namespace {

using Box = Eigen::AlignedBox3d;

/// A hall of large planes: its inside, and boxes that stand in it [m].
const Box kHall{Eigen::Vector3d(-10.0, -7.0, 0.0), Eigen::Vector3d(10.0, 7.0, 4.0)};
const Box kBlocks[] = {{Eigen::Vector3d(2.0, 3.0, 0.0), Eigen::Vector3d(4.0, 4.0, 1.0)},
                       {Eigen::Vector3d(-6.0, -2.5, 0.0), Eigen::Vector3d(-5.5, -2.0, 4.0)},
                       {Eigen::Vector3d(5.5, -2.5, 0.0), Eigen::Vector3d(6.0, -2.0, 4.0)}};
constexpr double kNoise = 0.01;      // [m] of the map's points, across their surfaces
constexpr double kResolution = 0.1;  // [m]
constexpr double kNotPlanar = 1e-9;  // planar_factor with which no surfel is planar

/// Distance [m] from the nearest face of a box, from inside and from outside.
double distanceFromFaces(const Box& box, const Eigen::Vector3d& p) {
  const double outside = box.exteriorDistance(p);
  if (outside > 0.0) return outside;
  return std::min((p - box.min()).minCoeff(), (box.max() - p).minCoeff());
}

double distanceFromSurface(const Eigen::Vector3d& p) {
  double distance = distanceFromFaces(kHall, p);
  for (const Box& block : kBlocks) distance = std::min(distance, distanceFromFaces(block, p));
  return distance;
}

/// Adds noisy points on a box's faces, `density` a square metre.
void addFaces(const Box& box, double density, RandomStream& random, map::PointCloud& cloud) {
  for (int axis = 0; axis < 3; ++axis) {
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    const Eigen::Vector3d size = box.sizes();
    const auto count = static_cast<int>(density * size[u] * size[v]);
    for (const Eigen::Vector3d& corner : {box.min(), box.max()}) {
      for (int i = 0; i < count; ++i) {
        Eigen::Vector3d p;
        p[axis] = corner[axis] + kNoise * random.normal();
        p[u] = random.uniform(box.min()[u], box.max()[u]);
        p[v] = random.uniform(box.min()[v], box.max()[v]);
        cloud.points.push_back(p.cast<float>());
      }
    }
  }
}

/// Mean distance [m] of an Avia's returns from the true surfaces on a walk around the hall.
double meanDistance(const map::SurfelMapConfig& config, const map::PointCloud& cloud, int poses) {
  const auto map = std::make_shared<const map::SurfelMap>(map::SurfelMap::build(cloud, config));
  lidar::Lidar lidar(config::loadLidar("avia"), lidar::makeRayCaster(map, {}), 1, false);
  double sum = 0.0;
  std::size_t count = 0;
  for (int i = 0; i < poses; ++i) {
    const double angle = 2.0 * kPi * i / poses;
    const Pose X_WB{fromRollPitchYaw(0.0, 0.0, 2.5 * angle),
                    {4.5 * std::cos(angle), 1.5 * std::sin(angle), 1.5}};
    for (const lidar::ScanPoint& point : lidar.scan(X_WB).points) {
      sum += distanceFromSurface(point.p_W.cast<double>());
      ++count;
    }
  }
  return sum / static_cast<double>(std::max<std::size_t>(count, 1));
}

}  // namespace

Reproduction reproduceRows(Extent extent, Progress& progress) {
  const bool small = extent == Extent::kTest;
  map::PointCloud cloud;
  RandomStream random(1, "hall");
  addFaces(kHall, small ? 400.0 : 1600.0, random, cloud);
  for (const Box& block : kBlocks) addFaces(block, small ? 400.0 : 1600.0, random, cloud);
  map::SurfelMapConfig culling, plane, ours;
  culling.resolution = plane.resolution = ours.resolution = kResolution;
  culling.surface = plane.surface = map::Surface::kPaper;
  culling.planar_factor = kNotPlanar;

  Reproduction result;
  FigureTable table{"Mean distance of the returns from the true surfaces, r = 0.1 m",
                    {"way to cast", "ours [m]", "paper [m]"},
                    {}};
  std::vector<double> distances;
  const auto row = [&](const char* name, const map::SurfelMapConfig& config, const char* paper) {
    progress.phase(name);
    distances.push_back(meanDistance(config, cloud, small ? 3 : 20));
    table.rows.push_back({name, fmt::format("{:.4f}", distances.back()), paper});
  };
  row("culling only", culling, "0.0523");
  row("plane correction", plane, "0.0323");
  row("blended (default here)", ours, "-");
  result.tables.push_back(std::move(table));
  result.criteria.push_back(
      {"plane correction by culling only", distances[1] / distances[0], 0.0, 1.0});
  result.criteria.push_back({"blended by plane correction", distances[2] / distances[1], 0.0, 1.0});
  return result;
}

}  // namespace marsim::reproduce
