// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Geometry>

#include "common/warning_log.hpp"
#include "control/pilot/envelope.hpp"
#include "control/pilot/yaw_rate_check.hpp"
#include "marsim/control/commander.hpp"
#include "marsim/geometry/kinematic_state.hpp"

namespace marsim::control {

/// Watches a controller's commands and its vehicle's tracking. Counts commands that are refused,
/// references beyond a limit, below the ground or outside the map, and tracking errors; reports
/// each kind at once and then once in a while. `topic` names a source of commands.
class CommandWatch {
 public:
  using Say = std::function<void(const std::string&)>;
  static constexpr double kPeriod = 5.0;  ///< [s] of wall time between warnings of a kind

  /// `say` gets the warnings.
  CommandWatch(const ControllerConfig& config, const VehicleModel& vehicle, Say say);

  /// [m] in W; before this call nothing is below it.
  void setGround(double z) { ground_z_ = z; }
  /// In W; before this call nothing is outside.
  void setMap(const Eigen::AlignedBox3d& box) { map_ = box; }

  void refused(const std::string& topic, const std::string& reason, WarningTime now);
  /// A refusal that applies to every message of a source: reported once.
  void refusedAlways(const std::string& topic, const std::string& reason, WarningTime now);
  /// Fields that were NaN or infinite and count as zero: reported once for each.
  void notGiven(const std::string& topic, const std::string& field);
  /// Sets a yaw rate that contradicts the change of the yaw it comes with to 0: counted and
  /// reported once. `now`: simulated time.
  void checkYawRate(const std::string& topic, Reference& reference, TimeNs now);
  /// A reference that is tracked at once.
  void tracked(const std::string& topic, const Reference& reference, const KinematicState& state,
               WarningTime now);
  /// Points with coming times, the first one now.
  void tracked(const std::string& topic, const std::vector<TrajectoryPoint>& points,
               const KinematicState& state, WarningTime now);
  /// A place to fly to within the limits of goals.
  void placed(const std::string& topic, const Eigen::Vector3d& p_WB, WarningTime now);
  /// A velocity [m/s] in W and a yaw rate [rad/s].
  void moved(const std::string& topic, const VelocityCommand& command, const KinematicState& state,
             WarningTime now);
  /// A set point below the level of references.
  void setInner(const std::string& topic, const InnerSetpoint& setpoint, WarningTime now);
  /// A stream that has timed out; not reported for velocities, which users let go of.
  void ended(Commander::Stream stream, WarningTime now);
  /// Fields that are not followed: reported once.
  void notFollowed(const std::string& topic, const std::string& fields);
  /// A command of any kind that is followed from `stamp` on; reports two topics that alternate
  /// within kTogether.
  void taken(const std::string& topic, TimeNs stamp, WarningTime now);
  static constexpr TimeNs kTogether = kNsPerSecond / 2;
  /// A command given to an earlier controller is followed.
  void resumed() { ++commands_; }
  /// The reason why a goal is refused; empty if it is flown to, perhaps with a warning.
  std::string goalProblem(const Eigen::Vector3d& p_WB) const;
  /// Call once per state, with the present reference.
  void followed(const Reference& reference, const KinematicState& state, WarningTime now);
  /// After a placement of the vehicle.
  void reset();

  struct Report {
    bool warns = false;
    std::string summary;
    std::vector<std::pair<std::string, std::string>> values;
  };
  Report report(WarningTime now) const;

 private:
  struct Note {
    std::string kind, text;
  };
  void look(const std::string& topic, const Reference& reference, std::vector<Note>& notes) const;
  void lookAtPlace(const std::string& topic, const Eigen::Vector3d& p_WB,
                   std::vector<Note>& notes) const;
  void say(const std::vector<Note>& notes, WarningTime now);
  void lookAtHeading(const Reference& reference, const KinematicState& state, WarningTime now);

  Envelope envelope_;
  WarningLimits limits_;
  double thrust_max_, motor_speed_max_;  ///< [N] of all rotors, [rad/s]
  Say say_;
  double ground_z_;
  std::optional<Eigen::AlignedBox3d> map_;
  WarningLog refusals_{kPeriod}, warnings_{kPeriod};
  std::map<std::string, std::uint64_t> not_given_;  ///< by topic and field
  std::map<std::string, YawRateCheck> yaw_rates_;   ///< by topic
  std::set<std::string> said_;                      ///< reported once
  std::map<std::string, TimeNs> taken_;             ///< the last command, by topic
  std::uint64_t commands_ = 0;                      ///< accepted ones
  double error_ = 0.0, largest_error_ = 0.0;        ///< [m] of tracking
  std::optional<WarningTime> off_since_;            ///< begin of a large error
  double heading_error_ = 0.0;                      ///< [rad]
  std::optional<TimeNs> turned_since_;              ///< begin of a large heading error
  std::optional<WarningTime> heading_said_;
};

}  // namespace marsim::control
