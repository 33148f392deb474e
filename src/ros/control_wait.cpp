#include "marsim/ros/control_wait.hpp"

namespace marsim::ros_nodes {

void ControlWait::onCommand(TimeNs computed_from) {
  follows_ = computed_from - answered_ == period_;
  answered_ = computed_from;
  waiting_ = false;
}

bool ControlWait::mustWait(TimeNs stamp, WallClock::time_point now) {
  if (!follows_ || stamp - answered_ < 2 * period_) return false;
  if (!waiting_) since_ = now;
  waiting_ = true;
  if (std::chrono::duration<double>(now - since_).count() < kPatience) return true;
  follows_ = waiting_ = false;
  gave_up_ = true;
  return false;
}

bool ControlWait::gaveUp() {
  const bool gave_up = gave_up_;
  gave_up_ = false;
  return gave_up;
}

}  // namespace marsim::ros_nodes
