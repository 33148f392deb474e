// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <mutex>
#include <vector>

#include <ros/ros.h>

#include "clock/sim_clock.hpp"

namespace marsim::ros_nodes {

/// Listens for the clock's rules on answers: gives a SimClock the stamps of its rules' topics, of
/// any type with a header. A topic of a type without one ends its rule, with an error in the log.
class AnswerListener {
 public:
  /// `mutex` guards the clock; `on_heard` is called, with it locked, after every stamp.
  AnswerListener(ros::NodeHandle& handle, SimClock& clock, std::mutex& mutex,
                 std::function<void()> on_heard);

  /// Looks for publishers of the topics that rules wait for. The mutex must be locked.
  void lookForPublishers();

 private:
  using Take = void (AnswerWait::*)(TimeNs);
  ros::Subscriber listen(ros::NodeHandle& handle, std::size_t rule, const std::string& topic,
                         Take take);

  SimClock& clock_;
  std::mutex& mutex_;
  std::function<void()> on_heard_;
  std::vector<ros::Subscriber> inputs_, outputs_;  ///< for each rule
};

}  // namespace marsim::ros_nodes
