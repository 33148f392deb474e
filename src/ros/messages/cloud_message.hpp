// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sensor_msgs/LaserScan.h>
#include <sensor_msgs/PointCloud2.h>

#include "layouts/cloud_encoder.hpp"
#include "ros/messages/livox_custom_message.hpp"

namespace marsim::ros_nodes {

/// Messages of these contents; data are moved, not copied.
sensor_msgs::PointCloud2 toMessage(layouts::Cloud cloud);
sensor_msgs::LaserScan toMessage(layouts::PlanarScan scan);
LivoxCustomMessage toMessage(layouts::LivoxCloud cloud);

}  // namespace marsim::ros_nodes
