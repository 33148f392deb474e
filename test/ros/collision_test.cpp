// SPDX-License-Identifier: BSD-3-Clause
// A UAV put into a wall says so once, its motors stop until it is reset, and the contact ends once.
// Two that run into each other bounce off each other. One that flies into a plant that is an
// obstacle says so.
#include <cmath>
#include <string>
#include <vector>

#include <geometry_msgs/PoseStamped.h>
#include <gtest/gtest.h>
#include <ros/ros.h>
#include <std_srvs/Trigger.h>
#include <visualization_msgs/MarkerArray.h>

#include "marsim/Clearance.h"
#include "marsim/Contact.h"
#include "marsim/MotorStates.h"
#include "marsim/Teleport.h"
#include "marsim/VehicleState.h"
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

  ASSERT_TRUE(waitFor([&] { return clearances.messages.size() > 50; }));
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
  ASSERT_TRUE(waitFor([&] { return !contacts.messages.empty(); }));
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
  EXPECT_TRUE(waitFor([&] { return clearances.messages.back().distance == 0.0; }));
  EXPECT_TRUE(waitFor([&] { return motors.messages.back().commands[0] == 0.0; }));
  EXPECT_TRUE(waitFor([&] { return !markers.messages.empty(); }));

  std_srvs::Trigger reset;
  ASSERT_TRUE(ros::service::call("/uav0/reset", reset));
  ASSERT_TRUE(waitFor([&] { return contacts.messages.size() % 2 == 0; }));
  EXPECT_TRUE(waitFor([&] { return motors.messages.back().commands[0] > 100.0; }));
  waitFor([] { return false; }, 1.0);
  for (std::size_t i = 0; i < contacts.messages.size(); ++i) {
    EXPECT_EQ(contacts.messages[i].begins, i % 2 == 0);
    EXPECT_EQ(contacts.messages[i].count, i / 2 + 1);
  }
  EXPECT_EQ(contacts.messages.size() % 2, 0U) << "every contact has ended";
  EXPECT_NEAR(clearances.messages.back().distance, free.distance, 0.2);
}

// Records a UAV's motion and the time of its first touch with the other one.
class Flyer {
 public:
  explicit Flyer(const std::string& name)
      : nh_(name), contacts_(nh_, "collision"), states_(nh_, "state") {}

  const std::vector<marsim::Contact>& contacts() const { return contacts_.messages; }
  bool isThere() const { return !states_.messages.empty() && goal_.getNumSubscribers() > 0; }
  void flyTo(double x) const {
    geometry_msgs::PoseStamped goal;
    goal.header.frame_id = "world";
    goal.pose = states_.messages.back().pose;
    goal.pose.position.x = x;
    goal_.publish(goal);
  }
  // Within kPush its controller does little.
  bool knowsPush() const {
    return states_.messages.back().header.stamp > contacts().front().header.stamp + kPush;
  }
  // Speed along x that its own first contact gave it [m/s].
  double gained() const {
    const ros::Time touched = contacts().front().header.stamp;
    return speedAt(touched + kPush) - speedAt(touched - ros::Duration(0.004));
  }

 private:
  const ros::Duration kPush{0.04};

  // Speed along x at the newest state not after a time [m/s].
  double speedAt(const ros::Time& time) const {
    double speed = 0.0;
    for (const marsim::VehicleState& state : states_.messages) {
      if (state.header.stamp > time) break;
      speed = state.velocity.x;
    }
    return speed;
  }

  ros::NodeHandle nh_;
  Heard<marsim::Contact> contacts_;
  Heard<marsim::VehicleState> states_;
  ros::Publisher goal_ = nh_.advertise<geometry_msgs::PoseStamped>("goal", 1);
};

TEST(Collision, TwoUavsPartAndBothReportIt) {
  const Flyer left("uav1"), right("uav2");
  ASSERT_TRUE(waitFor([&] { return left.isThere() && right.isThere(); }));
  left.flyTo(3.0);
  right.flyTo(-3.0);
  ASSERT_TRUE(waitFor([&] { return !left.contacts().empty() && !right.contacts().empty(); }));
  EXPECT_EQ(left.contacts().front().name, "uav 2");
  EXPECT_EQ(right.contacts().front().name, "uav 1");
  ASSERT_TRUE(waitFor([&] { return left.knowsPush() && right.knowsPush(); }));
  RecordProperty("left_gained", std::to_string(left.gained()));
  RecordProperty("right_gained", std::to_string(right.gained()));
  // In real time one may hear of the touch long after the other has noticed it.
  EXPECT_LT(left.gained(), -0.3);
  EXPECT_GT(right.gained(), 0.3);
}

TEST(Collision, APlantThatIsAnObstacleIsReported) {
  const Flyer flyer("uav3");
  ASSERT_TRUE(waitFor([&] { return flyer.isThere(); }));
  EXPECT_TRUE(flyer.contacts().empty());
  flyer.flyTo(1.0);
  ASSERT_TRUE(waitFor([&] { return !flyer.contacts().empty(); }));
  const marsim::Contact contact = flyer.contacts().front();
  EXPECT_TRUE(contact.begins);
  EXPECT_EQ(contact.name, "map");
  EXPECT_GT(contact.position.x, 2.0);
  EXPECT_LT(contact.position.x, 2.6);
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  ros::init(argc, argv, "collision_test");
  return RUN_ALL_TESTS();
}
