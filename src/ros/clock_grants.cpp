#include "marsim/ros/clock_grants.hpp"

#include "marsim/ClockGrant.h"
#include "marsim/ros/conversions.hpp"

namespace marsim::ros_nodes {

std::string grantTopic(const ros::NodeHandle& handle) {
  return handle.resolveName("/clock") + "_grants";
}

ClockGrants::ClockGrants(ros::NodeHandle& handle, const ros::NodeHandle& private_handle)
    : who_(private_handle.getNamespace()),
      publisher_(handle.advertise<marsim::ClockGrant>(grantTopic(handle), 100)) {}

ClockGrants::~ClockGrants() { leave(); }

void ClockGrants::grant(TimeNs until) const {
  marsim::ClockGrant message;
  message.who = who_;
  message.until = toRos(until);
  publisher_.publish(message);
}

void ClockGrants::leave() const { grant(0); }

RenderLockstep::RenderLockstep(ros::NodeHandle& handle, const ros::NodeHandle& private_handle,
                               RenderThread& thread, TimeNs period)
    : grants_(handle, private_handle), thread_(thread), period_(period) {
  thread.setLongestQueue(kLongestQueue);
  timer_ = handle.createSteadyTimer(ros::WallDuration(kLongestSilence),
                                    [this](const ros::SteadyTimerEvent&) { onTimer(); });
}

// Again and again: a job that ends meanwhile grants something.
void RenderLockstep::onTimer() {
  const auto silence = std::chrono::steady_clock::now() - heard_at_;
  const bool keeps_up = thread_.waiting() <= kLongestBacklog;
  if (!keeps_up || silence < std::chrono::duration<double>(kLongestSilence)) return;
  grants_.leave();
  looked_at_ = -period_;  // the next state grants at once
}

void RenderLockstep::onState(TimeNs stamp) {
  stamp_ = stamp;
  heard_at_ = std::chrono::steady_clock::now();
  const bool is_due = stamp < looked_at_ || stamp - looked_at_ >= period_ / 4;
  if (!is_due) return;
  looked_at_ = stamp;
  if (thread_.waiting() <= kLongestBacklog) granted_until_ = stamp + period_;
  // Told again: the clock may not have heard it, or may have let this node go.
  grants_.grant(granted_until_);
}

void RenderLockstep::onRendered() const {
  if (thread_.waiting() <= kLongestBacklog) grants_.grant(stamp_ + period_);
}

}  // namespace marsim::ros_nodes
