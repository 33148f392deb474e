// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/vehicle/quadrotor.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <Eigen/LU>

#include "marsim/common/units.hpp"
#include "vehicle/dynamics.hpp"

namespace marsim::vehicle {
namespace {

using Eigen::Vector3d;

/// Feet nearer to the ground than this at reset() stand on it [m].
constexpr double kStandingBelow = 0.01;

RotorColumns columnsOf(const RotorArray& rotors) {
  RotorColumns columns = RotorColumns::Zero();
  std::copy(rotors.data(), rotors.data() + rotors.size(), columns.data());
  return columns;
}

}  // namespace

Airframe::Airframe(const VehicleConfig& config)
    : columns(config.rotors.size() > 4 ? 2 : 1),
      inverse_mass(1.0 / config.totalMass()),
      inverse_moments(config.inertia.cwiseInverse()),
      has_more(config.payload.mass > 0.0 || config.ground_effect ||
               !config.parasitic_drag.isZero()),
      centre_of_mass(config.centreOfMass()),
      inertia(config.totalInertia()),
      inverse_inertia(inertia.inverse()) {
  for (std::size_t i = 0; i < config.rotors.size(); ++i) {
    const RotorConfig& rotor = config.rotors[i];
    x.data()[i] = rotor.position.x();
    y.data()[i] = rotor.position.y();
    z.data()[i] = rotor.position.z();
    reaction.data()[i] = rotor.spin * config.torque_coefficient;
  }
}

Quadrotor::Quadrotor(VehicleConfig config) : Platform(std::move(config)), airframe_(config_) {
  reset(Vector3d::Zero(), 0.0);
}

void Quadrotor::reset(const Vector3d& p_WB, double yaw, TimeNs stamp) {
  state_ = KinematicState{};
  state_.stamp = stamp;
  motors_stopped_ = false;
  state_.X_WB = {fromRollPitchYaw(0.0, 0.0, yaw), p_WB};
  ++breaks_.placements;
  on_ground_ = p_WB.z() - config_.ground_clearance < ground_z_ + kStandingBelow;
  if (on_ground_) state_.X_WB.p.z() = ground_z_ + config_.ground_clearance;
  commands_.setZero();
  if (!on_ground_) commands_ = columnsOf(config_.hoverSpeeds());
  motors_ = {commands_, RotorColumns::Zero()};
  obeyCommands();
  updateAccelerations();
}

void Quadrotor::setGround(double ground_z) { ground_z_ = ground_z; }

void Quadrotor::standAt(const Pose& X_WB) {
  state_.X_WB = X_WB;
  on_ground_ = true;
  state_.v_WB.setZero();
  state_.w_WB_B.setZero();
  ++breaks_.contacts;
  updateAccelerations();
}

void Quadrotor::command(const RotorArray& speeds) {
  requireCount(speeds);
  if (motors_stopped_) return;
  commands_ = columnsOf(speeds.max(config_.motor.speed_min).min(config_.motor.speed_max));
  obeyCommands();
}

void Quadrotor::setEffectiveness(int rotor, double share) {
  speed_shares_.data()[rotor] = std::sqrt(share);
  obeyCommands();
}

// Targets of the motors: weak motors and an empty battery reach less than the commands.
void Quadrotor::obeyCommands() {
  obeyed_ = commands_ * speed_shares_;
  if (config_.battery.sag < 1.0) {
    const double share = config_.battery.shareAt(toSeconds(state_.stamp));
    obeyed_ = obeyed_.min(share * config_.motor.speed_max);
  }
}

void Quadrotor::stopMotors() {
  motors_stopped_ = true;
  commands_.setZero();
  obeyCommands();
}

void Quadrotor::setWind(const Vector3d& wind_W) {
  if (wind_W == wind_W_) return;
  wind_W_ = wind_W;
  unheld_.reset();
}

void Quadrotor::setExternalWrench(const Vector3d& force_W, const Vector3d& torque_B) {
  external_force_W_ = force_W;
  external_torque_B_ = torque_B;
  unheld_.reset();
}

void Quadrotor::setMotion(const Eigen::Quaterniond& q_WB, const Vector3d& v_WB,
                          const Vector3d& w_WB_B) {
  state_.X_WB.q = q_WB.normalized();
  state_.v_WB = v_WB;
  state_.w_WB_B = w_WB_B;
  on_ground_ = false;
  ++breaks_.placements;
  updateAccelerations();
}

void Quadrotor::follow(const KinematicState& state, bool on_ground) {
  state_ = state;
  on_ground_ = on_ground;
  unheld_.reset();
}

void Quadrotor::leaveContact(const Pose& X_WB, const Vector3d& v_WB, const Vector3d& w_WB_B) {
  state_.X_WB = X_WB;
  state_.v_WB = v_WB;
  state_.w_WB_B = w_WB_B;
  on_ground_ = false;
  ++breaks_.contacts;
  updateAccelerations();
}

void Quadrotor::setSupported(const Vector3d& a_WB, const Vector3d& dw_WB_B) {
  state_.a_WB = a_WB;
  state_.dw_WB_B = dw_WB_B;
}

void Quadrotor::step(TimeNs dt) {
  if (on_ground_ && liftsOff()) on_ground_ = false;
  if (config_.battery.sag < 1.0) obeyCommands();
  const Accelerations here = unheld_ ? *unheld_ : accelerations(inputs(), state_, motors_.speeds);
  const KinematicState before = state_;
  integrate(inputs(), here, toSeconds(dt), state_, motors_);
  if (on_ground_) state_ = before;
  state_.stamp += dt;
  // A motor that reaches a limit stays there until its rate changes sign.
  const RotorColumns speeds = motors_.speeds;
  const double fastest = config_.motor.speed_max;
  motors_.speeds = speeds.max(0.0).min(fastest);
  motors_.rates = (speeds < 0.0).select(motors_.rates.max(0.0), motors_.rates);
  motors_.rates = (speeds > fastest).select(motors_.rates.min(0.0), motors_.rates);
  updateAccelerations();
}

bool Quadrotor::liftsOff() const {
  const double thrust = thrustOf(inputs(), state_, motors_.speeds);
  const double lift = thrust * (state_.X_WB.q * Vector3d::UnitZ()).z();
  return lift + external_force_W_.z() > config_.totalMass() * kGravity;
}

DynamicsInputs Quadrotor::inputs() const {
  return {config_, airframe_, obeyed_, external_force_W_, external_torque_B_, wind_W_, ground_z_};
}

RotorArray Quadrotor::perRotor(const RotorColumns& columns) const {
  return Eigen::Map<const RotorArray>(columns.data(), motorCount());
}

void Quadrotor::updateAccelerations() {
  unheld_.reset();
  state_.a_WB.setZero();
  state_.dw_WB_B.setZero();
  if (on_ground_) return;
  unheld_ = accelerations(inputs(), state_, motors_.speeds);
  state_.a_WB = unheld_->linear_W;
  state_.dw_WB_B = unheld_->angular_B;
}

}  // namespace marsim::vehicle
