// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <geometry_msgs/Point.h>
#include <geometry_msgs/Quaternion.h>
#include <geometry_msgs/Vector3.h>
#include <ros/advertise_options.h>
#include <ros/message_traits.h>
#include <ros/serialization.h>
#include <ros/service_traits.h>
#include <std_msgs/Header.h>

#include "control/pilot/offboard.hpp"

/// Messages and services of mavros_msgs, written out here with their md5 sums, so that the package
/// need not be installed. Fields are as on its ROS side: ENU and FLU.
namespace marsim::ros_nodes::mavros_msgs {

struct PositionTarget {
  std_msgs::Header header;
  std::uint8_t coordinate_frame = 0;
  std::uint16_t type_mask = 0;
  geometry_msgs::Point position;
  geometry_msgs::Vector3 velocity, acceleration_or_force;
  float yaw = 0.0F, yaw_rate = 0.0F;

  static constexpr const char* kMd5Sum = "dedb0081aaf8cb20209737746bb49117";
  static constexpr const char* kTypeName = "mavros_msgs/PositionTarget";
  static const char* definition();
};

struct AttitudeTarget {
  std_msgs::Header header;
  std::uint8_t type_mask = 0;
  geometry_msgs::Quaternion orientation;
  geometry_msgs::Vector3 body_rate;
  float thrust = 0.0F;

  static constexpr const char* kMd5Sum = "456f3af666b22ccd0222ea053a86b548";
  static constexpr const char* kTypeName = "mavros_msgs/AttitudeTarget";
  static const char* definition();
};

struct State {
  std_msgs::Header header;
  std::uint8_t connected = 0, armed = 0, guided = 0, manual_input = 0;
  std::string mode;
  std::uint8_t system_status = 0;  ///< MAV_STATE

  /// Sums for mavros_msgs 0.33 to 1.4, and for versions since 1.5, which have constants for modes.
  /// The fields are the same; the publisher chooses the advertised version (advertiseOptions()).
  static constexpr const char* kMd5SumBefore = "ce783f756cab1193cb71ba9e90fece50";
  static constexpr const char* kMd5SumSince = "65cd0a9fff993b062b91e354554ec7e9";
  static constexpr const char* kMd5Sum = "*";
  static constexpr const char* kTypeName = "mavros_msgs/State";
  static const char* definition();  ///< since 1.5
  static ros::AdvertiseOptions advertiseOptions(const std::string& topic, std::uint32_t queue,
                                                bool since_1_5);
};

struct ExtendedState {
  static constexpr std::uint8_t kOnGround = 1, kInAir = 2;
  std_msgs::Header header;
  std::uint8_t vtol_state = 0;
  std::uint8_t landed_state = 0;

  static constexpr const char* kMd5Sum = "ae780b1800fe17b917369d21b90058bd";
  static constexpr const char* kTypeName = "mavros_msgs/ExtendedState";
  static const char* definition();
};

struct RCIn {
  std_msgs::Header header;
  std::uint8_t rssi = 0;
  std::vector<std::uint16_t> channels;  ///< [us] 1000 to 2000

  static constexpr const char* kMd5Sum = "1c3eafdb5efbcda3c334e1788bbcfe39";
  static constexpr const char* kTypeName = "mavros_msgs/RCIn";
  static const char* definition();
};

struct CommandResponse {
  std::uint8_t success = 0;
  std::uint8_t result = 0;  ///< MAV_RESULT
};

struct CommandBool {
  struct Request {
    std::uint8_t value = 0;
  };
  struct Response : CommandResponse {};
  using RequestType = Request;
  using ResponseType = Response;
  Request request;
  Response response;

  static constexpr const char* kMd5Sum = "e09abbb4e5bae6b558e5010966eb6e9e";
  static constexpr const char* kTypeName = "mavros_msgs/CommandBool";
  static const char* requestDefinition();
  static const char* responseDefinition();
};

struct CommandLong {
  struct Request {
    std::uint8_t broadcast = 0;
    std::uint16_t command = 0;  ///< MAV_CMD
    std::uint8_t confirmation = 0;
    float param1 = 0.0F, param2 = 0.0F, param3 = 0.0F, param4 = 0.0F, param5 = 0.0F, param6 = 0.0F,
          param7 = 0.0F;
  };
  struct Response : CommandResponse {};
  using RequestType = Request;
  using ResponseType = Response;
  Request request;
  Response response;

  static constexpr const char* kMd5Sum = "eb9034afc87577c0a235d45b8f3437d2";
  static constexpr const char* kTypeName = "mavros_msgs/CommandLong";
  static const char* requestDefinition();
  static const char* responseDefinition();
};

struct CommandTol {
  struct Request {
    float min_pitch = 0.0F, yaw = 0.0F, latitude = 0.0F, longitude = 0.0F, altitude = 0.0F;
  };
  struct Response : CommandResponse {};
  using RequestType = Request;
  using ResponseType = Response;
  Request request;
  Response response;

  static constexpr const char* kMd5Sum = "93ff4eaa9907f58c0e7a909cddce23e2";
  static constexpr const char* kTypeName = "mavros_msgs/CommandTOL";
  static const char* requestDefinition();
  static const char* responseDefinition();
};

struct SetMode {
  struct Request {
    std::uint8_t base_mode = 0;
    std::string custom_mode;
  };
  struct Response {
    std::uint8_t mode_sent = 0;
  };
  using RequestType = Request;
  using ResponseType = Response;
  Request request;
  Response response;

  static constexpr const char* kMd5Sum = "e4f18fa93379f9ff1780d270ce110203";
  static constexpr const char* kTypeName = "mavros_msgs/SetMode";
  static const char* requestDefinition();
  static const char* responseDefinition();
};

control::offboard::PositionTarget fromMessage(const PositionTarget& message);
control::offboard::AttitudeTarget fromMessage(const AttitudeTarget& message);

}  // namespace marsim::ros_nodes::mavros_msgs

// Traits that roscpp needs for a message and a service.
#define MARSIM_TEXT_TRAIT(Trait, Type, text)                  \
  template <>                                                 \
  struct Trait<Type> {                                        \
    static const char* value() { return text; }               \
    static const char* value(const Type&) { return value(); } \
  };
#define MARSIM_MESSAGE_TRAITS(Type, md5, name, text) \
  template <>                                        \
  struct IsMessage<Type> : TrueType {};              \
  MARSIM_TEXT_TRAIT(MD5Sum, Type, md5)               \
  MARSIM_TEXT_TRAIT(DataType, Type, name)            \
  MARSIM_TEXT_TRAIT(Definition, Type, text)
#define MARSIM_TOPIC_TRAITS(Type)                                                 \
  MARSIM_MESSAGE_TRAITS(Type, Type::kMd5Sum, Type::kTypeName, Type::definition()) \
  template <>                                                                     \
  struct HasHeader<Type> : TrueType {};
// A request and a response have md5 sums of their own, which nothing reads.
#define MARSIM_PART_TRAITS(Service, name)                                     \
  MARSIM_MESSAGE_TRAITS(Service::Request, Service::kMd5Sum, name "Request",   \
                        Service::requestDefinition())                         \
  MARSIM_MESSAGE_TRAITS(Service::Response, Service::kMd5Sum, name "Response", \
                        Service::responseDefinition())
#define MARSIM_SERVICE_TRAITS(Service)                              \
  MARSIM_TEXT_TRAIT(MD5Sum, Service, Service::kMd5Sum)              \
  MARSIM_TEXT_TRAIT(DataType, Service, Service::kTypeName)          \
  MARSIM_TEXT_TRAIT(MD5Sum, Service::Request, Service::kMd5Sum)     \
  MARSIM_TEXT_TRAIT(DataType, Service::Request, Service::kTypeName) \
  MARSIM_TEXT_TRAIT(MD5Sum, Service::Response, Service::kMd5Sum)    \
  MARSIM_TEXT_TRAIT(DataType, Service::Response, Service::kTypeName)

namespace ros {
namespace message_traits {
MARSIM_TOPIC_TRAITS(marsim::ros_nodes::mavros_msgs::PositionTarget)
MARSIM_TOPIC_TRAITS(marsim::ros_nodes::mavros_msgs::AttitudeTarget)
MARSIM_TOPIC_TRAITS(marsim::ros_nodes::mavros_msgs::State)
MARSIM_TOPIC_TRAITS(marsim::ros_nodes::mavros_msgs::ExtendedState)
MARSIM_TOPIC_TRAITS(marsim::ros_nodes::mavros_msgs::RCIn)
MARSIM_PART_TRAITS(marsim::ros_nodes::mavros_msgs::CommandBool, "mavros_msgs/CommandBool")
MARSIM_PART_TRAITS(marsim::ros_nodes::mavros_msgs::CommandLong, "mavros_msgs/CommandLong")
MARSIM_PART_TRAITS(marsim::ros_nodes::mavros_msgs::CommandTol, "mavros_msgs/CommandTOL")
MARSIM_PART_TRAITS(marsim::ros_nodes::mavros_msgs::SetMode, "mavros_msgs/SetMode")
}  // namespace message_traits

namespace service_traits {
MARSIM_SERVICE_TRAITS(marsim::ros_nodes::mavros_msgs::CommandBool)
MARSIM_SERVICE_TRAITS(marsim::ros_nodes::mavros_msgs::CommandLong)
MARSIM_SERVICE_TRAITS(marsim::ros_nodes::mavros_msgs::CommandTol)
MARSIM_SERVICE_TRAITS(marsim::ros_nodes::mavros_msgs::SetMode)
}  // namespace service_traits
}  // namespace ros

#undef MARSIM_TEXT_TRAIT
#undef MARSIM_MESSAGE_TRAITS
#undef MARSIM_TOPIC_TRAITS
#undef MARSIM_PART_TRAITS
#undef MARSIM_SERVICE_TRAITS

namespace ros {
namespace serialization {

// One function writes, reads and measures a type: its fields in order.
#define MARSIM_SERIALIZER(Type, ...)                      \
  template <>                                             \
  struct Serializer<Type> {                               \
    template <typename Stream, typename Message>          \
    static void allInOne(Stream& stream, Message m) {     \
      fields(stream, __VA_ARGS__);                        \
    }                                                     \
    template <typename Stream, typename... Fields>        \
    static void fields(Stream& stream, Fields&&... all) { \
      (stream.next(all), ...);                            \
    }                                                     \
    ROS_DECLARE_ALLINONE_SERIALIZER                       \
  };
MARSIM_SERIALIZER(marsim::ros_nodes::mavros_msgs::PositionTarget, m.header, m.coordinate_frame,
                  m.type_mask, m.position, m.velocity, m.acceleration_or_force, m.yaw, m.yaw_rate)
MARSIM_SERIALIZER(marsim::ros_nodes::mavros_msgs::AttitudeTarget, m.header, m.type_mask,
                  m.orientation, m.body_rate, m.thrust)
MARSIM_SERIALIZER(marsim::ros_nodes::mavros_msgs::State, m.header, m.connected, m.armed, m.guided,
                  m.manual_input, m.mode, m.system_status)
MARSIM_SERIALIZER(marsim::ros_nodes::mavros_msgs::ExtendedState, m.header, m.vtol_state,
                  m.landed_state)
MARSIM_SERIALIZER(marsim::ros_nodes::mavros_msgs::RCIn, m.header, m.rssi, m.channels)
MARSIM_SERIALIZER(marsim::ros_nodes::mavros_msgs::CommandLong::Request, m.broadcast, m.command,
                  m.confirmation, m.param1, m.param2, m.param3, m.param4, m.param5, m.param6,
                  m.param7)
MARSIM_SERIALIZER(marsim::ros_nodes::mavros_msgs::CommandLong::Response, m.success, m.result)
MARSIM_SERIALIZER(marsim::ros_nodes::mavros_msgs::CommandBool::Request, m.value)
MARSIM_SERIALIZER(marsim::ros_nodes::mavros_msgs::CommandBool::Response, m.success, m.result)
MARSIM_SERIALIZER(marsim::ros_nodes::mavros_msgs::CommandTol::Request, m.min_pitch, m.yaw,
                  m.latitude, m.longitude, m.altitude)
MARSIM_SERIALIZER(marsim::ros_nodes::mavros_msgs::CommandTol::Response, m.success, m.result)
MARSIM_SERIALIZER(marsim::ros_nodes::mavros_msgs::SetMode::Request, m.base_mode, m.custom_mode)
MARSIM_SERIALIZER(marsim::ros_nodes::mavros_msgs::SetMode::Response, m.mode_sent)
#undef MARSIM_SERIALIZER

}  // namespace serialization
}  // namespace ros
