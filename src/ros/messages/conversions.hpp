// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <geometry_msgs/Point.h>
#include <geometry_msgs/Pose.h>
#include <geometry_msgs/PoseStamped.h>
#include <geometry_msgs/Quaternion.h>
#include <geometry_msgs/TransformStamped.h>
#include <geometry_msgs/Vector3.h>
#include <nav_msgs/Odometry.h>
#include <ros/time.h>
#include <sensor_msgs/Imu.h>
#include <std_msgs/Header.h>

#include "marsim/StateReference.h"
#include "marsim/VehicleState.h"
#include "marsim/control/reference.hpp"
#include "marsim/geometry/kinematic_state.hpp"
#include "marsim/sim/motion_track.hpp"
#include "marsim/vehicle/imu.hpp"

/// Converts between messages and the core's types; units and frames are the same on both sides.
namespace marsim::ros_nodes {

/// Stamp of simulated time 0, the parameter /epoch; 0 in a program that is no ROS node. Throws
/// ConfigError, FileError when first called.
TimeNs epoch();

/// The stamp of a simulated time, the nearest in the range of ROS, which ends at 2^32 s.
ros::Time toRos(TimeNs t, TimeNs epoch = ros_nodes::epoch());
/// The simulated time of a stamp, negative before the epoch; 0 of an unset stamp.
TimeNs fromRos(const ros::Time& t, TimeNs epoch = ros_nodes::epoch());

std_msgs::Header toHeader(TimeNs stamp, const std::string& frame);
geometry_msgs::Vector3 toVector3(const Eigen::Vector3d& v);
geometry_msgs::Point toPoint(const Eigen::Vector3d& p);
geometry_msgs::Quaternion toQuaternion(const Eigen::Quaterniond& q);
geometry_msgs::Pose toPose(const Pose& X_AB);
geometry_msgs::PoseStamped toPoseStamped(const Pose& X_AB, const std::string& frame_a,
                                         TimeNs stamp);
geometry_msgs::TransformStamped toTransform(const Pose& X_AB, const std::string& frame_a,
                                            const std::string& frame_b, TimeNs stamp);
Eigen::Vector3d fromVector3(const geometry_msgs::Vector3& v);
Eigen::Vector3d fromPoint(const geometry_msgs::Point& p);
Eigen::Quaterniond fromQuaternion(const geometry_msgs::Quaternion& q);

/// Fills everything except header.frame_id and child_frame_id.
void toMessage(const sim::VehicleReport& report, marsim::VehicleState& message);
sim::VehicleReport fromMessage(const marsim::VehicleState& message);

/// Fields common to StateReference and TrackedState, which include the jerk.
template <class Message>
void fillReference(const control::Reference& reference, Message& message) {
  message.position = toPoint(reference.p_WB);
  message.velocity = toVector3(reference.v_WB);
  message.acceleration = toVector3(reference.a_WB);
  message.jerk = toVector3(reference.j_WB);
  message.yaw = reference.yaw;
  message.yaw_rate = reference.yaw_rate;
}
template <class Message>
control::Reference referenceOf(const Message& message) {
  control::Reference reference;
  reference.p_WB = fromPoint(message.position);
  reference.v_WB = fromVector3(message.velocity);
  reference.a_WB = fromVector3(message.acceleration);
  reference.j_WB = fromVector3(message.jerk);
  reference.yaw = message.yaw;
  reference.yaw_rate = message.yaw_rate;
  return reference;
}

/// Fills everything except header.frame_id.
void toMessage(const control::Reference& reference, TimeNs stamp, marsim::StateReference& message);
control::Reference fromMessage(const marsim::StateReference& message);

/// Fills everything except the frames' names; the twist is in the child frame or in W.
void toMessage(const KinematicState& state, bool twist_in_world, nav_msgs::Odometry& message);

/// Fills everything except the frame's name.
void toMessage(const vehicle::ImuSample& sample, const vehicle::ImuConfig& config,
               bool with_orientation, sensor_msgs::Imu& message);

/// As by the Livox drivers: accelerations in g; orientation and covariances are left empty.
sensor_msgs::Imu toLivoxImu(const vehicle::ImuSample& sample, const std::string& frame);

}  // namespace marsim::ros_nodes
