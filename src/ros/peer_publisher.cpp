#include "marsim/ros/peer_publisher.hpp"

#include <algorithm>
#include <random>

#include "marsim/Peers.h"
#include "marsim/ros/peer_message.hpp"
#include "marsim/sim/body.hpp"

namespace marsim::ros_nodes {

constexpr TimeNs kBodyPeriod = kNsPerSecond;

PeerPublisher::PeerPublisher(ros::NodeHandle& handle, Params& params)
    : period_(periodNs(params.positive("peer_rate", 50.0, Quantity::kFrequency))) {
  state_.id = readUavId(params, handle);
  state_.run = std::random_device{}();
  publisher_ = handle.advertise<marsim::Peers>("/peers", 100);
}

void PeerPublisher::setBody(const vehicle::VehicleConfig& vehicle) {
  body_ = toMessage(sim::bodyOf(vehicle));
  body_.id = static_cast<std::uint16_t>(state_.id);
  body_.vehicle = vehicle.name;
  body_.mass = static_cast<float>(vehicle.mass);
  const Eigen::Vector3f inertia = vehicle.inertia.cast<float>();
  std::copy(inertia.data(), inertia.data() + 3, body_.inertia.begin());
}

void PeerPublisher::publish(const KinematicState& motion, std::uint32_t placements,
                            const std::vector<sim::Strike>& strikes) {
  const bool begins = last_ < 0 || motion.stamp < last_ || placements != state_.placements;
  const bool is_due = begins || motion.stamp / period_ != last_ / period_;
  if (!is_due && strikes.empty()) return;
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
  for (const sim::Strike& strike : strikes) {
    marsim::Strike told = toMessage(strike);
    told.by = static_cast<std::uint16_t>(state_.id);
    message->strikes.push_back(told);
  }
  publisher_.publish(message);
}

}  // namespace marsim::ros_nodes
