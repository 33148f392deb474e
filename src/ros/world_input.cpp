#include "marsim/ros/world_input.hpp"

#include "marsim/ros/peer_message.hpp"

namespace marsim::ros_nodes {

WorldInput::WorldInput(ros::NodeHandle& handle, Params& params)
    : uav_id_(readUavId(params, handle)), peers_(PeerListener::shared(handle, params)) {}

std::vector<scene::MovingThing> WorldInput::things(TimeNs begin, TimeNs end) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<scene::MovingThing> things;
  for (const std::shared_ptr<const scene::ThingSource>& source : sources_) {
    source->appendThings(begin, end, things);
  }
  peers_->peers().appendOthers(uav_id_, begin, end, things);
  return things;
}

void WorldInput::diagnose(diagnostic_updater::DiagnosticStatusWrapper& status) const {
  peers_->diagnose(uav_id_, status);
}

}  // namespace marsim::ros_nodes
