// SPDX-License-Identifier: BSD-3-Clause
#include "ros/common/any_type_subscriber.hpp"

#include <utility>

namespace marsim::ros_nodes {

AnyTypeSubscriber::AnyTypeSubscriber(const ros::NodeHandle& handle, std::string topic,
                                     Callback callback)
    : handle_(handle), topic_(std::move(topic)), callback_(std::move(callback)) {
  subscribe();
}

void AnyTypeSubscriber::subscribe() {
  subscriber_.shutdown();  // otherwise the new one would join it
  const boost::function<void(const topic_tools::ShapeShifter::ConstPtr&)> callback =
      [this](const topic_tools::ShapeShifter::ConstPtr& message) {
        has_publisher_ = true;  // also a publisher that comes and goes between two looks
        callback_(message);
      };
  subscriber_ = handle_.subscribe<topic_tools::ShapeShifter>(
      topic_, 10, callback, ros::VoidConstPtr(), ros::TransportHints().tcpNoDelay());
  has_publisher_ = false;
}

void AnyTypeSubscriber::look() {
  const bool has_publisher = subscriber_.getNumPublishers() > 0;
  if (has_publisher_ && !has_publisher) {
    subscribe();
  } else {
    has_publisher_ = has_publisher;
  }
}

}  // namespace marsim::ros_nodes
