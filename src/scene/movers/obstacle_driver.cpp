// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/scene/obstacle_driver.hpp"

#include <utility>

#include "marsim/geometry/pose.hpp"

namespace marsim::scene {

ObstacleDriver::ObstacleDriver(std::shared_ptr<Obstacles> obstacles, TimeNs timeout)
    : obstacles_(std::move(obstacles)), timeout_(timeout) {
  for (std::size_t i = 0; i < obstacles_->size(); ++i) {
    if (obstacles_->isDriven(i)) commanded_.push_back({i, obstacles_->driven(i)});
  }
}

std::string ObstacleDriver::nameOf(std::size_t driven) const {
  return obstacles_->nameOf(commanded_.at(driven).number);
}

void ObstacleDriver::command(std::size_t driven, const Eigen::Vector3d& v, double yaw_rate,
                             TimeNs now) {
  Commanded& commanded = commanded_.at(driven);
  commanded.v = v;
  commanded.yaw_rate = yaw_rate;
  commanded.heard = now;
}

void ObstacleDriver::advanceTo(
    TimeNs now, const std::function<void(TimeNs, const std::vector<Obstacles::Driven>&)>& tell) {
  const TimeNs last = now - now % kPeriod;
  const bool begins = stepped_to_ < 0 || last < stepped_to_;
  for (TimeNs stamp = begins ? last : stepped_to_ + kPeriod; stamp <= last; stamp += kPeriod) {
    tell(stamp, step(stamp));
  }
}

const std::vector<Obstacles::Driven>& ObstacleDriver::step(TimeNs now) {
  const bool is_set_back = now < stepped_to_, begins = stepped_to_ < 0 || is_set_back;
  const double seconds = begins ? 0.0 : toSeconds(now - stepped_to_);
  stepped_to_ = now;
  states_.clear();
  for (Commanded& commanded : commanded_) {
    const bool is_void = is_set_back && commanded.heard > now;
    if (is_void || (timeout_ > 0 && now - commanded.heard > timeout_)) {
      commanded.v.setZero();
      commanded.yaw_rate = 0.0;
    }
    Obstacles::Driven state = begins ? commanded.start : obstacles_->driven(commanded.number);
    state.stamp = now;
    state.p += seconds * state.v;
    const Eigen::AlignedBox3d& region = obstacles_->groupOf(commanded.number).region;
    state.p = state.p.cwiseMax(region.min()).cwiseMin(region.max());
    state.yaw = wrapAngle(state.yaw + seconds * state.yaw_rate);
    state.v = fromRollPitchYaw(0.0, 0.0, state.yaw) * commanded.v;
    state.yaw_rate = commanded.yaw_rate;
    obstacles_->drive(commanded.number, state);
    states_.push_back(state);
  }
  return states_;
}

}  // namespace marsim::scene
