// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <ros/ros.h>

namespace marsim::ros_nodes {

/// Clients of the services by which a UAV's controller takes off, lands, arms and disarms:
/// `take_off` (marsim/TakeOff), `land` (std_srvs/Trigger), `arm` (std_srvs/SetBool). Each call
/// waits for the answer and returns "" on success, else the reason in a line.
class FlightClients {
 public:
  FlightClients() = default;
  explicit FlightClients(ros::NodeHandle& handle);

  /// `height` [m] above the ground; 0: the controller's own.
  std::string takeOff(double height);
  std::string land();
  std::string arm(bool armed);
  /// Whether a node offers the services.
  bool exist() { return take_off_.exists() && land_.exists() && arm_.exists(); }

 private:
  ros::ServiceClient take_off_, land_, arm_;
};

}  // namespace marsim::ros_nodes
