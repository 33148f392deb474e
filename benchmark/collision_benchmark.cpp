// SPDX-License-Identifier: BSD-3-Clause
#include "collision_benchmark.hpp"

#include <functional>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "collision/flat_tree.hpp"
#include "marsim/collision/checker.hpp"
#include "marsim/common/random.hpp"
#include "marsim/common/units.hpp"
#include "marsim/config/load.hpp"
#include "marsim/sim/world.hpp"
#include "places.hpp"
#include "timing.hpp"

namespace marsim::benchmarks {
namespace {

using collision::CollisionChecker;
using Eigen::Vector3d;

constexpr int kCollisionPoses = 4000;
constexpr int kTurns = 8;  // turns of each way of searching
constexpr int kObstacles = 100;

/// Random poses in the middle of the map's box, tilted as in flight.
std::vector<Pose> randomPoses(const map::SurfelMap& map) {
  RandomStream random(1, "poses");
  const Eigen::AlignedBox3d box = map.bounds().cast<double>();
  std::vector<Pose> poses;
  for (int i = 0; i < kCollisionPoses; ++i) {
    Pose pose;
    for (int axis = 0; axis < 3; ++axis) {
      pose.p[axis] = box.min()[axis] + random.uniform(0.1, 0.9) * box.sizes()[axis];
    }
    pose.p.z() = box.min().z() + random.uniform(0.3, 3.0);
    pose.q =
        fromRollPitchYaw(0.3 * random.normal(), 0.3 * random.normal(), random.uniform(-kPi, kPi));
    poses.push_back(pose);
  }
  return poses;
}

double microsecondsEach(std::size_t count, const std::function<void()>& work) {
  return 1e3 * processorMilliseconds(work) / static_cast<double>(count);
}

// The two searches take turns, so that neither has the quieter machine.
void measureSearches(const std::vector<Pose>& poses, CollisionChecker& tree, CollisionChecker& flat,
                     CollisionTimes& times) {
  std::size_t touching = 0;
  const std::size_t share = poses.size() / kTurns;
  const auto run = [&](CollisionChecker& checker, std::size_t turn) {
    return microsecondsEach(poses.size(), [&] {
      for (std::size_t i = turn * share; i < (turn + 1) * share; ++i) {
        touching += checker.check(poses[i], 0).empty() ? 0 : 1;
      }
    });
  };
  for (std::size_t turn = 0; turn < kTurns; ++turn) {
    times.check_map_tree += run(tree, turn);
    times.check_kd_tree += run(flat, turn);
  }
  times.touching = 0.5 * static_cast<double>(touching) / static_cast<double>(poses.size());
}

// Straight flights of 0.4 s from some of the poses, forward at 5 m/s.
void measureFlight(const std::vector<Pose>& poses, CollisionChecker& checker,
                   CollisionTimes& times) {
  constexpr int kSteps = 400;
  std::size_t touching = 0, steps = 0;
  const double microseconds = microsecondsEach(1, [&] {
    for (std::size_t i = 0; i < poses.size(); i += 40) {
      Pose pose = poses[i];
      const Vector3d way = 0.005 * (pose.q * Vector3d::UnitX());
      for (int step = 0; step < kSteps; ++step, ++steps) {
        pose.p += way;
        touching += checker.check(pose, 0).size();
      }
    }
  });
  benchmark::DoNotOptimize(touching);
  times.check_in_flight = microseconds / static_cast<double>(steps);
}

void measureClearance(const std::vector<Pose>& poses, CollisionChecker& checker,
                      CollisionTimes& times) {
  double sum = 0.0;
  times.clearance = microsecondsEach(poses.size() / 4, [&] {
    for (std::size_t i = 0; i < poses.size() / 4; ++i) {
      const double distance = checker.clearance(poses[i], 0, 2.0).distance;
      sum += distance < 2.0 ? distance : 2.0;
    }
  });
  benchmark::DoNotOptimize(sum);
}

// Obstacles of the vehicle's own shape; each pose is beside one of them.
void measureRebuild(const std::vector<Pose>& poses, const vehicle::VehicleConfig& vehicle,
                    const Eigen::AlignedBox3d& box_B, CollisionTimes& times) {
  const auto shape = sim::bodyShapeOf(vehicle);
  std::vector<scene::MovingObject> objects;
  for (std::uint32_t i = 0; i < kObstacles; ++i) {
    objects.push_back({shape, scene::kFirstObstacleIdentity + i, {poses[i]}});
  }
  collision::MovingTree tree;
  std::size_t points = 0;
  constexpr std::size_t kRebuilds = 2000;
  double microseconds = 0.0;
  for (std::size_t i = 0; i < kRebuilds; ++i) {
    for (scene::MovingObject& object : objects) object.X_WM[0].p.x() += i % 2 == 0 ? 0.01 : -0.01;
    const Vector3d beside = objects[i % kObstacles].X_WM[0].p + Vector3d(0.0, 0.3, 0.1);
    std::vector<scene::MovingObject> copy = objects;
    microseconds += 1e3 * processorMilliseconds([&] {
                      tree.setObjects(std::move(copy), 0.0);
                      benchmark::DoNotOptimize(tree.gap(beside));
                      tree.rebuild({Eigen::Quaterniond::Identity(), beside}, box_B);
                    });
    points += tree.size();
  }
  times.rebuild = microseconds / kRebuilds;
  times.rebuild_points = static_cast<double>(points) / kRebuilds;
}

}  // namespace

CollisionTimes measureCollisions(const std::shared_ptr<const map::SurfelMap>& map,
                                 const vehicle::VehicleConfig& vehicle) {
  const collision::BodyVoxels body(sim::bodyOf(vehicle), map->resolution());
  CollisionTimes times;
  times.points = map->size();
  times.cells = body.count();
  const std::vector<Pose> poses = randomPoses(*map);
  CollisionChecker tree(body, collision::makeNeighbours(map));
  {
    CollisionChecker flat(body, std::make_shared<const collision::FlatTree>(*map));
    measureSearches(poses, tree, flat, times);
  }
  measureFlight(poses, tree, times);
  measureClearance(poses, tree, times);
  measureRebuild(poses, vehicle, body.box(), times);
  return times;
}

CollisionTimes measureCollisions(const CollisionBench& bench) {
  const Place place{bench.place, bench.resolution};
  return measureCollisions(mapOf(place, bench.work, map::Surface::kPaper),
                           config::loadVehicle(bench.vehicle));
}

void runCollisionBench(const CollisionBench& bench) {
  const CollisionTimes times = measureCollisions(bench);
  fmt::print(
      "{} at {} m: {} points; {}: {} cells; {:.0f} % of the poses touch\n"
      "| | us of processor time, mean |\n| --- | --- |\n"
      "| check, every pose searched, map's tree | {:.2f} |\n"
      "| the same, nanoflann | {:.2f} |\n"
      "| check in flight, 1 ms at 5 m/s | {:.3f} |\n"
      "| exact clearance, up to 2 m | {:.1f} |\n"
      "| moving tree of 100 obstacles, made anew ({:.0f} points within reach) | {:.1f} |\n",
      bench.place, bench.resolution, times.points, bench.vehicle, times.cells,
      100.0 * times.touching, times.check_map_tree, times.check_kd_tree, times.check_in_flight,
      times.clearance, times.rebuild_points, times.rebuild);
}

}  // namespace marsim::benchmarks
