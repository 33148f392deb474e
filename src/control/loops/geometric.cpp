// SPDX-License-Identifier: BSD-3-Clause
#include "control/loops/geometric.hpp"

#include <cmath>

#include "control/loops/cascade_gains.hpp"
#include "control/loops/clamped_norm.hpp"
#include "control/loops/held_integral.hpp"
#include "marsim/common/units.hpp"

namespace marsim::control {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

/// A vector and its first two derivatives by time.
struct Moving {
  Vector3d value, rate, acceleration;
};

Moving normalized(const Moving& v) {
  const double norm = v.value.norm();
  Moving unit;
  unit.value = v.value / norm;
  const double norm_rate = unit.value.dot(v.rate);
  unit.rate = (v.rate - unit.value * norm_rate) / norm;
  const double norm_acceleration = unit.rate.dot(v.rate) + unit.value.dot(v.acceleration);
  unit.acceleration =
      (v.acceleration - 2.0 * unit.rate * norm_rate - unit.value * norm_acceleration) / norm;
  return unit;
}

Moving cross(const Moving& a, const Moving& b) {
  return {
      a.value.cross(b.value), a.rate.cross(b.value) + a.value.cross(b.rate),
      a.acceleration.cross(b.value) + 2.0 * a.rate.cross(b.rate) + a.value.cross(b.acceleration)};
}

// A level heading, turning.
Moving headingOf(double yaw, double yaw_rate) {
  const Vector3d ahead(std::cos(yaw), std::sin(yaw), 0.0), left(-ahead.y(), ahead.x(), 0.0);
  return {ahead, yaw_rate * left, -yaw_rate * yaw_rate * ahead};
}

// h z_z - e_z (h . z): at right angles to z, above or below the heading h. It is (e_z x h) x z.
Moving levelled(const Moving& z, const Moving& heading) {
  const auto turned = [](const Vector3d& v) { return Vector3d(-v.y(), v.x(), 0.0); };
  return cross({turned(heading.value), turned(heading.rate), turned(heading.acceleration)}, z);
}

Matrix3d hat(const Vector3d& v) {
  Matrix3d m;
  m << 0.0, -v.z(), v.y(), v.z(), 0.0, -v.x(), -v.y(), v.x(), 0.0;
  return m;
}

Vector3d vee(const Matrix3d& m) {
  return 0.5 * Vector3d(m(2, 1) - m(1, 2), m(0, 2) - m(2, 0), m(1, 0) - m(0, 1));
}

}  // namespace

Eigen::Quaterniond attitudeOf(const Vector3d& z_W, double yaw) {
  const Vector3d heading(std::cos(yaw), std::sin(yaw), 0.0);
  Matrix3d R;
  R.col(2) = z_W;
  R.col(0) = (heading * z_W.z() - Vector3d::UnitZ() * heading.dot(z_W)).normalized();
  R.col(1) = R.col(2).cross(R.col(0));
  return Eigen::Quaterniond(R);
}

AttitudeMotion attitudeMotion(const ForceMotion& force, double yaw, double yaw_rate) {
  const Moving z = normalized({force.force, force.rate, force.acceleration});
  const Moving x = normalized(levelled(z, headingOf(yaw, yaw_rate)));
  const Moving y = cross(z, x);
  Matrix3d R, dR, ddR;
  R << x.value, y.value, z.value;
  dR << x.rate, y.rate, z.rate;
  ddR << x.acceleration, y.acceleration, z.acceleration;
  AttitudeMotion motion;
  motion.R_WD = R;
  motion.w_WD_D = vee(R.transpose() * dR);
  motion.dw_WD_D = vee(R.transpose() * ddR);  // the symmetric part is the square of the rate
  return motion;
}

Vector3d geometricTorque(const TorqueGains& gains, const Vector3d& inertia, const Matrix3d& R_WB,
                         const Vector3d& w_WB_B, const AttitudeMotion& wanted) {
  const Matrix3d R_BD = R_WB.transpose() * wanted.R_WD;
  const Vector3d attitude_error = vee(R_BD.transpose());
  const Vector3d wanted_rate = R_BD * wanted.w_WD_D;
  const Vector3d rate_error = w_WB_B - wanted_rate;
  const Vector3d turning = R_BD * wanted.dw_WD_D - hat(w_WB_B) * wanted_rate;
  return -gains.attitude.cwiseProduct(attitude_error) - gains.rate.cwiseProduct(rate_error) +
         w_WB_B.cross(inertia.cwiseProduct(w_WB_B)) + inertia.cwiseProduct(turning);
}

GeometricController::GeometricController(const ControllerConfig& config,
                                         const VehicleModel& vehicle)
    : config_(config),
      vehicle_(vehicle),
      actuation_(config, vehicle),
      position_gain_(config.position.natural_frequency * config.position.natural_frequency),
      velocity_gain_(2.0 * config.position.damping * config.position.natural_frequency) {
  const CascadeGains tilt = plainCascadeGains(config.attitude, actuation_.thrustSpec());
  const CascadeGains yaw = plainCascadeGains(config.yaw, actuation_.thrustSpec());
  gains_.rate = vehicle.inertia.cwiseProduct(Vector3d(tilt.rate, tilt.rate, yaw.rate));
  gains_.attitude = gains_.rate.cwiseProduct(Vector3d(tilt.outer, tilt.outer, yaw.outer));
}

void GeometricController::rest() { integral_.setZero(); }

void GeometricController::reset() {
  rest();
  actuation_.reset();
}

RotorArray GeometricController::update(const KinematicState& state, const Reference& reference) {
  const double dt = actuation_.advanceTo(state.stamp);
  const ForceMotion force = wantedForce(state, reference, dt);
  const AttitudeMotion wanted = attitudeMotion(force, reference.yaw, reference.yaw_rate);
  const Matrix3d R_WB = state.X_WB.q.toRotationMatrix();
  const Vector3d torque_B = geometricTorque(gains_, vehicle_.inertia, R_WB, state.w_WB_B, wanted);
  return command(force.force.dot(R_WB.col(2)), torque_B - actuation_.drag(state).torque_B);
}

RotorArray GeometricController::trackAttitude(const KinematicState& state,
                                              const Eigen::Quaterniond& q_WB_wanted,
                                              double yaw_rate, double thrust) {
  actuation_.advanceTo(state.stamp);
  AttitudeMotion wanted;
  wanted.R_WD = q_WB_wanted.toRotationMatrix();
  wanted.w_WD_D = wanted.R_WD.transpose() * Vector3d(0.0, 0.0, yaw_rate);
  const Vector3d torque_B = geometricTorque(gains_, vehicle_.inertia,
                                            state.X_WB.q.toRotationMatrix(), state.w_WB_B, wanted);
  return command(thrust, torque_B - actuation_.drag(state).torque_B);
}

RotorArray GeometricController::trackRates(const KinematicState& state,
                                           const Vector3d& w_WB_B_wanted, double thrust) {
  actuation_.advanceTo(state.stamp);
  AttitudeMotion wanted;
  wanted.R_WD = state.X_WB.q.toRotationMatrix();
  wanted.w_WD_D = w_WB_B_wanted;
  wanted.dw_WD_D = state.w_WB_B.cross(w_WB_B_wanted);  // the rates are steady in B
  const Vector3d torque_B =
      geometricTorque(gains_, vehicle_.inertia, wanted.R_WD, state.w_WB_B, wanted);
  return command(thrust, torque_B - actuation_.drag(state).torque_B);
}

// Position and velocity loop, limits and integral.
ForceMotion GeometricController::wantedForce(const KinematicState& state,
                                             const Reference& reference, double dt) {
  const AirDrag drag = actuation_.drag(state);
  const Vector3d drag_W = drag.force_W / vehicle_.mass;
  const Vector3d velocity_command = clampedNorm(
      reference.v_WB + position_gain_ / velocity_gain_ * (reference.p_WB - state.X_WB.p),
      config_.speed_max);
  const Vector3d feedback = velocity_gain_ * (velocity_command - state.v_WB);
  const Vector3d wanted = reference.a_WB + feedback + integral_ - drag_W;

  ForceMotion force;
  force.force = actuation_.limitedForce(wanted);
  const Vector3d given = force.force / vehicle_.mass - Vector3d(0.0, 0.0, kGravity);
  integral_ =
      clampedNorm(heldIntegral(integral_, config_.position_integral * dt * feedback, wanted, given),
                  config_.integral_limit);
  // At a limit the force does not follow the wanted one.
  if ((wanted - given).norm() > 1e-9 * (1.0 + wanted.norm())) return force;
  const ForceMotion motion = steered(state, reference, drag);
  force.rate = motion.rate;
  force.acceleration = motion.acceleration;
  return force;
}

// Rate of the wanted force while the vehicle moves as its model says.
ForceMotion GeometricController::steered(const KinematicState& state, const Reference& reference,
                                         const AirDrag& drag) const {
  const double mass = vehicle_.mass;
  const Matrix3d R_WB = state.X_WB.q.toRotationMatrix();
  const double thrust = actuation_.wrench()[0], thrust_rate = actuation_.wrenchRate()[0];
  const Vector3d a_WB =
      (R_WB.col(2) * thrust + drag.force_W) / mass - integral_ - Vector3d(0.0, 0.0, kGravity);
  // The drag R D R^T v turns with the body and grows with the velocity.
  const Matrix3d D = actuation_.dragCoefficients().asDiagonal();
  const Matrix3d w = hat(state.w_WB_B);
  const Vector3d v_B = R_WB.transpose() * state.v_WB;
  const Vector3d drag_rate =
      -R_WB * ((w * D - D * w) * v_B + D * (R_WB.transpose() * reference.a_WB));
  const Vector3d turning = state.w_WB_B.cross(Vector3d::UnitZ()) * thrust;
  const Vector3d j_WB = (R_WB * (turning + Vector3d::UnitZ() * thrust_rate) + drag_rate) / mass;

  const Vector3d velocity_error = reference.v_WB - state.v_WB;
  const Vector3d acceleration_error = reference.a_WB - a_WB;
  ForceMotion motion;
  motion.rate = mass * (reference.j_WB + position_gain_ * velocity_error +
                        velocity_gain_ * acceleration_error) -
                drag_rate;
  motion.acceleration =
      mass * (position_gain_ * acceleration_error + velocity_gain_ * (reference.j_WB - j_WB));
  return motion;
}

RotorArray GeometricController::command(double thrust, const Vector3d& torque_B) {
  return actuation_.command(actuation_.mixer().speeds(actuation_.limitedThrust(thrust), torque_B));
}

}  // namespace marsim::control
