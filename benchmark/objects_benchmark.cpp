// SPDX-License-Identifier: BSD-3-Clause
#include "objects_benchmark.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>

#include <fmt/format.h>

#include "marsim/collision/clearance.hpp"
#include "marsim/config/load.hpp"
#include "marsim/lidar/lidar.hpp"
#include "marsim/scene/obstacles.hpp"
#include "marsim/sim/world.hpp"
#include "places.hpp"
#include "timing.hpp"

namespace marsim::benchmarks {
namespace {

/// `count` obstacles of every kind that moves by itself, about the poses.
scene::ObstaclesConfig mixedObstacles(int count) {
  using scene::ObstacleKind;
  scene::ObstaclesConfig config;
  const ObstacleKind kinds[] = {ObstacleKind::kUav, ObstacleKind::kSphere, ObstacleKind::kBox,
                                ObstacleKind::kWalker, ObstacleKind::kOrbit};
  const int kind_count = static_cast<int>(std::size(kinds));
  for (int i = 0; i < std::min(count, kind_count); ++i) {
    scene::ObstacleGroup group = scene::usualGroup(kinds[i]);
    group.name = fmt::format("group{}", i);
    group.number = (count + i) / kind_count;
    group.region = {Eigen::Vector3d(-20.0, -12.0, 0.8), Eigen::Vector3d(20.0, 12.0, 6.0)};
    if (kinds[i] == ObstacleKind::kWalker) group.region.min().z() = -1.5;
    if (kinds[i] == ObstacleKind::kUav) {
      group.body = sim::bodyOf(config::loadVehicle("hummingbird"));
    }
    config.groups.push_back(group);
  }
  return config;
}

/// Other UAVs, each flying a level circle of its own about the place's start at 3 m/s.
class Peers final : public scene::ObjectSource {
 public:
  explicit Peers(int count)
      : count_(count), shape_(sim::bodyShapeOf(config::loadVehicle("hummingbird"))) {}

  void appendObjects(TimeNs begin, TimeNs end,
                     std::vector<scene::MovingObject>& objects) const override {
    for (int i = 0; i < count_; ++i) {
      const double radius = 3.0 + i, height = 1.0 + 0.3 * i;
      objects.push_back(
          scene::movingObject(shape_, static_cast<std::uint32_t>(i), begin, end, [&](TimeNs time) {
            const double angle = 2.0 * i + 3.0 * toSeconds(time) / radius;
            return Pose{fromRollPitchYaw(0.2, 0.1, angle),
                        {radius * std::cos(angle), radius * std::sin(angle), height}};
          }));
    }
  }

 private:
  int count_;
  std::shared_ptr<const map::SurfelMap> shape_;
};

}  // namespace

std::vector<ObjectsCost> measureObjects(const ObjectsBench& bench) {
  const Place place{bench.place, bench.resolution};
  const auto map = mapOf(place, bench.work);
  const lidar::RendererConfig renderer;
  const collision::ClearanceMap clearance(map->positions(), map->resolution());
  std::vector<std::unique_ptr<const scene::ObjectSource>> sources;
  if (bench.obstacles > 0) {
    sources.push_back(std::make_unique<scene::Obstacles>(
        mixedObstacles(bench.obstacles),
        [&](const Eigen::Vector3d& p_W, double) { return clearance.at(p_W).distance; }, "bench"));
  }
  sources.push_back(std::make_unique<Peers>(bench.peers));
  std::vector<ObjectsCost> costs;
  for (const std::string& sensor : bench.sensors) {
    lidar::Lidar lidar(config::loadLidar(sensor), lidar::makeRayCaster(map, renderer));
    PoseTimes alone, with;
    std::size_t on_objects = 0, points = 0;
    for (int repeat = 0; repeat < bench.repeats; ++repeat) {
      for (int pose = 0; pose < kPoses; ++pose) {
        const StateHistory flight = flightFrom(poseOf(place, pose));
        const auto measure = [&](bool with_objects) {
          lidar::Scan scan;
          const double time = processorMilliseconds([&] {
            std::vector<scene::MovingObject> objects;
            for (std::size_t i = 0; with_objects && i < sources.size(); ++i) {
              sources[i]->appendObjects(0, kScan, objects);
            }
            scan = lidar.scan(0, kScan, flight, objects);
          });
          (with_objects ? with : alone).add(pose, time);
          if (!with_objects) return;
          points += scan.points.size();
          on_objects += static_cast<std::size_t>(std::count_if(
              scan.points.begin(), scan.points.end(),
              [](const auto& point) { return point.identity != scene::kMapIdentity; }));
        };
        // The second measurement finds the caches warm, so the order alternates.
        measure(repeat % 2 == 0);
        measure(repeat % 2 != 0);
      }
    }
    costs.push_back({sensor, alone.median(), with.median(),
                     static_cast<double>(on_objects) / static_cast<double>(points)});
  }
  return costs;
}

void runObjectsBench(const ObjectsBench& bench) {
  fmt::print(
      "| sensor | alone ms | with {} obstacles and {} UAVs ms | | returns on them |\n"
      "| --- | --- | --- | --- | --- |\n",
      bench.obstacles, bench.peers);
  for (const ObjectsCost& cost : measureObjects(bench)) {
    fmt::print("| {} | {:.2f} | {:.2f} | {:+.1f} % | {:.1f} % |\n", cost.sensor, cost.alone_ms,
               cost.with_objects_ms, cost.overheadPercent(), 100.0 * cost.share_on_objects);
  }
}

}  // namespace marsim::benchmarks
