#include "marsim/sim/surroundings.hpp"

#include "marsim/sim/body.hpp"

namespace marsim::sim {

void Surroundings::open(std::uint32_t struck) {
  const std::lock_guard<std::mutex> lock(mutex_);
  strikes_.open(struck);
}

void Surroundings::put(std::uint32_t struck, const Strike& strike) {
  const std::lock_guard<std::mutex> lock(mutex_);
  strikes_.put(struck, strike);
}

std::vector<scene::MovingThing> Surroundings::things(std::uint32_t own, TimeNs begin, TimeNs end,
                                                     const std::vector<Source>& sources) const {
  std::vector<scene::MovingThing> things;
  for (const Source& source : sources) {
    source->appendKnownThings(begin, end, toldUntil(end), things);
  }
  peers_.appendOthers(own, begin, end, things, toldUntil(end));
  return things;
}

std::optional<collision::RigidBody> Surroundings::bodyAt(std::uint32_t identity,
                                                         TimeNs time) const {
  const auto motion = peers_.motionAt(identity, time, toldUntil(time));
  if (!motion) return std::nullopt;
  return rigidBodyOf(*motion);
}

std::vector<Strike> Surroundings::takeStrikes(std::uint32_t struck, TimeNs time) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return strikes_.take(struck, toldUntil(time));
}

}  // namespace marsim::sim
