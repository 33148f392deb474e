// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <deque>
#include <string>

#include <Eigen/Geometry>

#include "marsim/common/settings.hpp"
#include "marsim/geometry/kinematic_state.hpp"
#include "marsim/geometry/pose_track.hpp"

namespace marsim::control {

/// How much a state estimator trusts its inputs, and when it no longer trusts an estimate; the key
/// `estimator` of a controller's file.
struct EstimatorConfig {
  double position_noise = 0.01;      ///< [m] of an estimate's position, each axis, 1 sigma
  double attitude_noise = 0.01;      ///< [rad] of an estimate's attitude, each axis, 1 sigma
  double acceleration_noise = 0.03;  ///< [m/s^2/sqrt(Hz)] of the IMU's acceleration in W
  /// [m/s^3/sqrt(Hz)] of its slow errors: accelerometer bias and tilt error.
  double acceleration_drift = 0.03;
  double rate_noise = 0.002;   ///< [rad/s/sqrt(Hz)] of the gyroscopes
  double rate_drift = 0.0005;  ///< [rad/s^2/sqrt(Hz)] of their bias
  double largest_jump = 0.5;   ///< [m] from the prediction; an estimate beyond is not used
  double largest_turn = 0.5;   ///< [rad] from the predicted attitude, likewise
  double timeout = 0.5;        ///< [s] without a usable estimate after which the vehicle holds
  double land_after = 2.0;     ///< [s] of holding after which it lands

  void declare(Settings& settings);
  void validate(const std::string& where) const { checkSettings(where, *this); }
};

/// A reading of an IMU, turned into the body frame and moved to its origin.
struct InertialReading {
  TimeNs stamp = 0;
  Eigen::Vector3d w_WB_B = Eigen::Vector3d::Zero();  ///< [rad/s]
  Eigen::Vector3d f_B = Eigen::Vector3d::Zero();     ///< [m/s^2] specific force
};

/// An estimator of a body's motion from an IMU and from poses that come late and seldom, as those
/// of LiDAR-inertial odometry do. Two Kalman filters with errors alike on all axes: one of
/// position, velocity and acceleration error in W, one of attitude and gyroscope bias in B. A pose
/// corrects the state of its own stamp; the IMU's readings since then are applied again.
class StateEstimator {
 public:
  explicit StateEstimator(const EstimatorConfig& config) : config_(config) {}

  /// Starts at a known motion; body rate and acceleration are held until the first reading.
  void reset(const KinematicState& state);
  bool begun() const { return !steps_.empty(); }
  /// Propagates to a reading, newer than the last; an older one is ignored.
  void propagate(const InertialReading& reading);
  enum class Verdict {
    kUsed,
    kJumped,   ///< too far from the prediction
    kTooLate,  ///< older than kMemory, or than the one before
    kTooNew,   ///< newer than the last reading by more than kAhead
  };
  Verdict correct(const StampedPose& pose);
  /// The distance [m] of the last pose given to correct() from its prediction.
  double residual() const { return residual_; }
  /// Pose, velocity and body rate at an instant; the last reading is held for at most kAhead.
  /// Accelerations are zero: they are not measured.
  KinematicState at(TimeNs stamp) const;

  /// The farthest back that a pose may lie [ns].
  static constexpr TimeNs kMemory = kNsPerSecond;
  static constexpr TimeNs kAhead = kNsPerSecond / 20;

 private:
  /// The state after a reading.
  struct Step {
    InertialReading reading;
    Eigen::Vector3d p_WB, v_WB, error_W;  ///< [m], [m/s], [m/s^2] added to the IMU's acceleration
    Eigen::Quaterniond q_WB;
    Eigen::Vector3d bias_B;        ///< [rad/s] of the gyroscopes
    Eigen::Matrix3d motion_cov;    ///< of position, velocity, acceleration error, of each axis
    Eigen::Matrix2d attitude_cov;  ///< of angle and bias, of each axis
  };
  Step after(const Step& before, const InertialReading& reading) const;
  void correct(Step& step, const Eigen::Vector3d& p_error_W, const Eigen::Vector3d& angle_B) const;

  EstimatorConfig config_;
  std::deque<Step> steps_;
  TimeNs corrected_at_ = -1;  ///< stamp of the last pose that was used
  double residual_ = 0.0;
};

}  // namespace marsim::control
