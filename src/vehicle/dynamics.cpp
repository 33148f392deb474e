// SPDX-License-Identifier: BSD-3-Clause
#include "vehicle/dynamics.hpp"

#include <algorithm>
#include <type_traits>

#include "marsim/common/units.hpp"

namespace marsim::vehicle {
namespace {

using Eigen::Vector3d;

// The integrated state and, in the same layout, its derivative, one quantity per column; rotors
// take as many columns as they need. Columns of three numbers end in a zero, so that the
// processor's registers hold whole columns.
template <int kColumns>
using Motion = Eigen::Array<double, 4, 4 + 2 * kColumns>;
template <int kColumns>
using Rotors = Eigen::Array<double, 4, kColumns>;
constexpr int kP = 0, kV = 1, kQ = 2, kW = 3;  // the quaternion: x y z w
constexpr int kSpeed = 4;                      // first column of speeds; rates follow

template <class M>
void setVector(M& x, int column, const Vector3d& v) {
  for (int i = 0; i < 3; ++i) x(i, column) = v[i];
  x(3, column) = 0.0;
}

template <class M>
Vector3d vectorOf(const M& x, int column) {
  return x.col(column).template head<3>();
}

template <class M>
Eigen::Quaterniond quaternionOf(const M& x) {
  return Eigen::Quaterniond(x.col(kQ).matrix());
}

template <int kColumns>
Rotors<kColumns> speedsOf(const Motion<kColumns>& x) {
  return x.template middleCols<kColumns>(kSpeed);
}

template <int kColumns>
Rotors<kColumns> ratesOf(const Motion<kColumns>& x) {
  return x.template rightCols<kColumns>();
}

template <int kColumns>
Motion<kColumns> motionOf(const KinematicState& state, const MotorMotion& motors) {
  Motion<kColumns> x;
  setVector(x, kP, state.X_WB.p);
  setVector(x, kV, state.v_WB);
  x.col(kQ) = state.X_WB.q.coeffs();
  setVector(x, kW, state.w_WB_B);
  x.template middleCols<kColumns>(kSpeed) = motors.speeds.leftCols<kColumns>();
  x.template rightCols<kColumns>() = motors.rates.leftCols<kColumns>();
  return x;
}

template <int kColumns>
Rotors<kColumns> motorJerk(const MotorConfig& motor, const RotorColumns& commands,
                           const Rotors<kColumns>& speed, const Rotors<kColumns>& rate) {
  Rotors<kColumns> jerk;
  for (int i = 0; i < 4 * kColumns; ++i) {
    const double wn = commands.data()[i] > speed.data()[i] ? motor.natural_frequency_up
                                                           : motor.natural_frequency_down;
    jerk.data()[i] = wn * wn * (commands.data()[i] - speed.data()[i]) -
                     2.0 * motor.damping * wn * rate.data()[i];
  }
  return jerk;
}

// Thrust of each rotor relative to that far from the ground: Cheeseman and Bennett (R&M 3021,
// 1955), hovering, 1 / (1 - (R/4z)^2) with the rotor's height z, at least R/2. The gain fades out
// between 4 R and 5 R (it is 0.4 % there) and with the cosine of the tilt.
template <int kColumns>
Rotors<kColumns> groundEffect(const DynamicsInputs& in, double p_z,
                              const Eigen::Quaterniond& q_WB) {
  const Airframe& frame = in.airframe;
  const double radius = in.config.rotor_radius;
  const Vector3d up_B = q_WB.conjugate() * Vector3d::UnitZ();
  const Rotors<kColumns> height =
      (p_z - in.ground_z + up_B.x() * frame.x.leftCols<kColumns>() +
       up_B.y() * frame.y.leftCols<kColumns>() + up_B.z() * frame.z.leftCols<kColumns>())
          .max(0.5 * radius);
  const Rotors<kColumns> square = (0.25 * radius / height).square();
  const Rotors<kColumns> near = (5.0 - height / radius).max(0.0).min(1.0);
  return 1.0 + std::max(up_B.z(), 0.0) * near * square / (1.0 - square);
}

// The accelerations of B's origin from forces there and torques about it, for a centre of mass that
// lies elsewhere.
Accelerations aboutCentreOfMass(const Airframe& frame, const Eigen::Quaterniond& q_WB,
                                const Vector3d& w, const Vector3d& force_B,
                                const Vector3d& torque_B) {
  const Vector3d& c = frame.centre_of_mass;
  const Vector3d torque = torque_B - c.cross(force_B) - w.cross(frame.inertia * w);
  const Vector3d angular = frame.inverse_inertia * torque;
  const Vector3d lever = angular.cross(c) + w.cross(w.cross(c));
  return {q_WB * (force_B * frame.inverse_mass - lever) - Vector3d(0.0, 0.0, kGravity), angular};
}

// Newton's and Euler's equations with thrust, reaction torque and drag of every rotor. kMore: with
// the features that few vehicles have (Airframe::has_more).
template <int kColumns, bool kMore>
Accelerations accelerationsOf(const DynamicsInputs& in, double p_z, const Eigen::Quaterniond& q_WB,
                              const Vector3d& v_WB, const Vector3d& w,
                              const Rotors<kColumns>& speed) {
  using R = Rotors<kColumns>;
  const VehicleConfig& config = in.config;
  const Airframe& frame = in.airframe;
  const auto x = frame.x.leftCols<kColumns>();
  const auto y = frame.y.leftCols<kColumns>();
  const auto z = frame.z.leftCols<kColumns>();
  const Vector3d v_B = q_WB.conjugate() * (v_WB - in.wind_W);  // relative to the air
  const R square = speed.square();
  const R drag = config.rotor_drag_coefficient * speed;
  const R f_x = -drag * (v_B.x() + w.y() * z - w.z() * y);
  const R f_y = -drag * (v_B.y() + w.z() * x - w.x() * z);
  R f_z = config.thrust_coefficient * square;
  if constexpr (kMore) {
    if (config.ground_effect) f_z *= groundEffect<kColumns>(in, p_z, q_WB);
  }
  Vector3d force_B(f_x.sum(), f_y.sum(), f_z.sum());
  force_B -= config.linear_drag.cwiseProduct(v_B);
  Vector3d torque_B((y * f_z - z * f_y).sum(), (z * f_x - x * f_z).sum(),
                    (x * f_y - y * f_x - frame.reaction.leftCols<kColumns>() * square).sum());
  torque_B += in.torque_B;
  if constexpr (kMore) {
    force_B -= v_B.norm() * config.parasitic_drag.cwiseProduct(v_B);
    force_B += q_WB.conjugate() * in.force_W;
    return aboutCentreOfMass(frame, q_WB, w, force_B, torque_B);
  }
  const Vector3d momentum = config.inertia.cwiseProduct(w);
  return {(q_WB * force_B + in.force_W) * frame.inverse_mass - Vector3d(0.0, 0.0, kGravity),
          (torque_B - w.cross(momentum)).cwiseProduct(frame.inverse_moments)};
}

template <int kColumns>
Motion<kColumns> derivative(const DynamicsInputs& in, const Motion<kColumns>& x,
                            const Accelerations& a) {
  const Eigen::Quaterniond half_rate((0.5 * x.col(kW)).matrix());  // its last number is zero
  Motion<kColumns> rate;
  rate.col(kP) = x.col(kV);
  setVector(rate, kV, a.linear_W);
  rate.col(kQ) = (quaternionOf(x) * half_rate).coeffs();
  setVector(rate, kW, a.angular_B);
  rate.template middleCols<kColumns>(kSpeed) = x.template rightCols<kColumns>();
  rate.template rightCols<kColumns>() = motorJerk<kColumns>(
      in.config.motor, in.commands, speedsOf<kColumns>(x), ratesOf<kColumns>(x));
  return rate;
}

// In a Runge-Kutta step the quaternion drifts off unit length; its direction is used for rotations.
template <int kColumns, bool kMore>
Motion<kColumns> derivative(const DynamicsInputs& in, const Motion<kColumns>& x) {
  return derivative<kColumns>(
      in, x,
      accelerationsOf<kColumns, kMore>(in, x(2, kP), quaternionOf(x).normalized(), vectorOf(x, kV),
                                       vectorOf(x, kW), speedsOf<kColumns>(x)));
}

template <int kColumns, bool kMore>
void integrateAs(const DynamicsInputs& in, const Accelerations& here, double dt,
                 KinematicState& state, MotorMotion& motors) {
  using M = Motion<kColumns>;
  const M x = motionOf<kColumns>(state, motors);
  const M k1 = derivative<kColumns>(in, x, here);
  const M k2 = derivative<kColumns, kMore>(in, x + 0.5 * dt * k1);
  const M k3 = derivative<kColumns, kMore>(in, x + 0.5 * dt * k2);
  const M k4 = derivative<kColumns, kMore>(in, x + dt * k3);
  const M after = x + dt / 6.0 * k1 + dt / 3.0 * k2 + dt / 3.0 * k3 + dt / 6.0 * k4;
  state.X_WB.p = vectorOf(after, kP);
  state.v_WB = vectorOf(after, kV);
  state.X_WB.q = quaternionOf(after).normalized();
  state.w_WB_B = vectorOf(after, kW);
  motors.speeds.leftCols<kColumns>() = speedsOf<kColumns>(after);
  motors.rates.leftCols<kColumns>() = ratesOf<kColumns>(after);
}

// Calls the instance compiled for a vehicle's number of columns and features.
template <class Call>
auto asCompiled(const Airframe& frame, const Call& call) {
  using One = std::integral_constant<int, 1>;
  using Two = std::integral_constant<int, 2>;
  if (frame.has_more) {
    return frame.columns == 1 ? call(One(), std::true_type()) : call(Two(), std::true_type());
  }
  return frame.columns == 1 ? call(One(), std::false_type()) : call(Two(), std::false_type());
}

}  // namespace

Accelerations accelerations(const DynamicsInputs& in, const KinematicState& state,
                            const RotorColumns& speeds) {
  return asCompiled(in.airframe, [&](auto columns, auto more) {
    return accelerationsOf<columns(), more()>(in, state.X_WB.p.z(), state.X_WB.q, state.v_WB,
                                              state.w_WB_B, speeds.leftCols<columns()>());
  });
}

double thrustOf(const DynamicsInputs& in, const KinematicState& state, const RotorColumns& speeds) {
  RotorColumns thrust = in.config.thrust_coefficient * speeds.square();
  if (in.config.ground_effect) thrust *= groundEffect<2>(in, state.X_WB.p.z(), state.X_WB.q);
  return thrust.sum();
}

void integrate(const DynamicsInputs& in, const Accelerations& here, double dt,
               KinematicState& state, MotorMotion& motors) {
  asCompiled(in.airframe, [&](auto columns, auto more) {
    integrateAs<columns(), more()>(in, here, dt, state, motors);
  });
}

}  // namespace marsim::vehicle
