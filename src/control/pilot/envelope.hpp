#pragma once

#include <string>
#include <vector>

#include "marsim/control/controller.hpp"

namespace marsim::control {

/// A limit that a reference asks the controller or the vehicle to exceed.
struct Excess {
  std::string what;  ///< "speed", "acceleration", "tilt", "thrust", "descent", "yaw rate"
  std::string text;  ///< value and limit, and what raises the limit
};

/// The limits of what a controller and its vehicle can follow: a reference within them is tracked,
/// one beyond them is followed as far as the limits let it. Drag in still air counts, as the
/// controller makes up for it.
class Envelope {
 public:
  Envelope(const ControllerConfig& config, const VehicleModel& vehicle);

  /// The quantities of a reference that exceed the limits; empty where none does.
  std::vector<Excess> exceededBy(const Reference& reference) const;
  /// [m/s^2] along W: what the rotors must give for a reference, gravity and drag included.
  Eigen::Vector3d specificThrust(const Reference& reference) const;

 private:
  ControllerConfig config_;
  VehicleModel vehicle_;
  double thrust_max_;  ///< [N] that the controller asks for at most
};

}  // namespace marsim::control
