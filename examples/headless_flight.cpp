// SPDX-License-Identifier: BSD-3-Clause
// A flight with scans as fast as the machine allows: headless_flight [MAP]
#include <chrono>
#include <cstdio>
#include <memory>

#include "marsim/marsim.hpp"

using namespace marsim;

namespace {

void fly(const char* map_name) {
  const auto map = map::loadSurfelMap(config::resolveMap(map_name)).map;
  sim::World world(map);
  sim::UavConfig config;
  config.vehicle = config::loadVehicle("hummingbird");
  config.lidar = config::loadLidar("avia");
  config.start_p_WB = {0.0, 0.0, 1.5};
  // Five goals that straight flights reach with 0.2 m to spare.
  const auto goals = collision::chooseGoals(collision::ClearanceMap(map), config.start_p_WB, 5,
                                            config.vehicle.radius + 0.2, config.seed);
  if (goals.empty()) throw Error("no room to fly from (0, 0, 1.5)");

  sim::Uav& uav = world.addUav(config);
  std::size_t scans = 0, points = 0;
  uav.on_scan = [&](const lidar::Scan& scan) {
    ++scans;
    points += scan.points.size();
  };
  const auto began = std::chrono::steady_clock::now();
  for (const Eigen::Vector3d& goal : goals) {
    uav.setGoal(goal, 0.0);
    const TimeNs until = world.time() + 60 * kNsPerSecond;
    while ((uav.state().X_WB.p - goal).norm() > 0.1) {
      if (world.time() > until) throw Error("no goal within 60 s");
      world.step();
    }
    std::printf("%6.2f s  at (%.1f, %.1f, %.1f)\n", toSeconds(world.time()), goal.x(), goal.y(),
                goal.z());
  }
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - began;
  const double flown = toSeconds(world.time());
  std::printf("%zu scans, %zu points; %.1f s flown in %.1f s, %.1f times real time\n", scans,
              points, flown, wall.count(), flown / wall.count());
}

}  // namespace

int main(int argc, char** argv) {
  try {
    fly(argc > 1 ? argv[1] : "building");
    return 0;
  } catch (const Error& error) {
    std::fprintf(stderr, "headless_flight: %s\n", error.what());
    return 1;
  }
}
