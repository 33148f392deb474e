#include "ros/messages/camera_message.hpp"

#include <cmath>

#include <sensor_msgs/distortion_models.h>

#include "ros/messages/conversions.hpp"

namespace marsim::ros_nodes {
namespace {

// [px m] Tx of the projection matrix.
double shiftOf(const lidar::CameraRigConfig& rig, const lidar::CameraConfig& camera) {
  constexpr double kTolerance = 1e-6;  // [m], [rad]
  const Pose X_FC = rig.cameras.front().X_BC.inverse() * camera.X_BC;
  const bool is_beside = X_FC.q.angularDistance(Eigen::Quaterniond::Identity()) < kTolerance &&
                         std::abs(X_FC.p.y()) < kTolerance && std::abs(X_FC.p.z()) < kTolerance;
  return is_beside ? -camera.model.fx * X_FC.p.x() : 0.0;
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

sensor_msgs::CameraInfo cameraInfo(const lidar::CameraRigConfig& rig, std::size_t camera) {
  const lidar::CameraConfig& config = rig.cameras[camera];
  const lidar::CameraModel& model = config.model;
  const bool is_fisheye = model.projection == lidar::CameraModel::Projection::kFisheye;
  sensor_msgs::CameraInfo info;
  info.width = static_cast<std::uint32_t>(model.width);
  info.height = static_cast<std::uint32_t>(model.height);
  info.distortion_model = is_fisheye ? "equidistant" : sensor_msgs::distortion_models::PLUMB_BOB;
  info.D.assign(model.distortion.begin(), model.distortion.end() - (is_fisheye ? 1 : 0));
  info.K = {model.fx, 0.0, model.cx, 0.0, model.fy, model.cy, 0.0, 0.0, 1.0};
  info.R = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
  info.P = {model.fx, 0.0, model.cx, shiftOf(rig, config), 0.0, model.fy, model.cy, 0.0, 0.0,
            0.0,      1.0, 0.0};
  return info;
}

}  // namespace marsim::ros_nodes
