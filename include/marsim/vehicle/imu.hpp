#pragma once

#include <cstdint>
#include <string>

#include <Eigen/Core>

#include "marsim/common/random.hpp"
#include "marsim/geometry/kinematic_state.hpp"

namespace marsim::vehicle {

/// An inertial measurement unit, at a pose and rate of its own. Noise densities as in the IEEE and
/// Kalibr convention; zero switches a term off.
struct ImuConfig {
  double rate = 200.0;                  ///< [Hz]
  Pose X_BI;                            ///< mounting: IMU in body
  double gyro_noise_density = 0.0;      ///< [rad/s/sqrt(Hz)]
  double accel_noise_density = 0.0;     ///< [m/s^2/sqrt(Hz)]
  double gyro_bias_random_walk = 0.0;   ///< [rad/s^2/sqrt(Hz)]
  double accel_bias_random_walk = 0.0;  ///< [m/s^3/sqrt(Hz)]

  void validate(const std::string& where) const;
};

struct ImuSample {
  TimeNs stamp = 0;
  Eigen::Vector3d angular_velocity;  ///< [rad/s] of I in W, expressed in I
  Eigen::Vector3d specific_force;    ///< [m/s^2] in I; +g on z at rest and level (REP-145)
  Eigen::Quaterniond q_WI;           ///< true orientation
};

class Imu {
 public:
  Imu(ImuConfig config, std::uint64_t seed);
  /// The reading for a state of the body. Call once a sample: noise and bias advance by 1/rate.
  ImuSample sample(const KinematicState& state);
  const ImuConfig& config() const { return config_; }

 private:
  ImuConfig config_;
  RandomStream random_;
  Eigen::Vector3d gyro_bias_ = Eigen::Vector3d::Zero();
  Eigen::Vector3d accel_bias_ = Eigen::Vector3d::Zero();
};

}  // namespace marsim::vehicle
