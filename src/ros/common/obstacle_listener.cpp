// SPDX-License-Identifier: BSD-3-Clause
#include "ros/common/obstacle_listener.hpp"

#include <utility>

#include <fmt/format.h>

#include "common/text.hpp"
#include "marsim/common/error.hpp"
#include "marsim/config/load.hpp"
#include "marsim/map/surfel_search.hpp"
#include "ros/messages/conversions.hpp"

namespace marsim::ros_nodes {

scene::MapDistance clearanceIn(const map::SurfelMap& map) {
  return [map](const Eigen::Vector3d& p_W, double most) {
    map::FoundSurfel nearest;
    return map::nearestSurfel(map.tree(), p_W - map.origin(), most, nearest);
  };
}

ObstacleListener::ObstacleListener(ros::NodeHandle& handle, std::function<void()> on_heard)
    : on_heard_(std::move(on_heard)), inputs_(handle) {
  // The message holds the settings, a whole file.
  obstacles_subscriber_ = handle.subscribe("/obstacles", 1, &ObstacleListener::onObstacles, this);
  driven_subscriber_ =
      inputs_.subscribeToStream("/obstacles/driven", 100, &ObstacleListener::onDriven, this);
}

void ObstacleListener::useMap(std::shared_ptr<const map::SurfelMap> map) {
  const std::lock_guard<std::mutex> lock(mutex_);
  map_ = std::move(map);
  make();
}

std::shared_ptr<const scene::Obstacles> ObstacleListener::obstacles() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return obstacles_;
}

void ObstacleListener::onObstacles(const marsim::ObstaclesConstPtr& message) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    // Each machine of a world may have a node that publishes the same settings.
    if (told_ != nullptr && told_->settings == message->settings &&
        told_->digest == message->digest) {
      return;
    }
    told_ = message;
    make();
  }
  if (on_heard_) on_heard_();
}

void ObstacleListener::make() {
  if (told_ == nullptr || map_ == nullptr) return;
  obstacles_.reset();
  try {
    obstacles_ = std::make_shared<scene::Obstacles>(
        config::readObstacles(told_->settings, "/obstacles"), clearanceIn(*map_), "/obstacles");
  } catch (const Error& error) {
    ROS_ERROR("there are no obstacles here: %s", error.what());
    return;
  }
  if (obstacles_->digest() != told_->digest) {
    ROS_ERROR(
        "obstacles are not where others see them: free places differ from those of the node that "
        "published /obstacles, so its map, resolution or surface are not those of this "
        "node");
  }
}

void ObstacleListener::onDriven(const marsim::DrivenObstaclesConstPtr& message) {
  if (!take(*message)) return;
  heard_until_ = fromRos(message->header.stamp);
  if (on_heard_) on_heard_();
}

bool ObstacleListener::take(const marsim::DrivenObstacles& message) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (obstacles_ == nullptr) return false;
  for (const marsim::DrivenObstacle& told : message.obstacles) {
    const auto number = obstacles_->numberOf(told.name);
    if (!number || !obstacles_->isDriven(*number)) {
      inputs_.refuse("/obstacles/driven",
                     fmt::format("'{}' is no driven obstacle of /obstacles", clipped(told.name)));
      continue;
    }
    obstacles_->drive(*number, {fromRos(message.header.stamp), fromPoint(told.position),
                                fromVector3(told.velocity), told.yaw, told.yaw_rate});
  }
  return true;
}

}  // namespace marsim::ros_nodes
