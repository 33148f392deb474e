// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include <ros/message_traits.h>
#include <ros/serialization.h>
#include <std_msgs/Header.h>
#include <boost/array.hpp>

#include "layouts/cloud_encoder.hpp"

namespace marsim::ros_nodes {

/// CustomMsg of livox_ros_driver and livox_ros_driver2, which have one definition and one md5 sum,
/// so that neither package has to be installed. Each message here has one of the two type names;
/// advertise it with advertiseOptions().
struct LivoxCustomMessage {
  std_msgs::Header header;
  std::uint64_t timebase = 0;  ///< [ns] of the first shot, as header.stamp
  std::uint32_t point_num = 0;
  std::uint8_t lidar_id = 0;
  boost::array<std::uint8_t, 3> rsvd{};
  std::vector<layouts::LivoxPoint> points;

  bool driver2 = false;  ///< not sent: whether the type is livox_ros_driver2's

  static constexpr const char* kMd5Sum = "e4d6829bdfe657cb6c21a746c86b21a6";
  static const char* typeName(bool driver2);
  static const char* definition(bool driver2);
};

}  // namespace marsim::ros_nodes

namespace ros {
namespace message_traits {

template <>
struct IsMessage<marsim::ros_nodes::LivoxCustomMessage> : TrueType {};
template <>
struct HasHeader<marsim::ros_nodes::LivoxCustomMessage> : TrueType {};

template <>
struct MD5Sum<marsim::ros_nodes::LivoxCustomMessage> {
  using Message = marsim::ros_nodes::LivoxCustomMessage;
  static const char* value() { return Message::kMd5Sum; }
  static const char* value(const Message&) { return value(); }
};

template <>
struct DataType<marsim::ros_nodes::LivoxCustomMessage> {
  using Message = marsim::ros_nodes::LivoxCustomMessage;
  static const char* value() { return Message::typeName(false); }
  static const char* value(const Message& message) { return Message::typeName(message.driver2); }
};

template <>
struct Definition<marsim::ros_nodes::LivoxCustomMessage> {
  using Message = marsim::ros_nodes::LivoxCustomMessage;
  static const char* value() { return Message::definition(false); }
  static const char* value(const Message& message) { return Message::definition(message.driver2); }
};

}  // namespace message_traits

namespace serialization {

template <>
struct Serializer<marsim::layouts::LivoxPoint> {
  template <typename Stream, typename Point>
  static void allInOne(Stream& stream, Point point) {
    stream.next(point.offset_time);
    stream.next(point.x);
    stream.next(point.y);
    stream.next(point.z);
    stream.next(point.reflectivity);
    stream.next(point.tag);
    stream.next(point.line);
  }
  ROS_DECLARE_ALLINONE_SERIALIZER
};

template <>
struct Serializer<marsim::ros_nodes::LivoxCustomMessage> {
  template <typename Stream, typename Message>
  static void allInOne(Stream& stream, Message message) {
    stream.next(message.header);
    stream.next(message.timebase);
    stream.next(message.point_num);
    stream.next(message.lidar_id);
    stream.next(message.rsvd);
    stream.next(message.points);
  }
  ROS_DECLARE_ALLINONE_SERIALIZER
};

}  // namespace serialization
}  // namespace ros
