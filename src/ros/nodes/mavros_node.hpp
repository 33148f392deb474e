// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <geometry_msgs/PoseStamped.h>
#include <geometry_msgs/Twist.h>
#include <geometry_msgs/TwistStamped.h>
#include <nav_msgs/Odometry.h>
#include <ros/ros.h>
#include <sensor_msgs/Imu.h>
#include <sensor_msgs/Joy.h>

#include "common/warning_log.hpp"
#include "control/pilot/autopilot.hpp"
#include "control/pilot/offboard.hpp"
#include "marsim/VehicleState.h"
#include "marsim/vehicle/vehicle_config.hpp"
#include "ros/common/command_ticks.hpp"
#include "ros/common/inputs.hpp"
#include "ros/common/job_thread.hpp"
#include "ros/common/watched_publisher.hpp"
#include "ros/messages/frames.hpp"
#include "ros/messages/mavros_messages.hpp"
#include "ros/uav/command_outputs.hpp"
#include "ros/uav/flight_clients.hpp"

namespace marsim::ros_nodes {

/// The topics and services of MAVROS with PX4 behind it, for one UAV: programs that fly a real one
/// by MAVROS fly this one, by a controller that has the services below. What the modes mean is in
/// control::Autopilot, what set points mean in control::offboard::Decoder.
///
/// Below the namespace of the parameter `prefix` (`mavros`; with a leading slash not below the
/// UAV's): in `setpoint_raw/local` (mavros_msgs/PositionTarget), `setpoint_raw/attitude`
/// (mavros_msgs/AttitudeTarget), `setpoint_position/local` (geometry_msgs/PoseStamped),
/// `setpoint_velocity/cmd_vel` (geometry_msgs/TwistStamped) and `cmd_vel_unstamped`
/// (geometry_msgs/Twist), `vision_pose/pose` (geometry_msgs/PoseStamped); out `state`
/// (mavros_msgs/State), `local_position/pose`, `local_position/odom`,
/// `local_position/velocity_local`, `imu/data`, `extended_state` (mavros_msgs/ExtendedState),
/// `battery` (sensor_msgs/BatteryState) and `rc/in` (mavros_msgs/RCIn, for each message on the
/// UAV's `joy`); services `cmd/arming`, `cmd/takeoff`, `cmd/land`, `cmd/command`, `set_mode`. Of
/// the UAV: in `state` (marsim/VehicleState), `imu/data`; out what CommandOutputs and FlightClients
/// name, and `estimate` (nav_msgs/Odometry), the vision poses. In lockstep set points act
/// CommandTicks::kLead after the first tick at or after their stamp. Parameters: prefix,
/// mavros_msgs (1.4, 1.5 or auto: the clients' definition of State), vehicle, mav_frame (LOCAL_NED
/// or BODY_NED, of setpoint_velocity), lockstep, world_frame, frame_prefix.
class MavrosNode {
 public:
  MavrosNode(ros::NodeHandle handle, ros::NodeHandle private_handle);
  ~MavrosNode();

 private:
  /// A set point that waits for its stamp.
  using Waiting = std::multimap<TimeNs, std::function<void()>>;

  void openInputs();
  void openOutputs(ros::NodeHandle& handle, ros::NodeHandle& mavros);
  void openServices(ros::NodeHandle& mavros);
  void onState(const marsim::VehicleStateConstPtr& message);
  void take(const char* topic, const ros::Time& stamp,
            const std::function<control::offboard::Command()>& decode);
  void follow(const char* topic, const std::function<control::offboard::Command()>& decode);
  void onPosition(const geometry_msgs::PoseStampedConstPtr& message);
  void onVelocity(const char* topic, const ros::Time& stamp, const geometry_msgs::Twist& twist);
  void onVisionPose(const geometry_msgs::PoseStampedConstPtr& message);
  void publishMotion(TimeNs stamp);
  void publishState(TimeNs now);
  void publishLanded(TimeNs now, bool on_ground);
  void publishBattery(TimeNs now);
  void onJoy(const sensor_msgs::JoyConstPtr& message);
  control::Autopilot::Outcome command(const mavros_msgs::CommandLong::Request& asked);
  void warn(const char* topic, const std::string& reason);
  void say();

  control::Autopilot::Outcome request(
      const std::function<control::Autopilot::Outcome(control::Autopilot&)>& ask);
  bool actAtOnce(TimeNs now);
  bool publish(const control::Autopilot::Action& action, TimeNs stamp) const;
  bool perform();
  std::string call(const control::Autopilot::Action& action);

  Frames frames_;
  bool velocity_in_heading_ = false;
  bool has_mode_constants_ = false;  ///< in the definition of mavros_msgs/State
  std::mutex mutex_;                 ///< guards all members below that the services' thread uses
  control::Autopilot autopilot_;
  std::unique_ptr<control::offboard::Decoder> decoder_;
  KinematicState motion_;  ///< the last
  vehicle::BatteryConfig battery_;
  int landed_ = -1;  ///< last published, 1: on the ground; < 0: none
  TimeNs landed_told_at_ = -1, battery_told_at_ = -1;
  bool has_state_ = false;
  Waiting waiting_;
  std::vector<control::Autopilot::Action> jobs_;  ///< for the services' thread
  TimeNs told_at_ = -1;                           ///< of the autopilot's last published state
  std::string told_;                              ///< text of that state
  TimeNs vision_stamp_ = -1;                      ///< of the last pose
  WarningLog warnings_{5.0};

  CommandOutputs outputs_;
  FlightClients flight_;
  ros::Publisher state_publisher_, estimate_publisher_, landed_publisher_, battery_publisher_,
      rc_publisher_;
  WatchedPublisher<geometry_msgs::PoseStamped> pose_publisher_;
  WatchedPublisher<nav_msgs::Odometry> odom_publisher_;
  WatchedPublisher<geometry_msgs::TwistStamped> velocity_publisher_;
  WatchedPublisher<sensor_msgs::Imu> imu_publisher_;
  std::unique_ptr<Inputs> inputs_, mavros_inputs_;  ///< of its own namespace, of `prefix`
  ros::Subscriber state_subscriber_;
  std::vector<ros::Subscriber> subscribers_;
  std::unique_ptr<CommandTicks> ticks_;
  std::vector<ros::ServiceServer> services_;
  JobThread service_thread_;  ///< waits for the controller's services
};

}  // namespace marsim::ros_nodes
