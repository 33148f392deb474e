// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <ros/ros.h>
#include <rosgraph_msgs/Clock.h>
#include <sensor_msgs/PointCloud2.h>

#include "marsim/VehicleState.h"
#include "marsim/common/time.hpp"
#include "ros/common/inputs.hpp"

namespace marsim::ros_nodes {

/// Measures what a swarm in one process costs, as a nodelet beside it: it takes every cloud, counts
/// those that never came, and compares the process's use of the processor and of memory with
/// simulated time.
///
/// In: `uav<i>/<topic>` (sensor_msgs/PointCloud2), `uav0/state` (marsim/VehicleState), /clock. Ends
/// the process when it has measured. Parameters: swarm_size, topic, scan_rate [Hz], warm_up and
/// duration [s of simulated time], report (JSON file; empty: the log only).
class SwarmMeterNode {
 public:
  SwarmMeterNode(ros::NodeHandle handle, ros::NodeHandle private_handle);

 private:
  /// Time and memory that a process has used so far.
  struct Usage {
    ros::WallTime wall;
    TimeNs stamp = 0;
    double user = 0.0, system = 0.0;  ///< [s] of processor time
    long switches = 0;                ///< of context
  };
  struct Scans {
    ros::Subscriber subscriber;
    std::uint64_t arrived = 0, missing = 0, points = 0;
    TimeNs last = 0;
    TimeNs latest = 0;  ///< [ns] longest from the scan's end to its arrival
  };

  static Usage usage(TimeNs stamp);
  void onClock(const rosgraph_msgs::ClockConstPtr& message);
  void onCloud(const sensor_msgs::PointCloud2ConstPtr& cloud, Scans& scans);
  void onState(const marsim::VehicleStateConstPtr& state);
  void report(const Usage& end) const;

  std::string report_file_;
  TimeNs period_, warm_up_, duration_;
  TimeNs now_ = 0, first_ = -1;
  bool measuring_ = false, done_ = false;
  Usage begin_;
  std::vector<std::unique_ptr<Scans>> scans_;
  TimeNs latest_state_ = 0;  ///< [ns] longest from the clock to a state
  Inputs inputs_;
  ros::Subscriber clock_subscriber_, state_subscriber_;
};

}  // namespace marsim::ros_nodes
