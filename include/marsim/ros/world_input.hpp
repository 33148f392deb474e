#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <ros/ros.h>

#include "marsim/ros/obstacle_listener.hpp"
#include "marsim/ros/params.hpp"
#include "marsim/scene/moving_thing.hpp"

namespace marsim::ros_nodes {

/// What else moves in the world, as a UAV's nodes hear of it.
class WorldInput {
 public:
  /// Subscribes in the UAV's namespace `handle`; parameters are the node's. Throws ConfigError.
  WorldInput(ros::NodeHandle& handle, Params& params);

  /// The map of the node, in which obstacles find free places; without it there are none.
  void useMap(std::shared_ptr<const map::SurfelMap> map) { obstacles_.useMap(std::move(map)); }

  /// The things of [begin, end] (see scene::ThingSource). From any thread.
  std::vector<scene::MovingThing> things(TimeNs begin, TimeNs end) const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<const scene::ThingSource>> sources_;
  ObstacleListener obstacles_;
};

}  // namespace marsim::ros_nodes
