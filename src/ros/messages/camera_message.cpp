// SPDX-License-Identifier: BSD-3-Clause
#include "ros/messages/camera_message.hpp"

#include <cstring>

#include <sensor_msgs/distortion_models.h>
#include <sensor_msgs/image_encodings.h>

#include "marsim/scene/moving_object.hpp"
#include "ros/messages/conversions.hpp"

namespace marsim::ros_nodes {
namespace {

template <class Pixel>
sensor_msgs::Image imageOf(const std::vector<Pixel>& pixels, const std::string& encoding,
                           const sensor_msgs::Image& like) {
  sensor_msgs::Image message;
  message.header = like.header;
  message.width = like.width;
  message.height = like.height;
  message.encoding = encoding;
  message.is_bigendian = 0;
  message.step = static_cast<std::uint32_t>(sizeof(Pixel)) * message.width;
  message.data.resize(sizeof(Pixel) * pixels.size());
  std::memcpy(message.data.data(), pixels.data(), message.data.size());
  return message;
}

}  // namespace

sensor_msgs::Image imageMessage(const lidar::CameraImage& image, const lidar::CameraConfig& config,
                                const std::string& frame) {
  sensor_msgs::Image message;
  message.header = toHeader(image.stamp, frame);
  message.width = static_cast<std::uint32_t>(config.model.width);
  message.height = static_cast<std::uint32_t>(config.model.height);
  message.encoding = lidar::nameOf(config.encoding);
  message.is_bigendian = 0;
  message.step = static_cast<std::uint32_t>(lidar::bytesOf(config.encoding)) * message.width;
  message.data = image.pixels;
  return message;
}

sensor_msgs::Image truthMessage(const std::vector<std::uint8_t>& classes,
                                const sensor_msgs::Image& like) {
  return imageOf(classes, sensor_msgs::image_encodings::MONO8, like);
}

sensor_msgs::Image truthMessage(const std::vector<std::uint32_t>& identities,
                                const sensor_msgs::Image& like) {
  return imageOf(identities, sensor_msgs::image_encodings::TYPE_32SC1, like);
}

sensor_msgs::Image truthMessage(const std::vector<std::uint16_t>& instances,
                                const sensor_msgs::Image& like) {
  return imageOf(instances, sensor_msgs::image_encodings::TYPE_16UC1, like);
}

sensor_msgs::Image truthMessage(const std::vector<Eigen::Vector3f>& normals,
                                const sensor_msgs::Image& like) {
  return imageOf(normals, sensor_msgs::image_encodings::TYPE_32FC3, like);
}

sensor_msgs::Image truthMessage(const std::vector<Eigen::Vector2f>& flow,
                                const sensor_msgs::Image& like) {
  return imageOf(flow, sensor_msgs::image_encodings::TYPE_32FC2, like);
}

marsim::SeenObjects seenObjectsMessage(const std::vector<lidar::SeenObject>& objects,
                                       const std_msgs::Header& header) {
  marsim::SeenObjects message;
  message.header = header;
  for (const lidar::SeenObject& object : objects) {
    marsim::SeenObject& seen = message.objects.emplace_back();
    seen.identity = object.identity;
    seen.name = scene::identityName(object.identity);
    seen.semantic_class = object.semantic_class;
    seen.left = static_cast<std::uint32_t>(object.left);
    seen.top = static_cast<std::uint32_t>(object.top);
    seen.width = static_cast<std::uint32_t>(object.right - object.left + 1);
    seen.height = static_cast<std::uint32_t>(object.bottom - object.top + 1);
    seen.pixels = object.pixels;
    seen.pose = toPose(object.X_WM);
    seen.velocity = toVector3(object.v_WM);
  }
  return message;
}

sensor_msgs::CameraInfo cameraInfo(const lidar::CameraRigConfig& rig, std::size_t camera) {
  const lidar::CameraModel& model = rig.cameras[camera].model;
  const bool is_fisheye = model.projection == lidar::CameraModel::Projection::kFisheye;
  sensor_msgs::CameraInfo info;
  info.width = static_cast<std::uint32_t>(model.width);
  info.height = static_cast<std::uint32_t>(model.height);
  info.distortion_model = is_fisheye ? "equidistant" : sensor_msgs::distortion_models::PLUMB_BOB;
  info.D.assign(model.distortion.begin(), model.distortion.end() - (is_fisheye ? 1 : 0));
  info.K = {model.fx, 0.0, model.cx, 0.0, model.fy, model.cy, 0.0, 0.0, 1.0};
  info.R = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
  info.P = {model.fx, 0.0, model.cx, rig.shiftOf(camera), 0.0, model.fy, model.cy, 0.0, 0.0,
            0.0,      1.0, 0.0};
  return info;
}

}  // namespace marsim::ros_nodes
