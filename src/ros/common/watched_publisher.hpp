// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include <ros/ros.h>

namespace marsim::ros_nodes {

/// A publisher for messages sent hundreds of times a second. It knows whether anybody listens,
/// while ros::Publisher would search all topics of the process under a lock (hundreds with 20
/// UAVs), and takes shared messages, which subscribers in this process get without a copy.
template <class Message>
class WatchedPublisher {
 public:
  WatchedPublisher() = default;
  WatchedPublisher(ros::NodeHandle& handle, const std::string& topic, std::uint32_t queue) {
    const auto listeners = listeners_;
    const auto joined = joined_;
    const auto came = [listeners, joined](const ros::SingleSubscriberPublisher&) {
      ++*listeners;
      ++*joined;
    };
    const auto went = [listeners](const ros::SingleSubscriberPublisher&) { --*listeners; };
    publisher_ = handle.advertise<Message>(topic, queue, came, went);
  }

  bool wanted() const { return *listeners_ > 0; }
  /// Number of listeners that ever came.
  std::uint32_t joined() const { return *joined_; }
  /// The message must not change afterwards.
  void publish(const boost::shared_ptr<Message>& message) const { publisher_.publish(message); }

 private:
  std::shared_ptr<std::atomic<int>> listeners_ = std::make_shared<std::atomic<int>>(0);
  std::shared_ptr<std::atomic<std::uint32_t>> joined_ =
      std::make_shared<std::atomic<std::uint32_t>>(0);
  ros::Publisher publisher_;
};

}  // namespace marsim::ros_nodes
