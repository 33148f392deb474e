#include "marsim/vehicle/quadrotor.hpp"

#include <algorithm>
#include <utility>

#include "marsim/common/units.hpp"

namespace marsim::vehicle {
namespace {

using Eigen::Vector3d;

/// Feet nearer to the ground than this at reset stand on it [m].
constexpr double kStandingBelow = 0.01;

// The integrated state and, of the same shape, its derivative.
struct Motion {
  Vector3d p, v;
  Eigen::Vector4d q;  // x y z w
  Vector3d w;
  RotorArray speed, acceleration;

  Motion plus(const Motion& rate, double dt) const {
    return {p + dt * rate.p, v + dt * rate.v,         q + dt * rate.q,
            w + dt * rate.w, speed + dt * rate.speed, acceleration + dt * rate.acceleration};
  }
};

// Inputs that stay constant over a step.
struct Inputs {
  const VehicleConfig& config;
  const RotorArray& commands;
  const Vector3d& force_W;
  const Vector3d& torque_B;
};

struct Accelerations {
  Vector3d linear_W, angular_B;
};

RotorArray motorJerk(const MotorConfig& motor, const RotorArray& commands, const RotorArray& speed,
                     const RotorArray& acceleration) {
  const RotorArray wn = (commands > speed)
                            .select(RotorArray::Constant(motor.natural_frequency_up),
                                    RotorArray::Constant(motor.natural_frequency_down));
  return wn.square() * (commands - speed) - 2.0 * motor.damping * wn * acceleration;
}

// Newton and Euler about the centre of mass.
Accelerations accelerations(const Inputs& in, const Eigen::Quaterniond& q_WB, const Vector3d& v_WB,
                            const Vector3d& w, const RotorArray& speed) {
  const VehicleConfig& config = in.config;
  const Vector3d v_B = q_WB.conjugate() * v_WB;
  Vector3d force_B = -config.linear_drag.cwiseProduct(v_B);
  Vector3d torque_B = in.torque_B;
  for (int i = 0; i < kRotors; ++i) {
    const RotorConfig& rotor = config.rotors[static_cast<std::size_t>(i)];
    const double square = speed[i] * speed[i];
    const Vector3d air = v_B + w.cross(rotor.position);
    const double drag = speed[i] * config.rotor_drag_coefficient;
    const Vector3d force(-drag * air.x(), -drag * air.y(), config.thrust_coefficient * square);
    force_B += force;
    torque_B += rotor.position.cross(force);
    torque_B.z() -= rotor.spin * config.torque_coefficient * square;
  }
  Accelerations result;
  result.linear_W = (q_WB * force_B + in.force_W) / config.mass - Vector3d(0.0, 0.0, kGravity);
  const Vector3d momentum = config.inertia.cwiseProduct(w);
  result.angular_B = (torque_B - w.cross(momentum)).cwiseQuotient(config.inertia);
  return result;
}

Motion derivative(const Inputs& in, const Motion& x) {
  // Inside a Runge-Kutta step the quaternion drifts off unit length; rotate by its direction.
  const Eigen::Quaterniond q = Eigen::Quaterniond(x.q).normalized();
  const Accelerations a = accelerations(in, q, x.v, x.w, x.speed);
  const Eigen::Quaterniond half_rate(0.0, 0.5 * x.w.x(), 0.5 * x.w.y(), 0.5 * x.w.z());
  return {x.v,
          a.linear_W,
          (Eigen::Quaterniond(x.q) * half_rate).coeffs(),
          a.angular_B,
          x.acceleration,
          motorJerk(in.config.motor, in.commands, x.speed, x.acceleration)};
}

// One classical Runge-Kutta step.
Motion advance(const Inputs& in, const Motion& x, double dt) {
  const Motion k1 = derivative(in, x);
  const Motion k2 = derivative(in, x.plus(k1, 0.5 * dt));
  const Motion k3 = derivative(in, x.plus(k2, 0.5 * dt));
  const Motion k4 = derivative(in, x.plus(k3, dt));
  return x.plus(k1, dt / 6.0).plus(k2, dt / 3.0).plus(k3, dt / 3.0).plus(k4, dt / 6.0);
}

}  // namespace

Quadrotor::Quadrotor(VehicleConfig config) : config_(std::move(config)) {
  config_.validate(config_.name.empty() ? "vehicle" : config_.name);
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
  commands_ = on_ground_ ? RotorArray::Zero().eval() : config_.hoverSpeeds();
  motor_speeds_ = commands_;
  motor_accelerations_.setZero();
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
  if (motors_stopped_) return;
  commands_ = speeds.max(config_.motor.speed_min).min(config_.motor.speed_max);
}

void Quadrotor::stopMotors() {
  motors_stopped_ = true;
  commands_.setZero();
}

void Quadrotor::setExternalWrench(const Vector3d& force_W, const Vector3d& torque_B) {
  external_force_W_ = force_W;
  external_torque_B_ = torque_B;
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
  const Inputs inputs{config_, commands_, external_force_W_, external_torque_B_};
  const Motion before{state_.X_WB.p, state_.v_WB,   state_.X_WB.q.coeffs(),
                      state_.w_WB_B, motor_speeds_, motor_accelerations_};
  const Motion after = advance(inputs, before, toSeconds(dt));

  state_.stamp += dt;
  // A motor that ends at a limit stays there until it is turned back.
  const double fastest = config_.motor.speed_max;
  motor_speeds_ = after.speed.max(0.0).min(fastest);
  motor_accelerations_ =
      (after.speed < 0.0).select(after.acceleration.max(0.0), after.acceleration);
  motor_accelerations_ =
      (after.speed > fastest).select(motor_accelerations_.min(0.0), motor_accelerations_);
  if (!on_ground_) {
    state_.X_WB.p = after.p;
    state_.v_WB = after.v;
    state_.X_WB.q = Eigen::Quaterniond(after.q).normalized();
    state_.w_WB_B = after.w;
  }
  updateAccelerations();
}

bool Quadrotor::liftsOff() const {
  const double thrust = config_.thrust_coefficient * motor_speeds_.square().sum();
  const double lift = thrust * (state_.X_WB.q * Vector3d::UnitZ()).z();
  return lift + external_force_W_.z() > config_.mass * kGravity;
}

void Quadrotor::updateAccelerations() {
  state_.a_WB.setZero();
  state_.dw_WB_B.setZero();
  if (on_ground_) return;
  const Inputs inputs{config_, commands_, external_force_W_, external_torque_B_};
  const Accelerations a =
      accelerations(inputs, state_.X_WB.q, state_.v_WB, state_.w_WB_B, motor_speeds_);
  state_.a_WB = a.linear_W;
  state_.dw_WB_B = a.angular_B;
}

}  // namespace marsim::vehicle
