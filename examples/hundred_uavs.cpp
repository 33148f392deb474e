// SPDX-License-Identifier: BSD-3-Clause
// A hundred UAVs in one world, each changes places with a neighbour: hundred_uavs [MAP]
#include <chrono>
#include <cstdio>
#include <set>

#include "marsim/marsim.hpp"

using namespace marsim;

namespace {

void fly(const char* map_name) {
  const auto map = map::loadSurfelMap(config::resolveMap(map_name)).map;
  const Eigen::AlignedBox3d box = map->bounds().cast<double>();

  sim::World world(map);
  sim::UavConfig config;
  config.vehicle = config::loadVehicle("crazyflie");

  const Eigen::Vector3d middle(box.center().x(), box.center().y(), world.groundZ() + 1.5);
  const auto place = [&](std::size_t i) -> Eigen::Vector3d {
    const Eigen::Vector3d row_and_column(static_cast<double>(i % 10) - 4.5,
                                         static_cast<double>(i / 10) - 4.5, 0.0);
    return middle + 0.06 * box.sizes().cwiseProduct(row_and_column);
  };
  std::size_t with_map = 0, with_uavs = 0;
  std::set<std::size_t> touched;
  for (std::size_t i = 0; i < 100; ++i) {
    config.start_p_WB = place(i);
    sim::Uav& uav = world.addUav(config);
    uav.setGoal(place(i % 2 == 0 ? i + 1 : i - 1), 0.0);
    uav.on_contact = [&, i](const collision::ContactEvent& event) {
      if (!event.begins) return;
      (event.hit.identity == scene::kMapIdentity ? with_map : with_uavs) += 1;
      touched.insert(i);
    };
  }
  const auto began = std::chrono::steady_clock::now();
  world.runFor(3.0);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - began;
  std::printf("100 UAVs, 3 s in %.1f s: %zu contacts with the map, %zu with UAVs; %zu untouched\n",
              wall.count(), with_map, with_uavs, world.uavs().size() - touched.size());
}

}  // namespace

int main(int argc, char** argv) {
  try {
    fly(argc > 1 ? argv[1] : "forest");
    return 0;
  } catch (const Error& error) {
    std::fprintf(stderr, "hundred_uavs: %s\n", error.what());
    return 1;
  }
}
