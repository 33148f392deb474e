#include "marsim/ros/obstacles_node.hpp"

#include <algorithm>
#include <cmath>

#include <visualization_msgs/MarkerArray.h>

#include "marsim/DrivenObstacles.h"
#include "marsim/Obstacles.h"
#include "marsim/common/error.hpp"
#include "marsim/common/progress.hpp"
#include "marsim/config/load.hpp"
#include "marsim/map/load_map.hpp"
#include "marsim/ros/conversions.hpp"
#include "marsim/ros/map_params.hpp"
#include "marsim/ros/obstacle_listener.hpp"
#include "marsim/ros/params.hpp"

namespace marsim::ros_nodes {
namespace {

constexpr TimeNs kDrivePeriod = 20'000'000;

visualization_msgs::Marker markerOf(const scene::Obstacles& obstacles, std::size_t number,
                                    TimeNs time) {
  using visualization_msgs::Marker;
  const scene::ObstacleGroup& group = obstacles.groupOf(number);
  const double size = obstacles.sizeOf(number);
  Marker marker;
  marker.ns = group.name;
  marker.id = static_cast<int>(number);
  marker.type = Marker::SPHERE;
  marker.scale.x = marker.scale.y = marker.scale.z = size;
  if (group.shape == scene::ObstacleShape::kBox) marker.type = Marker::CUBE;
  if (group.shape == scene::ObstacleShape::kCapsule) {
    marker.type = Marker::CYLINDER;
    marker.scale.x = marker.scale.y = group.width_ratio * size;
  }
  if (group.shape == scene::ObstacleShape::kUav) {
    marker.type = Marker::CYLINDER;
    marker.scale.z = 0.15 * size;
  }
  marker.pose = toPose(obstacles.poseAt(number, time));
  const bool driven = obstacles.isDriven(number);
  marker.color.r = driven ? 0.25F : 0.90F;
  marker.color.g = driven ? 0.65F : 0.55F;
  marker.color.b = driven ? 0.90F : 0.15F;
  marker.color.a = 0.9F;
  return marker;
}

bool isFinite(const geometry_msgs::Twist& twist) {
  return fromVector3(twist.linear).allFinite() && std::isfinite(twist.angular.z);
}

}  // namespace

ObstaclesNode::ObstaclesNode(ros::NodeHandle handle, ros::NodeHandle private_handle)
    : diagnostics_(handle, private_handle) {
  Params params(private_handle);
  source_ = params.text("obstacles", "forest");
  const std::string map_source = params.text("map", "forest");
  const map::SurfelMapConfig map_config = readMapConfig(params);
  world_frame_ = params.text("world_frame", "world");
  const double marker_rate = params.positive("marker_rate", 10.0, Quantity::kFrequency);
  command_timeout_ = toNs(params.number("command_timeout", 0.0, Quantity::kTime));
  Validator(params.where()).notNegative("command_timeout", toSeconds(command_timeout_), "s");
  const bool drives = params.flag("drive", true);
  params.finish();

  const std::string settings = config::obstaclesText(source_);
  const scene::ObstaclesConfig config = config::readObstacles(settings, source_);
  Progress progress("obstacles");
  const auto map = map::shareSurfelMap(config::resolveMap(map_source), map_config, progress).map;
  obstacles_ = std::make_unique<scene::Obstacles>(config, clearanceIn(*map), source_);
  progress.finish();

  marsim::Obstacles message;
  message.header.frame_id = world_frame_;
  message.settings = settings;
  message.digest = obstacles_->digest();
  obstacles_publisher_ = handle.advertise<marsim::Obstacles>("obstacles", 1, true);
  obstacles_publisher_.publish(message);
  marker_publisher_ = handle.advertise<visualization_msgs::MarkerArray>("obstacle_markers", 2);
  marker_timer_ = handle.createTimer(ros::Rate(marker_rate), &ObstaclesNode::showMarkers, this);
  diagnostics_.setHardwareID("simulation");
  diagnostics_.add("obstacles", this, &ObstaclesNode::diagnose);

  for (std::size_t i = 0; drives && i < obstacles_->size(); ++i) {
    if (!obstacles_->isDriven(i)) continue;
    commands_.push_back({i, obstacles_->nameOf(i), {}, {}, 0});
    starts_.push_back(obstacles_->driven(i));
  }
  for (std::size_t k = 0; k < commands_.size(); ++k) {
    commands_[k].subscriber = handle.subscribe<geometry_msgs::Twist>(
        "obstacles/" + commands_[k].name + "/cmd_vel", 10,
        [this, k](const geometry_msgs::TwistConstPtr& twist) { onCommand(k, twist); });
  }
  if (!commands_.empty()) {
    driven_publisher_ = handle.advertise<marsim::DrivenObstacles>("obstacles/driven", 100);
    drive_timer_ =
        handle.createTimer(ros::Duration(toSeconds(kDrivePeriod)), &ObstaclesNode::drive, this);
  }
  ROS_INFO("%zu obstacles (%s), %zu of them driven", obstacles_->size(), source_.c_str(),
           commands_.size());
}

void ObstaclesNode::onCommand(std::size_t index, const geometry_msgs::TwistConstPtr& message) {
  if (!isFinite(*message)) {
    ROS_WARN_THROTTLE(5.0, "cmd_vel of obstacle '%s' ignored: it is not finite",
                      commands_[index].name.c_str());
    return;
  }
  commands_[index].twist = *message;
  commands_[index].heard = fromRos(ros::Time::now());
}

// Steps of the states' period, whenever the timer comes round.
void ObstaclesNode::drive(const ros::TimerEvent&) {
  const TimeNs now = fromRos(ros::Time::now()) / kDrivePeriod * kDrivePeriod;
  if (now == driven_to_) return;
  const bool anew = driven_to_ == 0 || now < driven_to_;
  const double seconds = anew ? 0.0 : toSeconds(now - driven_to_);
  driven_to_ = now;
  marsim::DrivenObstacles message;
  message.header.stamp = toRos(now);
  message.header.frame_id = world_frame_;
  for (std::size_t k = 0; k < commands_.size(); ++k) {
    Command& command = commands_[k];
    if (command_timeout_ > 0 && now - command.heard > command_timeout_) command.twist = {};
    scene::Obstacles::Driven state = anew ? starts_[k] : obstacles_->driven(command.obstacle);
    state.stamp = now;
    state.p += seconds * state.v;
    const Eigen::AlignedBox3d& region = obstacles_->groupOf(command.obstacle).region;
    state.p = state.p.cwiseMax(region.min()).cwiseMin(region.max());
    state.yaw = wrapAngle(state.yaw + seconds * state.yaw_rate);
    state.v = fromRollPitchYaw(0.0, 0.0, state.yaw) * fromVector3(command.twist.linear);
    state.yaw_rate = command.twist.angular.z;
    obstacles_->drive(command.obstacle, state);
    marsim::DrivenObstacle told;
    told.name = command.name;
    told.position = toPoint(state.p);
    told.velocity = toVector3(state.v);
    told.yaw = state.yaw;
    told.yaw_rate = state.yaw_rate;
    message.obstacles.push_back(told);
  }
  driven_publisher_.publish(message);
  diagnostics_.update();
}

void ObstaclesNode::showMarkers(const ros::TimerEvent&) {
  diagnostics_.update();
  if (marker_publisher_.getNumSubscribers() == 0) return;
  const ros::Time now = ros::Time::now();
  visualization_msgs::MarkerArray markers;
  for (std::size_t i = 0; i < obstacles_->size(); ++i) {
    markers.markers.push_back(markerOf(*obstacles_, i, fromRos(now)));
    markers.markers.back().header.frame_id = world_frame_;
    markers.markers.back().header.stamp = now;
  }
  marker_publisher_.publish(markers);
}

void ObstaclesNode::diagnose(diagnostic_updater::DiagnosticStatusWrapper& status) {
  status.summary(diagnostic_msgs::DiagnosticStatus::OK, "moving");
  status.add("settings", source_);
  status.add("obstacles", obstacles_->size());
  status.add("driven", commands_.size());
}

}  // namespace marsim::ros_nodes
