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
constexpr double kLongestDelay = 1.0;      // [s], the estimator's memory
constexpr double kLongestSettling = 60.0;  // [s]

}  // namespace

std::unique_ptr<EstimateInput> EstimateInput::make(ros::NodeHandle& handle, Inputs& inputs,
                                                   Params& params,
                                                   const vehicle::VehicleConfig& vehicle,
                                                   const control::ControllerConfig& controller,
                                                   sim::Pilot& pilot, std::function<void()> onImu) {
  const std::string topic = params.text("estimate");
  const std::string lidar = params.text("lidar");
  const vehicle::ImuConfig imu = config::chooseImu(params.text("imu"), vehicle.imu, lidar);
  sim::EstimateConfig config;
  config.X_BE = config::chooseFrame(params.text("estimate_frame"), imu, lidar, params.where(),
                                    "estimate_frame");
  config.begins_at_vehicle = params.choice("estimate_origin", {"world", "vehicle"}) == "vehicle";
  const double delay = params.number("estimate_delay", Quantity::kTime);
  Validator(params.where()).within("estimate_delay", delay, 0.0, kLongestDelay, "s");
  config.delay = toNs(delay);
  const double settle = params.number("estimate_settle", Quantity::kTime);
  Validator(params.where()).within("estimate_settle", settle, 0.0, kLongestSettling, "s");
  config.settle = toNs(settle);
  if (topic.empty() || topic == "none") return nullptr;
  const bool reads_truth =
      controller.type == control::ControllerType::kCascadedPid && controller.feedback.accelerations;
  Validator(params.where())
      .require(!reads_truth, "controller", "one that reads true accelerations",
               "with an estimate one that does not (feedback: {accelerations: false}): onboard, "
               "onboard_slow, geometric");
  pilot.flyOn(sim::EstimateLoop(config, controller.estimator, imu));
  return std::unique_ptr<EstimateInput>(
      new EstimateInput(handle, inputs, topic, *pilot.estimates(), std::move(onImu)));
}

EstimateInput::EstimateInput(ros::NodeHandle& handle, Inputs& inputs, const std::string& topic,
                             sim::EstimateLoop& loop, std::function<void()> onImu)
    : topic_(handle.resolveName(topic)), loop_(loop), onImu_(std::move(onImu)), inputs_(inputs) {
  imu_subscriber_ =
      inputs_.subscribeToStream("imu/data_raw", kEstimateQueue, &EstimateInput::onImu, this);
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

void EstimateInput::tellNews() {
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
