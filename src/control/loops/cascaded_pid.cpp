// SPDX-License-Identifier: BSD-3-Clause
#include "control/loops/cascaded_pid.hpp"

#include <algorithm>
#include <cmath>

#include "control/loops/clamped_norm.hpp"
#include "control/loops/geometric.hpp"
#include "control/loops/held_integral.hpp"
#include "marsim/common/units.hpp"

namespace marsim::control {
namespace {

using Eigen::Vector3d;

// [rad/s] of the attitude loop's rate command about x and y. Without a limit large errors command
// rates that the motors cannot stop in time: a Hummingbird with agile.yaml then swings to and fro
// at full thrust and never recovers.
constexpr double kTiltRateMax = 10.0;

CascadeGains gainsOf(const ControllerConfig& config, const LoopSpec& outer, const LoopSpec& inner) {
  return config.feedback.accelerations ? cascadeGains(outer, inner)
                                       : plainCascadeGains(outer, inner);
}

// Rotation vector in B [rad] from an attitude to the wanted one, in two parts: the shortest turn
// that aligns the thrust axis (x, y), then the heading (z). A large error of heading thus leaves
// the tilt alone (Brescianini, Hehn, D'Andrea, ETH Zurich 2013).
Vector3d attitudeError(const Eigen::Quaterniond& q_WB, const Eigen::Quaterniond& q_WB_wanted) {
  const Vector3d z_B = q_WB.conjugate() * (q_WB_wanted * Vector3d::UnitZ());
  const double sine = std::hypot(z_B.x(), z_B.y());
  const double angle = std::atan2(sine, z_B.z());
  Vector3d tilt = Vector3d::Zero();
  if (sine > 1e-12) {
    tilt = Vector3d(-z_B.y(), z_B.x(), 0.0) * (angle / sine);
  } else if (z_B.z() < 0.0) {
    tilt.x() = kPi;  // upside down: any horizontal axis is as short
  }
  const Vector3d heading = logMap((q_WB * expMap(tilt)).conjugate() * q_WB_wanted);
  return {tilt.x(), tilt.y(), heading.z()};
}

// Moves the integral towards the difference between commanded and actual acceleration.
void observe(Vector3d& integral, double rate, double dt, const Vector3d& commanded,
             const Vector3d& actual) {
  integral += std::min(rate * dt, 1.0) * (commanded - integral - actual);
}

}  // namespace

CascadedPid::CascadedPid(const ControllerConfig& config, const VehicleModel& vehicle)
    : config_(config),
      vehicle_(vehicle),
      actuation_(config, vehicle),
      horizontal_(gainsOf(config, config.position, config.attitude)),
      vertical_(gainsOf(config, config.position, actuation_.thrustSpec())),
      tilt_(gainsOf(config, config.attitude, actuation_.thrustSpec())),
      yaw_(gainsOf(config, config.yaw, actuation_.thrustSpec())),
      cos_tilt_max_(std::cos(config.tilt_max)),
      horizontal_lag_(1.0 / tilt_.outer),
      vertical_lag_(2.0 * actuation_.thrustSpec().damping /
                    actuation_.thrustSpec().natural_frequency) {}

void CascadedPid::rest() {
  position_integral_.setZero();
  attitude_integral_.setZero();
}

void CascadedPid::reset() {
  rest();
  actuation_.reset();
}

RotorArray CascadedPid::update(const KinematicState& state, const Reference& reference) {
  dt_ = actuation_.advanceTo(state.stamp);
  const AirDrag drag = actuation_.drag(state);
  const Vector3d drag_W = drag.force_W / vehicle_.mass;
  const Vector3d wanted = accelerationCommand(state, reference) + position_integral_ - drag_W;
  const Vector3d force_W = actuation_.limitedForce(wanted);
  const Vector3d given = force_W / vehicle_.mass - Vector3d(0.0, 0.0, kGravity);
  integratePosition(state, wanted + drag_W, given + drag_W);

  const Vector3d z_B = state.X_WB.q * Vector3d::UnitZ();
  return attitudeLoop(state, attitudeOf(force_W.normalized(), reference.yaw), reference.yaw_rate,
                      collectiveThrust(force_W, z_B), drag.torque_B);
}

RotorArray CascadedPid::trackAttitude(const KinematicState& state,
                                      const Eigen::Quaterniond& q_WB_wanted, double yaw_rate,
                                      double thrust) {
  dt_ = actuation_.advanceTo(state.stamp);
  return attitudeLoop(state, q_WB_wanted, yaw_rate, thrust, actuation_.drag(state).torque_B);
}

RotorArray CascadedPid::trackRates(const KinematicState& state, const Vector3d& w_WB_B_wanted,
                                   double thrust) {
  dt_ = actuation_.advanceTo(state.stamp);
  return rateLoop(state, w_WB_B_wanted, thrust, actuation_.drag(state).torque_B);
}

// Position and velocity loop [m/s^2] in W, without integral and limits.
Vector3d CascadedPid::accelerationCommand(const KinematicState& state, const Reference& reference) {
  const Vector3d outer(horizontal_.outer, horizontal_.outer, vertical_.outer);
  const Vector3d rate(horizontal_.rate, horizontal_.rate, vertical_.rate);
  const Vector3d lag(horizontal_lag_, horizontal_lag_, vertical_lag_);

  const Vector3d position_error = reference.p_WB - state.X_WB.p;
  const Vector3d velocity_command =
      clampedNorm(reference.v_WB + outer.cwiseProduct(position_error), config_.speed_max);
  velocity_feedback_ = rate.cwiseProduct(velocity_command - state.v_WB);
  const Vector3d command = reference.a_WB + lag.cwiseProduct(reference.j_WB) + velocity_feedback_;
  if (!config_.feedback.accelerations) return command;

  // Jerk of the thrust vector: from the attitude's turning and from the motors' spinning up.
  const Vector3d turning = state.w_WB_B.cross(Vector3d::UnitZ()) * actuation_.wrench()[0];
  const Vector3d spinning = Vector3d::UnitZ() * actuation_.wrenchRate()[0];
  const Vector3d jerk = state.X_WB.q * (turning + spinning) / vehicle_.mass;
  const Vector3d acceleration(horizontal_.acceleration, horizontal_.acceleration,
                              vertical_.acceleration);
  const Vector3d jerk_gain(horizontal_.jerk, horizontal_.jerk, vertical_.jerk);
  return command + acceleration.cwiseProduct(reference.a_WB - state.a_WB) +
         jerk_gain.cwiseProduct(reference.j_WB - jerk);
}

void CascadedPid::integratePosition(const KinematicState& state, const Vector3d& wanted,
                                    const Vector3d& given) {
  if (config_.feedback.accelerations) {
    observe(position_integral_, config_.position_integral, dt_, given, state.a_WB);
  } else {
    position_integral_ = heldIntegral(
        position_integral_, config_.position_integral * dt_ * velocity_feedback_, wanted, given);
  }
  position_integral_ = clampedNorm(position_integral_, config_.integral_limit);
}

// Thrust along the present body z [N] whose vertical part is the wanted one, so that a tilt not yet
// reached costs no height.
double CascadedPid::collectiveThrust(const Vector3d& force_W, const Vector3d& z_B) const {
  const double thrust =
      z_B.z() >= cos_tilt_max_ ? force_W.z() / z_B.z() : std::max(0.0, force_W.dot(z_B));
  return actuation_.limitedThrust(thrust);
}

RotorArray CascadedPid::attitudeLoop(const KinematicState& state,
                                     const Eigen::Quaterniond& q_WB_wanted, double yaw_rate,
                                     double thrust, const Vector3d& drag_torque_B) {
  const Vector3d outer(tilt_.outer, tilt_.outer, yaw_.outer);
  Vector3d w_command = outer.cwiseProduct(attitudeError(state.X_WB.q, q_WB_wanted));
  w_command.head<2>() = clampedNorm({w_command.x(), w_command.y(), 0.0}, kTiltRateMax).head<2>();
  w_command += state.X_WB.q.conjugate() * Vector3d(0.0, 0.0, yaw_rate);
  w_command.z() = std::min(std::max(w_command.z(), -config_.yaw_rate_max), config_.yaw_rate_max);
  return rateLoop(state, w_command, thrust, drag_torque_B);
}

RotorArray CascadedPid::rateLoop(const KinematicState& state, const Vector3d& w_command,
                                 double thrust, const Vector3d& drag_torque_B) {
  const Vector3d& w = state.w_WB_B;
  const Vector3d rate(tilt_.rate, tilt_.rate, yaw_.rate);
  rate_feedback_ = rate.cwiseProduct(w_command - w);
  Vector3d wanted = rate_feedback_ + attitude_integral_;
  if (config_.feedback.accelerations) {
    const Vector3d jerk = actuation_.wrenchRate().tail<3>().cwiseQuotient(vehicle_.inertia);
    const Vector3d acceleration(tilt_.acceleration, tilt_.acceleration, yaw_.acceleration);
    const Vector3d jerk_gain(tilt_.jerk, tilt_.jerk, yaw_.jerk);
    wanted -= acceleration.cwiseProduct(state.dw_WB_B) + jerk_gain.cwiseProduct(jerk);
  }
  // The torque that the rotors must give beyond the angular acceleration.
  const Vector3d opposing = w.cross(vehicle_.inertia.cwiseProduct(w)) - drag_torque_B;
  const Vector3d torque_B = vehicle_.inertia.cwiseProduct(wanted) + opposing;
  const RotorArray speeds = actuation_.mixer().speeds(thrust, torque_B);

  // The integral sees the torque after the mixer's limits, not the wanted one.
  const Vector3d mixed = actuation_.mixer().wrench(speeds).tail<3>();
  integrateAttitude(state, wanted, (mixed - opposing).cwiseQuotient(vehicle_.inertia));
  return actuation_.command(speeds);
}

void CascadedPid::integrateAttitude(const KinematicState& state, const Vector3d& asked,
                                    const Vector3d& given) {
  if (config_.feedback.accelerations) {
    observe(attitude_integral_, config_.attitude_integral, dt_, given, state.dw_WB_B);
  } else {
    attitude_integral_ = heldIntegral(
        attitude_integral_, config_.attitude_integral * dt_ * rate_feedback_, asked, given);
  }
}

}  // namespace marsim::control
