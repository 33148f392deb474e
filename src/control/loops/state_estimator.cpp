// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/control/state_estimator.hpp"

#include <algorithm>
#include <iterator>

#include "marsim/common/units.hpp"

namespace marsim::control {
namespace {

using Eigen::Vector3d;

// Uncertainty of the motion given to reset(): [m/s^2] and [rad/s], 1 sigma.
constexpr double kFirstAccelerationError = 0.1, kFirstGyroscopeBias = 0.01;

}  // namespace

void EstimatorConfig::declare(Settings& settings) {
  settings.optional("estimator", [&](Settings& map) {
    map.optional("position_noise", position_noise, "m", kPositive);
    map.optional("attitude_noise", attitude_noise, "rad", kPositive);
    map.optional("acceleration_noise", acceleration_noise, "m/s^2/sqrt(Hz)", kPositive);
    map.optional("acceleration_drift", acceleration_drift, "m/s^3/sqrt(Hz)", kPositive);
    map.optional("rate_noise", rate_noise, "rad/s/sqrt(Hz)", kPositive);
    map.optional("rate_drift", rate_drift, "rad/s^2/sqrt(Hz)", kPositive);
    map.optional("largest_jump", largest_jump, "m", kPositive);
    map.optional("largest_turn", largest_turn, "rad", {0.01, kPi});
    map.optional("timeout", timeout, "s", {0.02, 60.0});
    map.optional("land_after", land_after, "s", {0.0, 3600.0});
  });
}

void StateEstimator::reset(const KinematicState& state) {
  Step step;
  step.reading = {state.stamp, state.w_WB_B,
                  state.X_WB.q.conjugate() * (state.a_WB + Vector3d(0.0, 0.0, kGravity))};
  step.p_WB = state.X_WB.p;
  step.v_WB = state.v_WB;
  step.q_WB = state.X_WB.q;
  step.error_W.setZero();
  step.bias_B.setZero();
  step.motion_cov.setZero();
  step.motion_cov(2, 2) = kFirstAccelerationError * kFirstAccelerationError;
  step.attitude_cov.setZero();
  step.attitude_cov(1, 1) = kFirstGyroscopeBias * kFirstGyroscopeBias;
  steps_.assign(1, step);
  corrected_at_ = state.stamp - 1;
  residual_ = 0.0;
}

void StateEstimator::propagate(const InertialReading& reading) {
  if (!begun() || reading.stamp <= steps_.back().reading.stamp) return;
  steps_.push_back(after(steps_.back(), reading));
  while (steps_[1].reading.stamp < reading.stamp - kMemory) steps_.pop_front();
}

// The mean of two readings holds between them.
StateEstimator::Step StateEstimator::after(const Step& before,
                                           const InertialReading& reading) const {
  const double dt = toSeconds(reading.stamp - before.reading.stamp);
  Step step = before;
  step.reading = reading;
  const Vector3d rate = 0.5 * (before.reading.w_WB_B + reading.w_WB_B) - before.bias_B;
  step.q_WB = (before.q_WB * expMap(dt * rate)).normalized();
  const Vector3d force_W =
      0.5 * (before.q_WB * before.reading.f_B + step.q_WB * reading.f_B) + before.error_W;
  const Vector3d a_WB = force_W - Vector3d(0.0, 0.0, kGravity);
  step.p_WB += dt * (before.v_WB + 0.5 * dt * a_WB);
  step.v_WB += dt * a_WB;

  Eigen::Matrix3d F = Eigen::Matrix3d::Identity();
  F(0, 1) = F(1, 2) = dt;
  F(0, 2) = 0.5 * dt * dt;
  step.motion_cov = F * before.motion_cov * F.transpose();
  step.motion_cov(1, 1) += dt * config_.acceleration_noise * config_.acceleration_noise;
  step.motion_cov(2, 2) += dt * config_.acceleration_drift * config_.acceleration_drift;
  Eigen::Matrix2d G = Eigen::Matrix2d::Identity();
  G(0, 1) = -dt;
  step.attitude_cov = G * before.attitude_cov * G.transpose();
  step.attitude_cov(0, 0) += dt * config_.rate_noise * config_.rate_noise;
  step.attitude_cov(1, 1) += dt * config_.rate_drift * config_.rate_drift;
  return step;
}

StateEstimator::Verdict StateEstimator::correct(const StampedPose& pose) {
  if (!begun() || pose.stamp < steps_.front().reading.stamp || pose.stamp <= corrected_at_) {
    return Verdict::kTooLate;
  }
  if (pose.stamp > steps_.back().reading.stamp + kAhead) return Verdict::kTooNew;
  const auto later =
      std::upper_bound(steps_.begin(), steps_.end(), pose.stamp,
                       [](TimeNs stamp, const Step& step) { return stamp < step.reading.stamp; });
  Step& step = *std::prev(later);
  InertialReading there = step.reading;
  there.stamp = pose.stamp;
  const Step predicted = after(step, there);
  const Vector3d p_error_W = pose.X_WB.p - predicted.p_WB;
  const Vector3d angle_B = logMap(predicted.q_WB.conjugate() * pose.X_WB.q);
  residual_ = p_error_W.norm();
  if (!(residual_ <= config_.largest_jump) || !(angle_B.norm() <= config_.largest_turn)) {
    return Verdict::kJumped;
  }
  corrected_at_ = pose.stamp;
  correct(step, p_error_W, angle_B);
  for (auto next = later; next != steps_.end(); ++next)
    *next = after(*std::prev(next), next->reading);
  return Verdict::kUsed;
}

void StateEstimator::correct(Step& step, const Vector3d& p_error_W, const Vector3d& angle_B) const {
  const double p_noise = config_.position_noise, q_noise = config_.attitude_noise;
  const Vector3d gain = step.motion_cov.col(0) / (step.motion_cov(0, 0) + p_noise * p_noise);
  step.p_WB += gain[0] * p_error_W;
  step.v_WB += gain[1] * p_error_W;
  step.error_W += gain[2] * p_error_W;
  const Eigen::Matrix3d motion_cov = step.motion_cov - gain * step.motion_cov.row(0);
  step.motion_cov = 0.5 * (motion_cov + motion_cov.transpose());

  const Eigen::Vector2d turn =
      step.attitude_cov.col(0) / (step.attitude_cov(0, 0) + q_noise * q_noise);
  step.q_WB = (step.q_WB * expMap(turn[0] * angle_B)).normalized();
  step.bias_B += turn[1] * angle_B;
  const Eigen::Matrix2d attitude_cov = step.attitude_cov - turn * step.attitude_cov.row(0);
  step.attitude_cov = 0.5 * (attitude_cov + attitude_cov.transpose());
}

KinematicState StateEstimator::at(TimeNs stamp) const {
  const Step& last = steps_.back();
  InertialReading held = last.reading;
  held.stamp = std::min(std::max(stamp, last.reading.stamp), last.reading.stamp + kAhead);
  const Step step = after(last, held);
  KinematicState state;
  state.stamp = stamp;
  state.X_WB = {step.q_WB, step.p_WB};
  state.v_WB = step.v_WB;
  state.w_WB_B = last.reading.w_WB_B - last.bias_B;
  return state;
}

}  // namespace marsim::control
