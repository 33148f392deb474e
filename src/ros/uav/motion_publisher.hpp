// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include <nav_msgs/Odometry.h>
#include <nav_msgs/Path.h>
#include <ros/ros.h>
#include <sensor_msgs/Imu.h>
#include <tf2_msgs/TFMessage.h>
#include <tf2_ros/static_transform_broadcaster.h>

#include "common/output_file.hpp"
#include "marsim/MotorStates.h"
#include "marsim/config/load.hpp"
#include "marsim/sim/vehicle.hpp"
#include "ros/common/params.hpp"
#include "ros/common/watched_publisher.hpp"
#include "ros/messages/frames.hpp"

namespace marsim::ros_nodes {

/// How a vehicle moves, told to everybody and recorded.
///
/// Out: `odom` (nav_msgs/Odometry), `imu/data` and `imu/data_raw` (sensor_msgs/Imu), `livox/imu`
/// (the same as Livox's driver gives it: specific force in g, no orientation), `motor_states`
/// (marsim/MotorStates), `path` (nav_msgs/Path, flown), `visual` (visualization_msgs/MarkerArray,
/// latched), tf.
/// Parameters: odom_twist_frame (child | world), publish_ground_truth_tf, odom_frame_id,
/// odom_child_frame_id, imu_frame_id, livox_imu_frame_id, record (file in TUM format; none),
/// record_frame (whose pose that file has, as config::chooseFrame reads it).
class MotionPublisher {
 public:
  static constexpr TimeNs kMotorPeriod = kNsPerSecond / 50;  ///< of `motor_states`

  /// Reads the parameters. `lidar`: the vehicle's, a name or a file. Throws ConfigError, and
  /// FileError if the record cannot be written.
  MotionPublisher(Params& params, const Frames& frames, const vehicle::VehicleConfig& vehicle,
                  const std::string& lidar);

  /// Advertises topics and publishes constant messages. Throws FileError.
  void begin(ros::NodeHandle& handle);
  /// Publishes odometry and tf, and records the next pose.
  void publishOdometry(const KinematicState& state);
  void publishImu(const vehicle::ImuSample& sample);
  void publishMotors(TimeNs stamp, const vehicle::Platform& platform);
  void publishPath(const KinematicState& state);
  /// Clears the path, after a placement.
  void forgetPath() { path_.poses.clear(); }

 private:
  void recordPose(const KinematicState& state);

  Frames frames_;
  vehicle::VehicleConfig vehicle_;
  std::string odom_frame_, odom_child_frame_, imu_frame_, livox_imu_frame_, tf_child_frame_;
  bool twist_in_world_ = false;
  nav_msgs::Path path_;
  std::optional<OutputStream> record_;
  bool record_has_header_ = false;
  Pose X_BR_;  ///< the recorded frame in the body

  WatchedPublisher<nav_msgs::Odometry> odom_publisher_;
  WatchedPublisher<sensor_msgs::Imu> imu_publisher_, imu_raw_publisher_, livox_imu_publisher_;
  WatchedPublisher<tf2_msgs::TFMessage> tf_publisher_;
  WatchedPublisher<marsim::MotorStates> motor_publisher_;
  ros::Publisher path_publisher_, visual_publisher_;
  tf2_ros::StaticTransformBroadcaster static_tf_;
};

}  // namespace marsim::ros_nodes
