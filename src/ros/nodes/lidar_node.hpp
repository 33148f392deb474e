// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <geometry_msgs/PoseStamped.h>
#include <ros/ros.h>
#include <sensor_msgs/PointCloud2.h>
#include <tf2_ros/static_transform_broadcaster.h>

#include "layouts/cloud_encoder.hpp"
#include "marsim/sim/lidar_sensor.hpp"
#include "ros/common/watched_publisher.hpp"
#include "ros/messages/frames.hpp"
#include "ros/uav/rendered_sensor.hpp"
#include "sim/view_watch.hpp"

namespace marsim::ros_nodes {

/// LiDAR of one UAV: publishes the scans of a sim::LidarSensor, rendered in a thread of its own
/// (RenderedSensor) so that states keep flowing.
///
/// Out: what the sensor's file names under `output`, by default `points` (sensor_msgs/PointCloud2,
/// sensor frame, the driver's layout; of Ouster's second returns `points2`) or `livox/lidar`
/// (CustomMsg); `points_world` (world frame),
/// `sensor_pose` (geometry_msgs/PoseStamped), these two at the scan's first firing; static tf to
/// the sensor. Nothing is rendered while nobody subscribes, and nothing is made for a topic that
/// nobody subscribes to. Parameters: lidar, output (layouts, comma-separated, instead of the
/// file's; auto: the file's, or what slam_client reads), slam_client (none, fast_lio, point_lio,
/// lio_sam, kiss_icp, dlio, openvins), rays and returns (in place of the file's; auto: the file's),
/// instantaneous, lidar_noise, seed, world_frame, frame_prefix, points_frame_id,
/// points_world_frame_id; those of RenderedSensor.
class LidarNode {
 public:
  LidarNode(ros::NodeHandle handle, ros::NodeHandle private_handle);

 private:
  struct Output {
    explicit Output(layouts::CloudEncoder of) : encoder(std::move(of)) {}
    bool wanted() const {
      return std::any_of(publishers.begin(), publishers.end(), [](const ros::Publisher& publisher) {
        return publisher.getNumSubscribers() > 0;
      });
    }

    layouts::CloudEncoder encoder;
    std::vector<ros::Publisher> publishers;  ///< one per cloud
  };

  void advertiseOutputs(ros::NodeHandle& handle, const std::string& points_frame);
  void push(sim::LidarSensor::Interval interval);
  void render(const sim::LidarSensor::Interval& interval, const RenderedSensor::ObjectsOf& objects);
  void publish(const lidar::Scan& scan, const std::vector<const Output*>& due);
  bool wanted() const;
  void diagnose(diagnostic_updater::DiagnosticStatusWrapper& status);

  Frames frames_;
  std::string world_frame_;
  std::unique_ptr<sim::LidarSensor> sensor_;
  std::unique_ptr<sim::ViewWatch> view_watch_;  ///< used in the rendering thread
  bool has_weather_ = false;                    ///< in the rendering thread

  std::vector<Output> outputs_;
  WatchedPublisher<sensor_msgs::PointCloud2> world_publisher_;
  WatchedPublisher<geometry_msgs::PoseStamped> pose_publisher_;
  tf2_ros::StaticTransformBroadcaster static_tf_;

  struct Statistics {
    std::uint64_t scans = 0, returns = 0, too_dark = 0;
    bool dark = false;  ///< the last scan lost nearly all returns to low reflectivity
    double render_seconds = 0.0, render_seconds_max = 0.0;
  };
  std::mutex mutex_;  ///< guards the statistics
  Statistics statistics_;
  std::unique_ptr<RenderedSensor> rendered_;
};

}  // namespace marsim::ros_nodes
