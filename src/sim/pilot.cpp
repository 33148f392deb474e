#include "marsim/sim/pilot.hpp"

namespace marsim::sim {
namespace {

constexpr double kLargestJump = 0.25;  // [m] beyond what was flown between two reports

// Whether a vehicle did not fly from one state to the next: the simulation was restarted, or the
// vehicle put back to its start.
bool wasMoved(const KinematicState& from, const KinematicState& to) {
  if (to.stamp < from.stamp) return true;
  const Eigen::Vector3d flown = toSeconds(to.stamp - from.stamp) * from.v_WB;
  return (to.X_WB.p - from.X_WB.p - flown).norm() > kLargestJump;
}

}  // namespace

control::VehicleModel vehicleModel(const vehicle::VehicleConfig& config) {
  control::VehicleModel model;
  model.mass = config.mass;
  model.inertia = config.inertia;
  model.thrust_coefficient = config.thrust_coefficient;
  model.torque_coefficient = config.torque_coefficient;
  model.motor_speed_min = config.motor.speed_min;
  model.motor_speed_max = config.motor.speed_max;
  model.motor_natural_frequency_up = config.motor.natural_frequency_up;
  model.motor_natural_frequency_down = config.motor.natural_frequency_down;
  model.motor_damping = config.motor.damping;
  model.rotor_drag_coefficient = config.rotor_drag_coefficient;
  model.linear_drag = config.linear_drag;
  for (std::size_t i = 0; i < model.rotors.size(); ++i) {
    model.rotors[i] = {config.rotors.at(i).position, config.rotors.at(i).spin};
  }
  return model;
}

Pilot::Pilot(const control::ControllerConfig& config, const control::VehicleModel& model)
    : controller_(config, model), commander_(config.goal) {}

bool Pilot::notice(const VehicleReport& report) {
  const bool was_moved =
      last_ && (report.placements != last_->placements || wasMoved(last_->motion, report.motion));
  last_ = report;
  if (!was_moved) return false;
  commander_.reset();
  controller_.reset();
  return true;
}

std::optional<vehicle::RotorArray> Pilot::answer(const VehicleReport& report) {
  notice(report);
  reference_ = commander_.reference(report.motion);
  if (report.on_ground && !commander_.commanded()) return std::nullopt;
  if (report.on_ground) controller_.rest();
  return controller_.update(report.motion, reference_);
}

}  // namespace marsim::sim
