// SPDX-License-Identifier: BSD-3-Clause
#include "control/pilot/envelope.hpp"

#include <cmath>

#include <fmt/format.h>

#include "marsim/common/units.hpp"
#include "marsim/geometry/pose.hpp"

namespace marsim::control {
namespace {

using Eigen::Vector3d;

constexpr double kRoundOff = 1.001;  // a reference at a limit is within it

}  // namespace

Envelope::Envelope(const ControllerConfig& config, const VehicleModel& vehicle)
    : config_(config),
      vehicle_(vehicle),
      thrust_max_(config.thrust_max_ratio * 4.0 * vehicle.thrust_coefficient *
                  vehicle.motor_speed_max * vehicle.motor_speed_max) {}

// Drag and attitude depend on each other: after two rounds less than a hundredth is left.
Vector3d Envelope::specificThrust(const Reference& reference) const {
  const Vector3d still = reference.a_WB + Vector3d(0.0, 0.0, kGravity);
  Vector3d thrust = still;
  for (int i = 0; i < 2; ++i) {
    const Eigen::Quaterniond q_WB = Eigen::Quaterniond::FromTwoVectors(Vector3d::UnitZ(), thrust);
    const Vector3d v_B = q_WB.conjugate() * reference.v_WB;
    const double rotor_speed =
        std::sqrt(vehicle_.mass * thrust.norm() / (4.0 * vehicle_.thrust_coefficient));
    const double rotor_drag = 4.0 * vehicle_.rotor_drag_coefficient * rotor_speed;
    const Vector3d drag = vehicle_.linear_drag + Vector3d(rotor_drag, rotor_drag, 0.0);
    thrust = still + q_WB * drag.cwiseProduct(v_B) / vehicle_.mass;
  }
  return thrust;
}

std::vector<Excess> Envelope::exceededBy(const Reference& reference) const {
  std::vector<Excess> found;
  const auto check = [&](const char* what, double value, double limit, const char* unit,
                         const char* remedy) {
    if (value <= kRoundOff * limit) return;
    found.push_back({what, fmt::format("{} of {:.3g} {} is beyond {:.3g} {} ({})", what, value,
                                       unit, limit, unit, remedy)});
  };
  check("speed", reference.v_WB.norm(), config_.speed_max, "m/s", "the controller's speed_max");
  if (vehicle_.wheels) {
    check("speed", reference.v_WB.norm(), vehicle_.wheels->radius * vehicle_.motor_speed_max, "m/s",
          "the wheels' speed_max");
    return found;
  }
  check("yaw rate", std::abs(reference.yaw_rate), config_.yaw_rate_max, "rad/s",
        "the controller's yaw_rate_max");
  const Vector3d thrust = specificThrust(reference);
  const double across = thrust.head<2>().norm();
  check("acceleration", across, config_.acceleration_max, "m/s^2",
        "horizontal, with drag: the controller's acceleration_max");
  check("tilt", std::atan2(across, thrust.z()), config_.tilt_max, "rad",
        "the controller's tilt_max");
  check("thrust", thrust.norm(), thrust_max_ / vehicle_.mass, "m/s^2",
        "thrust_max_ratio of the vehicle's largest");
  const double least = config_.thrust_min_ratio * kGravity;
  if (thrust.z() < least / kRoundOff) {
    found.push_back({"descent", fmt::format("descent with {:.3g} m/s^2 of lift is below {:.3g} "
                                            "m/s^2 (the controller's thrust_min_ratio)",
                                            thrust.z(), least)});
  }
  return found;
}

}  // namespace marsim::control
