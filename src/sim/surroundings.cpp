// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/sim/surroundings.hpp"

#include <utility>

#include "marsim/sim/body.hpp"

namespace marsim::sim {

void Surroundings::accept(std::uint32_t struck) {
  const std::lock_guard<std::mutex> lock(mutex_);
  impacts_.accept(struck);
}

void Surroundings::put(std::uint32_t struck, const Impact& impact) {
  const std::lock_guard<std::mutex> lock(mutex_);
  impacts_.put(struck, impact);
}

std::vector<scene::MovingObject> Surroundings::objects(std::uint32_t id, TimeNs begin, TimeNs end,
                                                       const std::vector<Source>& sources) const {
  std::vector<scene::MovingObject> objects;
  for (const Source& source : sources) {
    source->appendKnownObjects(begin, end, knownUntil(end), objects);
  }
  peers_.appendOthers(id, begin, end, objects, knownUntil(end));
  return objects;
}

collision::NearbyObjects Surroundings::objectsNear(std::uint32_t id,
                                                   const scene::BoundingSphere& body, TimeNs begin,
                                                   TimeNs end,
                                                   const std::vector<Source>& sources) const {
  std::vector<scene::MovingObject> objects;
  for (const Source& source : sources) {
    source->appendKnownObjects(begin, end, knownUntil(end), objects);
  }
  const double others_gap = peers_.appendOthersNear(id, body, begin, end, objects, knownUntil(end));
  return {std::move(objects), others_gap};
}

std::optional<collision::RigidBody> Surroundings::bodyAt(std::uint32_t identity,
                                                         TimeNs time) const {
  const auto motion = peers_.motionAt(identity, time, knownUntil(time));
  if (!motion) return std::nullopt;
  return rigidBodyOf(*motion);
}

std::vector<Impact> Surroundings::takeImpacts(std::uint32_t struck, TimeNs time) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return impacts_.take(struck, knownUntil(time));
}

}  // namespace marsim::sim
