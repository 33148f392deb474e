// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/sim/pilot.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>
#include <variant>

#include <fmt/format.h>

namespace marsim::sim {
namespace {

constexpr double kHighestTakeOff = 1000.0;  // [m]
constexpr char kNoReport[] = "no state of the vehicle received yet";
constexpr char kLost[] = "the estimate that it flies on is lost";
constexpr double kLargestJump = 0.25;  // [m] more than the distance flown between two reports

// Whether a motion breaks between two states: the simulation was restarted, or the vehicle put back
// to its start.
bool wasMoved(const KinematicState& from, const KinematicState& to) {
  if (to.stamp < from.stamp) return true;
  const Eigen::Vector3d flown = toSeconds(to.stamp - from.stamp) * from.v_WB;
  return (to.X_WB.p - from.X_WB.p - flown).norm() > kLargestJump;
}

// Moves a reference to another place and heading.
control::Reference broughtTo(const Pose& X_WB, control::Reference reference) {
  const double yaw = yawOf(X_WB.q);
  const Eigen::AngleAxisd turn(yaw - reference.yaw, Eigen::Vector3d::UnitZ());
  reference.p_WB = X_WB.p;
  reference.yaw = yaw;
  reference.v_WB = turn * reference.v_WB;
  reference.a_WB = turn * reference.a_WB;
  reference.j_WB = turn * reference.j_WB;
  return reference;
}

}  // namespace

control::VehicleModel vehicleModel(const vehicle::VehicleConfig& vehicle) {
  const vehicle::VehicleConfig config = vehicle.asControlled();
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
  if (const auto& drive = config.differential_drive) {
    model.wheels = {drive->track, drive->wheel_radius};
    model.motor_speed_max = drive->speed_max / drive->wheel_radius;
    return model;
  }
  model.rotor_drag_coefficient = config.rotor_drag_coefficient;
  model.linear_drag = config.linear_drag;
  for (const vehicle::RotorConfig& rotor : config.rotors) {
    model.rotors.push_back({rotor.position, rotor.spin});
  }
  return model;
}

Pilot::Pilot(const control::ControllerConfig& config, const control::VehicleModel& model)
    : controller_(control::makeController(config, model)),
      commander_(config.goal, {config.speed_max, config.goal.acceleration, config.yaw_rate_max,
                               model.wheels.has_value()}),
      motor_count_(model.motorCount()),
      drives_(model.wheels.has_value()) {}

bool Pilot::notice(const VehicleReport& report) {
  const bool was_moved =
      last_ && (report.placements != last_->placements || wasMoved(last_->motion, report.motion));
  last_ = report;
  if (!was_moved) return false;
  commander_.reset();
  controller_->reset();
  is_armed_ = true;
  has_landed_ = bypasses_loops_ = false;
  // After a jump back waiting commands are stale.
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

// If the estimates are lost the vehicle brakes and holds its place, then lands.
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
  } else if (estimates_->phase() == EstimateLoop::Phase::kLand) {
    commander_.land(motion_.stamp);
  }
}

Pilot::Outcome Pilot::takeOff(double height) {
  if (!last_) return {false, kNoReport};
  if (drives_) return {false, "it drives on wheels"};
  if (!last_->on_ground) return {false, "in the air already"};
  if (isLost()) return {false, kLost};
  if (!(height >= 0.0 && height <= kHighestTakeOff)) {
    return {false, fmt::format("height is {:g} m, allowed: 0 ({:g} m) to {:g} m", height,
                               kTakeOffHeight, kHighestTakeOff)};
  }
  const double climb = height > 0.0 ? height : kTakeOffHeight;
  is_armed_ = true;
  commander_.reset();
  const control::Reference start = commander_.reference(motion_);
  commander_.setGoal(start.p_WB + Eigen::Vector3d(0.0, 0.0, climb), start.yaw, motion_.stamp);
  return {true, fmt::format("takes off to {:g} m above the ground", climb)};
}

Pilot::Outcome Pilot::land() {
  if (!last_) return {false, kNoReport};
  if (last_->on_ground) {
    rest();
    return {true, "stands on the ground, the motors rest"};
  }
  commander_.land(motion_.stamp);
  return {true, fmt::format("descends at {:g} m/s", control::Commander::kLandingSpeed)};
}

Pilot::Outcome Pilot::arm(bool armed) {
  if (!last_) return {false, kNoReport};
  if (armed == is_armed_) return {true, armed ? "armed already" : "disarmed already"};
  if (!armed && !last_->on_ground) {
    return {false, "in the air: the motors are disarmed on the ground only"};
  }
  is_armed_ = armed;
  rest();
  return {true, armed ? "armed" : "disarmed"};
}

// Stops the motors until the next command.
void Pilot::rest() {
  commander_.reset();
  controller_->reset();
  has_landed_ = true;
}

// Whether the motors rest: the vehicle has landed, or stands when a stream ends. A vehicle that
// never flew keeps the speeds of its placement.
bool Pilot::motorsRest(const VehicleReport& report) {
  if (!is_armed_) {
    commander_.reset();
    return true;
  }
  const bool is_over = commander_.lands() || commander_.streamEndsBy(motion_.stamp);
  if (report.on_ground && is_over) rest();
  if (commander_.commanded()) has_landed_ = false;
  return report.on_ground && has_landed_;
}

vehicle::RotorArray Pilot::track(const control::Setpoint& setpoint) {
  if (const auto* motors = std::get_if<control::MotorSetpoint>(&setpoint)) {
    bypasses_loops_ = true;
    return motors->speeds;
  }
  if (bypasses_loops_) controller_->reset();  // motor speeds unknown
  bypasses_loops_ = false;
  if (const auto* attitude = std::get_if<control::AttitudeSetpoint>(&setpoint)) {
    return controller_->trackAttitude(motion_, attitude->q_WB, attitude->yaw_rate,
                                      attitude->thrust);
  }
  if (const auto* rates = std::get_if<control::RateSetpoint>(&setpoint)) {
    return controller_->trackRates(motion_, rates->w_WB_B, rates->thrust);
  }
  return controller_->update(motion_, std::get<control::Reference>(setpoint));
}

std::optional<vehicle::RotorArray> Pilot::answer(const VehicleReport& report) {
  notice(report);
  heedEstimates(report);
  actUntil(report.motion.stamp);
  const bool rests = motorsRest(report);
  const control::Setpoint setpoint = commander_.setpoint(motion_);
  reference_ = commander_.reference(motion_);
  if (drives_) reference_ = broughtTo(motion_.X_WB, reference_);
  if (rests) return vehicle::RotorArray::Zero(motor_count_);
  if (report.on_ground && !commander_.commanded()) return std::nullopt;
  if (report.on_ground) controller_->rest();
  return track(setpoint);
}

}  // namespace marsim::sim
