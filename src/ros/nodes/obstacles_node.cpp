// SPDX-License-Identifier: BSD-3-Clause
#include "ros/nodes/obstacles_node.hpp"

#include <cmath>
#include <cstdint>
#include <limits>

#include <visualization_msgs/MarkerArray.h>

#include "marsim/ObstaclePaths.h"
#include "marsim/Obstacles.h"
#include "marsim/common/error.hpp"
#include "marsim/config/load.hpp"
#include "ros/common/lockstep.hpp"
#include "ros/common/map_params.hpp"
#include "ros/common/obstacle_listener.hpp"
#include "ros/common/params.hpp"
#include "ros/messages/conversions.hpp"
#include "ros/messages/vehicle_marker.hpp"

namespace marsim::ros_nodes {
namespace {

constexpr double kRepeatPeriod = 0.1;  // [s] of wall time
constexpr TimeNs kWayPeriod = kNsPerSecond / 10;
constexpr std::size_t kWayPlaces = 21;  // 2 s, a period apart

visualization_msgs::Marker markerOf(const scene::Obstacles& obstacles, std::size_t number,
                                    TimeNs time) {
  using visualization_msgs::Marker;
  const scene::ObstacleGroup& group = obstacles.groupOf(number);
  const double size = obstacles.sizeOf(number);
  const Rgba colour = obstacles.isDriven(number) ? Rgba{0.25F, 0.65F, 0.90F, 0.9F}
                                                 : Rgba{0.90F, 0.55F, 0.15F, 0.9F};
  Marker marker = makeMarker(group.name, static_cast<int>(number), Marker::SPHERE, colour);
  marker.scale.x = marker.scale.y = marker.scale.z = size;
  if (group.shape == scene::ObstacleShape::kBox) marker.type = Marker::CUBE;
  if (group.shape == scene::ObstacleShape::kCapsule ||
      group.shape == scene::ObstacleShape::kPerson) {
    marker.type = Marker::CYLINDER;
    marker.scale.x = marker.scale.y = group.width_ratio * size;
  }
  if (const scene::CalibrationTarget* const target = group.target()) {
    marker.type = Marker::CUBE;
    marker.scale.x = 0.01;
    marker.scale.y = target->size().x();
    marker.scale.z = target->size().y();
  }
  if (group.shape == scene::ObstacleShape::kUav) {
    marker.type = Marker::CYLINDER;
    marker.scale.z = 0.15 * size;
  }
  marker.pose = toPose(obstacles.poseAt(number, time));
  return marker;
}

// A driven obstacle goes straight on from its last state.
marsim::ObstaclePath pathOf(const scene::Obstacles& obstacles, std::size_t number, TimeNs begin) {
  marsim::ObstaclePath path;
  path.name = obstacles.nameOf(number);
  path.size = obstacles.sizeOf(number);
  for (std::size_t i = 0; i < kWayPlaces; ++i) {
    const TimeNs time = begin + static_cast<TimeNs>(i) * kWayPeriod;
    if (obstacles.isDriven(number)) {
      const scene::Obstacles::Driven last = obstacles.driven(number);
      path.positions.push_back(toPoint(last.p + toSeconds(time - last.stamp) * last.v));
    } else {
      path.positions.push_back(toPoint(obstacles.poseAt(number, time).p));
    }
  }
  return path;
}

bool isFinite(const geometry_msgs::Twist& twist) {
  return fromVector3(twist.linear).allFinite() && std::isfinite(twist.angular.z);
}

}  // namespace

ObstaclesNode::ObstaclesNode(ros::NodeHandle handle, ros::NodeHandle private_handle)
    : inputs_(handle), diagnostics_(handle, private_handle) {
  Params params(private_handle);
  source_ = params.text("obstacles");
  Validator(params.where())
      .require(source_ != "none", "obstacles", "none", "a name or file, or no such node");
  const MapParams map(params);
  world_frame_ = params.text("world_frame", "world");
  const double marker_rate = params.positive("marker_rate", 10.0, Quantity::kFrequency);
  const TimeNs command_timeout = toNs(params.number("command_timeout", 0.0, Quantity::kTime));
  Validator(params.where()).notNegative("command_timeout", toSeconds(command_timeout), "s");
  const bool asked_to_drive = params.flag("drive", true);

  const std::string settings = config::settingsText("obstacles", source_);
  const scene::ObstaclesConfig config = config::readObstacles(settings, source_);
  const auto surfels = map.load("obstacles").map;
  obstacles_ = std::make_shared<scene::Obstacles>(config, clearanceIn(*surfels), source_);

  marsim::Obstacles message;
  message.header.frame_id = world_frame_;
  message.settings = settings;
  message.digest = obstacles_->digest();
  obstacles_publisher_ = handle.advertise<marsim::Obstacles>("obstacles", 1, true);
  obstacles_publisher_.publish(message);
  marker_publisher_ = handle.advertise<visualization_msgs::MarkerArray>("obstacle_markers", 2);
  marker_timer_ = handle.createSteadyTimer(ros::WallDuration(1.0 / marker_rate),
                                           &ObstaclesNode::showMarkers, this);
  diagnostics_.setHardwareID("simulation");
  diagnostics_.add("obstacles", this, &ObstaclesNode::diagnose);

  const Lockstep lockstep = Lockstep::read(params);
  params.finish();
  driver_ = std::make_unique<scene::ObstacleDriver>(obstacles_, command_timeout);
  const bool drives = asked_to_drive && driver_->size() > 0;
  for (std::size_t k = 0; drives && k < driver_->size(); ++k) {
    command_subscribers_.push_back(inputs_.subscribe<geometry_msgs::Twist>(
        "obstacles/" + driver_->nameOf(k) + "/cmd_vel", 10,
        [this, k](const geometry_msgs::TwistConstPtr& twist) { onCommand(k, *twist); }));
  }
  if (drives) {
    driven_publisher_ = handle.advertise<marsim::DrivenObstacles>("obstacles/driven", 100);
    followClock();
  }
  paths_publisher_ = handle.advertise<marsim::ObstaclePaths>(
      "obstacles/paths", 10, [this](const ros::SingleSubscriberPublisher&) { followClock(); });
  if (lockstep.on) {
    clock_grants_ = std::make_unique<ClockGrants>(handle, private_handle);
    repeat_timer_ = handle.createSteadyTimer(ros::WallDuration(kRepeatPeriod),
                                             [this](const ros::SteadyTimerEvent&) { repeat(); });
  }
  ROS_INFO("%zu obstacles (%s), %zu of them driven", obstacles_->size(), source_.c_str(),
           command_subscribers_.size());
}

void ObstaclesNode::onCommand(std::size_t driven, const geometry_msgs::Twist& twist) {
  if (!isFinite(twist)) {
    return inputs_.refuse("obstacles/" + driver_->nameOf(driven) + "/cmd_vel",
                          "a value is NaN or infinite");
  }
  driver_->command(driven, fromVector3(twist.linear), twist.angular.z, clock_);
}

void ObstaclesNode::followClock() {
  if (clock_subscriber_) return;
  clock_subscriber_ = inputs_.subscribeToStream("/clock", 1000, &ObstaclesNode::onClock, this);
}

void ObstaclesNode::onClock(const rosgraph_msgs::ClockConstPtr& message) {
  clock_ = fromRos(message->clock);
  if (driven_publisher_) {
    driver_->advanceTo(clock_,
                       [this](TimeNs now, const std::vector<scene::Obstacles::Driven>& states) {
                         publish(now, states);
                         if (clock_grants_) clock_grants_->grant(now + kClockLead);
                       });
  }
  if (paths_publisher_.getNumSubscribers() > 0) publishPaths();
  diagnostics_.update();
}

void ObstaclesNode::publishPaths() {
  const TimeNs begin = clock_ / kWayPeriod * kWayPeriod;
  if (begin == paths_told_) return;
  paths_told_ = begin;
  marsim::ObstaclePaths paths;
  paths.header = toHeader(begin, world_frame_);
  paths.step = ros::Duration(toSeconds(kWayPeriod));
  for (std::size_t i = 0; i < obstacles_->size(); ++i) {
    paths.obstacles.push_back(pathOf(*obstacles_, i, begin));
  }
  paths_publisher_.publish(paths);
}

void ObstaclesNode::publish(TimeNs now, const std::vector<scene::Obstacles::Driven>& states) {
  told_.header = toHeader(now, world_frame_);
  told_.obstacles.resize(states.size());
  for (std::size_t k = 0; k < states.size(); ++k) {
    marsim::DrivenObstacle& told = told_.obstacles[k];
    told.name = driver_->nameOf(k);
    told.position = toPoint(states[k].p);
    told.velocity = toVector3(states[k].v);
    told.yaw = states[k].yaw;
    told.yaw_rate = states[k].yaw_rate;
  }
  driven_publisher_.publish(told_);
}

// In lockstep, for nodes that come late. Without driven obstacles no node waits for anything.
void ObstaclesNode::repeat() {
  if (!told_.obstacles.empty()) {
    driven_publisher_.publish(told_);
    clock_grants_->repeat();
  } else if (command_subscribers_.empty()) {
    clock_grants_->grant(std::numeric_limits<std::int32_t>::max() * kNsPerSecond);
  }
}

void ObstaclesNode::showMarkers(const ros::SteadyTimerEvent&) {
  diagnostics_.update();
  if (marker_publisher_.getNumSubscribers() == 0) return;
  const TimeNs now = fromRos(ros::Time::now());
  visualization_msgs::MarkerArray markers;
  for (std::size_t i = 0; i < obstacles_->size(); ++i) {
    markers.markers.push_back(markerOf(*obstacles_, i, now));
    markers.markers.back().header = toHeader(now, world_frame_);
  }
  marker_publisher_.publish(markers);
}

void ObstaclesNode::diagnose(diagnostic_updater::DiagnosticStatusWrapper& status) {
  status.summary(diagnostic_msgs::DiagnosticStatus::OK, "moving");
  status.add("settings", source_);
  status.add("obstacles", obstacles_->size());
  status.add("driven", command_subscribers_.size());
  inputs_.addTo(status);
}

}  // namespace marsim::ros_nodes
