// SPDX-License-Identifier: BSD-3-Clause
#include "ros/messages/livox_custom_message.hpp"

#include <string>

namespace marsim::ros_nodes {
namespace {

// The fields of both packages' messages; comments do not count for the md5 sum.
std::string fullDefinition(const std::string& package) {
  const std::string separator(80, '=');
  return "std_msgs/Header header\n"
         "uint64 timebase\n"
         "uint32 point_num\n"
         "uint8 lidar_id\n"
         "uint8[3] rsvd\n"
         "CustomPoint[] points\n\n" +
         separator + "\nMSG: std_msgs/Header\n" +
         ros::message_traits::definition<std_msgs::Header>() + "\n" + separator +
         "\nMSG: " + package +
         "/CustomPoint\n"
         "uint32 offset_time\n"
         "float32 x\n"
         "float32 y\n"
         "float32 z\n"
         "uint8 reflectivity\n"
         "uint8 tag\n"
         "uint8 line\n";
}

}  // namespace

const char* LivoxCustomMessage::typeName(bool driver2) {
  return driver2 ? "livox_ros_driver2/CustomMsg" : "livox_ros_driver/CustomMsg";
}

const char* LivoxCustomMessage::definition(bool driver2) {
  static const std::string first = fullDefinition("livox_ros_driver");
  static const std::string second = fullDefinition("livox_ros_driver2");
  return driver2 ? second.c_str() : first.c_str();
}

}  // namespace marsim::ros_nodes
