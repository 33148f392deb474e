// SPDX-License-Identifier: BSD-3-Clause
#include "ros/common/command_ticks.hpp"

#include <algorithm>
#include <utility>

namespace marsim::ros_nodes {
namespace {

constexpr double kTickTimer = 0.1;  // [s] of wall time

}  // namespace

CommandTicks::CommandTicks(ros::NodeHandle& handle, const ros::NodeHandle& private_handle,
                           bool in_lockstep, std::function<bool()> isConnected)
    : in_lockstep_(in_lockstep), isConnected_(std::move(isConnected)) {
  if (!in_lockstep_) return;
  grants_ = std::make_unique<ClockGrants>(handle, private_handle);
  timer_ = handle.createSteadyTimer(ros::WallDuration(kTickTimer),
                                    [this](const ros::SteadyTimerEvent&) { onTimer(); });
}

bool CommandTicks::isDue(TimeNs stamp) {
  const TimeNs tick = stamp / kPeriod;
  if (tick == tick_) return false;
  tick_ = tick;
  return true;
}

void CommandTicks::handled(TimeNs stamp) {
  if (begun_ && !holds_) grant(stamp);
}

void CommandTicks::grant(TimeNs from) {
  if (grants_ == nullptr) return;
  granted_ = from + kGrant;
  grants_->grant(granted_);
}

// The clock may have missed the last grant.
void CommandTicks::onTimer() {
  if (grants_ == nullptr) return;
  if (begun_) {
    grants_->repeat();
  } else if (isConnected_()) {
    begun_ = true;
    grant(std::max<TimeNs>(tick_, 0) * kPeriod);
  }
}

// Keeps the publisher, without which the message would be lost.
void CommandTicks::leave() {
  timer_.stop();
  begun_ = false;
  if (grants_ != nullptr) grants_->leave();
}

}  // namespace marsim::ros_nodes
