// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <Eigen/Core>

#include "marsim/common/random.hpp"
#include "marsim/common/settings.hpp"
#include "marsim/geometry/kinematic_state.hpp"

namespace marsim::vehicle {

/// Errors of three gyroscopes or three accelerometers; the unit u is rad/s or m/s^2. A reading is
///     quantised(limited((1 + scale) (truth + misalignment x truth + g_sensitivity f) + bias
///                       + white noise))
/// with bias = turn-on bias + random walk + Gauss-Markov process. Densities are as in IEEE 952-1997
/// and Kalibr. Zero switches a term off.
struct InertialErrors {
  double noise_density = 0.0;  ///< [u/sqrt(Hz)] N: white noise of N/sqrt(dt) a sample
  double random_walk = 0.0;    ///< [u/s/sqrt(Hz)] K: the bias takes steps of K sqrt(dt)
  /// First-order Gauss-Markov process ("bias instability"): steady-state standard deviation [u] and
  /// correlation time [s]. It is stationary from the first sample on.
  double gauss_markov_sigma = 0.0;
  double gauss_markov_time = 0.0;
  double turn_on_bias = 0.0;  ///< [u] standard deviation of a constant drawn once
  Eigen::Vector3d scale = Eigen::Vector3d::Zero();         ///< fraction, 0.01: 1 % too much
  Eigen::Vector3d misalignment = Eigen::Vector3d::Zero();  ///< [rad] small turn of the axes
  double g_sensitivity = 0.0;  ///< gyroscopes: [rad/s/(m/s^2)] of the specific force on each axis
  double range = 0.0;          ///< [u] readings end at +-range; 0: no end
  double resolution = 0.0;     ///< [u] readings are multiples of it; 0: any value

  void declare(Settings& settings, const std::string& u);
};

/// An inertial measurement unit, at a pose and rate of its own.
struct ImuConfig {
  double rate = 200.0;             ///< [Hz]
  Pose X_BI;                       ///< mounting: IMU in body
  InertialErrors gyroscope;        ///< u = rad/s
  InertialErrors accelerometer;    ///< u = m/s^2
  double orientation_noise = 0.0;  ///< [rad] standard deviation, each axis, of the orientation

  void declare(Settings& settings);
  void validate(const std::string& where) const;
};

/// Numbers of changes of a body's motion that its accelerations do not contain.
struct MotionBreaks {
  std::uint64_t contacts = 0;    ///< by impulses or by support: an IMU feels them
  std::uint64_t placements = 0;  ///< teleports: an IMU feels nothing
};

/// One reading of an IMU.
struct ImuSample {
  TimeNs stamp = 0;
  Eigen::Vector3d angular_velocity;  ///< [rad/s] of I in W, expressed in I
  Eigen::Vector3d specific_force;    ///< [m/s^2] in I; +g on z at rest and level (REP-145)
  Eigen::Quaterniond q_WI;           ///< orientation, with its noise
};

/// The errors of one triad, sample after sample.
class InertialTriad {
 public:
  /// Draws from streams of the seed that begin with `name`. Each term has its own stream, so that
  /// switching one on leaves the others unchanged.
  InertialTriad(InertialErrors errors, double rate, std::uint64_t seed, const std::string& name);

  /// The reading of a true value [u]; `force` [m/s^2] is for g_sensitivity. Time advances by
  /// 1/rate.
  Eigen::Vector3d measure(const Eigen::Vector3d& truth, const Eigen::Vector3d& force);
  /// The bias of the next reading [u].
  Eigen::Vector3d bias() const { return turn_on_ + walk_ + gauss_markov_; }
  const InertialErrors& errors() const { return errors_; }

 private:
  void advanceBias();

  InertialErrors errors_;
  double white_sigma_, walk_sigma_;             // a sample
  double decay_ = 0.0, gauss_markov_step_ = 0;  // a sample
  RandomStream white_random_, walk_random_, gauss_markov_random_;
  Eigen::Vector3d turn_on_ = Eigen::Vector3d::Zero();
  Eigen::Vector3d walk_ = Eigen::Vector3d::Zero();
  Eigen::Vector3d gauss_markov_ = Eigen::Vector3d::Zero();
};

/// An IMU on a body. It reads the body's rate and the specific force at its own place at the
/// instant of the state. If a contact has changed the motion since the last sample, the reading
/// includes that change as its mean over the time since then: the turn and the change of velocity
/// of the IMU's place between the two states, lever arm included, less the part that the readings
/// of the two instants account for. Summed readings (each by itself or by the trapezoidal rule,
/// turned by the attitude at their stamps) thus give the true change of velocity and attitude
/// through any impact.
class Imu {
 public:
  Imu(ImuConfig config, std::uint64_t seed);
  /// The reading for a state of the body. Call once a sample: noise and bias advance by 1/rate.
  /// `breaks` are those of the body's motion until the state (Quadrotor::breaks).
  ImuSample sample(const KinematicState& state, const MotionBreaks& breaks = {});
  const ImuConfig& config() const { return config_; }
  const InertialTriad& gyroscope() const { return gyroscope_; }
  const InertialTriad& accelerometer() const { return accelerometer_; }

 private:
  // A reading without errors, in I.
  struct Reading {
    Eigen::Vector3d rate, force;
  };
  struct Sampled {
    KinematicState state;
    MotionBreaks breaks;
    Reading instant;
    bool is_held;  // by contacts, since the sample before
  };
  Reading instantAt(const KinematicState& state) const;
  Reading lackingSince(const Sampled& last, const KinematicState& state,
                       const Reading& instant) const;

  ImuConfig config_;
  InertialTriad gyroscope_, accelerometer_;
  RandomStream orientation_random_;
  std::optional<Sampled> last_;
};

}  // namespace marsim::vehicle
