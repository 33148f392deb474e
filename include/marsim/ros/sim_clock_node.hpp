#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include <diagnostic_updater/diagnostic_updater.h>
#include <ros/ros.h>
#include <std_srvs/SetBool.h>
#include <std_srvs/Trigger.h>

#include "marsim/common/time.hpp"

namespace marsim::ros_nodes {

/// Publishes /clock at a fixed step of simulated time, paced to wall time.
/// Parameters: rate [Hz] (500), pace: simulated seconds a wall second (1).
/// Services: pause (std_srvs/SetBool), step (std_srvs/Trigger: one clock step while paused).
class SimClockNode {
 public:
  SimClockNode(ros::NodeHandle handle, ros::NodeHandle private_handle);
  ~SimClockNode();

 private:
  using WallClock = std::chrono::steady_clock;

  void run();
  void tick();
  bool onPause(std_srvs::SetBool::Request& request, std_srvs::SetBool::Response& response);
  bool onStep(std_srvs::Trigger::Request& request, std_srvs::Trigger::Response& response);
  void diagnose(diagnostic_updater::DiagnosticStatusWrapper& status);

  TimeNs period_;
  double pace_;
  ros::Publisher clock_publisher_;
  ros::ServiceServer pause_service_, step_service_;
  diagnostic_updater::Updater diagnostics_;

  std::mutex mutex_;  ///< guards what follows
  TimeNs now_ = 0;
  bool paused_ = false;
  WallClock::time_point reported_at_;  ///< for the real-time factor between two reports
  TimeNs reported_now_ = 0;

  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace marsim::ros_nodes
