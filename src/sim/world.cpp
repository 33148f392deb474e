#include "marsim/sim/world.hpp"

#include <utility>

namespace marsim::sim {

World::World(std::shared_ptr<const map::SurfelMap> map, const lidar::RendererConfig& renderer,
             std::optional<double> ground_z)
    : map_(std::move(map)),
      renderer_(lidar::makeRayCaster(map_, renderer)),
      ground_z_(ground_z.value_or(static_cast<double>(map_->bounds().min().z()))) {}

Uav& World::addUav(const UavConfig& config) {
  uavs_.push_back(std::make_unique<Uav>(config, renderer_, ground_z_));
  return *uavs_.back();
}

void World::step() {
  for (const std::unique_ptr<Uav>& uav : uavs_) uav->step();
}

}  // namespace marsim::sim
