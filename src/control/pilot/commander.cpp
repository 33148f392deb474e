// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/control/commander.hpp"

#include <algorithm>
#include <utility>

namespace marsim::control {
namespace {

Reference motionOf(const KinematicState& state) {
  Reference reference;
  reference.p_WB = state.X_WB.p;
  reference.v_WB = state.v_WB;
  reference.yaw = yawOf(state.X_WB.q);
  return reference;
}

Commander::Stream streamOf(const InnerSetpoint& setpoint) {
  if (std::holds_alternative<AttitudeSetpoint>(setpoint)) return Commander::Stream::kAttitude;
  if (std::holds_alternative<RateSetpoint>(setpoint)) return Commander::Stream::kRates;
  return Commander::Stream::kMotorSpeeds;
}

}  // namespace

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

void Commander::setVelocity(const VelocityCommand& command, TimeNs now) {
  if (!initialised_) return;
  trajectory_.clear();
  if (!velocity_) move(present(now), now, Eigen::Vector3d::Zero());
  velocity_->setTarget(command);
  stream_ = Stream::kVelocity;
  last_command_ = now;
  landing_ = false;
}

void Commander::setInner(const InnerSetpoint& setpoint, TimeNs now) {
  trajectory_.clear();
  last_ = present(now);
  forgetWay();
  inner_ = setpoint;
  stream_ = streamOf(setpoint);
  last_command_ = now;
  commanded_ = true;
}

void Commander::land(TimeNs now) {
  if (!initialised_) return;
  trajectory_.clear();
  move(present(now), now, {0.0, 0.0, -kLandingSpeed});
  landing_ = true;
}

Reference Commander::reference(const KinematicState& state) {
  if (!initialised_) {
    last_ = motionOf(state);
    last_.v_WB.setZero();
    initialised_ = true;
    if (waiting_goal_) {
      flyTo(*waiting_goal_, state.stamp);
      waiting_goal_.reset();
    }
  }
  seen_at_ = state.stamp;
  if (inner_) last_ = motionOf(state);
  setDuePoints(state.stamp);
  endStream(state.stamp);
  return present(state.stamp);
}

Setpoint Commander::setpoint(const KinematicState& state) {
  const Reference now = reference(state);
  if (!inner_) return now;
  return std::visit([](const auto& inner) -> Setpoint { return inner; }, *inner_);
}

std::optional<Commander::Stream> Commander::takeEndedStream() {
  return std::exchange(ended_stream_, std::nullopt);
}

void Commander::reset() { *this = Commander(limits_, velocity_limits_); }

ActiveCommand Commander::active() const {
  ActiveCommand active;
  if (!commanded_ || !initialised_) return active;
  if (inner_) {
    active.kind = ActiveCommand::Kind::kStop;
    active.stamp = seen_at_;
    active.from = last_;
  } else if (velocity_) {
    active.kind = landing_ ? ActiveCommand::Kind::kLand : ActiveCommand::Kind::kStop;
    active.stamp = velocity_->stamp();
    active.from = velocity_->reference();
  } else if (streaming_) {
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
    case ActiveCommand::Kind::kStop:
      move(command.from, command.stamp, Eigen::Vector3d::Zero());
      break;
    case ActiveCommand::Kind::kLand:
      move(command.from, command.stamp, {0.0, 0.0, -kLandingSpeed});
      landing_ = true;
      break;
  }
  initialised_ = commanded_ = true;
  trajectory_.assign(command.waiting.begin(), command.waiting.end());
  replay(command.stamp, now);
}

// Repeats the steps of reference() at every state since; results depend on them only while a pose
// or velocity is followed or a point waits.
void Commander::replay(TimeNs from, TimeNs now) {
  const TimeNs first = (from + kReplayStep - 1) / kReplayStep * kReplayStep;
  for (TimeNs t = first; t <= now; t += kReplayStep) {
    const bool moves = (follower_ && !follower_->hasArrived()) ||
                       (velocity_ && (landing_ || !velocity_->isAtRest()));
    if (trajectory_.empty() && !moves) return;
    setDuePoints(t);
    present(t);
  }
}

Reference Commander::present(TimeNs now) {
  if (streaming_) return streamed(now);
  if (velocity_) return velocity_->advance(now);
  if (follower_) return follower_->advance(now);
  return way_ ? way_->path.at(now) : last_;
}

void Commander::flyTo(const Goal& goal, TimeNs now) { fly(present(now), now, goal); }

void Commander::fly(const Reference& from, TimeNs start, const Goal& goal) {
  forgetWay();
  way_.emplace(Way{from, start, goal, GoalPath(from, start, goal.p_WB, goal.yaw, limits_)});
}

// Leads a reference to a velocity in W; zero is rest.
void Commander::move(const Reference& from, TimeNs start, const Eigen::Vector3d& velocity) {
  forgetWay();
  velocity_.emplace(from, start, velocity_limits_);
  velocity_->setTarget({velocity, 0.0, false});
  initialised_ = commanded_ = true;
}

// Ends the command that is followed; the place to hold stays.
void Commander::forgetWay() {
  way_.reset();
  follower_.reset();
  velocity_.reset();
  inner_.reset();
  stream_.reset();
  streaming_ = landing_ = false;
}

// Brakes to rest after the time-out of a stream.
void Commander::endStream(TimeNs now) {
  if (!streamEndsBy(now)) return;
  ended_stream_ = stream_;
  move(present(now), now, Eigen::Vector3d::Zero());
}

void Commander::track(const Reference& reference, TimeNs now) {
  forgetWay();
  last_ = reference;
  last_command_ = now;
  waiting_goal_.reset();
  initialised_ = commanded_ = streaming_ = true;
}

void Commander::follow(const Eigen::Vector3d& p_WB, double yaw, TimeNs now) {
  commanded_ = true;
  if (!initialised_) {
    waiting_goal_ = Goal{p_WB, yaw};
    return;
  }
  if (!follower_) {
    const Reference from = present(now);
    forgetWay();
    follower_.emplace(from, now, limits_);
  }
  follower_->setTarget(p_WB, yaw);
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

  // After that the velocity falls linearly to zero.
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
