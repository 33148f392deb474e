// SPDX-License-Identifier: BSD-3-Clause
#include "swarm_load.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <set>
#include <vector>

#include "marsim/config/load.hpp"
#include "marsim/sim/swarm.hpp"
#include "marsim/sim/world.hpp"
#include "timing.hpp"

namespace marsim::benchmarks {
namespace {

constexpr double kTurnPeriod = 2.0;  // [s] between goals of UAVs that fly to and fro
constexpr double kAbove = 2.0;       // [m] above the map, their starts
constexpr double kWay = 0.5;         // [m] up and down

}  // namespace

SwarmLoad::Figures SwarmLoad::measure(int uavs) const {
  lidar::RendererConfig renderer;
  renderer.threads = 0;
  sim::World world(map, {lidar::makeRayCaster(map, renderer)});
  sim::UavConfig config;
  config.vehicle = config::loadVehicle(vehicle);
  config.controller = config::loadController("default");
  if (has_lidars) config.lidar = config::loadLidar(lidar);
  Figures figures;
  figures.uavs = uavs;
  std::vector<sim::Uav*> flying;
  sim::SwarmConfig swarm = config::loadSwarm(formation);
  // A hundred UAVs have no room among walls, where they would be busy with contacts.
  if (!has_lidars) swarm.origin.z() = static_cast<double>(map->bounds().max().z()) + kAbove;
  for (const sim::Start& start : sim::swarmStarts(swarm, uavs, formation)) {
    config.start_p_WB = start.p_WB;
    config.start_yaw = start.yaw;
    ++config.seed;
    sim::Uav& uav = world.addUav(config);
    uav.setGoal(start.p_WB + Eigen::Vector3d(0.0, 0.0, kWay), start.yaw + 1.0);
    uav.on_scan = [&figures](const lidar::Scan&) { ++figures.scans; };
    if (!has_lidars) flying.push_back(&uav);
  }
  const auto steps = std::llround(seconds * config.rates.dynamics);
  const auto turn = std::llround(kTurnPeriod * config.rates.dynamics);
  const std::clock_t begin = std::clock();
  const double milliseconds = millisecondsOf([&] {
    for (long long i = 1; i <= steps; ++i) {
      world.step();
      if (i % turn != 0) continue;
      const double way = i / turn % 2 == 0 ? kWay : -kWay;
      for (sim::Uav* uav : flying) {
        const Eigen::Vector3d p_WB = uav->reference().p_WB + Eigen::Vector3d(0.0, 0.0, way);
        uav->setGoal(p_WB, uav->reference().yaw + 1.0);
      }
    }
  });
  figures.cpu_s_per_simulated_s =
      static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC / seconds;
  figures.real_time_factor = seconds / (1e-3 * milliseconds);
  return figures;
}

// The load grows with the number of UAVs, a little more than linearly as they see each other.
SwarmLoad::Figures SwarmLoad::mostInRealTime() const {
  Figures best;
  std::set<int> tried;
  for (int uavs = 8; tried.insert(uavs).second;) {
    const Figures figures = measure(uavs);
    const bool keeps_up = figures.real_time_factor >= 1.0;
    if (keeps_up && uavs > best.uavs) best = figures;
    const int likely = static_cast<int>(std::floor(uavs * figures.real_time_factor));
    uavs = std::clamp(keeps_up ? std::max(likely, uavs + 1) : std::min(likely, uavs - 1), 1,
                      kMostUavs);
    if (!keeps_up && uavs <= best.uavs) break;
  }
  return best;
}

}  // namespace marsim::benchmarks
