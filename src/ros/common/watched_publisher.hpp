// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <typeinfo>

#include <ros/publication.h>
#include <ros/ros.h>
#include <ros/topic_manager.h>

namespace marsim::ros_nodes {

/// A publisher for frequent messages. It knows whether anybody listens, and its topic: for each
/// message ros::Publisher searches all topics of the process under one lock (hundreds with 20
/// UAVs). Subscribers in this process get the shared message without that search and without a
/// copy. If another process listens, too, roscpp's own way is taken.
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
    publication_ = ros::TopicManager::instance()->lookupPublication(publisher_.getTopic());
  }

  bool wanted() const { return *listeners_ > 0; }
  /// Number of listeners that ever came.
  std::uint32_t joined() const { return *joined_; }
  /// The message must not change afterwards.
  void publish(const boost::shared_ptr<Message>& message) const {
    if (publication_ == nullptr) return;     // refused, as during shutdown
    bool serialize = false, shared = false;  // whether any listener takes bytes, or the message
    publication_->getPublishTypes(serialize, shared, typeid(Message));
    if (serialize) return publisher_.publish(message);
    ros::SerializedMessage passed;
    passed.message = message;
    passed.type_info = &typeid(Message);
    publication_->publish(passed);
  }

 private:
  std::shared_ptr<std::atomic<int>> listeners_ = std::make_shared<std::atomic<int>>(0);
  std::shared_ptr<std::atomic<std::uint32_t>> joined_ =
      std::make_shared<std::atomic<std::uint32_t>>(0);
  ros::Publisher publisher_;
  ros::PublicationPtr publication_;
};

}  // namespace marsim::ros_nodes
