// SPDX-License-Identifier: BSD-3-Clause
#include "ros/messages/tum_file.hpp"

#include <cmath>
#include <limits>
#include <sstream>

#include <geometry_msgs/PoseStamped.h>
#include <gtest/gtest.h>
#include <nav_msgs/Odometry.h>
#include <nav_msgs/Path.h>
#include <ros/serialization.h>

#include "marsim/common/error.hpp"
#include "tools/temporary_folder.hpp"

namespace marsim::ros_nodes {
namespace {

template <class Message>
void give(TumFile& file, const Message& message) {
  std::vector<std::uint8_t> bytes(ros::serialization::serializationLength(message));
  ros::serialization::OStream stream(bytes.data(), static_cast<std::uint32_t>(bytes.size()));
  ros::serialization::serialize(stream, message);
  file.take("some/Type", ros::message_traits::md5sum<Message>(), bytes);
}

geometry_msgs::PoseStamped at(double x, std::uint32_t seconds) {
  geometry_msgs::PoseStamped pose;
  pose.header.stamp = ros::Time(seconds, 250'000'000);
  pose.pose.position.x = x;
  pose.pose.position.y = -2.0;
  pose.pose.orientation.w = 1.0;
  return pose;
}

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

const std::string kHead = "# stamp x y z qx qy qz qw\n";

// Nothing waits in a buffer: the file is looked at while it is still open.
TEST(TumFile, HasEveryPoseAtOnceWithItsOffset) {
  const tools::TemporaryFolder folder;
  const auto path = folder.path() / "a.tum";
  TumFile file(path, 50'000'000);
  EXPECT_FALSE(std::filesystem::exists(path));
  give(file, at(1.5, 7));
  EXPECT_EQ(contents(path), kHead + "7.300000000 1.5 -2 0 0 0 0 1\n");
  nav_msgs::Odometry odometry;
  odometry.header.stamp = ros::Time(8, 0);
  odometry.pose.pose = at(2.5, 0).pose;
  give(file, odometry);
  EXPECT_EQ(contents(path), kHead + "7.300000000 1.5 -2 0 0 0 0 1\n8.050000000 2.5 -2 0 0 0 0 1\n");
  EXPECT_EQ(file.poses(), 2U);
}

TEST(TumFile, KeepsTheNanosecondsOfStampsOfDay) {
  const tools::TemporaryFolder folder;
  TumFile file(folder.path() / "a.tum", 0);
  geometry_msgs::PoseStamped pose = at(1.5, 0);
  pose.header.stamp = ros::Time(1'700'000'000, 1);
  give(file, pose);
  EXPECT_EQ(contents(folder.path() / "a.tum"), kHead + "1700000000.000000001 1.5 -2 0 0 0 0 1\n");
}

TEST(TumFile, APathTakesThePlaceOfTheOneBefore) {
  const tools::TemporaryFolder folder;
  const auto path = folder.path() / "a.tum";
  TumFile file(path, 0);
  nav_msgs::Path message;
  message.poses = {at(1.0, 1), at(2.0, 2)};
  give(file, message);
  message.poses = {at(1.1, 1), at(2.1, 2), at(3.1, 3)};  // a loop was closed
  give(file, message);
  EXPECT_EQ(file.poses(), 3U);
  EXPECT_EQ(contents(path), kHead +
                                "1.250000000 1.1 -2 0 0 0 0 1\n2.250000000 2.1 -2 0 0 0 0 1\n"
                                "3.250000000 3.1 -2 0 0 0 0 1\n");
}

TEST(TumFile, RefusesWhatItCannotRead) {
  const tools::TemporaryFolder folder;
  TumFile file(folder.path() / "a.tum", 0);
  give(file, at(std::numeric_limits<double>::quiet_NaN(), 1));
  EXPECT_EQ(file.poses(), 0U);
  EXPECT_EQ(file.left_out(), 1U);
  try {
    file.take("sensor_msgs/Imu", "6a62c6daae103f4ff57a132d6f95cec2", {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("sensor_msgs/Imu (md5 6a62c6"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("nav_msgs/Odometry"), std::string::npos);
  }
  EXPECT_THROW(TumFile("/no/such/folder/a.tum", 0), FileError);
}

}  // namespace
}  // namespace marsim::ros_nodes
