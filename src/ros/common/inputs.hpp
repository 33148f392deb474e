// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include <diagnostic_updater/DiagnosticStatusWrapper.h>
#include <ros/ros.h>
#include <rosgraph_msgs/Clock.h>

#include "common/warning_log.hpp"
#include "ros/messages/conversions.hpp"
#include "ros/messages/message_fault.hpp"

namespace marsim::ros_nodes {

/// Rejects a stamp far ahead of the previous one until the next stamp confirms it: a single wrong
/// stamp changes nothing, and a real jump of time is followed. A stamp that goes back begins
/// another run.
class LeapFilter {
 public:
  static constexpr TimeNs kLongestLeap = 10 * kNsPerSecond;

  bool takes(TimeNs stamp);

 private:
  std::optional<TimeNs> last_, doubtful_;
};

/// The subscriptions of a node. Messages with a fault (see faultOf) do not reach the node: they are
/// counted, and reported at once and then once in a while.
class Inputs {
 public:
  template <class Message>
  using Callback = std::function<void(const boost::shared_ptr<const Message>&)>;

  explicit Inputs(const ros::NodeHandle& handle) : handle_(handle) {}

  /// A topic of users and their programs.
  template <class Message>
  ros::Subscriber subscribe(const std::string& topic, std::uint32_t queue, Callback<Message> on) {
    return open<Message>(topic, queue, [this, topic, on = std::move(on)](const auto& message) {
      if (isSound(topic, faultOf(*message))) on(message);
    });
  }
  template <class Message, class Node>
  ros::Subscriber subscribe(const std::string& topic, std::uint32_t queue,
                            void (Node::*on)(const boost::shared_ptr<const Message>&), Node* node) {
    return subscribe<Message>(topic, queue,
                              [on, node](const auto& message) { (node->*on)(message); });
  }

  /// A stream that the simulation itself publishes: its numbers must be finite, and its stamps pass
  /// a LeapFilter.
  template <class Message, class Node>
  ros::Subscriber subscribeToStream(const std::string& topic, std::uint32_t queue,
                                    void (Node::*on)(const boost::shared_ptr<const Message>&),
                                    Node* node) {
    const auto filter = std::make_shared<LeapFilter>();
    return open<Message>(topic, queue, [this, topic, filter, on, node](const auto& message) {
      if (isSound(topic, faultOf(*message, Numbers::kFinite)) &&
          isNext(topic, *filter, stampOf(*message))) {
        (node->*on)(message);
      }
    });
  }

  void refuse(const std::string& topic, const std::string& fault);
  /// Adds the counts of refused messages, and a warning for recent ones.
  void addTo(diagnostic_updater::DiagnosticStatusWrapper& status) const;

 private:
  template <class Message, class Take>
  ros::Subscriber open(const std::string& topic, std::uint32_t queue, Take take) {
    const boost::function<void(const boost::shared_ptr<const Message>&)> callback = std::move(take);
    return handle_.subscribe<Message>(topic, queue, callback, ros::VoidConstPtr(),
                                      ros::TransportHints().tcpNoDelay());
  }
  template <class Message>
  static TimeNs stampOf(const Message& message) {
    return fromRos(message.header.stamp);
  }
  static TimeNs stampOf(const rosgraph_msgs::Clock& message) { return fromRos(message.clock); }

  bool isSound(const std::string& topic, const std::string& fault);
  bool isNext(const std::string& topic, LeapFilter& filter, TimeNs stamp);

  ros::NodeHandle handle_;
  mutable std::mutex mutex_;  ///< guards the members below
  WarningLog refusals_{5.0};  ///< [s]
};

}  // namespace marsim::ros_nodes
