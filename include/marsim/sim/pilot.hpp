#pragma once

#include <cstdint>
#include <optional>

#include "marsim/control/commander.hpp"
#include "marsim/control/controller.hpp"
#include "marsim/sim/motion_track.hpp"
#include "marsim/vehicle/quadrotor.hpp"

namespace marsim::sim {

/// The controller's view of a vehicle, derived from its description.
control::VehicleModel vehicleModel(const vehicle::VehicleConfig& config);

/// The flight controller of a vehicle: reports and commands in, motor speeds and the tracked
/// reference out. Commands are the commander's; where a vehicle was put somewhere else, they are
/// void.
class Pilot {
 public:
  /// Throws ConfigError.
  Pilot(const control::ControllerConfig& config, const control::VehicleModel& model);

  control::Commander& commander() { return commander_; }
  /// Where no motion leads from the last report to this one, what was commanded is forgotten; true
  /// then. answer() does the same.
  bool notice(const VehicleReport& report);
  /// Motor speeds [rad/s] for a report; none for a vehicle that rests until its first command.
  std::optional<vehicle::RotorArray> answer(const VehicleReport& report);
  /// What is tracked, as of the last answer.
  const control::Reference& reference() const { return reference_; }

 private:
  control::Controller controller_;
  control::Commander commander_;
  std::optional<VehicleReport> last_;
  control::Reference reference_;
};

}  // namespace marsim::sim
