// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include <ros/ros.h>

#include "control/pilot/command_watch.hpp"
#include "marsim/MapInfo.h"
#include "marsim/MotorSpeeds.h"
#include "marsim/StateReference.h"
#include "marsim/TrackingError.h"
#include "marsim/VehicleState.h"
#include "marsim/sim/pilot.hpp"
#include "ros/common/diagnostics.hpp"
#include "ros/common/inputs.hpp"
#include "ros/common/watched_publisher.hpp"
#include "ros/messages/frames.hpp"
#include "ros/uav/command_gate.hpp"
#include "ros/uav/command_keeper.hpp"
#include "ros/uav/estimate_input.hpp"
#include "ros/uav/flight_services.hpp"
#include "ros/uav/reference_input.hpp"
#include "ros/uav/stream_input.hpp"

namespace marsim::ros_nodes {

/// Flight controller of one UAV, run once for each `state`.
///
/// In: `state` (marsim/VehicleState) and commands (ReferenceInput, StreamInput,
/// offerFlightServices()). Out: `motor_speeds` (marsim/MotorSpeeds), `reference`
/// (marsim/StateReference), `tracking_error` (marsim/TrackingError). The controller follows the
/// last command to arrive, whatever its stamp. In lockstep a command acts at the first state at or
/// after its stamp (see sim::Pilot::commandAt), commands at one state in the order of
/// sim::CommandKind, and every state is answered, at rest by empty motor speeds. The followed
/// command is published on `command_taken`. A controller that is started in the place of another
/// one takes over the command that the quadrotor has kept (`active_command`, both
/// marsim/ActiveCommand) before it answers the first state. /map_info tells where the map ends and,
/// for ground_z `auto`, where the ground is. What CommandWatch notes goes to the log and to
/// /diagnostics.
/// With `estimate` it flies on that in place of the truth (EstimateInput, whose parameters and
/// topics it has).
/// Parameters: vehicle, imu, lidar, seed, controller, goal_speed [m/s], goal_acceleration [m/s^2]
/// (default: the controller file's), ground_z [m], lockstep, world_frame, frame_prefix.
class ControllerNode {
 public:
  ControllerNode(ros::NodeHandle handle, ros::NodeHandle private_handle);

 private:
  void onState(const marsim::VehicleStateConstPtr& message);
  void onImu();
  void onActiveCommand(const marsim::ActiveCommandConstPtr& message);
  bool knowsWhatToFollow(const marsim::VehicleState& message);
  void endWait();
  void answerUnanswered();
  void lookForPublishers();
  void resume(const marsim::ActiveCommand& message, TimeNs now);
  bool mustAwaitImu(const marsim::VehicleStateConstPtr& message);
  void answerOnce(const marsim::VehicleState& message);
  void answer(const marsim::VehicleState& message);
  void tellCommand();
  void onMapInfo(const marsim::MapInfoConstPtr& message);
  void diagnose(diagnostic_updater::DiagnosticStatusWrapper& status);
  void publishReference(const ros::Time& stamp);
  void publishTracking(const KinematicState& truth);

  Frames frames_;
  bool in_lockstep_ = false;
  std::unique_ptr<sim::Pilot> pilot_;
  std::deque<marsim::VehicleStateConstPtr> await_imu_;  ///< states that wait for their IMU sample
  KinematicState state_;
  control::Reference reference_;
  bool has_state_ = false;
  std::uint32_t placements_ = 0;  ///< at the last state
  CommandTeller teller_;
  bool resumes_ = true;                      ///< resumes the command of its predecessor, if any
  marsim::ActiveCommandConstPtr kept_;       ///< the command kept by the quadrotor
  marsim::VehicleStateConstPtr unanswered_;  ///< the first state, until kept_ has come
  std::optional<WarningTime> waits_since_;
  boost::shared_ptr<marsim::MotorSpeeds> motors_;  ///< of the last answer
  std::uint32_t states_ = 0;                       ///< received ones
  std::unique_ptr<control::CommandWatch> watch_;
  std::unique_ptr<CommandGate> gate_;
  std::unique_ptr<ReferenceInput> references_;
  std::unique_ptr<StreamInput> streams_;
  std::vector<ros::ServiceServer> services_;
  double ground_z_;  ///< [m] in W; NaN: the map's lowest point

  WatchedPublisher<marsim::MotorSpeeds> motor_publisher_;
  WatchedPublisher<marsim::StateReference> reference_publisher_;
  WatchedPublisher<marsim::TrackingError> error_publisher_;
  Inputs inputs_;
  std::unique_ptr<EstimateInput> estimates_;  ///< null: it flies on the truth
  ros::Subscriber state_subscriber_, map_info_subscriber_, kept_subscriber_;
  Diagnostics diagnostics_;
};

}  // namespace marsim::ros_nodes
