// SPDX-License-Identifier: BSD-3-Clause
#include "ros/common/answer_listener.hpp"

#include <string>
#include <utility>

#include <topic_tools/shape_shifter.h>

#include "marsim/common/error.hpp"
#include "ros/messages/header_stamp.hpp"

namespace marsim::ros_nodes {
namespace {

constexpr std::uint32_t kAnswerQueue = 1000;  // messages; none may be missed

}  // namespace

AnswerListener::AnswerListener(ros::NodeHandle& handle, SimClock& clock, std::mutex& mutex,
                               std::function<void()> on_heard)
    : clock_(clock), mutex_(mutex), on_heard_(std::move(on_heard)) {
  for (std::size_t i = 0; i < clock_.answers().size(); ++i) {
    const AnswerRule& rule = clock_.answers()[i].rule();
    outputs_.push_back(listen(handle, i, rule.output, &AnswerWait::onOutput));
    inputs_.push_back(listen(handle, i, rule.input, &AnswerWait::onInput));
  }
}

ros::Subscriber AnswerListener::listen(ros::NodeHandle& handle, std::size_t rule,
                                       const std::string& topic, Take take) {
  const boost::function<void(const topic_tools::ShapeShifter::ConstPtr&)> hear =
      [this, rule, topic, take](const topic_tools::ShapeShifter::ConstPtr& message) {
        const std::lock_guard<std::mutex> lock(mutex_);
        AnswerWait& answer = clock_.answers()[rule];
        try {
          (answer.*take)(headerStamp(*message));
        } catch (const Error& error) {
          if (!answer.isOver()) {
            ROS_ERROR("wait_for: %s holds no time: %s: %s", answer.rule().text().c_str(),
                      topic.c_str(), error.what());
          }
          answer.end();
        }
        on_heard_();
      };
  return handle.subscribe<topic_tools::ShapeShifter>(topic, kAnswerQueue, hear, ros::VoidConstPtr(),
                                                     ros::TransportHints().tcpNoDelay());
}

void AnswerListener::lookForPublishers() {
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    clock_.answers()[i].setOffered(outputs_[i].getNumPublishers() > 0);
  }
}

}  // namespace marsim::ros_nodes
