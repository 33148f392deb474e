// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/vehicle/imu.hpp"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"
#include "marsim/geometry/pose_settings.hpp"
#include "vehicle/normal_vector.hpp"

namespace marsim::vehicle {
namespace {

constexpr double kLargestMisalignment = 0.2;  // [rad] the turn is linearised

// [m/s^2] reading of an accelerometer at rest, in W.
Eigen::Vector3d upwards() { return {0.0, 0.0, kGravity}; }

ImuConfig validated(ImuConfig config) {
  config.validate("imu");
  return config;
}

}  // namespace

void InertialErrors::declare(Settings& settings, const std::string& u) {
  const Unit unit(u, Quantity::kNumber);
  settings.optional("noise_density", noise_density, u + "/sqrt(Hz)", kNotNegative);
  settings.optional("random_walk", random_walk, u + "/s/sqrt(Hz)", kNotNegative);
  settings.optional("gauss_markov", [&](Settings& process) {
    process.required("sigma", gauss_markov_sigma, unit, kNotNegative);
    process.required("correlation_time", gauss_markov_time, "s",
                     gauss_markov_sigma > 0.0 ? kPositive : kFinite);
  });
  settings.optional("turn_on_bias", turn_on_bias, unit, kNotNegative);
  settings.optional("scale", scale, "", {-0.5, 0.5});
  settings.optional("misalignment", misalignment, "rad",
                    {-kLargestMisalignment, kLargestMisalignment});
  settings.optional("range", range, unit, kNotNegative);
  settings.optional("resolution", resolution, unit, kNotNegative);
}

void ImuConfig::declare(Settings& settings) {
  settings.optional("rate", rate, "Hz", kPositive);
  declarePose(settings, X_BI);
  settings.optional("gyroscope", [&](Settings& errors) {
    gyroscope.declare(errors, "rad/s");
    errors.optional("g_sensitivity", gyroscope.g_sensitivity, "rad/s/(m/s^2)");
  });
  settings.optional("accelerometer",
                    [&](Settings& errors) { accelerometer.declare(errors, "m/s^2"); });
  settings.optional("orientation_noise", orientation_noise, "rad", kNotNegative);
}

void ImuConfig::validate(const std::string& where) const {
  checkSettings(where, *this);
  const Validator check(where);
  check.require(std::abs(X_BI.q.norm() - 1.0) < 1e-6, "orientation",
                fmt::format("a quaternion of length {}", X_BI.q.norm()), "length 1");
  check.require(accelerometer.g_sensitivity == 0.0, "accelerometer.g_sensitivity",
                fmt::format("{}", accelerometer.g_sensitivity), "0: gyroscopes only");
}

InertialTriad::InertialTriad(InertialErrors errors, double rate, std::uint64_t seed,
                             const std::string& name)
    : errors_(std::move(errors)),
      // White noise of a density has its power up to half the rate; a walk grows by K sqrt(dt).
      white_sigma_(errors_.noise_density * std::sqrt(rate)),
      walk_sigma_(errors_.random_walk / std::sqrt(rate)),
      white_random_(seed, name + "/white"),
      walk_random_(seed, name + "/walk"),
      gauss_markov_random_(seed, name + "/gauss_markov") {
  if (errors_.turn_on_bias > 0.0) {
    RandomStream random(seed, name + "/turn_on");
    turn_on_ = errors_.turn_on_bias * normalVector(random);
  }
  if (errors_.gauss_markov_sigma > 0.0) {
    decay_ = std::exp(-1.0 / (rate * errors_.gauss_markov_time));
    gauss_markov_step_ = errors_.gauss_markov_sigma * std::sqrt(1.0 - decay_ * decay_);
    gauss_markov_ = errors_.gauss_markov_sigma * normalVector(gauss_markov_random_);
  }
}

Eigen::Vector3d InertialTriad::measure(const Eigen::Vector3d& truth, const Eigen::Vector3d& force) {
  const Eigen::Vector3d felt =
      truth + errors_.misalignment.cross(truth) + errors_.g_sensitivity * force;
  Eigen::Vector3d reading = (Eigen::Vector3d::Ones() + errors_.scale).cwiseProduct(felt) + bias();
  if (white_sigma_ > 0.0) reading += white_sigma_ * normalVector(white_random_);
  if (errors_.range > 0.0) reading = reading.cwiseMax(-errors_.range).cwiseMin(errors_.range);
  if (errors_.resolution > 0.0) {
    reading = (reading / errors_.resolution).array().round() * errors_.resolution;
  }
  advanceBias();
  return reading;
}

void InertialTriad::advanceBias() {
  if (walk_sigma_ > 0.0) walk_ += walk_sigma_ * normalVector(walk_random_);
  if (gauss_markov_step_ > 0.0) {
    gauss_markov_ =
        decay_ * gauss_markov_ + gauss_markov_step_ * normalVector(gauss_markov_random_);
  }
}

Imu::Imu(ImuConfig config, std::uint64_t seed)
    : config_(validated(std::move(config))),
      gyroscope_(config_.gyroscope, config_.rate, seed, "imu/gyroscope"),
      accelerometer_(config_.accelerometer, config_.rate, seed, "imu/accelerometer"),
      orientation_random_(seed, "imu/orientation") {}

Imu::Reading Imu::instantAt(const KinematicState& state) const {
  const Eigen::Vector3d& w = state.w_WB_B;
  const Eigen::Vector3d& r = config_.X_BI.p;
  // The mounting point's acceleration: Euler and centripetal terms of the lever arm.
  const Eigen::Vector3d f_B = state.X_WB.q.conjugate() * (state.a_WB + upwards()) +
                              state.dw_WB_B.cross(r) + w.cross(w.cross(r));
  const Eigen::Quaterniond q_IB = config_.X_BI.q.conjugate();
  return {q_IB * w, q_IB * f_B};
}

// The turn, and in W the change of velocity of the IMU's own place, since the last sample that the
// two instants' readings do not explain by the trapezoidal rule.
Imu::Reading Imu::lackingSince(const Sampled& last, const KinematicState& state,
                               const Reading& instant) const {
  const double dt = toSeconds(state.stamp - last.state.stamp);
  const auto velocity = [this](const KinematicState& at) {
    return Eigen::Vector3d(at.v_WB + at.X_WB.q * at.w_WB_B.cross(config_.X_BI.p));
  };
  const Eigen::Quaterniond q_WI_last = last.state.X_WB.q * config_.X_BI.q;
  const Eigen::Quaterniond q_WI = state.X_WB.q * config_.X_BI.q;
  const Eigen::Vector3d turn = logMap(q_WI_last.conjugate() * q_WI);
  const Eigen::Vector3d f_W = (velocity(state) - velocity(last.state)) / dt + upwards();
  const Eigen::Vector3d told_W = 0.5 * (q_WI_last * last.instant.force + q_WI * instant.force);
  return {turn / dt - 0.5 * (last.instant.rate + instant.rate), q_WI.conjugate() * (f_W - told_W)};
}

ImuSample Imu::sample(const KinematicState& state, const MotionBreaks& breaks) {
  const Reading instant = instantAt(state);
  Reading felt = instant;
  const bool adjoins =
      last_ && last_->breaks.placements == breaks.placements && last_->state.stamp < state.stamp;
  const bool is_held = adjoins && last_->breaks.contacts != breaks.contacts;
  // The ground may have released it just after the last sample.
  if (is_held || (adjoins && last_->is_held)) {
    const Reading lacking = lackingSince(*last_, state, instant);
    felt.rate += lacking.rate;
    felt.force += lacking.force;
  }
  last_ = Sampled{state, breaks, instant, is_held};

  ImuSample sample;
  sample.stamp = state.stamp;
  sample.q_WI = state.X_WB.q * config_.X_BI.q;
  if (config_.orientation_noise > 0.0) {
    sample.q_WI =
        sample.q_WI * expMap(config_.orientation_noise * normalVector(orientation_random_));
  }
  sample.angular_velocity = gyroscope_.measure(felt.rate, felt.force);
  sample.specific_force = accelerometer_.measure(felt.force, felt.force);
  return sample;
}

}  // namespace marsim::vehicle
