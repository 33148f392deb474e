// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "marsim/control/reference.hpp"
#include "marsim/geometry/pose_track.hpp"
#include "marsim/scene/peers.hpp"
#include "marsim/sim/collisions.hpp"
#include "marsim/sim/motion_track.hpp"
#include "marsim/sim/rates.hpp"
#include "marsim/sim/time_of_effect.hpp"
#include "marsim/vehicle/platform.hpp"
#include "marsim/vehicle/vehicle_config.hpp"
#include "marsim/vehicle/wind.hpp"

namespace marsim::sim {

/// A motion that a vehicle follows in place of its dynamics: it is exactly where the track says,
/// whatever the motor commands. Touches are reported as contacts and do not change the motion. The
/// track's first pose is at simulated time `lead_in`. Before the track the vehicle rests at its
/// first pose, after it at its last.
struct Replay {
  std::shared_ptr<const PoseTrack> track;
  TimeNs lead_in = 0;

  KinematicState at(TimeNs stamp) const;
  /// Simulated time of the last pose.
  TimeNs end() const { return lead_in + track->end() - track->begin(); }
};

/// The way a vehicle moves.
enum class Dynamics {
  kRigidBody,  ///< "rigid_body": by the forces on it
  kIdeal,      ///< "ideal": along its controller's reference, without forces, never below the
               ///< ground plane
};

/// A motor that loses power.
struct MotorFailure {
  int rotor = 0;               ///< in the order of the vehicle file's rotors, from 0 on
  TimeNs at = 0;               ///< simulated time of the failure
  double effectiveness = 0.0;  ///< share of the commanded thrust that is left, 0 to 1
};

/// A vehicle with its rates and collision settings.
struct VehicleSetup {
  vehicle::VehicleConfig vehicle;
  RateConfig rates;
  CollisionConfig collision;
  std::uint64_t seed = 1;
  std::optional<Replay> replay = std::nullopt;
  Dynamics dynamics = Dynamics::kRigidBody;
  vehicle::WindConfig wind = {};  ///< ignored, like motor_failures, by ideal dynamics and replays
  std::vector<MotorFailure> motor_failures = {};

  /// Throws ConfigError where the rate of sensors, states or odometry does not divide the dynamics
  /// rate, the motors' time constant is too short for the dynamics step, a replay or ideal dynamics
  /// has a response to collisions other than "report", a vehicle on wheels has ideal dynamics, or
  /// wind or a failure is out of bounds.
  void validate(const std::string& where) const;
};

/// The motor speeds with which a pilot answers a report.
struct MotorCommand {
  vehicle::RotorArray speeds;    ///< [rad/s]
  TimeNs computed_from = 0;      ///< stamp of the report
  std::uint32_t placements = 0;  ///< of the report (1 at the first placement); 0: unknown
};

/// The events and samples that fall due at one step of a vehicle.
struct VehicleStep {
  bool report = false;                            ///< it is a state step (VehicleReport)
  bool placed = false;                            ///< a placement was made at its end
  bool odometry = false;                          ///< an odometry step
  std::vector<collision::ContactEvent> contacts;  ///< begins and ends
  std::optional<vehicle::ImuSample> imu;
  std::optional<Eigen::Vector3d> magnetic_field;  ///< [T] in the magnetometer's frame
  std::optional<double> pressure;                 ///< [Pa]
  std::optional<vehicle::GnssFix> fix;
};

class IdealMotion;

/// The physics of a UAV or ground vehicle: its dynamics (vehicle::Platform), contacts and impacts,
/// IMU and navigation sensors at their rates. Motor speeds, impacts and moving objects in; reports,
/// contacts, impacts on others and sensor samples out. Steps lie on multiples of the dynamics step,
/// periodic outputs on multiples of their period since simulated time 0.
class Vehicle {
 public:
  /// `map`: its points to collide with, null: none; `id`: the UAV's. At first the vehicle is at
  /// rest at the origin, at time 0; call place() before the first step. Throws ConfigError, and
  /// FileError for the body.
  Vehicle(const VehicleSetup& setup, double ground_z,
          std::shared_ptr<const collision::Neighbours> map, std::uint32_t id);

  /// Places the vehicle at rest (a replay: where the track is), at the dynamics step at or before
  /// `stamp`. Returns the contacts that end. In the air it stays there until its first motor speeds
  /// or a collision, whatever the wind. Discards earlier commands and impacts. Discards
  /// pending placements more than kFarthestAhead past `stamp`, too: they are from before a jump
  /// back in time.
  std::vector<collision::ContactEvent> place(const Eigen::Vector3d& p_WB, double yaw, TimeNs stamp);
  /// Places it at the end of the first state step at or after `stamp`, after its sensors were
  /// sampled. Returns false if the stamp is more than kFarthestAhead ahead; the placement is then
  /// made at the next state step. The last of several due placements counts.
  bool placeAt(const Eigen::Vector3d& p_WB, double yaw, TimeNs stamp);
  /// Whether its dynamics are ideal: it takes references; motor speeds and impacts of others change
  /// nothing.
  bool isIdeal() const { return setup_.dynamics == Dynamics::kIdeal && !replays(); }
  /// Whether its motion is prescribed: motor speeds and impacts of others change nothing.
  bool replays() const { return setup_.replay.has_value(); }
  /// Takes motor speeds. They act a number of reports (VehicleConfig::control_latency) after the
  /// one that they were computed from, or at once if that time is past. Ignores them and returns
  /// false if they were computed from a report before the last placement, or from one that is yet
  /// to come.
  bool command(const MotorCommand& command);
  /// Takes motor speeds without a stamp, which act at once.
  void command(const vehicle::RotorArray& speeds) {
    platform_->command(speeds);
    awaits_command_ = false;
  }
  /// With ideal dynamics takes the reference that the controller tracks at the report stamped
  /// `computed_from`. It acts, or is ignored, by command()'s rules for motor speeds.
  bool track(const control::Reference& reference, TimeNs computed_from, std::uint32_t placements);
  /// Whether the report with the stamp `computed_from` was made since the last placement and is not
  /// in the future, so that commands computed from it count. `placements` are the report's; 0:
  /// unknown.
  bool isAnswer(TimeNs computed_from, std::uint32_t placements) const;
  /// Applies the impact of another UAV that has run into this one (see Collisions).
  void takeImpact(const Impact& impact);
  /// Advances by one dynamics step. `objectsNear` gives the moving objects that it can hit,
  /// `rigidBodyOf` mass and motion of other UAVs, which impulses push. Both may be empty.
  const VehicleStep& step(const Collisions::ObjectsNear& objectsNear = {},
                          const Collisions::RigidBodyOf& rigidBodyOf = {});

  /// Returns a report of the present state, also between state steps.
  VehicleReport report() const { return {state(), platform_->onGround(), placements_}; }
  const KinematicState& state() const { return platform_->state(); }
  const vehicle::Platform& platform() const { return *platform_; }
  const VehicleSetup& setup() const { return setup_; }
  Collisions& collisions() { return *collisions_; }
  const Collisions& collisions() const { return *collisions_; }
  std::uint32_t placements() const { return placements_; }
  TimeNs placedAt() const { return placed_at_; }
  TimeNs dynamicsStep() const { return step_period_; }
  /// The bounding sphere of the body.
  scene::BoundingSphere ball() const {
    return {state().X_WB.p, collisions_->checker().body().radius()};
  }
  TimeNs reportPeriod() const { return report_period_; }
  /// Whether the vehicle is at a state step (VehicleReport).
  bool reportsNow() const { return state().stamp % report_period_ == 0; }

 private:
  struct Pending {
    TimeNs acts_at;
    vehicle::RotorArray speeds;
  };
  struct Placement {
    TimeNs stamp;
    Eigen::Vector3d p_WB;
    double yaw;
  };

  void applyDueMotorSpeeds();
  void stayInPlace();
  void moveIdeally();
  void applyWindAndFailures();
  void sample();
  void placeDue();

  VehicleSetup setup_;
  TimeNs step_period_, report_period_, odometry_period_, imu_period_;
  std::unique_ptr<vehicle::Platform> platform_;
  std::unique_ptr<Collisions> collisions_;
  vehicle::Imu imu_;
  std::optional<vehicle::Magnetometer> magnetometer_;
  std::optional<vehicle::Barometer> barometer_;
  std::optional<vehicle::Gnss> gnss_;
  std::optional<vehicle::Wind> wind_;  ///< none: still air
  double ground_z_;
  std::shared_ptr<IdealMotion> ideal_;
  std::deque<Pending> pending_;                ///< motor speeds that do not act yet
  std::vector<Placement> placements_to_come_;  ///< by stamp
  std::uint32_t placements_ = 0;
  TimeNs placed_at_ = 0;
  bool awaits_command_ = false;  ///< since it was placed in the air
  VehicleStep due_;
};

}  // namespace marsim::sim
