#include "marsim/control/mixer.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/LU>

namespace marsim::control {
namespace {

// The largest share s in [0, 1] for which base + s * part stays within [low, high] everywhere.
double feasibleShare(const Eigen::Array4d& base, const Eigen::Array4d& part, double low,
                     double high) {
  double share = 1.0;
  for (int i = 0; i < 4; ++i) {
    const double room = part[i] > 0.0 ? high - base[i] : base[i] - low;
    const double need = std::abs(part[i]);
    if (need > room) share = std::min(share, std::max(room, 0.0) / need);
  }
  return share;
}

}  // namespace

Mixer::Mixer(const VehicleModel& vehicle)
    : square_min_(vehicle.motor_speed_min * vehicle.motor_speed_min),
      square_max_(vehicle.motor_speed_max * vehicle.motor_speed_max) {
  const double k_F = vehicle.thrust_coefficient;
  for (int i = 0; i < 4; ++i) {
    const VehicleModel::Rotor& rotor = vehicle.rotors[static_cast<std::size_t>(i)];
    wrench_of_squares_.col(i) << k_F, k_F * rotor.position.y(), -k_F * rotor.position.x(),
        -rotor.spin * vehicle.torque_coefficient;
  }
  squares_of_wrench_ = wrench_of_squares_.inverse();
}

Eigen::Array4d Mixer::speeds(double thrust, const Eigen::Vector3d& torque_B) const {
  const Eigen::Array4d per_thrust = squares_of_wrench_.col(0).array();
  Eigen::Array4d tilt = (squares_of_wrench_.middleCols<2>(1) * torque_B.head<2>()).array();
  const Eigen::Array4d yaw = (squares_of_wrench_.col(3) * torque_B.z()).array();

  // Roll and pitch are scaled only where no thrust at all lets them fit: rotor i at its least and
  // rotor j at its most ask for a thrust each, and the first must not exceed the second.
  const Eigen::Array4d tilt_thrust = tilt / per_thrust;
  const Eigen::Array4d least = square_min_ / per_thrust, most = square_max_ / per_thrust;
  double tilt_share = 1.0;
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      const double need = tilt_thrust[j] - tilt_thrust[i];
      const double room = most[j] - least[i];
      if (need > room) tilt_share = std::min(tilt_share, room / need);
    }
  }
  tilt *= tilt_share;
  const double thrust_low = ((square_min_ - tilt) / per_thrust).maxCoeff();
  const double thrust_high = ((square_max_ - tilt) / per_thrust).minCoeff();
  const double fitting = std::min(std::max(thrust, thrust_low), thrust_high);

  const Eigen::Array4d base = per_thrust * fitting + tilt;
  const double yaw_share = feasibleShare(base, yaw, square_min_, square_max_);
  return (base + yaw_share * yaw).max(square_min_).min(square_max_).sqrt();
}

Eigen::Vector4d Mixer::wrench(const Eigen::Array4d& speeds) const {
  return wrench_of_squares_ * speeds.square().matrix();
}

Eigen::Vector4d Mixer::wrenchRate(const Eigen::Array4d& speeds,
                                  const Eigen::Array4d& accelerations) const {
  return wrench_of_squares_ * (2.0 * speeds * accelerations).matrix();
}

}  // namespace marsim::control
