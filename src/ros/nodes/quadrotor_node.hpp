// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <ros/ros.h>
#include <rosgraph_msgs/Clock.h>
#include <std_srvs/Trigger.h>

#include "clock/control_wait.hpp"
#include "marsim/MotorSpeeds.h"
#include "marsim/StateReference.h"
#include "marsim/Teleport.h"
#include "marsim/VehicleState.h"
#include "marsim/sim/vehicle.hpp"
#include "ros/common/clock_grants.hpp"
#include "ros/common/diagnostics.hpp"
#include "ros/common/inputs.hpp"
#include "ros/common/peer_publisher.hpp"
#include "ros/common/watched_publisher.hpp"
#include "ros/common/world_input.hpp"
#include "ros/messages/frames.hpp"
#include "ros/uav/command_keeper.hpp"
#include "ros/uav/contact_publisher.hpp"
#include "ros/uav/motion_publisher.hpp"
#include "ros/uav/navigation_sensors.hpp"

namespace marsim::ros_nodes {

/// Dynamics, collisions and IMU of one UAV, stepped by /clock. On a busy machine they wait for the
/// controller's answers, and /clock for them. While time stands still, the node publishes the last
/// `state` again for a controller that it waits for and for new subscribers. It keeps the command
/// that its controller follows (CommandKeeper) for a controller that is started in its place.
///
/// In lockstep (see Lockstep) it begins when it has heard of all participants, every step waits for
/// the messages that act in it (the controller's answer, the other UAVs' states), and `teleport`
/// and `reset` act at a state (see sim::Vehicle::placeAt).
///
/// With ideal dynamics the controller's `reference` is its answer, in place of motor speeds.
///
/// In: `motor_speeds` (marsim/MotorSpeeds), with ideal dynamics `reference`
/// (marsim/StateReference), /clock.
/// Out: `state` (marsim/VehicleState), what MotionPublisher, NavigationSensors, ContactPublisher
/// and CommandKeeper name, what PeerPublisher tells the other UAVs. Services `reset`
/// (std_srvs/Trigger): back to the start; `teleport` (marsim/Teleport): anywhere.
/// Parameters: vehicle, imu (as config::chooseImu reads it), lidar, map, resolution, x, y, z, yaw,
/// swarm, swarm_size and uav_id (in place of x y z yaw: see SwarmPlace), ground_z, dynamics_rate,
/// state_rate, odom_rate, seed, replay (a trajectory file as readPoseFile reads it, which the
/// vehicle follows in place of its dynamics; none), replay_lead_in (simulated time of its first
/// pose), replay_then (hold | end: whether the node ends after its last pose), dynamics
/// (rigid_body | ideal), wind, gusts (config::windOf), motor_failure (config::motorFailuresOf),
/// check_start, world_frame, frame_prefix, on_crash (end | respawn: whether a controller that dies
/// is started again, and so how long it is waited for outside of lockstep); those of
/// MotionPublisher, readCollisionConfig and WorldInput.
class QuadrotorNode {
 public:
  QuadrotorNode(ros::NodeHandle handle, ros::NodeHandle private_handle);

 private:
  void makeVehicle(Params& params, const sim::VehicleSetup& setup);
  void takePart();
  bool mayStep();
  void advance();
  const sim::VehicleStep& move();
  void tellReplay(TimeNs stamp);
  void tellFailures(TimeNs stamp) const;
  void publishClearance();
  void advertise(ros::NodeHandle& handle, const ros::NodeHandle& private_handle);
  void onClock(const rosgraph_msgs::ClockConstPtr& message);
  void onTimer();
  void onMotorSpeeds(const marsim::MotorSpeedsConstPtr& message);
  void onReference(const marsim::StateReferenceConstPtr& message);
  bool onReset(std_srvs::Trigger::Request& request, std_srvs::Trigger::Response& response);
  bool onTeleport(marsim::Teleport::Request& request, marsim::Teleport::Response& response);
  void place(const Eigen::Vector3d& p_WB, double yaw, TimeNs stamp);
  std::string placeAt(const Eigen::Vector3d& p_WB, double yaw, TimeNs stamp);
  void onPlaced();
  void start(TimeNs now);
  void publishState();
  void tellState();
  void diagnose(diagnostic_updater::DiagnosticStatusWrapper& status);

  Frames frames_;
  Eigen::Vector3d start_p_WB_;
  double start_yaw_ = 0.0;
  bool ends_with_replay_ = false;  ///< the node ends half a second after the last pose

  std::unique_ptr<sim::Vehicle> vehicle_;
  std::unique_ptr<WorldInput> world_;
  std::unique_ptr<MotionPublisher> motion_publisher_;
  std::unique_ptr<ContactPublisher> contact_publisher_;  ///< null if collisions are off
  std::unique_ptr<NavigationSensors> navigation_sensors_;
  std::unique_ptr<PeerPublisher> peer_publisher_;
  bool started_ = false;
  bool takes_part_ = false;           ///< in lockstep
  std::atomic<bool> is_made_{false};  ///< set when callbacks may act
  TimeNs clock_ = 0;                  ///< last /clock; the state's stamp follows it
  ControlWait control_wait_{0, 0};
  ControlWait::WallClock::time_point moved_at_, diagnosed_at_;
  std::optional<sim::VehicleReport> told_;  ///< the last `state` since the last placement
  std::uint32_t told_to_ = 0;               ///< number of listeners by then
  std::unique_ptr<ClockGrants> clock_grants_;

  ros::WallTime reported_at_;  ///< for the real-time factor between two reports
  TimeNs reported_stamp_ = 0;

  WatchedPublisher<marsim::VehicleState> state_publisher_;
  Inputs inputs_;
  std::unique_ptr<CommandKeeper> command_keeper_;
  ros::Subscriber clock_subscriber_, motor_subscriber_, reference_subscriber_;
  ros::ServiceServer reset_service_, teleport_service_;
  ros::SteadyTimer timer_;
  Diagnostics diagnostics_;
};

}  // namespace marsim::ros_nodes
