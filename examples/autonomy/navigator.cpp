// SPDX-License-Identifier: BSD-3-Clause
#include "navigator.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <utility>

namespace autonomy {

using Eigen::Vector3d;

namespace {

constexpr double kReach = 2.0;           // [m] around a refused goal that is searched
constexpr double kFarthest = 1.0;        // [m] from the odometry to the trajectory
constexpr double kReaction = 0.15;       // [s] ahead of the last moment to brake for an obstacle
constexpr double kReactionToEnd = 0.07;  // [s] for the end of the trajectory
constexpr double kBraking = 0.9;         // of the acceleration, along the trajectory
constexpr double kBrakingJerk = 15.0;    // [m/s^3]
constexpr double kPreview = 0.6;         // [s] ahead on the trajectory that the UAV looks
constexpr double kYawFrequency = 4.0;    // [rad/s]
constexpr double kLeastForYaw = 0.2;     // [m] of horizontal way from which a yaw follows

double wrapped(double angle) { return std::remainder(angle, 2.0 * M_PI); }

}  // namespace

void Navigator::tell(const std::string& text) const {
  if (on_message) on_message(text);
}

std::optional<Refusal> Navigator::refusalOf(const Vector3d& goal) const {
  if (!goal.allFinite()) return Refusal{"the goal is not a number", odometry_p_};
  const Vector3d inside = goal.cwiseMax(config_.low).cwiseMin(config_.high);
  if (inside != goal)
    return Refusal{"the goal lies outside of the map", map_.nearestFree(inside, kReach)};
  if (!map_.isBlocked(goal)) return std::nullopt;
  return Refusal{"the goal lies in an obstacle", map_.nearestFree(goal, kReach)};
}

std::optional<Refusal> Navigator::setGoal(const Vector3d& goal) {
  auto refusal = refusalOf(goal);
  if (refusal) return refusal;
  goal_ = goal;
  is_due_ = true;
  ends_at_goal_ = false;
  return std::nullopt;
}

void Navigator::addOdometry(double stamp, const Vector3d& p_W, double yaw) {
  if (!p_W.allFinite() || !std::isfinite(yaw)) return;
  if (!odometry_p_) yaw_ = yaw;
  odometry_p_ = p_W;
  odometry_stamp_ = stamp;
  const bool is_far = trajectory_ && (stateNow().p - p_W).norm() > kFarthest;
  if (is_far) tell("the UAV is far from its trajectory: planning from where it is");
  if (!trajectory_ || is_far) hold(p_W);
  map_.moveTo(p_W);
}

// A trajectory that rests at a place.
void Navigator::hold(const Vector3d& p_W) {
  trajectory_ = Bspline{p_W.replicate(1, 4), 0.1};
  on_it_ = 0.0;
  rate_ = 1.0;
  slowing_ = growth_ = 0.0;
  is_braking_ = false;
  ends_at_goal_ = false;
}

void Navigator::addScan(const Vector3d& sensor_p_W, const std::vector<Vector3d>& points_W) {
  if (movers_.empty()) {
    map_.addScan(sensor_p_W, points_W);
  } else {
    map_.addScan(sensor_p_W, withoutMovers(points_W));
  }
  if (trajectory_ && goal_ &&
      planner_.firstCollision(*trajectory_, on_it_, moversAt(now_ - on_it_)))
    is_due_ = true;
}

// The map is of things that stand.
std::vector<Vector3d> Navigator::withoutMovers(const std::vector<Vector3d>& points_W) const {
  const auto movers = moversAt(now_);
  std::vector<Vector3d> others;
  for (const Vector3d& point : points_W) {
    const auto isOf = [&](const Mover& mover) {
      return (point - mover.at(0.0)).norm() < mover.safeDistance();
    };
    if (std::none_of(movers.begin(), movers.end(), isOf)) others.push_back(point);
  }
  return others;
}

// Clears new movers from the map: scans may have shown them before they were announced.
void Navigator::setMovers(double stamp, std::vector<Mover> movers) {
  const auto known = moversAt(stamp);
  for (const Mover& mover : movers) {
    const auto isNear = [&](const Mover& other) {
      return (other.at(0.0) - mover.at(0.0)).norm() < mover.safeDistance();
    };
    if (std::none_of(known.begin(), known.end(), isNear))
      map_.forget(mover.at(0.0), mover.safeDistance());
  }
  movers_ = std::move(movers);
  movers_stamp_ = stamp;
}

std::vector<Mover> Navigator::moversAt(double time) const {
  std::vector<Mover> movers = movers_;
  for (Mover& mover : movers) mover.since += time - movers_stamp_;
  return movers;
}

std::optional<Command> Navigator::commandAt(double now) {
  if (!odometry_p_) return std::nullopt;
  const double step = std::max(0.0, now - std::exchange(now_, now));
  const bool is_stale = now - odometry_stamp_ > config_.odometry_timeout;
  if (is_stale && !is_stale_) tell("the odometry is older than 0.5 s: stopping");
  is_stale_ = is_stale;
  advance(step);
  const bool is_planning =
      goal_ && !is_stale && (is_due_ || now - planned_ >= config_.replan_period);
  if (is_planning) plan(now);
  is_braking_ = is_braking_ || is_stale || mustBrake(now);
  return turned(stateNow(), step);
}

// While braking, the whole acceleration grows to the limit step by step: the part across
// the trajectory is what the curve needs, the part along it slows down.
void Navigator::advance(double step) {
  on_it_ += step * rate_;
  rate_ = std::max(0.0, rate_ - step * slowing_);
  if (!is_braking_) return;
  const Limits& limits = config_.planner.limits;
  const State state = trajectory_->at(on_it_);
  const double speed = std::max(state.v.norm(), 0.1);
  const double along = state.a.dot(state.v) / speed * rate_ * rate_;
  const double across =
      std::sqrt(std::max(0.0, std::pow(rate_, 4) * state.a.squaredNorm() - along * along));
  const double most =
      std::sqrt(std::max(0.0, std::pow(kBraking * limits.acceleration, 2) - across * across));
  const double wanted = std::max(0.0, (most + along) / speed);
  const double before =
      std::exchange(slowing_, std::clamp(wanted, slowing_ - step * kBrakingJerk / speed,
                                         slowing_ + step * kBrakingJerk / speed));
  growth_ = step > 0.0 ? (slowing_ - before) / step : 0.0;
}

// Braking passes the trajectory ever more slowly: the UAV stays on its free way.
State Navigator::stateNow() const {
  State state = trajectory_->at(on_it_);
  if (on_it_ >= trajectory_->duration())
    return {state.p, Vector3d::Zero(), Vector3d::Zero(), Vector3d::Zero()};
  const double slowing = rate_ > 0.0 ? slowing_ : 0.0;
  state.j = state.j * std::pow(rate_, 3) - state.v * (rate_ > 0.0 ? growth_ : 0.0);
  state.a = state.a * rate_ * rate_ - state.v * slowing;
  state.v *= rate_;
  return state;
}

std::vector<Vector3d> Navigator::announcedPath(double step, int count) const {
  std::vector<Vector3d> path;
  double time = on_it_, rate = rate_;
  for (int i = 0; trajectory_ && i < count; ++i) {
    path.push_back(trajectory_->at(time).p);
    time += step * rate;
    rate = std::max(0.0, rate - step * slowing_);
  }
  return path;
}

void Navigator::plan(double now) {
  planned_ = now;
  is_due_ = false;
  if (const auto refusal = refusalOf(*goal_)) {
    tell(refusal->reason + ": stopping");
    goal_.reset();
    ends_at_goal_ = false;
    return;
  }
  const auto movers = moversAt(now);
  const bool is_free = !planner_.firstCollision(*trajectory_, on_it_, moversAt(now - on_it_));
  if (ends_at_goal_ && is_free && !is_braking_) return;
  const std::clock_t began = std::clock();
  auto found = planner_.plan(stateNow(), *goal_, movers);
  const double spent = static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
  if (on_planned) on_planned(found.has_value(), spent);
  if (!found) return;
  trajectory_ = std::move(found);
  on_it_ = 0.0;
  rate_ = 1.0;
  slowing_ = growth_ = 0.0;
  is_braking_ = false;
  ends_at_goal_ = (trajectory_->at(trajectory_->duration()).p - *goal_).norm() < 1e-3;
}

// Whether the rest of the trajectory is just long enough to stop on it, before an obstacle or
// before the end of what is planned.
bool Navigator::mustBrake(double now) const {
  const State end = trajectory_->at(trajectory_->duration());
  const auto collision = planner_.firstCollision(*trajectory_, on_it_, moversAt(now - on_it_));
  if (!goal_ && trajectory_->at(on_it_).v.norm() > 0.1) return true;
  if (!collision && end.v.norm() < 0.1) return false;
  const double until = collision ? *collision : trajectory_->duration();
  // Slowing down evenly takes the UAV through half the time of the trajectory.
  const double stopping = stateNow().v.norm() / (kBraking * config_.planner.limits.acceleration);
  return until - on_it_ < (collision ? kReaction : kReactionToEnd) + stopping / 2.0;
}

// The UAV looks where it flies (section 4.4): its yaw follows like a damped oscillator.
Command Navigator::turned(const State& state, double step) {
  const Vector3d ahead = trajectory_->at(on_it_ + kPreview).p - state.p;
  const double turn = std::hypot(ahead.x(), ahead.y()) > kLeastForYaw
                          ? wrapped(std::atan2(ahead.y(), ahead.x()) - yaw_)
                          : 0.0;
  yaw_rate_ += step * kYawFrequency * (kYawFrequency * turn - 2.0 * yaw_rate_);
  yaw_rate_ = std::clamp(yaw_rate_, -config_.yaw_rate, config_.yaw_rate);
  yaw_ = wrapped(yaw_ + step * yaw_rate_);
  return {state, yaw_, yaw_rate_};
}

}  // namespace autonomy
