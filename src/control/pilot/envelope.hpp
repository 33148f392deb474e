// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "marsim/control/controller.hpp"

namespace marsim::control {

/// A reference's excess over a limit of controller or vehicle.
struct Excess {
  std::string what;  ///< "speed", "acceleration", "tilt", "thrust", "descent", "yaw rate"
  std::string text;  ///< value, limit, and the setting that raises it
};

/// The limits of a controller and its vehicle: a reference within them is tracked, one beyond them
/// is followed as far as they allow. Drag in still air is included, since the controller
/// compensates it.
class Envelope {
 public:
  Envelope(const ControllerConfig& config, const VehicleModel& vehicle);

  /// The quantities of a reference that exceed the limits; empty where none does.
  std::vector<Excess> exceededBy(const Reference& reference) const;
  /// [m/s^2] along W: specific thrust for a reference, gravity and drag included.
  Eigen::Vector3d specificThrust(const Reference& reference) const;

 private:
  ControllerConfig config_;
  VehicleModel vehicle_;
  double thrust_max_;  ///< [N] largest thrust that the controller commands
};

}  // namespace marsim::control
