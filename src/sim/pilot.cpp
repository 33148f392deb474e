#include "marsim/sim/pilot.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

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
    : controller_(control::makeController(config, model)), commander_(config.goal) {}

bool Pilot::notice(const VehicleReport& report) {
  const bool was_moved =
      last_ && (report.placements != last_->placements || wasMoved(last_->motion, report.motion));
  last_ = report;
  if (!was_moved) return false;
  commander_.reset();
  controller_->reset();
  // Where time was set back, what waits is of the time before.
  const TimeNs farthest = report.motion.stamp + kFarthestAhead;
  waiting_.erase(std::find_if(waiting_.begin(), waiting_.end(),
                              [=](const Waiting& waiting) { return waiting.stamp > farthest; }),
                 waiting_.end());
  return true;
}

bool Pilot::commandAt(TimeNs stamp, CommandKind kind, Command command) {
  const TimeNs now = last_ ? last_->motion.stamp : 0;
  const bool is_near = stamp <= now + kFarthestAhead;
  Waiting waiting{is_near ? stamp : now, kind, std::move(command)};
  const auto after = std::upper_bound(
      waiting_.begin(), waiting_.end(), waiting, [](const Waiting& a, const Waiting& b) {
        return std::tie(a.stamp, a.kind) < std::tie(b.stamp, b.kind);
      });
  waiting_.insert(after, std::move(waiting));
  return is_near;
}

void Pilot::actUntil(TimeNs now) {
  const auto later = std::find_if(waiting_.begin(), waiting_.end(),
                                  [now](const Waiting& waiting) { return waiting.stamp > now; });
  const std::vector<Waiting> due(std::make_move_iterator(waiting_.begin()),
                                 std::make_move_iterator(later));
  waiting_.erase(waiting_.begin(), later);
  for (const Waiting& waiting : due) waiting.command(commander_, now);
}

// Where the estimates are lost the vehicle brakes and holds its place.
void Pilot::heedEstimates(const VehicleReport& report) {
  motion_ = report.motion;
  if (!estimates_) return;
  const EstimateLoop::Phase before = estimates_->phase();
  motion_ = estimates_->motion(report);
  if (estimates_->phase() == before) return;
  if (estimates_->phase() == EstimateLoop::Phase::kHold) {
    control::Reference here;
    here.p_WB = motion_.X_WB.p;
    here.v_WB = motion_.v_WB;
    here.yaw = yawOf(motion_.X_WB.q);
    commander_.setReference(here, motion_.stamp);
  }
}

std::optional<vehicle::RotorArray> Pilot::answer(const VehicleReport& report) {
  notice(report);
  heedEstimates(report);
  actUntil(report.motion.stamp);
  reference_ = commander_.reference(motion_);
  if (report.on_ground && !commander_.commanded()) return std::nullopt;
  if (report.on_ground) controller_->rest();
  return controller_->update(motion_, reference_);
}

}  // namespace marsim::sim
