#include "marsim/sim/world.hpp"

#include <algorithm>
#include <utility>

namespace marsim::sim {

World::World(std::shared_ptr<const map::SurfelMap> map,
             std::shared_ptr<const lidar::Renderer> renderer, std::optional<double> ground_z)
    : map_(std::move(map)),
      renderer_(renderer != nullptr ? std::move(renderer) : lidar::makeRayCaster(map_, {})),
      neighbours_(collision::makeNeighbours(map_)),
      ground_z_(ground_z.value_or(static_cast<double>(map_->bounds().min().z()))) {}

Uav& World::addUav(const UavConfig& config) {
  uavs_.push_back(std::make_unique<Uav>(config, renderer_, ground_z_, neighbours_,
                                        static_cast<std::uint32_t>(uavs_.size())));
  bodies_.push_back(bodyShapeOf(config.vehicle));
  return *uavs_.back();
}

void World::addThings(std::shared_ptr<const scene::ThingSource> things) {
  things_.push_back(std::move(things));
}

namespace {

// Carried on by its motion.
Pose poseAt(const KinematicState& state, TimeNs t) {
  const double seconds = toSeconds(t - state.stamp);
  return {state.X_WB.q * expMap(seconds * state.w_WB_B), state.X_WB.p + seconds * state.v_WB};
}

}  // namespace

// All have stepped before any of them looks at the others; what they hit are the others as they
// were before, carried on by their motion. Who notices first that two run into each other works out
// the impulses for both, so that momentum is kept.
void World::step() {
  std::vector<KinematicState> before;
  for (const std::unique_ptr<Uav>& uav : uavs_) before.push_back(uav->state());
  for (std::size_t i = 0; i < uavs_.size(); ++i) {
    const auto bodyIn = [&](std::uint32_t identity) -> std::optional<collision::RigidBody> {
      if (identity >= uavs_.size()) return std::nullopt;
      const KinematicState& other = before[identity];
      const vehicle::VehicleConfig& craft = uavs_[identity]->quadrotor().config();
      return collision::RigidBody{craft.mass, craft.inertia, poseAt(other, uavs_[i]->state().stamp),
                                  other.v_WB, other.w_WB_B};
    };
    uavs_[i]->step([&](TimeNs begin, TimeNs end) { return obstaclesIn(i, begin, end, before); },
                   bodyIn);
    passStrikes(i);
  }
  for (std::size_t i = 0; i < uavs_.size(); ++i) {
    uavs_[i]->measure([this, i](TimeNs begin, TimeNs end) { return thingsAround(i, begin, end); });
  }
  for (const std::unique_ptr<Uav>& uav : uavs_) {
    TimeNs needed = uav->state().stamp;
    for (const std::unique_ptr<Uav>& viewer : uavs_) {
      needed = std::min(needed, viewer->nextScan().value_or(needed));
    }
    uav->discardBefore(needed);
  }
}

void World::passStrikes(std::size_t from) {
  if (uavs_[from]->collisions() == nullptr) return;
  for (Strike strike : uavs_[from]->collisions()->strikes()) {
    const std::size_t to = strike.identity;
    strike.identity = static_cast<std::uint32_t>(from);
    uavs_[to]->takeStrike(strike);
  }
}

std::vector<scene::MovingThing> World::obstaclesIn(std::size_t uav, TimeNs begin, TimeNs end,
                                                   const std::vector<KinematicState>& uavs) const {
  std::vector<scene::MovingThing> things;
  for (const std::shared_ptr<const scene::ThingSource>& source : things_) {
    source->appendThings(begin, end, things);
  }
  for (std::size_t i = 0; i < uavs.size(); ++i) {
    if (i == uav) continue;
    const KinematicState& state = uavs[i];
    things.push_back(scene::movingThing(bodies_[i], static_cast<std::uint32_t>(i), begin, end,
                                        [&](TimeNs t) { return poseAt(state, t); }));
  }
  return things;
}

std::vector<scene::MovingThing> World::thingsAround(std::size_t uav, TimeNs begin,
                                                    TimeNs end) const {
  std::vector<scene::MovingThing> things;
  for (const std::shared_ptr<const scene::ThingSource>& source : things_) {
    source->appendThings(begin, end, things);
  }
  for (std::size_t i = 0; i < uavs_.size(); ++i) {
    if (i == uav) continue;
    things.push_back(scene::movingThing(bodies_[i], static_cast<std::uint32_t>(i), begin, end,
                                        [&](TimeNs t) { return uavs_[i]->history().poseAt(t); }));
  }
  return things;
}

}  // namespace marsim::sim
