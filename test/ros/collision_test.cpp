// A UAV put into a wall says so once, its motors stop until it is reset, and the contact ends once.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <ros/ros.h>
#include <std_srvs/Trigger.h>
#include <visualization_msgs/MarkerArray.h>

#include "marsim/Clearance.h"
#include "marsim/Contact.h"
#include "marsim/MotorStates.h"
#include "marsim/Teleport.h"
#include "wait_for.hpp"

namespace {

using marsim::test::waitFor;

template <class Message>
class Heard {
 public:
  Heard(ros::NodeHandle& nh, const std::string& topic)
      : subscriber_(nh.subscribe<Message>(
            topic, 1000,
            [this](const typename Message::ConstPtr& message) { messages.push_back(*message); })) {}
  std::vector<Message> messages;

 private:
  ros::Subscriber subscriber_;
};

TEST(Collision, BeginsStopsTheMotorsAndEnds) {
  ros::NodeHandle nh("uav0");
  Heard<marsim::Contact> contacts(nh, "collision");
  Heard<marsim::Clearance> clearances(nh, "clearance");
  Heard<marsim::MotorStates> motors(nh, "motor_states");
  Heard<visualization_msgs::MarkerArray> markers(nh, "collision_markers");

  ASSERT_TRUE(waitFor([&] { return clearances.messages.size() > 50; }, 60.0));
  for (std::size_t i = 1; i < clearances.messages.size(); ++i) {
    EXPECT_EQ(
        (clearances.messages[i].header.stamp - clearances.messages[i - 1].header.stamp).toNSec(),
        20'000'000);
  }
  const marsim::Clearance free = clearances.messages.back();
  EXPECT_GT(free.distance, 0.1);
  ASSERT_TRUE(std::isfinite(free.distance));
  EXPECT_EQ(free.name, "map");
  EXPECT_TRUE(contacts.messages.empty()) << "a start in the air touches nothing";

  marsim::Teleport teleport;
  teleport.request.position.x = -5.0;  // in the west wall, below its windows
  teleport.request.position.z = 0.6;
  ASSERT_TRUE(ros::service::call("/uav0/teleport", teleport));
  ASSERT_TRUE(waitFor([&] { return !contacts.messages.empty(); }, 20.0));
  const marsim::Contact begin = contacts.messages.front();
  EXPECT_TRUE(begin.begins);
  EXPECT_EQ(begin.name, "map");
  EXPECT_EQ(begin.count, 1U);
  EXPECT_EQ(begin.header.frame_id, "world");
  const auto distance = [](const auto& a, const auto& b) {
    return std::hypot(a.x - b.x, a.y - b.y, a.z - b.z);
  };
  EXPECT_LT(distance(begin.position, teleport.request.position), 0.6);
  EXPECT_NEAR(std::hypot(begin.normal.x, begin.normal.y, begin.normal.z), 1.0, 1e-6);
  EXPECT_NEAR(
      std::hypot(begin.relative_velocity.x, begin.relative_velocity.y, begin.relative_velocity.z),
      begin.relative_speed, 1e-9);
  EXPECT_TRUE(waitFor([&] { return clearances.messages.back().distance == 0.0; }, 20.0));
  EXPECT_TRUE(waitFor([&] { return motors.messages.back().commands[0] == 0.0; }, 20.0));
  EXPECT_TRUE(waitFor([&] { return !markers.messages.empty(); }, 20.0));

  std_srvs::Trigger reset;
  ASSERT_TRUE(ros::service::call("/uav0/reset", reset));
  ASSERT_TRUE(waitFor([&] { return contacts.messages.size() % 2 == 0; }, 20.0));
  EXPECT_TRUE(waitFor([&] { return motors.messages.back().commands[0] > 100.0; }, 20.0));
  waitFor([] { return false; }, 1.0);
  for (std::size_t i = 0; i < contacts.messages.size(); ++i) {
    EXPECT_EQ(contacts.messages[i].begins, i % 2 == 0);
    EXPECT_EQ(contacts.messages[i].count, i / 2 + 1);
  }
  EXPECT_EQ(contacts.messages.size() % 2, 0U) << "every contact has ended";
  EXPECT_NEAR(clearances.messages.back().distance, free.distance, 0.2);
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  ros::init(argc, argv, "collision_test");
  return RUN_ALL_TESTS();
}
