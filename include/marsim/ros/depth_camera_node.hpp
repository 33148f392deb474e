#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <diagnostic_updater/diagnostic_updater.h>
#include <ros/ros.h>
#include <tf2_ros/static_transform_broadcaster.h>

#include "marsim/VehicleState.h"
#include "marsim/common/warning_log.hpp"
#include "marsim/geometry/kinematic_state.hpp"
#include "marsim/lidar/depth_camera.hpp"
#include "marsim/ros/clock_grants.hpp"
#include "marsim/ros/frames.hpp"
#include "marsim/ros/received_motion.hpp"
#include "marsim/ros/render_thread.hpp"
#include "marsim/ros/world_input.hpp"

namespace marsim::ros_nodes {

/// Depth camera of one UAV: an image of every multiple of its period, rendered in a thread of its
/// own. An image that falls due while too many wait is dropped, counted and reported; in
/// lockstep simulated time waits instead.
///
/// In: `state` (marsim/VehicleState).
/// Out: `depth/image_rect_raw` (sensor_msgs/Image), `depth/camera_info` (sensor_msgs/CameraInfo),
/// `depth/camera_pose` (geometry_msgs/PoseStamped: the optical frame, z forward, in the world), all
/// of one stamp; static tf to the optical frame. Nothing is rendered while nobody subscribes to the
/// image. Parameters: depth (a name of config/depth or a file), map, resolution, surface, storage,
/// threads, lockstep (false), world_frame, frame_prefix, depth_frame_id.
class DepthCameraNode {
 public:
  DepthCameraNode(ros::NodeHandle handle, ros::NodeHandle private_handle);
  ~DepthCameraNode();

 private:
  struct Job {
    TimeNs stamp = 0;
    Pose X_WB;
    std::optional<std::vector<scene::MovingThing>> things;  ///< none: as they are when it is done
  };

  void onState(const marsim::VehicleStateConstPtr& message);
  void render(const Job& job);
  bool wanted() const;
  void diagnose(diagnostic_updater::DiagnosticStatusWrapper& status);

  Frames frames_;
  std::string frame_;
  std::unique_ptr<lidar::DepthCamera> camera_;
  std::unique_ptr<WorldInput> world_;
  ReceivedMotion motion_;
  std::int64_t next_image_ = -1;  ///< number since simulated time 0

  ros::Publisher image_publisher_, info_publisher_, pose_publisher_;
  ros::Subscriber state_subscriber_;
  tf2_ros::StaticTransformBroadcaster static_tf_;
  diagnostic_updater::Updater diagnostics_;
  std::atomic<std::uint64_t> images_{0};
  RecentCount dropped_;  ///< touched in callbacks only
  RenderThread thread_;
  std::unique_ptr<RenderLockstep> lockstep_;  ///< null: none
};

}  // namespace marsim::ros_nodes
