// SPDX-License-Identifier: BSD-3-Clause
#include "control/loops/actuation.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "control/loops/cascade_gains.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"

namespace marsim::control {
namespace {

using Eigen::Vector3d;

// Inner loops this much faster than the outer ones leave the specified response its shape: their
// delay is then below a tenth of the settling time.
constexpr double kMotorsToAttitude = 5.0;
// Without feedback of acceleration the motors' lag shapes the response, too: it is led further, as
// far as possible.
constexpr double kMotorsToPlainAttitude = 8.0;
// Above this the 2 ms between states and the motors' range distort small steps [rad/s].
constexpr double kHighestAttitude = 40.0;
// A longer gap between states (a pause, a lost link) counts as this much for the integrals [s].
constexpr double kLongestFilterStep = 0.1;

double slowerDirection(const VehicleModel& vehicle) {
  return std::min(vehicle.motor_natural_frequency_up, vehicle.motor_natural_frequency_down);
}

// Natural frequency of the slower direction; an overdamped motor is as slow as its lag 2 zeta/wn.
double motorFrequency(const VehicleModel& vehicle) {
  return slowerDirection(vehicle) / std::max(vehicle.motor_damping, 1.0);
}

// Thrust dynamics of the motors: their own if fast enough, else led.
LoopSpec thrustSpecOf(const ControllerConfig& config, const VehicleModel& vehicle) {
  const double motors = motorFrequency(vehicle);
  if (!config.feedback.motor_model) return {motors, std::min(vehicle.motor_damping, 1.0)};
  const double wanted = config.readsAccelerations() ? kMotorsToAttitude : kMotorsToPlainAttitude;
  const double led =
      std::min(wanted * config.attitude.natural_frequency, MotorLead::kMaxRatio * motors);
  return {std::max(led, motors), 1.0};
}

double fullThrust(const VehicleModel& vehicle) {
  return static_cast<double>(vehicle.rotors.size()) * vehicle.thrust_coefficient *
         vehicle.motor_speed_max * vehicle.motor_speed_max;
}

void validateAgainstVehicle(const ControllerConfig& config, const VehicleModel& vehicle) {
  const Validator check("controller");
  const double highest = Actuation::maxAttitudeFrequency(vehicle, config.feedback);
  check.require(config.attitude.natural_frequency <= highest, "attitude.natural_frequency",
                fmt::format("{}", config.attitude.natural_frequency),
                fmt::format("up to {:.1f} rad/s, all that this vehicle can follow{}", highest,
                            config.feedback.motor_model ? "" : " with feedback.motor_model off"));
  const double hover = vehicle.mass * kGravity / fullThrust(vehicle);
  check.require(config.thrust_max_ratio > hover, "thrust_max_ratio",
                fmt::format("{}", config.thrust_max_ratio),
                fmt::format("more than {:.3f}, which carries this vehicle's weight", hover));
}

}  // namespace

Actuation::Actuation(const ControllerConfig& config, const VehicleModel& vehicle)
    : vehicle_(vehicle),
      mixer_(vehicle),
      thrust_spec_(thrustSpecOf(config, vehicle)),
      motors_(vehicle, thrust_spec_.natural_frequency),
      motor_model_(config.feedback.motor_model),
      drag_model_(config.drag_model),
      thrust_high_(config.thrust_max_ratio * fullThrust(vehicle)),
      acceleration_max_(config.acceleration_max),
      tan_tilt_max_(std::tan(config.tilt_max)) {
  config.validate("controller");
  validateAgainstVehicle(config, vehicle);
  thrust_low_ = std::min(config.thrust_min_ratio * vehicle.mass * kGravity, thrust_high_);
  reset();
}

double Actuation::maxAttitudeFrequency(const VehicleModel& vehicle,
                                       const FeedbackConfig& feedback) {
  const double ratio =
      feedback.motor_model ? MotorLead::kMaxRatio / kMotorsToAttitude : 1.0 / kPlainRatio;
  return std::min(kHighestAttitude, ratio * motorFrequency(vehicle));
}

void Actuation::reset() {
  last_stamp_ = -1;
  motors_.reset(mixer_.speeds(vehicle_.mass * kGravity, Vector3d::Zero()));
}

double Actuation::advanceTo(TimeNs stamp) {
  const TimeNs step = last_stamp_ < 0 ? 0 : std::max<TimeNs>(0, stamp - last_stamp_);
  if (motor_model_) motors_.advance(step);
  wrench_ = mixer_.wrench(motors_.speeds());
  wrench_rate_ = mixer_.wrenchRate(motors_.speeds(), motors_.accelerations());
  last_stamp_ = stamp;
  return std::min(toSeconds(step), kLongestFilterStep);
}

AirDrag Actuation::drag(const KinematicState& state) const {
  if (!drag_model_) return {};
  const Vector3d v_B = state.X_WB.q.conjugate() * state.v_WB;
  Vector3d force_B = -vehicle_.linear_drag.cwiseProduct(v_B);
  Vector3d torque_B = Vector3d::Zero();
  for (std::size_t i = 0; i < vehicle_.rotors.size(); ++i) {
    const Vector3d& position = vehicle_.rotors[i].position;
    const Vector3d air = v_B + state.w_WB_B.cross(position);
    const double factor =
        -vehicle_.rotor_drag_coefficient * motors_.speeds()[static_cast<Eigen::Index>(i)];
    const Vector3d force = factor * Vector3d(air.x(), air.y(), 0.0);
    force_B += force;
    torque_B += position.cross(force);
  }
  return {state.X_WB.q * force_B, torque_B};
}

Vector3d Actuation::dragCoefficients() const {
  if (!drag_model_) return Vector3d::Zero();
  const double rotors = vehicle_.rotor_drag_coefficient * motors_.speeds().sum();
  return vehicle_.linear_drag + Vector3d(rotors, rotors, 0.0);
}

Vector3d Actuation::limitedForce(const Vector3d& acceleration) const {
  const double up = vehicle_.mass * (acceleration.z() + kGravity);
  Vector3d force;
  force.z() = limitedThrust(up);
  const double across = std::min({vehicle_.mass * acceleration_max_, force.z() * tan_tilt_max_,
                                  std::sqrt(thrust_high_ * thrust_high_ - force.z() * force.z())});
  force.head<2>() = vehicle_.mass * acceleration.head<2>();
  const double norm = force.head<2>().norm();
  if (norm > across) force.head<2>() *= across / norm;
  return force;
}

double Actuation::limitedThrust(double thrust) const {
  return std::min(std::max(thrust, thrust_low_), thrust_high_);
}

RotorArray Actuation::command(const RotorArray& speeds) {
  if (motor_model_) return motors_.commandTowards(speeds);
  motors_.reset(speeds);
  return speeds;
}

}  // namespace marsim::control
