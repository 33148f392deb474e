// SPDX-License-Identifier: BSD-3-Clause
#include "ros/uav/estimate_input.hpp"

#include <utility>

#include "config/launch_words.hpp"
#include "marsim/common/error.hpp"
#include "ros/messages/conversions.hpp"
#include "ros/messages/header_stamp.hpp"
#include "ros/messages/pose_messages.hpp"

namespace marsim::ros_nodes {
namespace {

constexpr std::uint32_t kEstimateQueue = 100;

}  // namespace

std::optional<sim::EstimateConfig> EstimateInput::read(Params& params, const std::string& estimate,
                                                       const vehicle::VehicleConfig& vehicle,
                                                       const std::string& lidar) {
  config::EstimateWords words;
  words.estimate = estimate;
  words.frame = params.text("estimate_frame");
  words.begins_at_vehicle = params.choice("estimate_origin", {"world", "vehicle"}) == "vehicle";
  words.delay = params.numberOrAuto("estimate_delay", Quantity::kTime);
  words.settle = params.numberOrAuto("estimate_settle", Quantity::kTime);
  return config::chooseEstimate(words, vehicle, lidar,
                                [&params](const std::string&) { return params.where(); });
}

EstimateInput::EstimateInput(ros::NodeHandle& handle, Inputs& inputs, const Frames& frames,
                             const std::string& topic, sim::EstimateLoop& loop,
                             std::function<void()> onImu)
    : frames_(frames),
      topic_(handle.resolveName(topic.empty() ? "slam_odom" : topic)),
      loop_(loop),
      onImu_(std::move(onImu)),
      inputs_(inputs) {
  imu_subscriber_ =
      inputs_.subscribeToStream("imu/data_raw", kEstimateQueue, &EstimateInput::onImu, this);
  if (topic.empty()) {
    slam_publisher_ = {handle, topic_, kEstimateQueue};
    return;
  }
  estimate_subscriber_ = handle.subscribe(topic, kEstimateQueue, &EstimateInput::onEstimate, this,
                                          ros::TransportHints().tcpNoDelay());
}

void EstimateInput::onImu(const sensor_msgs::ImuConstPtr& message) {
  vehicle::ImuSample sample;
  sample.stamp = fromRos(message->header.stamp);
  sample.angular_velocity = fromVector3(message->angular_velocity);
  sample.specific_force = fromVector3(message->linear_acceleration);
  loop_.addImu(sample);
  onImu_();
}

void EstimateInput::onEstimate(const topic_tools::ShapeShifter::ConstPtr& message) {
  try {
    const MessagePoses read =
        readPoses(message->getDataType(), message->getMD5Sum(), bytesOf(*message));
    if (read.poses.empty()) return;
    const geometry_msgs::PoseStamped& last = read.poses.back();
    const std::string fault = faultOf(last.pose);
    if (!fault.empty()) return inputs_.refuse(topic_, fault);
    loop_.addEstimate(fromRos(last.header.stamp),
                      {fromQuaternion(last.pose.orientation), fromPoint(last.pose.position)});
  } catch (const Error& error) {
    inputs_.refuse(topic_, error.what());
  }
}

void EstimateInput::answered() {
  if (const auto& estimate = loop_.simulated(); estimate && slam_publisher_.wanted()) {
    const auto message = boost::make_shared<nav_msgs::Odometry>();
    message->header = toHeader(estimate->stamp, frames_.world);
    message->child_frame_id = frames_.base();
    message->pose.pose = toPose(estimate->X_WB);
    slam_publisher_.publish(message);
  }
  const std::string news = loop_.takeNews();
  if (news.empty()) return;
  const bool is_fine = phase() == sim::EstimateLoop::Phase::kEstimate;
  ROS_LOG(is_fine ? ros::console::levels::Info : ros::console::levels::Warn,
          ROSCONSOLE_DEFAULT_NAME, "%s: %s", topic_.c_str(), news.c_str());
}

const char* nameOf(sim::EstimateLoop::Phase phase) {
  switch (phase) {
    case sim::EstimateLoop::Phase::kTruth:
      return "truth, no estimate yet";
    case sim::EstimateLoop::Phase::kEstimate:
      return "estimate";
    case sim::EstimateLoop::Phase::kHold:
      return "estimate lost: holds";
    case sim::EstimateLoop::Phase::kLand:
      return "estimate lost: lands";
  }
  return "";
}

}  // namespace marsim::ros_nodes
