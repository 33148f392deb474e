// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <variant>
#include <vector>

#include "marsim/control/controller.hpp"
#include "marsim/control/goal_path.hpp"
#include "marsim/control/pose_follower.hpp"
#include "marsim/control/reference.hpp"
#include "marsim/control/setpoint.hpp"
#include "marsim/control/velocity_follower.hpp"

namespace marsim::control {

/// One point of a trajectory.
struct TrajectoryPoint {
  TimeNs after = 0;  ///< how long after the first point
  Reference reference;
  /// Whether more than position and yaw is given; else the point is flown to like a pose.
  bool moves = true;
};

/// The command that a Commander follows, without the limits: another Commander that resumes it
/// gives the same references.
struct ActiveCommand {
  enum class Kind : std::uint8_t {
    kNone,   ///< never commanded
    kGoal,   ///< flight from `from` to the target
    kState,  ///< `from` is tracked
    kPose,   ///< `from` is drawn to the target
    kStop,   ///< `from` is brought to rest; also stands for a stream with a time-out
    kLand,   ///< `from` descends
  };
  /// A point of a trajectory whose time is still to come.
  struct Waiting {
    TimeNs at = 0;
    TrajectoryPoint point;
  };
  Kind kind = Kind::kNone;
  TimeNs stamp = 0;  ///< when `from` holds
  Reference from;
  double yaw_acceleration = 0.0;                          ///< [rad/s^2] at `from`, for kPose
  Eigen::Vector3d target_p_WB = Eigen::Vector3d::Zero();  ///< [m] for kGoal and kPose
  double target_yaw = 0.0;                                ///< [rad]
  std::vector<Waiting> waiting;
};

/// A set point below the level of references: it leaves out the outer loops.
using InnerSetpoint = std::variant<AttitudeSetpoint, RateSetpoint, MotorSetpoint>;

/// Gives a controller its set points: holds the place where it first saw the vehicle, flies to
/// goals, follows poses, full-state references and trajectories, and holds the last one of them.
/// Velocities, attitudes, body rates and motor speeds are followed for kStreamTimeout; without a
/// newer one the vehicle brakes and holds where it comes to rest. Each command replaces the one
/// before, including the points of a trajectory that still wait.
class Commander {
 public:
  /// The kinds of commands that hold for kStreamTimeout only.
  enum class Stream { kVelocity, kAttitude, kRates, kMotorSpeeds };

  explicit Commander(const GoalLimits& limits, const VelocityLimits& velocity_limits = {})
      : limits_(limits), velocity_limits_(velocity_limits) {}
  /// Takes a controller's limits; velocities change with the acceleration of goals.
  explicit Commander(const ControllerConfig& config)
      : Commander(config.goal, {config.speed_max, config.goal.acceleration, config.yaw_rate_max}) {}

  /// Flies smoothly from the present reference to a goal in W [m, rad]; before the first
  /// reference(): from where the vehicle is at that call.
  void setGoal(const Eigen::Vector3d& p_WB, double yaw, TimeNs now);
  /// Tracks a full state at once, carried on by its own velocity and acceleration for
  /// kCarryOn so that a slower stream gives a smooth reference. When nothing newer comes its
  /// velocity fades to zero by kHoldAfter, and the position reached then is kept.
  void setReference(const Reference& reference, TimeNs now);
  /// Draws the reference at once to a pose in W [m, rad], within the limits of goals; made for set
  /// points that come in a stream (PoseFollower).
  void setPose(const Eigen::Vector3d& p_WB, double yaw, TimeNs now);
  /// Sets the first point at once and each later one at its time, by setReference() or setPose(). A
  /// point earlier than the one before it is set together with that one.
  void setTrajectory(const std::vector<TrajectoryPoint>& points, TimeNs now);
  /// Leads the reference to a velocity and a yaw rate (VelocityFollower). Without effect before the
  /// first reference(), as land() is.
  void setVelocity(const VelocityCommand& command, TimeNs now);
  /// Tracks an attitude, body rates or motor speeds, without the outer loops.
  void setInner(const InnerSetpoint& setpoint, TimeNs now);
  /// Descends straight down at kLandingSpeed until something else is commanded or reset().
  void land(TimeNs now);
  bool lands() const { return landing_; }
  /// Whether anything was ever commanded (a vehicle on the ground stays there until then).
  bool commanded() const { return commanded_; }
  /// The reference for now. Before the first command it rests where the vehicle was at the first
  /// call; while an inner set point is followed it is the vehicle's own motion.
  Reference reference(const KinematicState& state);
  /// The set point that the controller tracks now: the reference, or an inner set point.
  Setpoint setpoint(const KinematicState& state);
  /// Whether the followed stream times out by `now`.
  bool streamEndsBy(TimeNs now) const { return stream_ && now - last_command_ >= kStreamTimeout; }
  /// Returns a stream that has timed out, once for each time-out.
  std::optional<Stream> takeEndedStream();
  /// Forgets goals and references; the next reference() counts as the first.
  void reset();
  /// The command that is followed.
  ActiveCommand active() const;
  /// Follows the command of another Commander with the same limits, in place of its own. The
  /// references are identical if the other one was asked at every multiple of kReplayStep; a pose
  /// that was reached meanwhile is met to a micrometre.
  void resume(const ActiveCommand& command, TimeNs now);

  /// A full-state reference younger than this is carried on by its own motion.
  static constexpr TimeNs kCarryOn = 100'000'000;
  /// A full-state reference older than this is held: position kept, velocity and acceleration zero.
  static constexpr TimeNs kHoldAfter = 500'000'000;
  /// Velocities, attitudes, body rates and motor speeds are followed no longer than this.
  static constexpr TimeNs kStreamTimeout = 500'000'000;
  static constexpr double kLandingSpeed = 0.5;  ///< [m/s]
  /// Step with which a resumed command to a pose is followed from its stamp on: the usual period of
  /// states, 500 Hz.
  static constexpr TimeNs kReplayStep = 2'000'000;

 private:
  struct Goal {
    Eigen::Vector3d p_WB;
    double yaw;
  };
  /// A path and the inputs that it was made from.
  struct Way {
    Reference from;
    TimeNs start;
    Goal goal;
    GoalPath path;
  };
  Reference present(TimeNs now);
  Reference streamed(TimeNs now) const;
  void flyTo(const Goal& goal, TimeNs now);
  void fly(const Reference& from, TimeNs start, const Goal& goal);
  void follow(const Eigen::Vector3d& p_WB, double yaw, TimeNs now);
  void track(const Reference& reference, TimeNs now);
  void move(const Reference& from, TimeNs start, const Eigen::Vector3d& velocity);
  void forgetWay();
  void endStream(TimeNs now);
  void setDuePoints(TimeNs now);
  void replay(TimeNs from, TimeNs now);

  GoalLimits limits_;
  VelocityLimits velocity_limits_;
  // At most one of these is followed; without any the last reference.
  std::optional<Way> way_;
  std::optional<PoseFollower> follower_;
  std::optional<VelocityFollower> velocity_;
  std::optional<InnerSetpoint> inner_;
  std::deque<ActiveCommand::Waiting> trajectory_;
  std::optional<Goal> waiting_goal_;  // set before the start was known
  Reference last_;                // tracked, the vehicle's own under inner_, or the place to hold
  TimeNs seen_at_ = 0;            // stamp of the last state
  std::optional<Stream> stream_;  // of velocity_ or inner_, until its time-out
  std::optional<Stream> ended_stream_;  // not yet taken
  TimeNs last_command_ = 0;
  bool initialised_ = false;
  bool commanded_ = false;
  bool streaming_ = false;
  bool landing_ = false;
};

}  // namespace marsim::control
