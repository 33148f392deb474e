// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>

#include <Eigen/Geometry>

#include "marsim/common/rotor_array.hpp"
#include "marsim/geometry/kinematic_state.hpp"
#include "marsim/vehicle/vehicle_config.hpp"

namespace marsim::vehicle {

using marsim::RotorArray;

/// The body of a vehicle and its motors: motor speeds in, motion out, at fixed steps.
class Platform {
 public:
  virtual ~Platform() = default;

  /// Places it at rest.
  virtual void reset(const Eigen::Vector3d& p_WB, double yaw, TimeNs stamp = 0) = 0;
  /// Ends all motion at a pose on the ground.
  virtual void standAt(const Pose& X_WB) = 0;
  /// Commanded motor speeds [rad/s], clamped to the motors' range; held until the next call. Throws
  /// ConfigError unless there is one for each motor.
  virtual void command(const RotorArray& speeds) = 0;
  /// Weakens a motor from now on to a share (0 to 1) of its effect.
  virtual void setEffectiveness(int motor, double share) = 0;
  /// Cuts the motors: their commanded speed is 0, whatever is commanded, until reset().
  virtual void stopMotors() = 0;
  /// Sets the velocity [m/s] in W of the surrounding air during the coming steps.
  virtual void setWind(const Eigen::Vector3d&) {}
  /// Advances by dt [ns].
  virtual void step(TimeNs dt) = 0;
  /// Sets a prescribed motion, in place of a step; the motors have no part in it.
  virtual void follow(const KinematicState& state, bool on_ground = false) = 0;
  /// Sets the motion after a contact: a pose, v_WB [m/s in W] and w_WB_B [rad/s in B]. Motors and
  /// commands stay.
  virtual void leaveContact(const Pose& X_WB, const Eigen::Vector3d& v_WB,
                            const Eigen::Vector3d& w_WB_B) = 0;
  /// Sets the state's accelerations [m/s^2 in W, rad/s^2 in B] until the next step, for contacts
  /// that hold the vehicle against its forces.
  virtual void setSupported(const Eigen::Vector3d& a_WB, const Eigen::Vector3d& dw_WB_B) = 0;
  /// Whether its thrust exceeds its weight, as far as it points upwards.
  virtual bool liftsOff() const = 0;
  virtual RotorArray motorSpeeds() const = 0;    ///< [rad/s]
  virtual RotorArray motorCommands() const = 0;  ///< [rad/s]

  /// The motion at the last step; the accelerations are the derivatives at that instant. An impact
  /// is a jump of the velocities and no acceleration.
  const KinematicState& state() const { return state_; }
  const MotionBreaks& breaks() const { return breaks_; }
  /// Whether it stands on the ground, or rolls on it.
  bool onGround() const { return on_ground_; }
  bool motorsStopped() const { return motors_stopped_; }
  const VehicleConfig& config() const { return config_; }
  int motorCount() const { return config_.motorCount(); }

 protected:
  /// Throws ConfigError.
  explicit Platform(VehicleConfig config);
  Platform(const Platform&) = default;
  Platform& operator=(const Platform&) = default;
  /// Throws ConfigError unless there is a speed for each motor.
  void requireCount(const RotorArray& speeds) const;

  VehicleConfig config_;
  KinematicState state_;
  MotionBreaks breaks_;
  bool on_ground_ = false;
  bool motors_stopped_ = false;
};

}  // namespace marsim::vehicle
