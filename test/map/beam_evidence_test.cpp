// SPDX-License-Identifier: BSD-3-Clause
#include "map/tree/beam_evidence.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include "map/test_files.hpp"
#include "marsim/common/random.hpp"
#include "marsim/map/load_map.hpp"

namespace marsim::map {
namespace {

using Eigen::Vector3d;
using Eigen::Vector3f;

/// Range at which a beam from a place in a direction ends.
using World = std::function<double(const Vector3d& from, const Vector3d& direction)>;

void record(const World& world, const Vector3d& from, const Vector3d& to, RandomStream& random,
            PointCloud& cloud) {
  const Vector3d direction = (to - from).normalized();
  const Vector3d end = from + (world(from, direction) + 0.005 * random.normal()) * direction;
  cloud.points.push_back(end.cast<float>());
  const Vector3f offset = (from - end).cast<float>();
  cloud.to_sensor.push_back({offset.x(), offset.y(), offset.z()});
}

/// A wall at x = 8 m and in front of it, at x = 5 m, a part of a plane.
World planeBefore(const std::function<bool(double y, double z)>& is_there) {
  return [is_there](const Vector3d& from, const Vector3d& direction) {
    const Vector3d at = from + (5.0 - from.x()) / direction.x() * direction;
    return (is_there(at.y(), at.z()) ? 5.0 - from.x() : 8.0 - from.x()) / direction.x();
  };
}

/// Beams through a window of 2.4 m at x = 5 m, from some places.
PointCloud recordWindow(const World& world, int places, int beams) {
  PointCloud cloud;
  RandomStream random(3);
  for (int place = 0; place < places; ++place) {
    const Vector3d from(random.uniform(-1, 1), random.uniform(-2, 2), random.uniform(-1, 1));
    for (int i = 0; i < beams; ++i) {
      const Vector3d to(5.0, random.uniform(-1.2, 1.2), random.uniform(-1.2, 1.2));
      record(world, from, to, random, cloud);
    }
  }
  return cloud;
}

PointCloud withoutBeams(PointCloud cloud) {
  cloud.to_sensor.clear();
  return cloud;
}

/// Share of the beams through a part of the window that a map stops before x = 6.5 m, by every
/// surfel.
double stopped(const SurfelMap& map, double y0, double y1) {
  const std::vector<Surfel> surfels = map.surfels();
  const std::vector<float> radii = map.radii();
  RandomStream random(17);
  const Vector3f from(0.3F, 0.4F, 0.1F);
  constexpr int kBeams = 2000;
  int stopped = 0;
  for (int i = 0; i < kBeams; ++i) {
    const Vector3f to =
        Vector3d(5.0, random.uniform(y0, y1), random.uniform(-0.9, 0.9)).cast<float>();
    const Vector3f direction = (to - from).normalized();
    bool is_met = false;
    for (std::size_t k = 0; k < surfels.size() && !is_met; ++k) {
      const Vector3f offset = surfels[k].position - from;
      if (surfels[k].position.x() > 6.5F) continue;
      const float range = map.isPlanar(surfels[k])
                              ? offset.dot(surfels[k].normal) / direction.dot(surfels[k].normal)
                              : offset.dot(direction);
      is_met = range > 0.0F && (range * direction - offset).norm() < radii[k];
    }
    stopped += is_met ? 1 : 0;
  }
  return static_cast<double>(stopped) / kBeams;
}

SurfelMapConfig configOf(Surface surface, double resolution) {
  SurfelMapConfig config;
  config.surface = surface;
  config.resolution = resolution;
  return config;
}

// Wires 1 cm wide, 6.1 cm apart.
TEST(BeamEvidence, ANetStopsItsShareOfTheBeams) {
  constexpr double kMesh = 0.061;
  const double width = kMesh * (1.0 - std::sqrt(0.7));
  const auto is_wire = [&](double y, double z) {
    const bool inside = std::abs(y) < 1.0 && std::abs(z) < 1.0;
    return inside &&
           (y - std::floor(y / kMesh) * kMesh < width || z - std::floor(z / kMesh) * kMesh < width);
  };
  const PointCloud cloud = recordWindow(planeBefore(is_wire), 20, 10000);
  for (const Surface surface : {Surface::kBlended, Surface::kSized}) {
    const SurfelMapConfig config = configOf(surface, 0.1);
    EXPECT_GT(stopped(SurfelMap::build(withoutBeams(cloud), config), -0.9, 0.9), 0.99);
    const double share = stopped(SurfelMap::build(cloud, config), -0.9, 0.9);
    EXPECT_GT(share, 0.25) << nameOf(surface);
    EXPECT_LT(share, 0.35) << nameOf(surface);
  }
}

// The plane ends at y = 0.
TEST(BeamEvidence, DiscsEndWhereBeamsPassAndSolidsStay) {
  const auto is_there = [](double y, double) { return y < 0.0; };
  const PointCloud cloud = recordWindow(planeBefore(is_there), 10, 6000);
  const SurfelMapConfig config = configOf(Surface::kBlended, 0.1);
  const double before = stopped(SurfelMap::build(withoutBeams(cloud), config), 0.01, 0.05);
  const SurfelMap map = SurfelMap::build(cloud, config);
  EXPECT_LT(stopped(map, 0.01, 0.05), 0.5 * before);
  EXPECT_GT(before, 0.15);
  EXPECT_GT(stopped(map, -0.9, -0.05), 0.995);
}

// Few beams of a wall alone: many gaps, through which no beam passed.
TEST(BeamEvidence, DiscsGrowWhereNoBeamPassed) {
  const auto is_there = [](double, double) { return true; };
  const PointCloud cloud = recordWindow(planeBefore(is_there), 1, 500);
  SurfelMapConfig config = configOf(Surface::kBlended, 0.05);
  config.hole_radius = 0.0;
  const double before = stopped(SurfelMap::build(withoutBeams(cloud), config), -0.9, 0.9);
  EXPECT_LT(before, 0.5);
  EXPECT_GT(stopped(SurfelMap::build(cloud, config), -0.9, 0.9), 1.6 * before);
}

// Something stands at y = 0.3 to 0.9 m in 2 of 20 scans.
TEST(BeamEvidence, TracesOfWhatMovedAreLeftOut) {
  const auto box = [](double y, double) { return y > 0.3 && y < 0.9; };
  const auto none = [](double, double) { return false; };
  PointCloud cloud = recordWindow(planeBefore(none), 18, 3000);
  const PointCloud rest = recordWindow(planeBefore(box), 2, 3000);
  cloud.points.insert(cloud.points.end(), rest.points.begin(), rest.points.end());
  appendChannels(rest, cloud);
  for (const Surface surface : {Surface::kBlended, Surface::kSized}) {
    const SurfelMapConfig config = configOf(surface, 0.1);
    EXPECT_GT(stopped(SurfelMap::build(withoutBeams(cloud), config), 0.35, 0.85), 0.9);
    EXPECT_LT(stopped(SurfelMap::build(cloud, config), 0.35, 0.85), 0.01) << nameOf(surface);
  }
}

void expectSame(const SurfelMap& a, const SurfelMap& b) {
  const PointCloud of_a = a.positions(), of_b = b.positions();
  EXPECT_EQ(of_a.points, of_b.points);
  EXPECT_EQ(a.radii(), b.radii());
}

TEST(BeamEvidence, NeitherOrderNorThreadsNorUnknownSensorsMatter) {
  const auto is_there = [](double y, double z) { return y * z > 0.0; };
  const PointCloud cloud = recordWindow(planeBefore(is_there), 5, 2000);
  const SurfelMapConfig config = configOf(Surface::kSized, 0.1);
  const SurfelMap points = SurfelMap::build(withoutBeams(cloud), config);
  const auto resized = [&](const PointCloud& beams) {
    BeamEvidence evidence(points);
    evidence.add(beams);
    return SurfelMap::of(evidence.resized(), config);
  };
  const SurfelMap map = resized(cloud);
  PointCloud reversed = cloud;
  std::reverse(reversed.points.begin(), reversed.points.end());
  std::reverse(reversed.to_sensor.begin(), reversed.to_sensor.end());
  reversed.points.push_back({6.0F, 0.0F, 0.0F});  // whose sensor is not known
  reversed.to_sensor.push_back({});
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  expectSame(map, resized(reversed));
}

// Through a file, also far from the origin, and without effect on `paper`.
TEST(BeamEvidence, MapFilesHoldBeams) {
  const TestFolder folder;
  const auto is_there = [](double y, double) { return y < 0.0; };
  const PointCloud cloud = recordWindow(planeBefore(is_there), 5, 500);
  for (const char* name : {"beams.pcd", "beams.ply"}) {
    saveCloud(folder / name, cloud);
    for (const Surface surface : {Surface::kPaper, Surface::kBlended, Surface::kSized}) {
      const SurfelMapConfig config = configOf(surface, 0.1);
      MapLoading loading;
      loading.folder = folder / "cache";
      for (int time = 0; time < 2; ++time) {
        const LoadedMap loaded = loadSurfelMap(folder / name, config, Progress::none(), loading);
        EXPECT_EQ(loaded.from_cache, time == 1);
        EXPECT_TRUE(loaded.source.has_beams);
        EXPECT_EQ(loaded.map->size(), SurfelMap::build(cloud, config).size());
        EXPECT_NEAR(stopped(*loaded.map, 0.0, 0.1),
                    stopped(SurfelMap::build(cloud, config), 0, 0.1), 0.01);
      }
    }
  }
}

}  // namespace
}  // namespace marsim::map
