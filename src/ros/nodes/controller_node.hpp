#pragma once

#include <memory>
#include <optional>
#include <string>

#include <diagnostic_updater/diagnostic_updater.h>
#include <geometry_msgs/PoseStamped.h>
#include <ros/ros.h>
#include <topic_tools/shape_shifter.h>
#include <trajectory_msgs/MultiDOFJointTrajectory.h>

#include "control/command_watch.hpp"
#include "marsim/MapInfo.h"
#include "marsim/MotorSpeeds.h"
#include "marsim/StateReference.h"
#include "marsim/TrackingError.h"
#include "marsim/VehicleState.h"
#include "marsim/sim/pilot.hpp"
#include "ros/common/watched_publisher.hpp"
#include "ros/messages/frames.hpp"
#include "ros/messages/position_command.hpp"
#include "ros/nodes/command_keeper.hpp"
#include "ros/nodes/estimate_input.hpp"

namespace marsim::ros_nodes {

/// Cascaded PID of one UAV, run once for each `state`.
///
/// In: `state` (marsim/VehicleState), `goal` (geometry_msgs/PoseStamped, flown to on a smooth
/// path), `goal_2d` (the same for RViz's '2D Nav Goal': keeps the present altitude),
/// `command/state` (marsim/StateReference, tracked at once), `command/position` (any of the known
/// quadrotor_msgs/PositionCommand, see position_command.hpp), `command/trajectory`
/// (trajectory_msgs/MultiDOFJointTrajectory) and `command/pose` (geometry_msgs/PoseStamped, a set
/// point) as RotorS reads them. Out: `motor_speeds` (marsim/MotorSpeeds), `reference`
/// (marsim/StateReference), `tracking_error` (marsim/TrackingError), `planned_path`
/// (nav_msgs/Path, one for each goal).
/// Whatever came last is followed, whenever it says that it was made, and held when nothing more
/// comes; in lockstep a command acts at the first state at or after its stamp (see
/// sim::Pilot::commandAt), those of one state in the order of sim::CommandKind. There every
/// state is answered, at rest by motor speeds without any. What is followed is told on
/// `command_taken`; a controller that is started in the place of another one goes on with what the
/// quadrotor has kept of that (`active_command`, both marsim/ActiveCommand) before it answers the
/// first state. Commands are in the world frame, named as the parameter says, `world` or not at
/// all. Goals may be in the world frame or in this UAV's base_link; those below the ground are
/// refused. A zero quaternion keeps the yaw. /map_info tells where the map ends and, for ground_z
/// `auto`, where the ground is. What CommandWatch notes goes to the log and to /diagnostics.
/// With `estimate` it flies on that in place of the truth (EstimateInput, whose parameters it has).
/// Parameters: vehicle, controller, goal_speed [m/s], goal_acceleration [m/s^2] (default: the
/// controller file's), ground_z [m], lockstep (false), world_frame, frame_prefix.
class ControllerNode {
 public:
  ControllerNode(ros::NodeHandle handle, ros::NodeHandle private_handle);

 private:
  template <class Message>
  ros::Subscriber subscribe(ros::NodeHandle& handle, const std::string& name, sim::CommandKind kind,
                            void (ControllerNode::*on)(const boost::shared_ptr<const Message>&));
  void take(sim::CommandKind kind, TimeNs stamp, const std::function<void()>& command);
  void onState(const marsim::VehicleStateConstPtr& message);
  void onImu();
  void onActiveCommand(const marsim::ActiveCommandConstPtr& message);
  bool knowsWhatToFollow(const marsim::VehicleState& message);
  void endWait();
  void resume(const marsim::ActiveCommand& message, TimeNs now);
  void answer(const marsim::VehicleState& message);
  void tellCommand();
  void onGoal(const geometry_msgs::PoseStampedConstPtr& message) { flyTo(*message, false); }
  void onGoal2d(const geometry_msgs::PoseStampedConstPtr& message) { flyTo(*message, true); }
  void flyTo(const geometry_msgs::PoseStamped& message, bool keep_altitude);
  void onReference(const marsim::StateReferenceConstPtr& message);
  void subscribeToPositionCommands();
  void noticePlanners();
  void onPositionCommand(const topic_tools::ShapeShifter::ConstPtr& message);
  void follow(const PositionCommand& command, const char* users);
  void onTrajectory(const trajectory_msgs::MultiDOFJointTrajectoryConstPtr& message);
  void onPose(const geometry_msgs::PoseStampedConstPtr& message);
  void onMapInfo(const marsim::MapInfoConstPtr& message);
  bool hasState(const char* topic);
  bool isCommandFrame(const char* topic, const std::string& frame);
  void refuse(const char* topic, const std::string& reason);
  void diagnose(diagnostic_updater::DiagnosticStatusWrapper& status);
  void publishTracking(const KinematicState& truth);
  void publishPlannedPath();

  Frames frames_;
  control::GoalLimits limits_;
  bool in_lockstep_ = false;
  std::unique_ptr<sim::Pilot> pilot_;
  std::unique_ptr<EstimateInput> estimates_;  ///< null: it flies on the truth
  marsim::VehicleStateConstPtr awaits_imu_;   ///< the state whose IMU sample is still to come
  KinematicState state_;
  control::Reference reference_;
  bool has_state_ = false;
  std::uint32_t placements_ = 0;  ///< as of the last state
  CommandTeller teller_;
  bool resumes_ = true;  ///< begins with what the one before followed, if there was one
  marsim::ActiveCommandConstPtr kept_;       ///< by the quadrotor
  marsim::VehicleStateConstPtr unanswered_;  ///< the first state, until that has come
  std::optional<WarningTime> waits_since_;
  boost::shared_ptr<marsim::MotorSpeeds> motors_;  ///< the last answer
  bool has_planner_ = false;
  std::uint32_t states_ = 0;  ///< received
  std::unique_ptr<control::CommandWatch> watch_;
  double ground_z_;  ///< [m] in W; NaN: the map's lowest point

  ros::NodeHandle handle_;
  WatchedPublisher<marsim::MotorSpeeds> motor_publisher_;
  WatchedPublisher<marsim::StateReference> reference_publisher_;
  WatchedPublisher<marsim::TrackingError> error_publisher_;
  ros::Publisher path_publisher_;
  ros::Subscriber state_subscriber_, goal_subscriber_, goal_2d_subscriber_, reference_subscriber_,
      position_subscriber_, trajectory_subscriber_, pose_subscriber_, map_info_subscriber_,
      kept_subscriber_;
  diagnostic_updater::Updater diagnostics_;
};

}  // namespace marsim::ros_nodes
