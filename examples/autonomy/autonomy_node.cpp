// SPDX-License-Identifier: BSD-3-Clause
// The planner as a ROS node that knows the simulator by its topics alone: autonomy_node __ns:=uav0.
// It answers every odometry with the command for a moment later, so that the command acts in time.
#include <geometry_msgs/PoseStamped.h>
#include <marsim/ObstaclePaths.h>
#include <nav_msgs/Odometry.h>
#include <ros/ros.h>
#include <sensor_msgs/CameraInfo.h>
#include <sensor_msgs/Image.h>
#include <sensor_msgs/PointCloud2.h>
#include <sensor_msgs/point_cloud2_iterator.h>
#include <trajectory_msgs/MultiDOFJointTrajectory.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <Eigen/Geometry>

#include "navigator.hpp"

namespace {

using Eigen::Vector3d;

constexpr double kLead = 0.03;           // [s] from an odometry to the time of its command
constexpr double kPointStep = 0.005;     // [s] between the points of a command
constexpr double kMostPoints = 0.2;      // [s] that a command lasts, at most
constexpr std::uint32_t kPixelStep = 4;  // every fourth pixel of a depth image, in both directions

autonomy::NavigatorConfig readConfig(const ros::NodeHandle& params) {
  autonomy::NavigatorConfig config;
  const auto read = [&](const char* name, double& value) { params.param(name, value, value); };
  read("speed", config.planner.limits.speed);
  read("acceleration", config.planner.limits.acceleration);
  read("inflation", config.map.inflation);
  read("lowest", config.map.lowest);
  read("highest", config.map.highest);
  for (int axis = 0; axis < 3; ++axis) {
    const std::string name(1, "xyz"[axis]);
    read(("map_half_size_" + name).c_str(), config.map.half_size[axis]);
    read(("low_" + name).c_str(), config.low[axis]);
    read(("high_" + name).c_str(), config.high[axis]);
  }
  return config;
}

trajectory_msgs::MultiDOFJointTrajectoryPoint messageOf(const autonomy::Command& command) {
  trajectory_msgs::MultiDOFJointTrajectoryPoint point;
  point.transforms.resize(1);
  point.velocities.resize(1);
  point.accelerations.resize(1);
  const auto copy = [](const Vector3d& from, geometry_msgs::Vector3& to) {
    to.x = from.x();
    to.y = from.y();
    to.z = from.z();
  };
  copy(command.state.p, point.transforms[0].translation);
  copy(command.state.v, point.velocities[0].linear);
  copy(command.state.a, point.accelerations[0].linear);
  point.transforms[0].rotation.w = std::cos(command.yaw / 2.0);
  point.transforms[0].rotation.z = std::sin(command.yaw / 2.0);
  point.velocities[0].angular.z = command.yaw_rate;
  return point;
}

class AutonomyNode {
 public:
  AutonomyNode(ros::NodeHandle& handle, const autonomy::NavigatorConfig& config)
      : navigator_(config) {
    navigator_.on_message = [](const std::string& text) { ROS_WARN("%s", text.c_str()); };
    const auto no_delay = ros::TransportHints().tcpNoDelay();
    commands_ =
        handle.advertise<trajectory_msgs::MultiDOFJointTrajectory>("command/trajectory", 10);
    goals_ = handle.subscribe("goal", 10, &AutonomyNode::onGoal, this, no_delay);
    clouds_ = handle.subscribe("points_world", 10, &AutonomyNode::onCloud, this, no_delay);
    images_ = handle.subscribe("depth/image_rect_raw", 10, &AutonomyNode::onImage, this, no_delay);
    cameras_ = handle.subscribe("depth/camera_info", 10, &AutonomyNode::onCamera, this, no_delay);
    poses_ = handle.subscribe("depth/camera_pose", 10, &AutonomyNode::onPose, this, no_delay);
    movers_ = handle.subscribe("/obstacles/paths", 10, &AutonomyNode::onPaths, this, no_delay);
    odometry_ = handle.subscribe("odom", 100, &AutonomyNode::onOdometry, this, no_delay);
    timer_ = handle.createTimer(ros::Duration(0.1), [this](const ros::TimerEvent&) { watch(); });
  }

 private:
  void onGoal(const geometry_msgs::PoseStampedConstPtr& goal) {
    const auto& p = goal->pose.position;
    const auto refusal = navigator_.setGoal({p.x, p.y, p.z});
    if (!refusal) return;
    const Vector3d free = refusal->nearest_free.value_or(Vector3d::Constant(NAN));
    ROS_WARN("goal (%.2f, %.2f, %.2f) refused: %s; nearest free place (%.2f, %.2f, %.2f)", p.x, p.y,
             p.z, refusal->reason.c_str(), free.x(), free.y(), free.z());
  }

  void onCloud(const sensor_msgs::PointCloud2ConstPtr& cloud) {
    if (!sensor_p_W_.allFinite()) return;
    std::vector<Vector3d> points;
    for (sensor_msgs::PointCloud2ConstIterator<float> p(*cloud, "x"); p != p.end(); ++p) {
      const Vector3d point(p[0], p[1], p[2]);
      if (point.allFinite()) points.push_back(point);
    }
    navigator_.addScan(sensor_p_W_, points);
  }

  void onImage(const sensor_msgs::ImageConstPtr& image) { image_ = image, addDepth(); }
  void onCamera(const sensor_msgs::CameraInfoConstPtr& camera) { camera_ = camera, addDepth(); }
  void onPose(const geometry_msgs::PoseStampedConstPtr& pose) { pose_ = pose, addDepth(); }

  // An image, its camera and its pose have one stamp and come in any order.
  void addDepth() {
    if (!image_ || !camera_ || !pose_ || image_->header.stamp != pose_->header.stamp) return;
    const bool in_mm = image_->encoding == "16UC1";  // else 32FC1
    const auto& q = pose_->pose.orientation;
    const auto& p = pose_->pose.position;
    const Eigen::Isometry3d X_WC =
        Eigen::Translation3d(p.x, p.y, p.z) * Eigen::Quaterniond(q.w, q.x, q.y, q.z);
    std::vector<Vector3d> points;
    for (std::uint32_t v = 0; v < image_->height; v += kPixelStep) {
      for (std::uint32_t u = 0; u < image_->width; u += kPixelStep) {
        const double depth = in_mm ? 1e-3 * pixel<std::uint16_t>(u, v) : pixel<float>(u, v);
        if (!(depth > 0.0) || std::isinf(depth)) continue;
        const Vector3d ray((u - camera_->K[2]) / camera_->K[0], (v - camera_->K[5]) / camera_->K[4],
                           1.0);
        points.push_back(X_WC * (depth * ray));
      }
    }
    navigator_.addScan(X_WC.translation(), points);
    image_.reset();
  }

  template <class Depth>
  Depth pixel(std::uint32_t u, std::uint32_t v) const {
    Depth depth;
    std::memcpy(&depth, &image_->data[v * image_->step + u * sizeof(Depth)], sizeof(Depth));
    return depth;
  }

  // Their present velocities: the planner predicts straight ways.
  void onPaths(const marsim::ObstaclePathsConstPtr& paths) {
    std::vector<autonomy::Mover> movers;
    for (const marsim::ObstaclePath& path : paths->obstacles) {
      if (path.positions.size() < 2) continue;
      const auto at = [&](std::size_t i) {
        return Vector3d(path.positions[i].x, path.positions[i].y, path.positions[i].z);
      };
      movers.push_back({at(0), (at(1) - at(0)) / paths->step.toSec(), path.size});
    }
    navigator_.setMovers(paths->header.stamp.toSec(), std::move(movers));
  }

  void onOdometry(const nav_msgs::OdometryConstPtr& odometry) {
    const auto& p = odometry->pose.pose.position;
    const auto& q = odometry->pose.pose.orientation;
    const double yaw =
        std::atan2(2.0 * (q.w * q.z + q.x * q.y), 1.0 - 2.0 * (q.y * q.y + q.z * q.z));
    const ros::Time stamp = odometry->header.stamp;
    sensor_p_W_ = {p.x, p.y, p.z};  // near enough
    navigator_.addOdometry(stamp.toSec(), sensor_p_W_, yaw);
    const double gap = odometry_stamp_.isZero() ? 0.0 : (stamp - odometry_stamp_).toSec();
    odometry_stamp_ = stamp;
    publish(stamp + ros::Duration(kLead), std::min(gap, kMostPoints));
  }

  // Without odometry nobody asks for commands: the UAV has to be stopped all the same.
  void watch() {
    const ros::Time now = ros::Time::now();
    if ((now - last_).toSec() > 0.2) publish(now, 0.0);
  }

  // Commands from `stamp` on, until those of the next odometry.
  void publish(const ros::Time& stamp, double period) {
    trajectory_msgs::MultiDOFJointTrajectory message;
    for (double after = 0.0; after == 0.0 || after < period - 1e-3; after += kPointStep) {
      last_ = stamp + ros::Duration(after);
      const auto command = navigator_.commandAt(last_.toSec());
      if (!command) return;
      message.points.push_back(messageOf(*command));
      message.points.back().time_from_start = ros::Duration(after);
    }
    message.header.stamp = stamp;
    message.header.frame_id = "world";
    commands_.publish(message);
  }

  autonomy::Navigator navigator_;
  Vector3d sensor_p_W_ = Vector3d::Constant(NAN);
  ros::Time last_, odometry_stamp_;
  ros::Publisher commands_;
  sensor_msgs::ImageConstPtr image_;
  sensor_msgs::CameraInfoConstPtr camera_;
  geometry_msgs::PoseStampedConstPtr pose_;
  ros::Subscriber goals_, clouds_, images_, cameras_, poses_, odometry_, movers_;
  ros::Timer timer_;
};

}  // namespace

int main(int argc, char** argv) {
  ros::init(argc, argv, "autonomy");
  ros::NodeHandle handle;
  const AutonomyNode node(handle, readConfig(ros::NodeHandle("~")));
  ros::spin();
}
