#include "marsim/ros/world_input.hpp"

#include "marsim/ros/peer_message.hpp"

namespace marsim::ros_nodes {

WorldInput::WorldInput(ros::NodeHandle& handle, Params& params)
    : uav_id_(readUavId(params, handle)),
      peers_(PeerListener::shared(handle, params)),
      obstacles_(handle) {
  peers_->addOwn(uav_id_);
}

std::vector<scene::MovingThing> WorldInput::things(TimeNs begin, TimeNs end) const {
  std::vector<scene::MovingThing> things;
  if (const auto obstacles = obstacles_.obstacles()) obstacles->appendThings(begin, end, things);
  peers_->peers().appendOthers(uav_id_, begin, end, things);
  return things;
}

std::optional<collision::RigidBody> WorldInput::bodyAt(std::uint32_t identity, TimeNs t) const {
  const auto motion = peers_->peers().motionAt(identity, t);
  if (!motion) return std::nullopt;
  return collision::RigidBody{motion->mass.mass, motion->mass.inertia, motion->X_WB, motion->v_WB,
                              motion->w_WB_B};
}

void WorldInput::diagnose(diagnostic_updater::DiagnosticStatusWrapper& status) const {
  peers_->diagnose(uav_id_, status);
}

}  // namespace marsim::ros_nodes
