// SPDX-License-Identifier: BSD-3-Clause
#include "ros/nodes/camera_node.hpp"

#include <algorithm>
#include <utility>

#include <geometry_msgs/PoseStamped.h>
#include <sensor_msgs/Image.h>
#include <boost/make_shared.hpp>

#include "common/bounds.hpp"
#include "marsim/config/load.hpp"
#include "ros/messages/camera_message.hpp"
#include "ros/messages/conversions.hpp"
#include "ros/messages/depth_message.hpp"

namespace marsim::ros_nodes {
namespace {

void sayWhatColours(const map::SurfelMap& map, const std::string& name) {
  switch (lidar::colourSourceOf(map.channels())) {
    case lidar::ColourSource::kColours:
      return;
    case lidar::ColourSource::kClasses:
      ROS_WARN_ONCE("map %s has no colours: its classes' colours are shown", name.c_str());
      return;
    case lidar::ColourSource::kReflectivity:
      ROS_WARN_ONCE("map %s has no colours: its reflectivity is shown as grey", name.c_str());
      return;
    case lidar::ColourSource::kNone:
      ROS_WARN_ONCE("map %s has no colours: all of it is shown as grey", name.c_str());
  }
}

}  // namespace

CameraNode::CameraNode(ros::NodeHandle handle, ros::NodeHandle private_handle) {
  Params params(private_handle);
  frames_ = readFrames(params, handle);
  lidar::CameraRigConfig config = config::loadCameras(params.text("camera"));
  config.seed = readSeed(params, handle);
  const std::string map_name = params.text("map");
  const double resolution = params.numberOrAuto("image_resolution", Quantity::kLength, 0.0);
  Validator(params.where()).notNegative("image_resolution", resolution, "m");
  rendered_ = std::make_unique<RenderedSensor>(handle, private_handle, params);
  params.finish();

  const lidar::CameraRenderers renderers = rendered_->makeCameraRenderers("camera", resolution);
  sayWhatColours(*renderers.map, map_name);
  rig_ = std::make_unique<sim::CameraRig>(std::move(config), renderers);
  advertise(handle);
  rendered_->start(
      handle, private_handle, rig_->config().rate, "cameras", rig_->config().name,
      {[this](const sim::VehicleReport& report) { take(report); },
       [this](const lidar::Weather& weather) { rig_->setWeather(weather); },
       [this](auto& status) { rendered_->summarise(wanted(), "images", images_, status); }});
}

void CameraNode::advertise(ros::NodeHandle& handle) {
  std::vector<geometry_msgs::TransformStamped> transforms;
  for (std::size_t i = 0; i < rig_->cameras().size(); ++i) {
    const lidar::CameraConfig& camera = rig_->config().cameras[i];
    const std::string suffix = camera.name.empty() ? "" : "/" + camera.name;
    Output& output = outputs_.emplace_back();
    output.frame = frames_.camera(camera.name);
    output.info = cameraInfo(rig_->config(), i);
    output.info.header.frame_id =
        frames_.camera(rig_->config().cameras[rig_->config().imageFrameOf(i)].name);
    output.depth_info = output.info;
    output.depth_info.header.frame_id = output.frame;
    output.depth_info.P[3] = 0.0;  // depth is in the own frame, also for the second of a pair
    ros::NodeHandle own(handle, "camera" + suffix);
    output.image = own.advertise<sensor_msgs::Image>("image_raw", 10);
    output.camera_info = own.advertise<sensor_msgs::CameraInfo>("camera_info", 10);
    output.pose = own.advertise<geometry_msgs::PoseStamped>("camera_pose", 10);
    output.classes = own.advertise<sensor_msgs::Image>("truth/class", 10);
    output.instances = own.advertise<sensor_msgs::Image>("truth/instance", 10);
    output.normals = own.advertise<sensor_msgs::Image>("truth/normals", 10);
    output.flow = own.advertise<sensor_msgs::Image>("truth/flow", 10);
    output.objects = own.advertise<marsim::SeenObjects>("truth/objects", 10);
    if (camera.aligned_depth) {
      ros::NodeHandle aligned(handle, "camera/" + camera.depthTopic());
      output.depth = aligned.advertise<sensor_msgs::Image>("image_raw", 10);
      output.depth_camera_info = aligned.advertise<sensor_msgs::CameraInfo>("camera_info", 10);
    }
    transforms.push_back(toTransform(camera.X_BC, frames_.base(), output.frame, 0));
  }
  static_tf_.sendTransform(transforms);
}

void CameraNode::take(const sim::VehicleReport& report) {
  for (const sim::ImageClock::Instant& due : rig_->take(report)) {
    rendered_->push(
        rig_->beginOf(due), rig_->endOf(due),
        [this, due](const RenderedSensor::ObjectsOf& objects) { render(due, objects); });
  }
}

bool CameraNode::Output::wantsTruth() const {
  return classes.getNumSubscribers() + instances.getNumSubscribers() + normals.getNumSubscribers() +
             flow.getNumSubscribers() + objects.getNumSubscribers() >
         0;
}

bool CameraNode::Output::wantsImage() const {
  return image.getNumSubscribers() > 0 || (depth && depth.getNumSubscribers() > 0) || wantsTruth();
}

bool CameraNode::Output::wanted() const {
  return wantsImage() || camera_info.getNumSubscribers() > 0 || pose.getNumSubscribers() > 0 ||
         (depth_camera_info && depth_camera_info.getNumSubscribers() > 0);
}

bool CameraNode::wanted() const {
  return std::any_of(outputs_.begin(), outputs_.end(),
                     [](const Output& output) { return output.wanted(); });
}

void CameraNode::render(const sim::ImageClock::Instant& instant,
                        const RenderedSensor::ObjectsOf& objects) {
  if (!wanted()) return;
  const RenderedSensor::Objects present =
      scene::countedFrom(toSeconds(instant.time - rig_->beginOf(instant)), objects());
  std::vector<std::size_t> cameras;
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    Output& output = outputs_[i];
    const Pose X_WC = instant.X_WB * rig_->config().cameras[i].X_BC;
    output.info.header.stamp = output.depth_info.header.stamp = toRos(instant.stamp);
    output.pose.publish(toPoseStamped(X_WC, frames_.world, instant.stamp));
    output.camera_info.publish(output.info);
    if (output.depth_camera_info) output.depth_camera_info.publish(output.depth_info);
    if (output.wantsImage()) cameras.push_back(i);
  }
  const std::vector<lidar::CameraImage> images = rig_->images(cameras, instant, present);
  for (std::size_t k = 0; k < cameras.size(); ++k) {
    publishImages(cameras[k], images[k]);
    if (outputs_[cameras[k]].wantsTruth()) publishTruth(cameras[k], instant, images[k], present);
  }
  ++images_;
}

void CameraNode::publishImages(std::size_t camera, const lidar::CameraImage& image) {
  const Output& output = outputs_[camera];
  const lidar::Camera& taken_by = rig_->cameras()[camera];
  if (output.image.getNumSubscribers() > 0) {
    output.image.publish(boost::make_shared<sensor_msgs::Image>(
        imageMessage(image, taken_by.config(), output.info.header.frame_id)));
  }
  if (output.depth && output.depth.getNumSubscribers() > 0) {
    output.depth.publish(boost::make_shared<sensor_msgs::Image>(depthMessage(
        taken_by.alignedDepth(image), *taken_by.config().aligned_depth, output.frame)));
  }
}

void CameraNode::publishTruth(std::size_t camera, const sim::ImageClock::Instant& instant,
                              const lidar::CameraImage& image,
                              const RenderedSensor::Objects& objects) {
  const Output& output = outputs_[camera];
  const lidar::Camera& taken_by = rig_->cameras()[camera];
  const lidar::ImageTruth truth(taken_by, image, objects);
  sensor_msgs::Image like;
  like.header = toHeader(image.stamp, output.info.header.frame_id);
  like.width = output.info.width;
  like.height = output.info.height;
  const auto publish = [&](const ros::Publisher& publisher, const auto& make) {
    if (publisher.getNumSubscribers() == 0) return;
    publisher.publish(boost::make_shared<sensor_msgs::Image>(truthMessage(make(), like)));
  };
  publish(output.classes, [&] { return truth.classes(); });
  publish(output.instances, [&] { return truth.identities(); });
  publish(output.normals, [&] { return truth.normals(); });
  const TimeNs before = instant.time - rig_->period();
  if (instant.motion.covers(before, before)) {
    publish(output.flow, [&] { return truth.flowSince(taken_by.empty(before, instant.motion)); });
  }
  if (output.objects.getNumSubscribers() > 0) {
    output.objects.publish(seenObjectsMessage(truth.seenObjects(), like.header));
  }
}

}  // namespace marsim::ros_nodes
