// SPDX-License-Identifier: BSD-3-Clause
#include "ros/uav/hand_pilot.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "ros/messages/conversions.hpp"

namespace marsim::ros_nodes {
namespace {

using control::Key;

constexpr TimeNs kStands = kNsPerSecond;  // on the ground before it is disarmed

bool isCall(Key key) { return key == Key::kTakeControl || key == Key::kLand; }

double groundOf(const std::string& uav) {
  double z = std::numeric_limits<double>::quiet_NaN();
  ros::param::get("/" + uav + "/ground_z", z);  // left unchanged if it is `auto`
  return z;
}

}  // namespace

HandPilot::HandPilot(const std::string& uav, const control::KeySpeeds& speeds,
                     std::unique_ptr<control::KeyScript> script)
    : flight_(speeds),
      script_(std::move(script)),
      ground_z_(groundOf(uav)),
      uav_(uav),
      handle_("/" + uav),
      inputs_(handle_) {
  outputs_ = CommandOutputs(handle_, Frames{"world", uav + "/"});
  clients_ = FlightClients(handle_);
  bool in_lockstep = false;
  ros::param::get("/" + uav + "/lockstep", in_lockstep);
  ticks_ = std::make_unique<CommandTicks>(handle_, ros::NodeHandle("~"),
                                          in_lockstep && script_ != nullptr,
                                          [this] { return isReady(); });
  map_info_subscriber_ = inputs_.subscribe<marsim::MapInfo>(
      "/map_info", 1, [this](const marsim::MapInfoConstPtr& message) {
        if (!std::isfinite(ground_z_)) ground_z_ = message->min.z;
      });
  if (ticks_->inLockstep()) {
    motor_subscriber_ = inputs_.subscribe<marsim::MotorSpeeds>(
        "motor_speeds", 5000, [this](const marsim::MotorSpeedsConstPtr& message) {
          answered_ = fromRos(message->header.stamp);
          callIfTimeStands();
        });
  }
  state_subscriber_ = inputs_.subscribeToStream("state", 5000, &HandPilot::onState, this);
}

bool HandPilot::isReady() {
  return outputs_.isConnected() && state_subscriber_.getNumPublishers() > 0 && clients_.exist();
}

void HandPilot::tell(const std::string& line) { news_ += line + "\n"; }

void HandPilot::onState(const marsim::VehicleStateConstPtr& message) {
  const TimeNs stamp = fromRos(message->header.stamp);
  if (stamp == now_) return;  // a repeated state
  period_ = stamp - now_;
  now_ = stamp;
  state_ = *message;
  if (ticks_->isDue(now_)) {
    follow();
    ticks_->handled(now_);
  }
  callIfTimeStands();
}

// Whether time stands and the controller has answered the last granted state.
bool HandPilot::stands() const { return answered_ == now_ && now_ + period_ > ticks_->granted(); }

void HandPilot::callIfTimeStands() {
  if (!waiting_call_ || !stands()) return;
  call(*std::exchange(waiting_call_, std::nullopt));
  ticks_->hold(false);
  ticks_->handled(now_);
}

void HandPilot::follow() {
  if (script_ != nullptr && !begun_ && (ticks_->inLockstep() || isReady())) begun_ = now_;
  while (begun_ && !waiting_call_ && next_ < script_->keys.size() &&
         now_ >= *begun_ + script_->keys[next_].at) {
    press(script_->keys[next_++].key);
  }
  if (lands_) {
    if (state_.on_ground == 0) {
      landed_since_ = -1;
    } else if (landed_since_ < 0) {
      landed_since_ = now_;
    } else if (now_ - landed_since_ >= kStands) {
      lands_ = false;
      const std::string reason = clients_.arm(false);
      tell(reason.empty() ? "landed and disarmed" : reason);
    }
  }
  if (!in_control_) return;
  if (const auto velocity = flight_.at(now_)) outputs_.publish(*velocity, ticks_->actsAt(now_));
}

void HandPilot::press(Key key) {
  if (!hasState()) return tell(fmt::format("no state of {} yet: is the simulation running?", uav_));
  if (isCall(key)) {
    if (!ticks_->inLockstep()) return call(key);
    waiting_call_ = key;
    ticks_->hold(true);
  } else if (in_control_) {
    flight_.press(key, now_);
  } else {
    tell("no control: k takes it");
  }
}

void HandPilot::call(Key key) {
  std::string reason;
  if (key == Key::kLand) {
    in_control_ = false;
    reason = clients_.land();
    lands_ = reason.empty();
    landed_since_ = -1;
    tell(reason.empty() ? "lands" : reason);
    return;
  }
  lands_ = false;
  if (state_.on_ground != 0) {
    reason = clients_.arm(true);
    if (reason.empty()) reason = clients_.takeOff(0.0);
  }
  in_control_ = reason.empty();
  tell(!reason.empty() ? reason : state_.on_ground != 0 ? "armed, takes off" : "in control");
}

bool HandPilot::isOver() const {
  return begun_ && !waiting_call_ && next_ == script_->keys.size() && !lands_ &&
         now_ >= *begun_ + script_->duration + kStands;
}

void HandPilot::release() {
  if (in_control_) outputs_.stop(0);
  in_control_ = false;
  ticks_->leave();
}

double HandPilot::height() const { return state_.pose.position.z - ground_z_; }

std::string HandPilot::status() const {
  if (!hasState()) return fmt::format("{}: no state yet", uav_);
  const geometry_msgs::Point& p = state_.pose.position;
  const std::string does = lands_                  ? "lands"
                           : state_.on_ground != 0 ? "on the ground"
                           : in_control_           ? "flies by keys"
                                                   : "flies, k takes control";
  return fmt::format("{}  ({:.2f}, {:.2f}, {:.2f}) m  {:.2f} m/s  height {:.2f} m  {}", uav_, p.x,
                     p.y, p.z, fromVector3(state_.velocity).norm(), height(), does);
}

}  // namespace marsim::ros_nodes
