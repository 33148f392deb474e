#include "vehicle/dynamics.hpp"

#include "marsim/common/units.hpp"

namespace marsim::vehicle {
namespace {

using Eigen::Vector3d;

// The integrated state and, of the same shape, its derivative, a quantity a column; rotors take as
// many columns as they need. Columns of three numbers end in a zero, so that the processor's
// registers hold whole columns.
template <int kColumns>
using Motion = Eigen::Array<double, 4, 4 + 2 * kColumns>;
template <int kColumns>
using Rotors = Eigen::Array<double, 4, kColumns>;
constexpr int kP = 0, kV = 1, kQ = 2, kW = 3;  // the quaternion: x y z w
constexpr int kSpeed = 4;                      // the first column of speeds, those of rates behind

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

// Newton and Euler about the centre of mass; of every rotor thrust, reaction torque and drag.
template <int kColumns>
Accelerations accelerationsOf(const DynamicsInputs& in, const Eigen::Quaterniond& q_WB,
                              const Vector3d& v_WB, const Vector3d& w,
                              const Rotors<kColumns>& speed) {
  using R = Rotors<kColumns>;
  const VehicleConfig& config = in.config;
  const Airframe& frame = in.airframe;
  const auto x = frame.x.leftCols<kColumns>();
  const auto y = frame.y.leftCols<kColumns>();
  const auto z = frame.z.leftCols<kColumns>();
  const Vector3d v_B = q_WB.conjugate() * v_WB;
  const R square = speed.square();
  const R drag = config.rotor_drag_coefficient * speed;
  const R f_x = -drag * (v_B.x() + w.y() * z - w.z() * y);
  const R f_y = -drag * (v_B.y() + w.z() * x - w.x() * z);
  const R f_z = config.thrust_coefficient * square;
  Vector3d force_B(f_x.sum(), f_y.sum(), f_z.sum());
  force_B -= config.linear_drag.cwiseProduct(v_B);
  Vector3d torque_B((y * f_z - z * f_y).sum(), (z * f_x - x * f_z).sum(),
                    (x * f_y - y * f_x - frame.reaction.leftCols<kColumns>() * square).sum());
  torque_B += in.torque_B;
  const Vector3d momentum = config.inertia.cwiseProduct(w);
  return {(q_WB * force_B + in.force_W) * frame.inverse_mass - Vector3d(0.0, 0.0, kGravity),
          (torque_B - w.cross(momentum)).cwiseProduct(frame.inverse_inertia)};
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

// Inside a Runge-Kutta step the quaternion drifts off unit length; rotate by its direction.
template <int kColumns>
Motion<kColumns> derivative(const DynamicsInputs& in, const Motion<kColumns>& x) {
  return derivative<kColumns>(
      in, x,
      accelerationsOf<kColumns>(in, quaternionOf(x).normalized(), vectorOf(x, kV), vectorOf(x, kW),
                                speedsOf<kColumns>(x)));
}

template <int kColumns>
void integrateColumns(const DynamicsInputs& in, const Accelerations& here, double dt,
                      KinematicState& state, MotorMotion& motors) {
  using M = Motion<kColumns>;
  const M x = motionOf<kColumns>(state, motors);
  const M k1 = derivative<kColumns>(in, x, here);
  const M k2 = derivative<kColumns>(in, x + 0.5 * dt * k1);
  const M k3 = derivative<kColumns>(in, x + 0.5 * dt * k2);
  const M k4 = derivative<kColumns>(in, x + dt * k3);
  const M after = x + dt / 6.0 * k1 + dt / 3.0 * k2 + dt / 3.0 * k3 + dt / 6.0 * k4;
  state.X_WB.p = vectorOf(after, kP);
  state.v_WB = vectorOf(after, kV);
  state.X_WB.q = quaternionOf(after).normalized();
  state.w_WB_B = vectorOf(after, kW);
  motors.speeds.leftCols<kColumns>() = speedsOf<kColumns>(after);
  motors.rates.leftCols<kColumns>() = ratesOf<kColumns>(after);
}

}  // namespace

Accelerations accelerations(const DynamicsInputs& in, const KinematicState& state,
                            const RotorColumns& speeds) {
  if (in.airframe.columns == 1) {
    return accelerationsOf<1>(in, state.X_WB.q, state.v_WB, state.w_WB_B, speeds.leftCols<1>());
  }
  return accelerationsOf<2>(in, state.X_WB.q, state.v_WB, state.w_WB_B, speeds);
}

void integrate(const DynamicsInputs& in, const Accelerations& here, double dt,
               KinematicState& state, MotorMotion& motors) {
  in.airframe.columns == 1 ? integrateColumns<1>(in, here, dt, state, motors)
                           : integrateColumns<2>(in, here, dt, state, motors);
}

}  // namespace marsim::vehicle
