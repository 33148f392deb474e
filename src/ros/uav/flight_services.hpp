// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ros/ros.h>
#include <std_srvs/SetBool.h>
#include <std_srvs/Trigger.h>

#include "marsim/TakeOff.h"
#include "ros/uav/command_gate.hpp"

namespace marsim::ros_nodes {

/// The services by which a UAV takes off, lands, and is armed: `take_off` (marsim/TakeOff), `land`
/// (std_srvs/Trigger), `arm` (std_srvs/SetBool). They act and reply at once, not when the vehicle
/// has arrived.
class FlightServices {
 public:
  FlightServices(ros::NodeHandle& handle, CommandGate& gate);

 private:
  template <class Response>
  void answer(const char* service, const sim::Pilot::Outcome& outcome, Response& response);

  CommandGate& gate_;
  ros::ServiceServer take_off_service_, land_service_, arm_service_;
};

}  // namespace marsim::ros_nodes
