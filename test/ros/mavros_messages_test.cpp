// SPDX-License-Identifier: BSD-3-Clause
#include "ros/messages/mavros_messages.hpp"

#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <ros/serialization.h>
#include <boost/uuid/detail/md5.hpp>

namespace marsim::ros_nodes::mavros_msgs {
namespace {

std::string md5Of(const std::string& text) {
  boost::uuids::detail::md5 hash;
  hash.process_bytes(text.data(), text.size());
  boost::uuids::detail::md5::digest_type digest;
  hash.get_digest(digest);
  std::string hex;
  for (const auto part : digest) {  // words or, in newer versions of Boost, bytes
    char digits[9];
    std::snprintf(digits, sizeof(digits), "%0*x", static_cast<int>(2 * sizeof(part)),
                  static_cast<unsigned>(part));
    hex += digits;
  }
  return hex;
}

/// The sum of a part's type: of another package by that package, as ROS has compiled it.
std::string sumOf(const std::string& type) {
  namespace traits = ros::message_traits;
  if (type == "std_msgs/Header") return traits::md5sum<std_msgs::Header>();
  if (type == "geometry_msgs/Point") return traits::md5sum<geometry_msgs::Point>();
  if (type == "geometry_msgs/Vector3") return traits::md5sum<geometry_msgs::Vector3>();
  if (type == "geometry_msgs/Quaternion") return traits::md5sum<geometry_msgs::Quaternion>();
  return "";
}

/// The text that the sum is taken of, by the rule of genmsg: constants first, then fields, one a
/// line, without comments; a part counts by its own sum in place of its type.
std::string canonical(const std::string& definition) {
  std::string constants, fields;
  std::istringstream lines(definition);
  for (std::string line; std::getline(lines, line) && line.compare(0, 3, "===") != 0;) {
    std::istringstream words(line);
    std::string type, name, equals, value;
    words >> type >> name >> equals >> value;
    if (type.empty()) continue;
    if (equals == "=") {
      constants += type + " " + name + "=" + value + "\n";
    } else {
      const std::string part = sumOf(type);
      fields += (part.empty() ? type : part) + " " + name + "\n";
    }
  }
  const std::string text = constants + fields;
  return text.empty() ? text : text.substr(0, text.size() - 1);
}

// As MAVROS prints them (rosmsg md5, rossrv md5), and as its definitions give them.
TEST(MavrosMessages, SumsAreThoseOfTheirDefinitions) {
  EXPECT_STREQ(PositionTarget::kMd5Sum, "dedb0081aaf8cb20209737746bb49117");
  EXPECT_STREQ(AttitudeTarget::kMd5Sum, "456f3af666b22ccd0222ea053a86b548");
  EXPECT_STREQ(State::kMd5SumBefore, "ce783f756cab1193cb71ba9e90fece50");
  EXPECT_STREQ(State::kMd5SumSince, "65cd0a9fff993b062b91e354554ec7e9");
  EXPECT_EQ(md5Of(canonical(PositionTarget::definition())), PositionTarget::kMd5Sum);
  EXPECT_EQ(md5Of(canonical(AttitudeTarget::definition())), AttitudeTarget::kMd5Sum);
  EXPECT_STREQ(ExtendedState::kMd5Sum, "ae780b1800fe17b917369d21b90058bd");
  EXPECT_EQ(md5Of(canonical(ExtendedState::definition())), ExtendedState::kMd5Sum);
  EXPECT_EQ(md5Of(canonical(RCIn::definition())), RCIn::kMd5Sum);
  const std::string state = canonical(State::definition());
  EXPECT_EQ(md5Of(state), State::kMd5SumSince);
  EXPECT_EQ(md5Of(state.substr(state.rfind("=AUTO.TAKEOFF\n") + 14)), State::kMd5SumBefore)
      << "the fields without the constants";
}

template <class Service>
std::string serviceSum() {
  return md5Of(canonical(Service::requestDefinition()) + canonical(Service::responseDefinition()));
}

TEST(MavrosMessages, ServicesHaveTheSumsOfBothParts) {
  EXPECT_STREQ(CommandBool::kMd5Sum, "e09abbb4e5bae6b558e5010966eb6e9e");
  EXPECT_STREQ(CommandTol::kMd5Sum, "93ff4eaa9907f58c0e7a909cddce23e2");
  EXPECT_STREQ(SetMode::kMd5Sum, "e4f18fa93379f9ff1780d270ce110203");
  EXPECT_EQ(serviceSum<CommandBool>(), CommandBool::kMd5Sum);
  EXPECT_EQ(serviceSum<CommandLong>(), CommandLong::kMd5Sum);
  EXPECT_EQ(serviceSum<CommandTol>(), CommandTol::kMd5Sum);
  EXPECT_EQ(serviceSum<SetMode>(), SetMode::kMd5Sum);
}

// The rule itself, on a message that ROS has compiled.
TEST(MavrosMessages, TheRuleGivesTheSumOfAKnownMessage) {
  EXPECT_EQ(md5Of(canonical("uint32 seq\ntime stamp\nstring frame_id\n")),
            ros::message_traits::md5sum<std_msgs::Header>());
}

TEST(MavrosMessages, TraitsAreWhatRosAsksFor) {
  namespace traits = ros::message_traits;
  EXPECT_STREQ(traits::datatype<State>(), "mavros_msgs/State");
  EXPECT_STREQ(traits::md5sum<State>(), "*") << "for both";
  EXPECT_NE(std::string(traits::definition<PositionTarget>()).find("MSG: geometry_msgs/Vector3"),
            std::string::npos);
  EXPECT_STREQ(ros::service_traits::datatype<CommandTol>(), "mavros_msgs/CommandTOL");
  EXPECT_STREQ(ros::service_traits::md5sum<SetMode::Request>(), SetMode::kMd5Sum);
}

template <class Message>
Message throughBytes(const Message& message, std::size_t size) {
  std::vector<std::uint8_t> bytes(ros::serialization::serializationLength(message));
  EXPECT_EQ(bytes.size(), size);
  ros::serialization::OStream out(bytes.data(), static_cast<std::uint32_t>(bytes.size()));
  ros::serialization::serialize(out, message);
  Message copy;
  ros::serialization::IStream in(bytes.data(), static_cast<std::uint32_t>(bytes.size()));
  ros::serialization::deserialize(in, copy);
  return copy;
}

// Sizes by hand: a header of 16 bytes and its frame, then the fields without padding.
TEST(MavrosMessages, FieldsKeepTheirPlaces) {
  PositionTarget target;
  target.header.frame_id = "map";
  target.coordinate_frame = 8;
  target.type_mask = 2503;
  target.velocity.y = 2.5;
  target.yaw_rate = 0.5F;
  const PositionTarget copy = throughBytes(target, 16 + 3 + 1 + 2 + 9 * 8 + 2 * 4);
  EXPECT_EQ(copy.type_mask, 2503);
  EXPECT_EQ(fromMessage(copy).velocity.y(), 2.5);
  EXPECT_EQ(fromMessage(copy).yaw_rate, 0.5);
  AttitudeTarget attitude;
  attitude.thrust = 0.25F;
  EXPECT_EQ(fromMessage(throughBytes(attitude, 16 + 1 + 7 * 8 + 4)).thrust, 0.25);
  State state;
  state.mode = "OFFBOARD";
  state.system_status = 4;
  const State told = throughBytes(state, 16 + 4 + 4 + 8 + 1);
  EXPECT_EQ(told.mode, "OFFBOARD");
  EXPECT_EQ(told.system_status, 4);
  CommandTol::Request take_off;
  take_off.altitude = 2.0F;
  EXPECT_EQ(throughBytes(take_off, 20).altitude, 2.0F);
}

}  // namespace
}  // namespace marsim::ros_nodes::mavros_msgs
