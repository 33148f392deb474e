#include "marsim/control/commander.hpp"

#include <algorithm>

namespace marsim::control {

void Commander::setGoal(const Eigen::Vector3d& p_WB, double yaw, TimeNs now) {
  trajectory_.clear();
  commanded_ = true;
  if (!initialised_) {
    waiting_goal_ = Goal{p_WB, yaw};
    return;
  }
  flyTo({p_WB, yaw}, now);
}

void Commander::setReference(const Reference& reference, TimeNs now) {
  trajectory_.clear();
  track(reference, now);
}

void Commander::setPose(const Eigen::Vector3d& p_WB, double yaw, TimeNs now) {
  trajectory_.clear();
  follow(p_WB, yaw, now);
}

void Commander::setTrajectory(const std::vector<TrajectoryPoint>& points, TimeNs now) {
  trajectory_.clear();
  TimeNs at = now;
  for (const TrajectoryPoint& point : points) {
    at = std::max(at, now + point.after);
    trajectory_.push_back({at, point});
  }
  setDuePoints(now);
}

Reference Commander::reference(const KinematicState& state) {
  if (!initialised_) {
    last_ = Reference{};
    last_.p_WB = state.X_WB.p;
    last_.yaw = yawOf(state.X_WB.q);
    initialised_ = true;
    if (waiting_goal_) {
      flyTo(*waiting_goal_, state.stamp);
      waiting_goal_.reset();
    }
  }
  setDuePoints(state.stamp);
  return present(state.stamp);
}

void Commander::reset() {
  way_.reset();
  follower_.reset();
  trajectory_.clear();
  waiting_goal_.reset();
  last_ = Reference{};
  last_command_ = 0;
  initialised_ = commanded_ = streaming_ = false;
}

ActiveCommand Commander::active() const {
  ActiveCommand active;
  if (!commanded_ || !initialised_) return active;
  if (streaming_) {
    active.kind = ActiveCommand::Kind::kState;
    active.stamp = last_command_;
    active.from = last_;
  } else if (follower_) {
    const PoseFollower::State& state = follower_->state();
    active.kind = ActiveCommand::Kind::kPose;
    active.stamp = state.stamp;
    active.from = state.reference;
    active.yaw_acceleration = state.yaw_acceleration;
    active.target_p_WB = state.target_p_WB;
    active.target_yaw = state.target_yaw;
  } else if (way_) {
    active.kind = ActiveCommand::Kind::kGoal;
    active.stamp = way_->start;
    active.from = way_->from;
    active.target_p_WB = way_->goal.p_WB;
    active.target_yaw = way_->goal.yaw;
  }
  active.waiting.assign(trajectory_.begin(), trajectory_.end());
  return active;
}

void Commander::resume(const ActiveCommand& command, TimeNs now) {
  reset();
  switch (command.kind) {
    case ActiveCommand::Kind::kNone:
      return;
    case ActiveCommand::Kind::kGoal:
      fly(command.from, command.stamp, {command.target_p_WB, command.target_yaw});
      break;
    case ActiveCommand::Kind::kState:
      track(command.from, command.stamp);
      break;
    case ActiveCommand::Kind::kPose:
      follower_.emplace(PoseFollower::State{command.stamp, command.from, command.yaw_acceleration,
                                            command.target_p_WB, command.target_yaw},
                        limits_);
      break;
  }
  initialised_ = commanded_ = true;
  trajectory_.assign(command.waiting.begin(), command.waiting.end());
  replay(command.stamp, now);
}

// Repeats what reference() has done at every state since; nothing depends on that while no pose is
// followed and no point waits.
void Commander::replay(TimeNs from, TimeNs now) {
  const TimeNs first = (from + kReplayStep - 1) / kReplayStep * kReplayStep;
  for (TimeNs t = first; t <= now; t += kReplayStep) {
    if (trajectory_.empty() && (!follower_ || follower_->hasArrived())) return;
    setDuePoints(t);
    if (follower_) follower_->advance(t);
  }
}

Reference Commander::present(TimeNs now) {
  if (streaming_) return streamed(now);
  if (follower_) return follower_->advance(now);
  return way_ ? way_->path.at(now) : last_;
}

void Commander::flyTo(const Goal& goal, TimeNs now) { fly(present(now), now, goal); }

void Commander::fly(const Reference& from, TimeNs start, const Goal& goal) {
  follower_.reset();
  way_.emplace(Way{from, start, goal, GoalPath(from, start, goal.p_WB, goal.yaw, limits_)});
  streaming_ = false;
}

void Commander::track(const Reference& reference, TimeNs now) {
  last_ = reference;
  last_command_ = now;
  way_.reset();
  follower_.reset();
  waiting_goal_.reset();
  initialised_ = commanded_ = streaming_ = true;
}

void Commander::follow(const Eigen::Vector3d& p_WB, double yaw, TimeNs now) {
  commanded_ = true;
  if (!initialised_) {
    waiting_goal_ = Goal{p_WB, yaw};
    return;
  }
  if (!follower_) follower_.emplace(present(now), now, limits_);
  follower_->setTarget(p_WB, yaw);
  way_.reset();
  streaming_ = false;
}

void Commander::setDuePoints(TimeNs now) {
  while (!trajectory_.empty() && trajectory_.front().at <= now) {
    const ActiveCommand::Waiting due = trajectory_.front();
    trajectory_.pop_front();
    if (due.point.moves) {
      track(due.point.reference, due.at);
    } else {
      follow(due.point.reference.p_WB, due.point.reference.yaw, due.at);
    }
  }
}

Reference Commander::streamed(TimeNs now) const {
  const double age = std::max(0.0, toSeconds(now - last_command_));
  const double carried = std::min(age, toSeconds(kCarryOn));
  const Eigen::Vector3d& j = last_.j_WB;
  Reference r = last_;
  r.p_WB += carried * (last_.v_WB + carried * (last_.a_WB / 2.0 + carried / 6.0 * j));
  r.v_WB += carried * (last_.a_WB + carried / 2.0 * j);
  r.a_WB += carried * j;
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
