// SPDX-License-Identifier: BSD-3-Clause
#include "ros/common/world_input.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "common/text.hpp"
#include "marsim/scene/obstacle_driver.hpp"
#include "ros/messages/peer_message.hpp"

namespace marsim::ros_nodes {

WorldInput::WorldInput(ros::NodeHandle& handle, Params& params, std::function<void()> on_heard)
    : uav_id_(readUavId(params, handle)),
      lockstep_(Lockstep::read(params)),
      peers_(lockstep_.on ? PeerListener::own(handle, params, on_heard)
                          : PeerListener::shared(handle, params)),
      obstacles_(handle, lockstep_.on ? std::move(on_heard) : std::function<void()>()) {
  peers_->addOwn(uav_id_);
  surroundings().accept(uav_id_);
}

bool WorldInput::knows(TimeNs time) {
  if (!lockstep_.on) return true;
  const TimeNs known_until = surroundings().knownUntil(time);
  return waitForAll([=](std::uint32_t uav) { return hasHeard(uav, known_until); }, known_until);
}

bool WorldInput::hasMet() {
  if (!lockstep_.on) return true;
  const scene::Peers& peers = surroundings().peers();
  return waitForAll([&](std::uint32_t uav) { return peers.heardUntil(uav).has_value(); }, 0);
}

bool WorldInput::waitForAll(const std::function<bool(std::uint32_t)>& hasHeardOf,
                            TimeNs known_until) {
  std::vector<std::string> silent;
  for (const std::uint32_t uav : lockstep_.uavs) {
    if (uav == uav_id_) continue;
    const std::string name = scene::identityName(uav);
    if (!hasHeardOf(uav)) {
      silent.push_back(name);
    } else if (!given_up_.empty()) {
      given_up_.erase(name);
    }
  }
  if (lockstep_.obstacles && !hasHeardOfObstacles(known_until))
    silent.emplace_back("the obstacles");
  return waitFor(silent);
}

// Whether all of these were heard or given up.
bool WorldInput::waitFor(const std::vector<std::string>& silent) {
  std::vector<std::string> names;
  std::copy_if(silent.begin(), silent.end(), std::back_inserter(names),
               [this](const std::string& name) { return given_up_.count(name) == 0; });
  const WallClock::time_point now = WallClock::now();
  if (waits_for_.empty()) waits_since_ = now;
  waits_for_ = join(names, ", ");
  if (names.empty()) return true;
  if (std::chrono::duration<double>(now - waits_since_).count() < lockstep_.patience) return false;
  ROS_WARN("not waited for any longer: %s", waits_for_.c_str());
  given_up_.insert(names.begin(), names.end());
  waits_for_.clear();
  return true;
}

std::string WorldInput::waitsFor(double since) const {
  const double waited = std::chrono::duration<double>(WallClock::now() - waits_since_).count();
  return waited > since ? waits_for_ : std::string();
}

bool WorldInput::hasHeard(std::uint32_t uav, TimeNs known_until) const {
  if (known_until < 0) return true;  // before the first message
  const auto heard = peers_->surroundings().peers().heardUntil(uav);
  return heard && *heard >= known_until;
}

bool WorldInput::hasHeardOfObstacles(TimeNs known_until) const {
  const auto obstacles = obstacles_.obstacles();
  if (obstacles == nullptr) return false;
  if (known_until < 0 || !obstacles->hasDriven()) return true;
  constexpr TimeNs kPeriod = scene::ObstacleDriver::kPeriod;
  return obstacles_.heardUntil() >= known_until / kPeriod * kPeriod;
}

std::vector<sim::Surroundings::Source> WorldInput::sources() const {
  if (auto obstacles = obstacles_.obstacles()) return {std::move(obstacles)};
  return {};
}

std::vector<scene::MovingObject> WorldInput::objects(TimeNs begin, TimeNs end) const {
  return peers_->surroundings().objects(uav_id_, begin, end, sources());
}

collision::NearbyObjects WorldInput::objectsNear(const scene::BoundingSphere& body, TimeNs begin,
                                                 TimeNs end) const {
  return peers_->surroundings().objectsNear(uav_id_, body, begin, end, sources());
}

std::optional<collision::RigidBody> WorldInput::bodyAt(std::uint32_t identity, TimeNs t) const {
  return peers_->surroundings().bodyAt(identity, t);
}

void WorldInput::diagnose(diagnostic_updater::DiagnosticStatusWrapper& status) const {
  peers_->diagnose(uav_id_, status);
  obstacles_.diagnose(status);
}

}  // namespace marsim::ros_nodes
