#include "marsim/control/commander.hpp"

#include <algorithm>

namespace marsim::control {

void Commander::setGoal(const Eigen::Vector3d& p_WB, double yaw, TimeNs now) {
  commanded_ = true;
  if (!initialised_) {
    waiting_goal_ = Goal{p_WB, yaw};
    return;
  }
  Reference from = last_;
  if (path_) from = path_->at(now);
  if (streaming_) from = streamed(now);
  path_.emplace(from, now, p_WB, yaw, limits_);
  streaming_ = false;
}

void Commander::setReference(const Reference& reference, TimeNs now) {
  last_ = reference;
  last_command_ = now;
  path_.reset();
  waiting_goal_.reset();
  initialised_ = commanded_ = streaming_ = true;
}

Reference Commander::reference(const KinematicState& state) {
  if (!initialised_) {
    last_ = Reference{};
    last_.p_WB = state.X_WB.p;
    last_.yaw = yawOf(state.X_WB.q);
    initialised_ = true;
    if (waiting_goal_) {
      setGoal(waiting_goal_->p_WB, waiting_goal_->yaw, state.stamp);
      waiting_goal_.reset();
    }
  }
  if (streaming_) return streamed(state.stamp);
  return path_ ? path_->at(state.stamp) : last_;
}

void Commander::reset() {
  path_.reset();
  waiting_goal_.reset();
  last_ = Reference{};
  last_command_ = 0;
  initialised_ = commanded_ = streaming_ = false;
}

Reference Commander::streamed(TimeNs now) const {
  const double age = std::max(0.0, toSeconds(now - last_command_));
  const double carried = std::min(age, toSeconds(kCarryOn));
  Reference r = last_;
  r.p_WB += carried * last_.v_WB + 0.5 * carried * carried * last_.a_WB;
  r.v_WB += carried * last_.a_WB;
  r.yaw += carried * last_.yaw_rate;
  if (age <= carried) return r;

  // Beyond, the velocity falls linearly to zero.
  const double fade = toSeconds(kHoldAfter - kCarryOn);
  const double faded = std::min(age - carried, fade);
  const double left = 1.0 - faded / fade;
  const double way = faded * (1.0 - 0.5 * faded / fade);
  r.p_WB += way * r.v_WB;
  r.yaw += way * r.yaw_rate;
  r.a_WB = left > 0.0 ? Eigen::Vector3d(-r.v_WB / fade) : Eigen::Vector3d::Zero();
  r.v_WB *= left;
  r.yaw_rate *= left;
  r.j_WB.setZero();
  return r;
}

}  // namespace marsim::control
