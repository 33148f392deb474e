#pragma once

#include <functional>
#include <mutex>
#include <vector>

#include <ros/ros.h>

#include "clock/sim_clock.hpp"

namespace marsim::ros_nodes {

/// The ears of the clock's rules on answers: tells a SimClock the stamps of the topics of its
/// rules, of whatever type with a header. A topic of a type without one ends its rule, with an
/// error in the log.
class AnswerListener {
 public:
  /// The clock is guarded by `mutex`; `on_heard` is called, with it locked, after every stamp.
  AnswerListener(ros::NodeHandle& handle, SimClock& clock, std::mutex& mutex,
                 std::function<void()> on_heard);

  /// Looks who publishes what the rules wait for. The mutex must be locked.
  void lookForPublishers();

 private:
  using Take = void (AnswerWait::*)(TimeNs);
  ros::Subscriber listen(ros::NodeHandle& handle, std::size_t rule, const std::string& topic,
                         Take take);

  SimClock& clock_;
  std::mutex& mutex_;
  std::function<void()> on_heard_;
  std::vector<ros::Subscriber> inputs_, outputs_;  ///< of each rule
};

}  // namespace marsim::ros_nodes
