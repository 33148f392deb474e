// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/sim/world.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "marsim/common/error.hpp"
#include "marsim/lidar/plants.hpp"

namespace marsim::sim {

World::World(std::shared_ptr<const map::SurfelMap> map, Renderers renderers,
             std::optional<double> ground_z)
    : map_(std::move(map)),
      renderers_(std::move(renderers)),
      neighbours_(collision::makeNeighbours(map_)),
      ground_z_(ground_z.value_or(static_cast<double>(map_->bounds().min().z()))) {
  if (renderers_.rays == nullptr) renderers_.rays = lidar::makeRayCaster(map_, renderers_.config);
  if (renderers_.images == nullptr) {
    renderers_.images = lidar::makeDepthImageRenderer(map_, renderers_.config);
  }
  if (renderers_.cameras.map == nullptr) {
    renderers_.cameras = {map_, renderers_.rays, renderers_.images, renderers_.config.threads};
  }
}

void World::addVegetation(const scene::Vegetation& vegetation, const std::string& where) {
  const auto plants = std::make_shared<const lidar::Plants>(vegetation);
  renderers_.rays = lidar::withPlants(renderers_.rays, plants, renderers_.config);
  renderers_.images = lidar::withPlants(renderers_.images, plants, renderers_.config);
  lidar::CameraRenderers& cameras = renderers_.cameras;
  cameras.rays = lidar::withPlants(cameras.rays, plants, renderers_.config);
  cameras.images = lidar::withPlants(cameras.images, plants, renderers_.config);
  const double spacing = std::min(map_->resolution(), collision::pointSpacing(*map_));
  const auto points = scene::obstaclePoints(vegetation, spacing, where);
  plant_points_.insert(plant_points_.end(), points.begin(), points.end());
  neighbours_ = collision::makeNeighbours(map_, plant_points_);
}

Uav& World::addUav(const UavConfig& config) {
  if (time() > 0) throw Error("a UAV cannot be added to a world after its first step");
  const auto number = static_cast<std::uint32_t>(uavs_.size());
  auto uav = std::make_unique<Uav>(config, renderers_, ground_z_, neighbours_, number);
  if (!uavs_.empty() && uav->dynamicsStep() != uavs_.front()->dynamicsStep()) {
    throw ConfigError(
        "a world's UAV", "rates.dynamics", fmt::format("{:g} Hz", config.rates.dynamics),
        fmt::format("{:g} Hz, the first UAV's", 1.0 / toSeconds(uavs_.front()->dynamicsStep())));
  }
  uavs_.push_back(std::move(uav));
  if (config.lidar) surroundings_.keepForScans(1.0 / config.lidar->rate);
  if (config.cameras) surroundings_.keepForScans(1.0 / config.cameras->rate);
  surroundings_.peers().setBody(number, config.vehicle.name, announcedBodyOf(config.vehicle));
  surroundings_.peers().setMass(number, announcedMassOf(config.vehicle));
  surroundings_.accept(number);
  deliverAnnouncements(*uavs_.back());
  return *uavs_.back();
}

void World::addObjects(std::shared_ptr<const scene::ObjectSource> objects) {
  objects_.push_back(std::move(objects));
}

void World::addDriver(std::shared_ptr<scene::ObstacleDriver> driver) {
  drivers_.push_back(std::move(driver));
}

// UAVs know each other's states of one period ago, so the order of their steps does not matter.
void World::step() {
  if (uavs_.empty()) return;
  for (const auto& driver : drivers_) {
    driver->advanceTo(time(), [](TimeNs, const auto&) {});
  }
  for (std::uint32_t i = 0; i < uavs_.size(); ++i) stepOne(i);
  for (const std::unique_ptr<Uav>& uav : uavs_) deliverAnnouncements(*uav);
  for (std::uint32_t i = 0; i < uavs_.size(); ++i) {
    uavs_[i]->measure([this, i](TimeNs begin, TimeNs end) {
      return surroundings_.objects(i, begin, end, objects_);
    });
  }
}

void World::runFor(double seconds) {
  const TimeNs end = time() + toNs(seconds);
  while (!uavs_.empty() && time() < end) step();
}

void World::stepOne(std::uint32_t number) {
  Uav& uav = *uavs_[number];
  const TimeNs to = uav.state().stamp + uav.dynamicsStep();
  for (const Impact& impact : surroundings_.takeImpacts(number, to)) uav.takeImpact(impact);
  const auto objectsNear = [&](TimeNs begin, TimeNs end) {
    return surroundings_.objectsNear(number, uav.ball(), begin, end, objects_);
  };
  const auto rigidBodyOf = [&](std::uint32_t identity) {
    return surroundings_.bodyAt(identity, to);
  };
  uav.step(std::cref(objectsNear), std::cref(rigidBodyOf));  // references, to avoid allocation
}

// Passes a UAV's announcements to the others.
void World::deliverAnnouncements(Uav& uav) {
  for (const Announcement& told : uav.takeAnnouncements()) {
    surroundings_.peers().push(told.state);
    for (Impact impact : told.impacts) {
      const std::uint32_t struck = std::exchange(impact.identity, told.state.id);
      surroundings_.put(struck, impact);
    }
  }
}

}  // namespace marsim::sim
