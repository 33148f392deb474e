// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "marsim/control/commander.hpp"
#include "marsim/control/controller.hpp"
#include "marsim/sim/estimate_loop.hpp"
#include "marsim/sim/motion_track.hpp"
#include "marsim/sim/time_of_effect.hpp"
#include "marsim/vehicle/quadrotor.hpp"

namespace marsim::sim {

/// The controller's view of a vehicle, derived from its description.
control::VehicleModel vehicleModel(const vehicle::VehicleConfig& config);

/// Kinds of commands, with their topics (docs/ros.md). At one report, commands of equal stamps act
/// in this order, and the last one is followed.
enum class CommandKind {
  kGoal,        ///< goal
  kGoal2d,      ///< goal_2d: a goal at the present height
  kState,       ///< command/state: position, velocity, acceleration, yaw and their rates
  kPosition,    ///< PositionCommand of a planner
  kTrajectory,  ///< command/trajectory
  kPose,        ///< command/pose
  kVelocity,    ///< command/velocity: in W where no frame is named
  kCmdVel,      ///< cmd_vel: forward and left of the heading where no frame is named
  kAttitude,    ///< command/attitude
  kRates,       ///< command/rates
  kMotorSpeeds  ///< command/motor_speeds
};

/// The flight controller of a vehicle: reports and commands in, motor speeds and the tracked
/// reference out. The commander takes the commands; a placement (VehicleReport) drops the one it
/// follows. On the ground the motors rest before the first command and after a landing; disarmed
/// they always rest.
class Pilot {
 public:
  /// Throws ConfigError.
  Pilot(const control::ControllerConfig& config, const control::VehicleModel& model);

  /// A command, called with the stamp of the first report at which it acts.
  using Command = std::function<void(control::Commander& commander, TimeNs now)>;

  /// Takes commands that act at once; without effect while disarmed.
  control::Commander& commander() { return commander_; }
  const control::Commander& commander() const { return commander_; }

  /// Whether a request was carried out, and a sentence for the user on what was done or why not.
  struct Outcome {
    bool done = false;
    std::string text;
  };
  /// Whether its vehicle drives on wheels: of a reference it uses velocity and yaw rate only.
  bool drives() const { return drives_; }
  /// Arms the motors and climbs straight up from the ground by a height [m]; 0: kTakeOffHeight.
  Outcome takeOff(double height);
  /// Descends until the vehicle stands, then stops the motors; on the ground stops them at once.
  Outcome land();
  /// Arms or, on the ground, disarms the motors. They are armed at first and after a placement.
  Outcome arm(bool armed);
  bool isArmed() const { return is_armed_; }
  static constexpr double kTakeOffHeight = 1.5;  ///< [m]

  /// Takes a command that acts at the first report at or after `stamp`, before it is answered.
  /// Returns false if the stamp is more than kFarthestAhead past the last report; the command then
  /// acts at the next one. Commands at one report act in the order of their stamps, then of their
  /// kinds, then of these calls.
  bool commandAt(TimeNs stamp, CommandKind kind, Command command);
  /// Compares a report with the last one. If the vehicle was placed or jumped between them, or
  /// time was set back, resets commander and controller and returns true. It keeps the
  /// waiting commands, but drops those more than kFarthestAhead past the report: they are from
  /// before a jump back in time. answer() calls it.
  bool notice(const VehicleReport& report);
  /// Returns the motor speeds [rad/s] that answer a report: 0 while disarmed or after a landing;
  /// none on the ground before the first command, where the motors rest anyway.
  std::optional<vehicle::RotorArray> answer(const VehicleReport& report);
  /// Sets the loop on estimates. The controller gets the truth until the loop uses an estimate.
  void flyOn(EstimateLoop loop) { estimates_.emplace(std::move(loop)); }
  /// The loop on estimates; null without flyOn().
  EstimateLoop* estimates() { return estimates_ ? &*estimates_ : nullptr; }
  /// Whether it flies on estimates that are lost. It then holds or lands. Callers must
  /// give no commands meanwhile: a command would end that.
  bool isLost() const { return estimates_ && estimates_->isLost(); }
  /// The motion that the controller saw at the last answer.
  const KinematicState& motion() const { return motion_; }
  /// The reference tracked at the last answer. For a vehicle on wheels, which tracks no position,
  /// its position and heading are the vehicle's own.
  const control::Reference& reference() const { return reference_; }
  /// The last report.
  const std::optional<VehicleReport>& report() const { return last_; }

 private:
  struct Waiting {
    TimeNs stamp;
    CommandKind kind;
    Command command;
  };

  void actUntil(TimeNs now);
  void heedEstimates(const VehicleReport& report);
  void rest();
  bool motorsRest(const VehicleReport& report);
  vehicle::RotorArray track(const control::Setpoint& setpoint);

  std::unique_ptr<control::Controller> controller_;
  control::Commander commander_;
  std::vector<Waiting> waiting_;  ///< in the order in which they act
  std::optional<VehicleReport> last_;
  std::optional<EstimateLoop> estimates_;
  KinematicState motion_;
  control::Reference reference_;
  int motor_count_;
  bool drives_;
  bool is_armed_ = true;
  bool has_landed_ = false;      ///< and was not commanded since
  bool bypasses_loops_ = false;  ///< motor speeds were commanded at the last report
};

}  // namespace marsim::sim
