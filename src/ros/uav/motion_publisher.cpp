// SPDX-License-Identifier: BSD-3-Clause
#include "ros/uav/motion_publisher.hpp"

#include <vector>

#include <visualization_msgs/MarkerArray.h>

#include "config/launch_words.hpp"
#include "marsim/common/error.hpp"
#include "ros/messages/conversions.hpp"
#include "ros/messages/tum_file.hpp"
#include "ros/messages/vehicle_marker.hpp"

namespace marsim::ros_nodes {
namespace {

constexpr double kPathSpacing = 0.05;       // [m] between poses on `path`
constexpr std::size_t kPathLength = 20000;  // poses kept on `path`

}  // namespace

MotionPublisher::MotionPublisher(Params& params, const Frames& frames,
                                 const vehicle::VehicleConfig& vehicle, const std::string& lidar)
    : frames_(frames), vehicle_(vehicle) {
  twist_in_world_ = params.choice("odom_twist_frame", {"child", "body", "world"}) == "world";
  const bool truth_tf = params.flag("publish_ground_truth_tf");
  tf_child_frame_ = truth_tf ? frames_.base() : frames_.base() + "_truth";
  odom_frame_ = params.text("odom_frame_id", frames_.world);
  odom_child_frame_ = params.text("odom_child_frame_id", frames_.base());
  imu_frame_ = params.text("imu_frame_id", frames_.imu());
  livox_imu_frame_ = params.text("livox_imu_frame_id", imu_frame_);
  const std::string record = params.text("record");
  if (record != "none" && !record.empty()) {
    requireExtension(record, {".tum", ".txt", ""});
    record_.emplace(record);
  }
  X_BR_ = config::chooseFrame(params.text("record_frame"), vehicle.imu, lidar, params.where(),
                              "record_frame");
  path_.header.frame_id = frames_.world;
}

void MotionPublisher::begin(ros::NodeHandle& handle) {
  odom_publisher_ = {handle, "odom", 100};
  imu_publisher_ = {handle, "imu/data", 200};
  imu_raw_publisher_ = {handle, "imu/data_raw", 200};
  livox_imu_publisher_ = {handle, "livox/imu", 200};
  tf_publisher_ = {handle, "/tf", 100};
  motor_publisher_ = {handle, "motor_states", 10};
  path_publisher_ = handle.advertise<nav_msgs::Path>("path", 1, true);
  visual_publisher_ = handle.advertise<visualization_msgs::MarkerArray>("visual", 1, true);
  visual_publisher_.publish(vehicleMarkers(vehicle_, tf_child_frame_));
  std::vector<geometry_msgs::TransformStamped> transforms = {
      toTransform(vehicle_.imu.X_BI, frames_.base(), frames_.imu(), 0)};
  if (vehicle_.magnetometer) {
    transforms.push_back(
        toTransform(vehicle_.magnetometer->X_BM, frames_.base(), frames_.magnetometer(), 0));
  }
  static_tf_.sendTransform(transforms);
}

void MotionPublisher::publishOdometry(const KinematicState& state) {
  if (odom_publisher_.wanted()) {
    const auto message = boost::make_shared<nav_msgs::Odometry>();
    toMessage(state, twist_in_world_, *message);
    message->header.frame_id = odom_frame_;
    message->child_frame_id = odom_child_frame_;
    odom_publisher_.publish(message);
  }
  if (tf_publisher_.wanted()) {
    const auto message = boost::make_shared<tf2_msgs::TFMessage>();
    message->transforms.push_back(
        toTransform(state.X_WB, frames_.world, tf_child_frame_, state.stamp));
    tf_publisher_.publish(message);
  }
  if (record_) recordPose(state);
}

void MotionPublisher::recordPose(const KinematicState& state) {
  try {
    if (!record_has_header_) record_->write(kTumHeader);
    record_has_header_ = true;
    record_->write(tumLine(epoch() + state.stamp, state.X_WB * X_BR_));
  } catch (const FileError& error) {
    ROS_ERROR("record: %s; the record ends at %.3f s", error.what(), toSeconds(state.stamp));
    record_.reset();
  }
}

void MotionPublisher::publishImu(const vehicle::ImuSample& sample) {
  const auto publish = [&](const WatchedPublisher<sensor_msgs::Imu>& publisher,
                           bool with_orientation) {
    if (!publisher.wanted()) return;
    const auto message = boost::make_shared<sensor_msgs::Imu>();
    toMessage(sample, vehicle_.imu, with_orientation, *message);
    message->header.frame_id = imu_frame_;
    publisher.publish(message);
  };
  publish(imu_publisher_, true);
  publish(imu_raw_publisher_, false);
  if (!livox_imu_publisher_.wanted()) return;
  livox_imu_publisher_.publish(
      boost::make_shared<sensor_msgs::Imu>(toLivoxImu(sample, livox_imu_frame_)));
}

void MotionPublisher::publishMotors(TimeNs stamp, const vehicle::Platform& platform) {
  if (!motor_publisher_.wanted()) return;
  const vehicle::RotorArray& speeds = platform.motorSpeeds();
  const vehicle::RotorArray& commands = platform.motorCommands();
  const vehicle::RotorArray thrusts = vehicle_.thrust_coefficient * speeds * speeds;
  const auto message = boost::make_shared<marsim::MotorStates>();
  message->header = toHeader(stamp, frames_.base());
  message->speeds.assign(speeds.data(), speeds.data() + speeds.size());
  message->commands.assign(commands.data(), commands.data() + commands.size());
  message->thrusts.assign(thrusts.data(), thrusts.data() + thrusts.size());
  message->power = vehicle_.powerAt(speeds);
  motor_publisher_.publish(message);
}

void MotionPublisher::publishPath(const KinematicState& state) {
  if (!path_.poses.empty() &&
      (fromPoint(path_.poses.back().pose.position) - state.X_WB.p).norm() < kPathSpacing) {
    return;
  }
  if (path_.poses.size() >= kPathLength) path_.poses.erase(path_.poses.begin());
  path_.poses.push_back(toPoseStamped(state.X_WB, frames_.world, state.stamp));
  path_.header.stamp = toRos(state.stamp);
  path_publisher_.publish(path_);
}

}  // namespace marsim::ros_nodes
