// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "control/pilot/command_watch.hpp"
#include "marsim/sim/pilot.hpp"

namespace marsim::sim {

/// Whether an orientation was left at zero, as in messages that only mean a position.
bool isUnset(const Eigen::Quaterniond& q);
/// The yaw [rad] of an orientation of any length; `present` where it is unset.
double yawOrPresent(const Eigen::Quaterniond& q, double present);
/// Whether a user's frame is the one called `name`, a leading slash apart.
bool isFrame(const std::string& frame, const std::string& name);
/// Whether a user's frame is the world frame; so is an empty name.
bool isWorldFrame(const std::string& frame, const std::string& world);

struct TrajectoryCommand {
  std::vector<control::TrajectoryPoint> points;
  /// Names of accelerations and velocities.angular.z that were NaN or infinite: they count as zero.
  std::set<std::string> not_given;
};

/// Makes times relative to the first point's. Throws Error if there is no point, or naming the
/// point whose place, yaw or velocity is NaN or infinite.
TrajectoryCommand checkTrajectory(std::vector<control::TrajectoryPoint> points);

/// A pose in a frame of the user's choice. The orientation may be unset or not normalised.
struct PoseRequest {
  std::string frame;
  Pose X_FG;
};

/// A linear and an angular velocity in a frame of the user's choice.
struct VelocityRequest {
  std::string frame;
  Eigen::Vector3d v, w;  ///< [m/s], [rad/s]
};

/// Checks the decoded commands of a UAV, whatever messages brought them, and hands them to its
/// pilot: frames, finite values, states that allow a command, and the report of accepted and
/// refused ones. `topic` names the source of a command.
class CommandInput {
 public:
  struct Hooks {
    /// Called at a command newer than the one that a restarted controller waits to resume.
    std::function<void()> endWait = [] {};
    /// Called after the pilot was given a command.
    std::function<void()> taken = [] {};
  };

  /// `world`, `base`: names of the frames of the world and of this UAV's body.
  CommandInput(Pilot& pilot, control::CommandWatch& watch, const std::string& world,
               const std::string& base, Hooks hooks);

  /// Flies to a pose in W or B on a smooth path, with `keeps_altitude` at the height of the present
  /// reference. Returns whether it was accepted.
  bool flyTo(const char* topic, const PoseRequest& goal, bool keeps_altitude);
  /// Holds a pose in W.
  void hold(const char* topic, const PoseRequest& pose);
  /// Tracks a reference in W at once.
  void track(const char* topic, const std::string& frame, control::Reference reference);
  /// Tracks a trajectory in W. `decode` gets the present yaw [rad], for points without one; an
  /// Error refuses the command.
  void followTrajectory(const char* topic, const std::string& frame,
                        const std::function<TrajectoryCommand(double present_yaw)>& decode);
  /// Holds a velocity in W or in the heading frame (x forward and y left of the yaw, z up), which
  /// B's name means; without a frame in W, with `is_body_default` in the heading frame. A vehicle
  /// on wheels moves along its heading only.
  void move(const char* topic, const VelocityRequest& request, bool is_body_default);
  /// Holds a set point below the level of references.
  void setInner(const char* topic, const control::InnerSetpoint& setpoint);

  /// Whether an otherwise valid command can be followed; false: it was refused. Call it last, since
  /// it ends a wait. `is_for_wheels`: whether vehicles on wheels follow such commands.
  bool isOpen(const char* topic, bool is_for_wheels = false);
  /// As isOpen() for services, which need no armed motors and reply by themselves.
  bool hasState();
  /// Whether a command is in the world frame (also without a name); false: it was refused.
  bool isInWorld(const char* topic, const std::string& frame);
  /// Whether a frame is this UAV's base_link.
  bool isBase(const std::string& frame) const { return isFrame(frame, base_); }
  void refuse(const char* topic, const std::string& reason);
  /// Call it after the pilot was given a command.
  void taken(const char* topic);

  Pilot& pilot() { return pilot_; }
  control::CommandWatch& watch() { return watch_; }
  /// The state that the controller saw last.
  const KinematicState& state() const { return pilot_.motion(); }
  const control::Reference& reference() const { return pilot_.reference(); }

 private:
  bool isWorld(const std::string& frame) const;
  void refuseFrame(const char* topic, const std::string& frame, const std::string& allowed);

  Pilot& pilot_;
  control::CommandWatch& watch_;
  std::string world_, base_;
  Hooks hooks_;
};

/// Present time for warnings.
WarningTime wallTime();

}  // namespace marsim::sim
