#include "marsim/ros/world_input.hpp"

namespace marsim::ros_nodes {

WorldInput::WorldInput(ros::NodeHandle& handle, Params&) : obstacles_(handle) {}

std::vector<scene::MovingThing> WorldInput::things(TimeNs begin, TimeNs end) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<scene::MovingThing> things;
  for (const std::shared_ptr<const scene::ThingSource>& source : sources_) {
    source->appendThings(begin, end, things);
  }
  if (const auto obstacles = obstacles_.obstacles()) obstacles->appendThings(begin, end, things);
  return things;
}

}  // namespace marsim::ros_nodes
