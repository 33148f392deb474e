// SPDX-License-Identifier: BSD-3-Clause
#include "clock/control_wait.hpp"

namespace marsim {

void ControlWait::onCommand(TimeNs computed_from) {
  if (computed_from <= answered_) return;  // a second answer to a repeated state
  follows_ = in_lockstep_ || waiting_ || computed_from - answered_ == period_;
  answered_ = computed_from;
  waiting_ = false;
}

bool ControlWait::mustWait(TimeNs stamp, WallClock::time_point now) {
  if (!follows_ || stamp - answered_ < (latency_ + 1) * period_) return false;
  if (!waiting_) since_ = now;
  waiting_ = true;
  if (waited(now) < patience_) return true;
  follows_ = waiting_ = false;
  gave_up_ = true;
  return false;
}

double ControlWait::waited(WallClock::time_point now) const {
  return waiting_ ? std::chrono::duration<double>(now - since_).count() : 0.0;
}

bool ControlWait::gaveUp() {
  const bool gave_up = gave_up_;
  gave_up_ = false;
  return gave_up;
}

}  // namespace marsim
