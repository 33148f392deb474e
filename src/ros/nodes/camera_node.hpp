// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <ros/ros.h>
#include <sensor_msgs/CameraInfo.h>
#include <tf2_ros/static_transform_broadcaster.h>

#include "marsim/sim/camera_rig.hpp"
#include "ros/messages/frames.hpp"
#include "ros/uav/rendered_sensor.hpp"

namespace marsim::ros_nodes {

/// Cameras of one UAV that take their images together: publishes the images of a sim::CameraRig,
/// rendered in a thread of its own (RenderedSensor).
///
/// Out, in `camera/<name>` for each camera of the file (`camera` where its name is empty):
/// `image_raw` (sensor_msgs/Image), `camera_info` (sensor_msgs/CameraInfo), `camera_pose`
/// (geometry_msgs/PoseStamped: the optical frame in the world), all of one stamp; of an RGB-D
/// camera the depth in the pixels of the image, `camera/aligned_depth_to_<name>/image_raw` and
/// `camera_info`; the truth in the pixels (lidar::ImageTruth), `truth/class`, `truth/instance`,
/// `truth/normals`, `truth/flow` (sensor_msgs/Image) and `truth/objects` (marsim/SeenObjects);
/// static tf to the optical frames. Nothing is rendered for a camera while nobody subscribes to its
/// images. Parameters: camera (a name of config/camera or a file), seed,
/// world_frame, frame_prefix; those of RenderedSensor.
class CameraNode {
 public:
  CameraNode(ros::NodeHandle handle, ros::NodeHandle private_handle);

 private:
  /// Topics of one camera.
  struct Output {
    std::string frame;                         // optical
    sensor_msgs::CameraInfo info, depth_info;  // without stamp
    ros::Publisher image, camera_info, pose, depth, depth_camera_info;
    ros::Publisher classes, instances, normals, flow, objects;  // ground truth

    bool wantsTruth() const;
    bool wantsImage() const;
    bool wanted() const;
  };

  void advertise(ros::NodeHandle& handle);
  void take(const sim::VehicleReport& report);
  void render(const sim::ImageClock::Instant& instant, const RenderedSensor::ObjectsOf& objects);
  void publishImages(std::size_t camera, const lidar::CameraImage& image);
  void publishTruth(std::size_t camera, const sim::ImageClock::Instant& instant,
                    const lidar::CameraImage& image, const RenderedSensor::Objects& objects);
  bool wanted() const;

  Frames frames_;
  std::unique_ptr<sim::CameraRig> rig_;

  std::vector<Output> outputs_;  // one for each camera of the rig
  tf2_ros::StaticTransformBroadcaster static_tf_;
  std::atomic<std::uint64_t> images_{0};
  std::unique_ptr<RenderedSensor> rendered_;
};

}  // namespace marsim::ros_nodes
