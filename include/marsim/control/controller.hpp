// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

#include <Eigen/Geometry>

#include "marsim/common/rotor_array.hpp"
#include "marsim/common/settings.hpp"
#include "marsim/control/goal_path.hpp"
#include "marsim/control/mixer.hpp"
#include "marsim/control/reference.hpp"
#include "marsim/control/state_estimator.hpp"
#include "marsim/geometry/kinematic_state.hpp"

namespace marsim::control {

/// A closed loop's wanted behaviour: the poles of s^2 + 2 zeta wn s + wn^2.
struct LoopSpec {
  double natural_frequency = 1.0;  ///< [rad/s]
  double damping = 1.0;
  void declare(Settings& settings);
};

/// Limits beyond which the controller follows a reference with a warning.
struct WarningLimits {
  double reference_distance = 2.0;  ///< [m] from the vehicle to a reference that was commanded
  double tracking_error = 1.0;      ///< [m]
};

/// The control law.
enum class ControllerType {
  kCascadedPid,  ///< CascadedPid
  kGeometric,    ///< GeometricController
};

/// Measurements that a controller uses beyond pose, velocity and body rate.
struct FeedbackConfig {
  /// True accelerations of the state; CascadedPid only.
  bool accelerations = true;
  /// A model of the motors, fed with their commands: it leads slow motors. Needed for
  /// accelerations.
  bool motor_model = true;
};

/// The behaviour asked of a controller, as in a file of config/control.
struct ControllerConfig {
  ControllerType type = ControllerType::kCascadedPid;
  FeedbackConfig feedback;
  bool drag_model = true;       ///< compensates the vehicle's own drag in still air
  LoopSpec position{2.5, 0.9};  ///< horizontal and vertical position
  /// Roll and pitch; at least four times as fast as the position. What the motors can follow is
  /// checked when the controller is made.
  LoopSpec attitude{18.0, 0.9};
  LoopSpec yaw{4.0, 1.0};  ///< at most as fast as roll and pitch
  /// [1/s] rate at which the integral takes up the missing part of the commanded acceleration;
  /// without feedback of accelerations, of the velocity loop's command.
  double position_integral = 0.3;
  /// [1/s] rate of the integral of the angular acceleration; CascadedPid only.
  double attitude_integral = 0.0;
  double integral_limit = 2.0;    ///< [m/s^2] largest acceleration of the position integral
  double tilt_max = 0.7;          ///< [rad]
  double speed_max = 8.0;         ///< [m/s] of the position loop's velocity command
  double acceleration_max = 8.0;  ///< [m/s^2] horizontal, commanded
  double yaw_rate_max = 3.0;      ///< [rad/s] of the yaw loop's rate command; CascadedPid only
  double thrust_min_ratio = 0.1;  ///< of the weight; keeps attitude control in descent
  double thrust_max_ratio = 0.9;  ///< of the maximum; leaves room for attitude control
  GoalLimits goal;
  WarningLimits warn;
  EstimatorConfig estimator;  ///< for flight on estimates

  void declare(Settings& settings);
  void validate(const std::string& where) const;
  /// Whether it reads true accelerations, which no estimate has.
  bool readsAccelerations() const;
  /// Throws ConfigError where it cannot fly on an estimate.
  void requireFitForEstimates(const std::string& where) const;
};

/// A flight controller: states and references in, rotor speeds out. Call one of update(),
/// trackAttitude() and trackRates() once a state (the time between calls comes from the states'
/// stamps).
class Controller {
 public:
  virtual ~Controller() = default;

  /// Rotor speeds [rad/s] for a state and a reference.
  virtual RotorArray update(const KinematicState& state, const Reference& reference) = 0;
  /// The inner loops alone: rotor speeds [rad/s] for an attitude, a yaw rate [rad/s] about the
  /// vertical and a collective thrust [N] along body z.
  virtual RotorArray trackAttitude(const KinematicState& state,
                                   const Eigen::Quaterniond& q_WB_wanted, double yaw_rate,
                                   double thrust) = 0;
  /// The innermost loop alone: rotor speeds [rad/s] for body rates [rad/s in B] and a collective
  /// thrust [N] along body z.
  virtual RotorArray trackRates(const KinematicState& state, const Eigen::Vector3d& w_WB_B_wanted,
                                double thrust) = 0;
  /// Clears the integrals and resets the motors' model to hover speed, e.g. after a teleport.
  virtual void reset() = 0;
  /// Clears the integrals of a vehicle that stands: its support is no disturbance to compensate.
  /// Call it before the update for such a state.
  virtual void rest() = 0;
};

/// The controller that a configuration names, or that of wheels. Throws ConfigError, as its
/// constructor does.
std::unique_ptr<Controller> makeController(const ControllerConfig& config,
                                           const VehicleModel& vehicle);

}  // namespace marsim::control
