// SPDX-License-Identifier: BSD-3-Clause
#include "ros/nodes/topic_relay_node.hpp"

#include <string>
#include <utility>

#include "marsim/common/error.hpp"
#include "ros/common/params.hpp"

namespace marsim::ros_nodes {
namespace {

constexpr std::uint32_t kQueue = 100;

}  // namespace

TopicRelayNode::TopicRelayNode(ros::NodeHandle handle, ros::NodeHandle private_handle)
    : handle_(handle) {
  Params params(private_handle);
  const std::string from = params.text("from", "");
  to_ = params.text("to", "");
  params.finish();
  for (const auto& [name, topic] : {std::pair("from", from), std::pair("to", to_)}) {
    std::string reason;
    if (topic.empty() || !ros::names::validate(topic, reason)) {
      throw ConfigError(params.where(), name, topic, "the name of a topic");
    }
  }
  subscriber_ = handle_.subscribe(from, kQueue, &TopicRelayNode::onMessage, this,
                                  ros::TransportHints().tcpNoDelay());
}

void TopicRelayNode::onMessage(const topic_tools::ShapeShifter::ConstPtr& message) {
  if (!publisher_) publisher_ = message->advertise(handle_, to_, kQueue, true);
  publisher_.publish(*message);
}

}  // namespace marsim::ros_nodes
