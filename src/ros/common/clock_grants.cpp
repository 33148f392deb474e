// SPDX-License-Identifier: BSD-3-Clause
#include "ros/common/clock_grants.hpp"

#include <set>
#include <utility>

#include "ros/messages/conversions.hpp"

namespace marsim::ros_nodes {
namespace {

constexpr double kFarewell = 0.2;  // [s] of wall time for the messages of leaveAll()

/// The objects of this process.
struct Registry {
  std::mutex mutex;
  std::set<const ClockGrants*> all;
};
Registry& registry() {
  static Registry all;
  return all;
}

}  // namespace

std::string grantTopic(const ros::NodeHandle& handle) {
  return handle.resolveName("/clock") + "_grants";
}

ClockGrants::ClockGrants(ros::NodeHandle& handle, const ros::NodeHandle& private_handle)
    : who_(private_handle.getNamespace()), publisher_(handle, grantTopic(handle), 100) {
  const std::lock_guard lock(registry().mutex);
  registry().all.insert(this);
}

ClockGrants::~ClockGrants() {
  leave();
  const std::lock_guard lock(registry().mutex);
  registry().all.erase(this);
}

void ClockGrants::grant(TimeNs until) const {
  const std::lock_guard lock(mutex_);
  if (!has_left_) publish(until);
}

void ClockGrants::repeat() const {
  const std::lock_guard lock(mutex_);
  if (until_ != 0) publish(until_);
}

void ClockGrants::leave() const { grant(0); }

void ClockGrants::leaveAll() {
  const std::lock_guard lock(registry().mutex);
  for (const ClockGrants* one : registry().all) {
    const std::lock_guard lock_one(one->mutex_);
    one->publish(0);
    one->has_left_ = true;
  }
  if (!registry().all.empty()) ros::WallDuration(kFarewell).sleep();
}

void ClockGrants::publish(TimeNs until) const {
  until_ = until;
  const auto message = boost::make_shared<marsim::ClockGrant>();
  message->who = who_;
  if (until != 0) message->until = toRos(until);  // zero: has left
  publisher_.publish(message);
}

RenderLockstep::RenderLockstep(ros::NodeHandle& handle, const ros::NodeHandle& private_handle,
                               RenderThread& thread, TimeNs period, std::function<bool()> isReady,
                               std::function<void()> onTimer)
    : grants_(handle, private_handle),
      thread_(thread),
      period_(period),
      isReady_(std::move(isReady)) {
  thread.setLongestQueue(kLongestQueue);
  const auto tick = [this, onTimer = std::move(onTimer)](const ros::SteadyTimerEvent&) {
    onTimer();
    looked_at_ = -period_;  // grants again, since the clock may have missed it
    if (stamp_ >= 0) onState(stamp_);
  };
  timer_ = handle.createSteadyTimer(ros::WallDuration(kTimer), tick);
}

void RenderLockstep::onState(TimeNs stamp) {
  stamp_ = stamp;
  const bool begins = !takes_part_ && isReady_();
  if (begins) takes_part_ = true;
  if (!takes_part_) return;
  const bool is_due = begins || stamp < looked_at_ || stamp - looked_at_ >= period_ / 4;
  if (!is_due) return;
  looked_at_ = stamp;
  if (thread_.waiting() <= kLongestBacklog) granted_until_ = stamp + period_ + kClockLead;
  grants_.grant(granted_until_);
}

void RenderLockstep::onRendered() const {
  if (takes_part_ && thread_.waiting() <= kLongestBacklog)
    grants_.grant(stamp_ + period_ + kClockLead);
}

}  // namespace marsim::ros_nodes
