// SPDX-License-Identifier: BSD-3-Clause
#include "ros/common/peer_publisher.hpp"

#include <random>

#include "ros/messages/peer_message.hpp"

namespace marsim::ros_nodes {

PeerPublisher::PeerPublisher(ros::NodeHandle& handle, Params& params)
    : announcer_(readUavId(params, handle), std::random_device{}(), readPeerPeriod(params)) {
  body_.id = static_cast<std::uint16_t>(readUavId(params, handle));
  publisher_ = {handle, "/peers", 100};
}

void PeerPublisher::setBody(const vehicle::VehicleConfig& vehicle) {
  const std::uint16_t id = body_.id;
  body_ = toMessage(sim::announcedBodyOf(vehicle));
  body_.id = id;
  body_.vehicle = vehicle.name;
  const scene::PeerMass mass = sim::announcedMassOf(vehicle);
  body_.mass = static_cast<float>(mass.mass);
  for (int i = 0; i < 3; ++i) {
    body_.inertia[static_cast<std::size_t>(i)] = static_cast<float>(mass.inertia[i]);
  }
}

void PeerPublisher::publish(const KinematicState& motion, std::uint32_t placements,
                            const std::vector<sim::Impact>& impacts) {
  const auto told = announcer_.announce(motion, placements, impacts);
  if (!told) return;
  const auto message = boost::make_shared<marsim::Peers>();
  if (told->with_body) message->bodies.push_back(body_);
  last_ = told->state;
  message->peers.push_back(toMessage(*last_));
  for (const sim::Impact& impact : told->impacts) {
    message->impacts.push_back(toMessage(impact));
    message->impacts.back().by = body_.id;
  }
  publisher_.publish(message);
}

void PeerPublisher::repeat() const {
  if (!last_) return;
  const auto message = boost::make_shared<marsim::Peers>();
  message->bodies.push_back(body_);
  message->peers.push_back(toMessage(*last_));
  publisher_.publish(message);
}

}  // namespace marsim::ros_nodes
