// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>

#include <ros/ros.h>

#include "marsim/DrivenObstacles.h"
#include "marsim/Obstacles.h"
#include "marsim/map/surfel_map.hpp"
#include "marsim/scene/obstacles.hpp"
#include "ros/common/inputs.hpp"

namespace marsim::ros_nodes {

/// Distances to the map's surfels, for scene::Obstacles.
scene::MapDistance clearanceIn(const map::SurfelMap& map);

/// The obstacles of the world for a node: /obstacles (latched) has the settings, from which every
/// node makes the same set; /obstacles/driven has the motion of the driven ones.
class ObstacleListener {
 public:
  /// `on_heard` is called after every message.
  explicit ObstacleListener(ros::NodeHandle& handle, std::function<void()> on_heard = {});

  /// Sets the map for the search of free places. Without it there are no obstacles.
  void useMap(std::shared_ptr<const map::SurfelMap> map);
  /// Null while none are known. Safe from any thread.
  std::shared_ptr<const scene::Obstacles> obstacles() const;
  /// Stamp of the last message on driven obstacles; < 0: none yet.
  TimeNs heardUntil() const { return heard_until_; }
  /// Reports the messages that were refused.
  void diagnose(diagnostic_updater::DiagnosticStatusWrapper& status) const {
    inputs_.addTo(status);
  }

 private:
  void onObstacles(const marsim::ObstaclesConstPtr& message);
  void onDriven(const marsim::DrivenObstaclesConstPtr& message);
  bool take(const marsim::DrivenObstacles& message);
  void make();

  mutable std::mutex mutex_;  // guards the members below
  std::shared_ptr<const map::SurfelMap> map_;
  marsim::ObstaclesConstPtr told_;
  std::shared_ptr<scene::Obstacles> obstacles_;
  std::function<void()> on_heard_;
  std::atomic<TimeNs> heard_until_{-1};
  Inputs inputs_;
  ros::Subscriber obstacles_subscriber_, driven_subscriber_;
};

}  // namespace marsim::ros_nodes
