#include "marsim/ros/world_input.hpp"

#include <algorithm>

#include "marsim/common/text.hpp"
#include "marsim/ros/peer_message.hpp"
#include "marsim/scene/obstacle_driver.hpp"
#include "marsim/sim/body.hpp"

namespace marsim::ros_nodes {

WorldInput::WorldInput(ros::NodeHandle& handle, Params& params, std::function<void()> on_heard)
    : uav_id_(readUavId(params, handle)),
      peer_period_(readPeerPeriod(params)),
      lockstep_(Lockstep::read(params)),
      peers_(lockstep_.on ? PeerListener::own(handle, params, on_heard)
                          : PeerListener::shared(handle, params)),
      obstacles_(handle, lockstep_.on ? std::move(on_heard) : std::function<void()>()) {
  peers_->addOwn(uav_id_);
}

bool WorldInput::knows(TimeNs time) {
  if (!lockstep_.on) return true;
  const TimeNs told_until = toldUntil(time);
  std::vector<std::string> silent;
  const auto note = [&](const std::string& name, bool is_heard) {
    if (is_heard) {
      given_up_.erase(name);
    } else if (given_up_.count(name) == 0) {
      silent.push_back(name);
    }
  };
  for (const std::uint32_t uav : lockstep_.uavs) {
    if (uav != uav_id_) note(scene::identityName(uav), hasHeard(uav, told_until));
  }
  if (lockstep_.obstacles) note("the obstacles", hasHeardOfObstacles(told_until));

  const WallClock::time_point now = WallClock::now();
  if (waits_for_.empty()) waits_since_ = now;
  waits_for_ = join(silent, ", ");
  if (silent.empty()) return true;
  if (std::chrono::duration<double>(now - waits_since_).count() < lockstep_.patience) return false;
  ROS_WARN("not waited for any longer: %s", waits_for_.c_str());
  given_up_.insert(silent.begin(), silent.end());
  waits_for_.clear();
  return true;
}

bool WorldInput::hasMet() const {
  if (!lockstep_.on) return true;
  if (lockstep_.obstacles && !hasHeardOfObstacles(0)) return false;
  return std::all_of(lockstep_.uavs.begin(), lockstep_.uavs.end(), [this](std::uint32_t uav) {
    return uav == uav_id_ || peers_->peers().heardUntil(uav);
  });
}

bool WorldInput::hasHeard(std::uint32_t uav, TimeNs told_until) const {
  if (told_until < 0) return true;  // before the first word
  const auto heard = peers_->peers().heardUntil(uav);
  return heard && *heard >= told_until;
}

bool WorldInput::hasHeardOfObstacles(TimeNs told_until) const {
  const auto obstacles = obstacles_.obstacles();
  if (obstacles == nullptr) return false;
  if (told_until < 0 || !obstacles->hasDriven()) return true;
  constexpr TimeNs kPeriod = scene::ObstacleDriver::kPeriod;
  return obstacles_.heardUntil() >= told_until / kPeriod * kPeriod;
}

std::vector<scene::MovingThing> WorldInput::things(TimeNs begin, TimeNs end) const {
  const TimeNs told_until = toldUntil(end);
  std::vector<scene::MovingThing> things;
  if (const auto obstacles = obstacles_.obstacles()) {
    obstacles->appendKnownThings(begin, end, told_until, things);
  }
  peers_->peers().appendOthers(uav_id_, begin, end, things, told_until);
  return things;
}

std::optional<collision::RigidBody> WorldInput::bodyAt(std::uint32_t identity, TimeNs t) const {
  const auto motion = peers_->peers().motionAt(identity, t, toldUntil(t));
  if (!motion) return std::nullopt;
  return sim::rigidBodyOf(*motion);
}

void WorldInput::diagnose(diagnostic_updater::DiagnosticStatusWrapper& status) const {
  peers_->diagnose(uav_id_, status);
}

}  // namespace marsim::ros_nodes
