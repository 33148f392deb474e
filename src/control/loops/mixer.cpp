// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/control/mixer.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "geometry/pseudoinverse.hpp"
#include "marsim/common/error.hpp"

namespace marsim::control {
namespace {

// The largest share s in [0, 1] for which base + s * part stays within [low, high] everywhere.
double feasibleShare(const RotorArray& base, const RotorArray& part, double low, double high) {
  double share = 1.0;
  for (Eigen::Index i = 0; i < base.size(); ++i) {
    const double room = part[i] > 0.0 ? high - base[i] : base[i] - low;
    const double need = std::abs(part[i]);
    if (need > room) share = std::min(share, std::max(room, 0.0) / need);
  }
  return share;
}

void validateRotors(const VehicleModel& vehicle) {
  const Validator check("controller");
  const std::size_t rotors = vehicle.rotors.size();
  check.require(rotors >= 3 && rotors <= kMostRotors, "the vehicle's rotors",
                fmt::format("a list of {}", rotors), fmt::format("a list of 3 to {}", kMostRotors));
}

// Least-norm squares of the rotors' speeds for a unit of thrust over k_F, of torque over k_F (roll
// and pitch) and over k_M (yaw): a column each, that of yaw zero where the rotors cannot give it.
Eigen::MatrixXd squaresOfWrench(const VehicleModel& vehicle) {
  const auto rotors = static_cast<Eigen::Index>(vehicle.rotors.size());
  Eigen::MatrixXd wrench(4, rotors);
  for (Eigen::Index i = 0; i < rotors; ++i) {
    const VehicleModel::Rotor& rotor = vehicle.rotors[static_cast<std::size_t>(i)];
    wrench.col(i) << 1.0, rotor.position.y(), -rotor.position.x(), -rotor.spin;
  }
  if (const auto all = pseudoinverse(wrench)) return *all;
  const auto without_yaw = pseudoinverse(wrench.topRows<3>());
  Validator("controller")
      .require(without_yaw.has_value(), "the vehicle's rotors", "a list of rotors in one line",
               "rotors all round");
  Eigen::MatrixXd squares = Eigen::MatrixXd::Zero(rotors, 4);
  squares.leftCols<3>() = *without_yaw;
  return squares;
}

}  // namespace

Mixer::Mixer(const VehicleModel& vehicle)
    : thrust_coefficient_(vehicle.thrust_coefficient),
      square_min_(vehicle.motor_speed_min * vehicle.motor_speed_min),
      square_max_(vehicle.motor_speed_max * vehicle.motor_speed_max) {
  validateRotors(vehicle);
  const double k_F = vehicle.thrust_coefficient, k_M = vehicle.torque_coefficient;
  const auto rotors = static_cast<Eigen::Index>(vehicle.rotors.size());
  for (RotorArray* row : {&roll_, &pitch_, &yaw_}) row->resize(rotors);
  for (Eigen::Index i = 0; i < rotors; ++i) {
    const VehicleModel::Rotor& rotor = vehicle.rotors[static_cast<std::size_t>(i)];
    roll_[i] = k_F * rotor.position.y();
    pitch_[i] = -k_F * rotor.position.x();
    yaw_[i] = -rotor.spin * k_M;
  }
  const Eigen::MatrixXd squares = squaresOfWrench(vehicle);
  per_thrust_ = squares.col(0).array() / k_F;
  per_roll_ = squares.col(1).array() / k_F;
  per_pitch_ = squares.col(2).array() / k_F;
  per_yaw_ = squares.col(3).array() / k_M;
  thrust_per_ = per_thrust_.inverse();
  least_ = square_min_ * thrust_per_;
  most_ = square_max_ * thrust_per_;
  Validator("controller")
      .require(per_thrust_.minCoeff() > 0.0, "the vehicle's rotors",
               "a list of rotors of which one would have to pull down",
               "rotors all round the centre of mass");
}

RotorArray Mixer::speeds(double thrust, const Eigen::Vector3d& torque_B) const {
  RotorArray tilt = per_roll_ * torque_B.x() + per_pitch_ * torque_B.y();
  RotorArray tilt_thrust = tilt * thrust_per_;
  double low = (least_ - tilt_thrust).maxCoeff(), high = (most_ - tilt_thrust).minCoeff();
  if (low > high) {
    const double share = tiltShare(tilt_thrust);
    tilt *= share;
    tilt_thrust *= share;
    low = (least_ - tilt_thrust).maxCoeff();
    high = (most_ - tilt_thrust).minCoeff();
  }
  const RotorArray base = per_thrust_ * std::min(std::max(thrust, low), high) + tilt;
  const RotorArray yaw = per_yaw_ * torque_B.z();
  const double yaw_share = feasibleShare(base, yaw, square_min_, square_max_);
  return (base + yaw_share * yaw).max(square_min_).min(square_max_).sqrt();
}

// Roll and pitch are scaled only where no thrust at all lets them fit: rotor i at its least and
// rotor j at its most ask for a thrust each, and the first must not exceed the second.
double Mixer::tiltShare(const RotorArray& tilt_thrust) const {
  double share = 1.0;
  for (Eigen::Index i = 0; i < tilt_thrust.size(); ++i) {
    for (Eigen::Index j = 0; j < tilt_thrust.size(); ++j) {
      const double need = tilt_thrust[j] - tilt_thrust[i];
      const double room = most_[j] - least_[i];
      if (need > room) share = std::min(share, room / need);
    }
  }
  return share;
}

Eigen::Vector4d Mixer::wrench(const RotorArray& speeds) const {
  return wrenchOfSquares(speeds.square());
}

Eigen::Vector4d Mixer::wrenchRate(const RotorArray& speeds, const RotorArray& accelerations) const {
  return wrenchOfSquares(2.0 * speeds * accelerations);
}

Eigen::Vector4d Mixer::wrenchOfSquares(const RotorArray& squares) const {
  return {thrust_coefficient_ * squares.sum(), (roll_ * squares).sum(), (pitch_ * squares).sum(),
          (yaw_ * squares).sum()};
}

}  // namespace marsim::control
