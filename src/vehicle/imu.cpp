#include "marsim/vehicle/imu.hpp"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"

namespace marsim::vehicle {
namespace {

Eigen::Vector3d normalVector(RandomStream& random) {
  // Braces order the draws; a constructor's arguments would not.
  const double draws[3] = {random.normal(), random.normal(), random.normal()};
  return {draws[0], draws[1], draws[2]};
}

}  // namespace

void ImuConfig::validate(const std::string& where) const {
  const Validator check(where);
  check.positive("rate", rate, "Hz");
  for (int axis = 0; axis < 3; ++axis) {
    check.finite(fmt::format("position[{}]", axis), X_BI.p[axis], "m");
  }
  check.require(std::abs(X_BI.q.norm() - 1.0) < 1e-6, "orientation",
                fmt::format("a quaternion of length {}", X_BI.q.norm()), "length 1");
  check.notNegative("gyro_noise_density", gyro_noise_density, "rad/s/sqrt(Hz)");
  check.notNegative("accel_noise_density", accel_noise_density, "m/s^2/sqrt(Hz)");
  check.notNegative("gyro_bias_random_walk", gyro_bias_random_walk, "rad/s^2/sqrt(Hz)");
  check.notNegative("accel_bias_random_walk", accel_bias_random_walk, "m/s^3/sqrt(Hz)");
}

Imu::Imu(ImuConfig config, std::uint64_t seed) : config_(std::move(config)), random_(seed, "imu") {
  config_.validate("imu");
}

ImuSample Imu::sample(const KinematicState& state) {
  const Eigen::Vector3d& w = state.w_WB_B;
  const Eigen::Vector3d& r = config_.X_BI.p;
  const Eigen::Vector3d gravity_W(0.0, 0.0, -kGravity);
  // The mounting point's acceleration: Euler and centripetal terms of the lever arm.
  const Eigen::Vector3d f_B = state.X_WB.q.conjugate() * (state.a_WB - gravity_W) +
                              state.dw_WB_B.cross(r) + w.cross(w.cross(r));
  const Eigen::Quaterniond q_IB = config_.X_BI.q.conjugate();

  // Discrete white noise has the density's power up to half the rate; a random walk grows by
  // K sqrt(dt) a step.
  const double white = std::sqrt(config_.rate);
  const double walk = 1.0 / white;
  ImuSample sample;
  sample.stamp = state.stamp;
  sample.q_WI = state.X_WB.q * config_.X_BI.q;
  sample.angular_velocity =
      q_IB * w + gyro_bias_ + config_.gyro_noise_density * white * normalVector(random_);
  sample.specific_force =
      q_IB * f_B + accel_bias_ + config_.accel_noise_density * white * normalVector(random_);
  gyro_bias_ += config_.gyro_bias_random_walk * walk * normalVector(random_);
  accel_bias_ += config_.accel_bias_random_walk * walk * normalVector(random_);
  return sample;
}

}  // namespace marsim::vehicle
