#include "marsim/vehicle/quadrotor.hpp"

#include <algorithm>
#include <utility>

#include "marsim/common/units.hpp"

namespace marsim::vehicle {
namespace {

using Eigen::Vector3d;

/// Feet nearer to the ground than this at reset stand on it [m].
constexpr double kStandingBelow = 0.01;

// The integrated state and, of the same shape, its derivative, a quantity a column. Those of three
// numbers end in a zero, so that the processor's registers hold whole columns.
using Motion = Eigen::Array<double, 4, 6>;
constexpr int kP = 0, kV = 1, kQ = 2, kW = 3, kSpeed = 4, kRate = 5;  // the quaternion: x y z w

void setVector(Motion& x, int column, const Vector3d& v) {
  for (int i = 0; i < 3; ++i) x(i, column) = v[i];
  x(3, column) = 0.0;
}

Vector3d vectorOf(const Motion& x, int column) { return x.col(column).head<3>(); }

Eigen::Quaterniond quaternionOf(const Motion& x) { return Eigen::Quaterniond(x.col(kQ).matrix()); }

Motion motionOf(const KinematicState& state, const RotorArray& speeds, const RotorArray& rates) {
  Motion x;
  setVector(x, kP, state.X_WB.p);
  setVector(x, kV, state.v_WB);
  x.col(kQ) = state.X_WB.q.coeffs();
  setVector(x, kW, state.w_WB_B);
  x.col(kSpeed) = speeds;
  x.col(kRate) = rates;
  return x;
}

// Inputs that stay constant over a step.
struct Inputs {
  const VehicleConfig& config;
  const Airframe& airframe;
  const RotorArray& commands;
  const Vector3d& force_W;
  const Vector3d& torque_B;
};

RotorArray motorJerk(const MotorConfig& motor, const RotorArray& commands, const RotorArray& speed,
                     const RotorArray& acceleration) {
  RotorArray jerk;
  for (int i = 0; i < kRotors; ++i) {
    const double wn =
        commands[i] > speed[i] ? motor.natural_frequency_up : motor.natural_frequency_down;
    jerk[i] = wn * wn * (commands[i] - speed[i]) - 2.0 * motor.damping * wn * acceleration[i];
  }
  return jerk;
}

// Newton and Euler about the centre of mass; of every rotor thrust, reaction torque and drag.
Accelerations accelerations(const Inputs& in, const Eigen::Quaterniond& q_WB, const Vector3d& v_WB,
                            const Vector3d& w, const RotorArray& speed) {
  const VehicleConfig& config = in.config;
  const Airframe& frame = in.airframe;
  const Vector3d v_B = q_WB.conjugate() * v_WB;
  const RotorArray square = speed.square();
  const RotorArray drag = config.rotor_drag_coefficient * speed;
  const RotorArray f_x = -drag * (v_B.x() + w.y() * frame.z - w.z() * frame.y);
  const RotorArray f_y = -drag * (v_B.y() + w.z() * frame.x - w.x() * frame.z);
  const RotorArray f_z = config.thrust_coefficient * square;
  Vector3d force_B(f_x.sum(), f_y.sum(), f_z.sum());
  force_B -= config.linear_drag.cwiseProduct(v_B);
  Vector3d torque_B((frame.y * f_z - frame.z * f_y).sum(), (frame.z * f_x - frame.x * f_z).sum(),
                    (frame.x * f_y - frame.y * f_x - frame.reaction * square).sum());
  torque_B += in.torque_B;
  const Vector3d momentum = config.inertia.cwiseProduct(w);
  return {(q_WB * force_B + in.force_W) * frame.inverse_mass - Vector3d(0.0, 0.0, kGravity),
          (torque_B - w.cross(momentum)).cwiseProduct(frame.inverse_inertia)};
}

Motion derivative(const Inputs& in, const Motion& x, const Accelerations& a) {
  const Eigen::Quaterniond half_rate((0.5 * x.col(kW)).matrix());  // its last number is zero
  Motion rate;
  rate.col(kP) = x.col(kV);
  setVector(rate, kV, a.linear_W);
  rate.col(kQ) = (quaternionOf(x) * half_rate).coeffs();
  setVector(rate, kW, a.angular_B);
  rate.col(kSpeed) = x.col(kRate);
  rate.col(kRate) = motorJerk(in.config.motor, in.commands, x.col(kSpeed), x.col(kRate));
  return rate;
}

// Inside a Runge-Kutta step the quaternion drifts off unit length; rotate by its direction.
Motion derivative(const Inputs& in, const Motion& x) {
  return derivative(in, x,
                    accelerations(in, quaternionOf(x).normalized(), vectorOf(x, kV),
                                  vectorOf(x, kW), x.col(kSpeed)));
}

// One classical Runge-Kutta step from where the accelerations are known.
Motion advance(const Inputs& in, const Motion& x, const Accelerations& here, double dt) {
  const Motion k1 = derivative(in, x, here);
  const Motion k2 = derivative(in, x + 0.5 * dt * k1);
  const Motion k3 = derivative(in, x + 0.5 * dt * k2);
  const Motion k4 = derivative(in, x + dt * k3);
  return x + dt / 6.0 * k1 + dt / 3.0 * k2 + dt / 3.0 * k3 + dt / 6.0 * k4;
}

}  // namespace

Airframe::Airframe(const VehicleConfig& config)
    : inverse_mass(1.0 / config.mass), inverse_inertia(config.inertia.cwiseInverse()) {
  for (int i = 0; i < kRotors; ++i) {
    const RotorConfig& rotor = config.rotors[static_cast<std::size_t>(i)];
    x[i] = rotor.position.x();
    y[i] = rotor.position.y();
    z[i] = rotor.position.z();
    reaction[i] = rotor.spin * config.torque_coefficient;
  }
}

Quadrotor::Quadrotor(VehicleConfig config) : config_(std::move(config)), airframe_(config_) {
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

void Quadrotor::follow(const KinematicState& state) {
  state_ = state;
  on_ground_ = false;
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
  const Inputs inputs{config_, airframe_, commands_, external_force_W_, external_torque_B_};
  const Accelerations here =
      unheld_ ? *unheld_
              : accelerations(inputs, state_.X_WB.q, state_.v_WB, state_.w_WB_B, motor_speeds_);
  const Motion after =
      advance(inputs, motionOf(state_, motor_speeds_, motor_accelerations_), here, toSeconds(dt));
  const RotorArray speeds = after.col(kSpeed), rates = after.col(kRate);

  state_.stamp += dt;
  // A motor that ends at a limit stays there until it is turned back.
  const double fastest = config_.motor.speed_max;
  motor_speeds_ = speeds.max(0.0).min(fastest);
  motor_accelerations_ = (speeds < 0.0).select(rates.max(0.0), rates);
  motor_accelerations_ =
      (speeds > fastest).select(motor_accelerations_.min(0.0), motor_accelerations_);
  if (!on_ground_) {
    state_.X_WB.p = vectorOf(after, kP);
    state_.v_WB = vectorOf(after, kV);
    state_.X_WB.q = quaternionOf(after).normalized();
    state_.w_WB_B = vectorOf(after, kW);
  }
  updateAccelerations();
}

bool Quadrotor::liftsOff() const {
  const double thrust = config_.thrust_coefficient * motor_speeds_.square().sum();
  const double lift = thrust * (state_.X_WB.q * Vector3d::UnitZ()).z();
  return lift + external_force_W_.z() > config_.mass * kGravity;
}

void Quadrotor::updateAccelerations() {
  unheld_.reset();
  state_.a_WB.setZero();
  state_.dw_WB_B.setZero();
  if (on_ground_) return;
  const Inputs inputs{config_, airframe_, commands_, external_force_W_, external_torque_B_};
  unheld_ = accelerations(inputs, state_.X_WB.q, state_.v_WB, state_.w_WB_B, motor_speeds_);
  state_.a_WB = unheld_->linear_W;
  state_.dw_WB_B = unheld_->angular_B;
}

}  // namespace marsim::vehicle
