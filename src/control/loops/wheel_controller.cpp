// SPDX-License-Identifier: BSD-3-Clause
#include "control/loops/wheel_controller.hpp"

#include <cmath>

namespace marsim::control {

RotorArray WheelController::update(const KinematicState&, const Reference& reference) {
  const double speed =
      reference.v_WB.x() * std::cos(reference.yaw) + reference.v_WB.y() * std::sin(reference.yaw);
  const double side = 0.5 * wheels_.track * reference.yaw_rate;
  RotorArray speeds(2);
  speeds << speed - side, speed + side;
  return speeds / wheels_.radius;
}

}  // namespace marsim::control
