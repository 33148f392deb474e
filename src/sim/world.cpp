#include "marsim/sim/world.hpp"

#include <utility>

namespace marsim::sim {

World::World(std::shared_ptr<const map::SurfelMap> map,
             std::shared_ptr<const lidar::Renderer> renderer, std::optional<double> ground_z)
    : map_(std::move(map)),
      renderer_(renderer != nullptr ? std::move(renderer) : lidar::makeRayCaster(map_, {})),
      neighbours_(collision::makeNeighbours(map_)),
      ground_z_(ground_z.value_or(static_cast<double>(map_->bounds().min().z()))) {}

Uav& World::addUav(const UavConfig& config) {
  const auto number = static_cast<std::uint32_t>(uavs_.size());
  uavs_.push_back(std::make_unique<Uav>(config, renderer_, ground_z_, neighbours_, number));
  if (config.lidar) peers_.keepAtLeast(2.0 / config.lidar->rate);
  peers_.setBody(number, config.vehicle.name, toldBodyOf(config.vehicle));
  peers_.setMass(number, toldMassOf(config.vehicle));
  strikes_.open(number);
  passOn(*uavs_.back());
  return *uavs_.back();
}

void World::addThings(std::shared_ptr<const scene::ThingSource> things) {
  things_.push_back(std::move(things));
}

void World::addDriver(std::shared_ptr<scene::ObstacleDriver> driver) {
  drivers_.push_back(std::move(driver));
}

// What UAVs know of each other is a period old, so it does not matter who steps first.
void World::step() {
  if (uavs_.empty()) return;
  for (const auto& driver : drivers_) {
    const TimeNs now = uavs_.front()->state().stamp;
    if (now % scene::ObstacleDriver::kPeriod == 0) driver->step(now);
  }
  for (std::uint32_t i = 0; i < uavs_.size(); ++i) stepOne(i);
  for (const std::unique_ptr<Uav>& uav : uavs_) passOn(*uav);
  for (std::uint32_t i = 0; i < uavs_.size(); ++i) {
    uavs_[i]->measure([this, i](TimeNs begin, TimeNs end) { return thingsAround(i, begin, end); });
  }
}

void World::stepOne(std::uint32_t number) {
  Uav& uav = *uavs_[number];
  const TimeNs told_until = uav.state().stamp + uav.dynamicsStep() - kPeerPeriod;
  for (const Strike& strike : strikes_.take(number, told_until)) uav.takeStrike(strike);
  uav.step([&](TimeNs begin, TimeNs end) { return thingsAround(number, begin, end); },
           [&](std::uint32_t identity) -> std::optional<collision::RigidBody> {
             const auto motion = peers_.motionAt(identity, uav.state().stamp, told_until);
             if (!motion) return std::nullopt;
             return rigidBodyOf(*motion);
           });
}

// To the others, what a UAV has told.
void World::passOn(Uav& uav) {
  for (const Announcement& told : uav.takeAnnouncements()) {
    peers_.push(told.state);
    for (Strike strike : told.strikes) {
      const std::uint32_t struck = std::exchange(strike.identity, told.state.id);
      strikes_.put(struck, strike);
    }
  }
}

std::vector<scene::MovingThing> World::thingsAround(std::uint32_t uav, TimeNs begin,
                                                    TimeNs end) const {
  const TimeNs told_until = end - kPeerPeriod;
  std::vector<scene::MovingThing> things;
  for (const std::shared_ptr<const scene::ThingSource>& source : things_) {
    source->appendKnownThings(begin, end, told_until, things);
  }
  peers_.appendOthers(uav, begin, end, things, told_until);
  return things;
}

}  // namespace marsim::sim
