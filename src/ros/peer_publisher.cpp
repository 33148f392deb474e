#include "marsim/ros/peer_publisher.hpp"

#include <random>

#include "marsim/Peers.h"
#include "marsim/ros/peer_message.hpp"

namespace marsim::ros_nodes {

constexpr TimeNs kBodyPeriod = kNsPerSecond;

PeerPublisher::PeerPublisher(ros::NodeHandle& handle, Params& params)
    : period_(periodNs(params.positive("peer_rate", 50.0, Quantity::kFrequency))) {
  state_.id = readUavId(params, handle);
  state_.run = std::random_device{}();
  publisher_ = handle.advertise<marsim::Peers>("/peers", 100);
}

void PeerPublisher::setBody(const std::string& vehicle, const scene::BodyConfig& body) {
  body_ = toMessage(body);
  body_.id = static_cast<std::uint16_t>(state_.id);
  body_.vehicle = vehicle;
}

void PeerPublisher::publish(const KinematicState& motion, std::uint32_t placements) {
  const bool begins = last_ < 0 || motion.stamp < last_ || placements != state_.placements;
  if (!begins && motion.stamp / period_ == last_ / period_) return;
  const auto message = boost::make_shared<marsim::Peers>();
  if (begins || motion.stamp - body_told_ >= kBodyPeriod) {
    message->bodies.push_back(body_);
    body_told_ = motion.stamp;
  }
  last_ = motion.stamp;
  state_.motion = motion;
  state_.placements = placements;
  ++state_.sequence;
  message->peers.push_back(toMessage(state_));
  publisher_.publish(message);
}

}  // namespace marsim::ros_nodes
