// SPDX-License-Identifier: BSD-3-Clause
#include "ros/nodes/depth_camera_node.hpp"

#include <utility>

#include <geometry_msgs/PoseStamped.h>
#include <boost/make_shared.hpp>

#include "marsim/config/load.hpp"
#include "ros/messages/conversions.hpp"
#include "ros/messages/depth_message.hpp"

namespace marsim::ros_nodes {

DepthCameraNode::DepthCameraNode(ros::NodeHandle handle, ros::NodeHandle private_handle) {
  Params params(private_handle);
  frames_ = readFrames(params, handle);
  frame_ = params.text("depth_frame_id", frames_.depth());
  lidar::DepthCameraConfig config = config::loadDepthCamera(params.text("depth"));
  config.seed = readSeed(params, handle);
  rendered_ = std::make_unique<RenderedSensor>(handle, private_handle, params);
  params.finish();

  sensor_ = std::make_unique<sim::DepthSensor>(std::move(config),
                                               rendered_->makeImageRenderer("depth_camera"));

  image_publisher_ = handle.advertise<sensor_msgs::Image>("depth/image_rect_raw", 10);
  info_publisher_ = handle.advertise<sensor_msgs::CameraInfo>("depth/camera_info", 10);
  pose_publisher_ = handle.advertise<geometry_msgs::PoseStamped>("depth/camera_pose", 10);
  static_tf_.sendTransform(toTransform(sensor_->config().X_BC, frames_.base(), frames_.depth(), 0));
  rendered_->start(
      handle, private_handle, sensor_->config().rate, "depth camera", sensor_->config().name,
      {[this](const sim::VehicleReport& report) { take(report); },
       [this](const lidar::Weather& weather) { sensor_->setWeather(weather); },
       [this](auto& status) { rendered_->summarise(wanted(), "images", images_, status); }});
}

void DepthCameraNode::take(const sim::VehicleReport& report) {
  for (const sim::DepthSensor::Instant& instant : sensor_->take(report)) {
    rendered_->push(
        instant.time, instant.time,
        [this, instant](const RenderedSensor::ObjectsOf& objects) { render(instant, objects); });
  }
}

bool DepthCameraNode::wanted() const {
  return image_publisher_.getNumSubscribers() > 0 || pose_publisher_.getNumSubscribers() > 0 ||
         info_publisher_.getNumSubscribers() > 0;
}

void DepthCameraNode::render(const sim::DepthSensor::Instant& instant,
                             const RenderedSensor::ObjectsOf& objects) {
  if (!wanted()) return;
  const TimeNs stamp = instant.stamp;
  const lidar::DepthCameraConfig& config = sensor_->config();
  if (pose_publisher_.getNumSubscribers() > 0) {
    pose_publisher_.publish(toPoseStamped(instant.X_WB * config.X_BC, frames_.world, stamp));
  }
  if (info_publisher_.getNumSubscribers() > 0) {
    info_publisher_.publish(cameraInfo(config, stamp, frame_));
  }
  if (image_publisher_.getNumSubscribers() > 0) {
    const lidar::DepthImage image = sensor_->image(instant, objects());
    image_publisher_.publish(
        boost::make_shared<sensor_msgs::Image>(depthMessage(image, config, frame_)));
  }
  ++images_;
}

}  // namespace marsim::ros_nodes
