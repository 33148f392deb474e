// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include <ros/ros.h>

#include "ros/uav/command_gate.hpp"

namespace marsim::ros_nodes {

/// Offers the services by which a UAV takes off, lands, and is armed: `take_off` (marsim/TakeOff),
/// `land` (std_srvs/Trigger), `arm` (std_srvs/SetBool). They act and reply at once, not when the
/// vehicle has arrived. The gate must outlive them.
std::vector<ros::ServiceServer> offerFlightServices(ros::NodeHandle& handle, CommandGate& gate);

}  // namespace marsim::ros_nodes
