// SPDX-License-Identifier: BSD-3-Clause
#include "ros/messages/header_stamp.hpp"

#include <gtest/gtest.h>
#include <nav_msgs/Odometry.h>
#include <sensor_msgs/PointCloud2.h>
#include <std_msgs/Header.h>
#include <std_msgs/String.h>

#include "marsim/common/error.hpp"

namespace marsim::ros_nodes {
namespace {

template <class Message>
topic_tools::ShapeShifter shifted(const Message& message) {
  namespace traits = ros::message_traits;
  topic_tools::ShapeShifter shifter;
  shifter.morph(traits::md5sum(message), traits::datatype(message), traits::definition(message),
                "");
  std::vector<std::uint8_t> bytes(ros::serialization::serializationLength(message));
  ros::serialization::OStream out(bytes.data(), static_cast<std::uint32_t>(bytes.size()));
  ros::serialization::serialize(out, message);
  ros::serialization::IStream in(bytes.data(), static_cast<std::uint32_t>(bytes.size()));
  shifter.read(in);
  return shifter;
}

TEST(HeaderStamp, AnyTypeThatBeginsWithAHeaderIsRead) {
  sensor_msgs::PointCloud2 cloud;
  cloud.header.seq = 7;
  cloud.header.stamp = ros::Time(12, 345'678'901);
  cloud.header.frame_id = "lidar";
  cloud.data.resize(1000);
  EXPECT_EQ(headerStamp(shifted(cloud)), 12'345'678'901);
  nav_msgs::Odometry odometry;
  odometry.header.stamp = ros::Time(1, 2);
  EXPECT_EQ(headerStamp(shifted(odometry)), 1'000'000'002);
}

TEST(HeaderStamp, NamesATypeWithoutOne) {
  try {
    headerStamp(shifted(std_msgs::String()));
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "std_msgs/String does not begin with a std_msgs/Header");
  }
}

TEST(HeaderStamp, IsFoundInDefinitions) {
  for (const char* text : {"Header header\nuint8 x", "std_msgs/Header header",
                           "# Of it.\n\n  Header h", "\n#\n#\nHeader\theader\n"}) {
    EXPECT_TRUE(beginsWithHeader(text)) << text;
  }
  for (const char* text : {"", "*", "# Header header", "uint32 seq\ntime stamp", "HeaderOfMine h",
                           "float64 x\nHeader header"}) {
    EXPECT_FALSE(beginsWithHeader(text)) << text;
  }
}

}  // namespace
}  // namespace marsim::ros_nodes
