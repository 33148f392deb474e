// SPDX-License-Identifier: BSD-3-Clause
// With controller:=none the UAVs fly by the nodes of examples/.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <geometry_msgs/PoseStamped.h>
#include <gtest/gtest.h>
#include <ros/ros.h>

#include "marsim/VehicleState.h"
#include "ros/messages/conversions.hpp"
#include "wait_for.hpp"

namespace marsim {
namespace {

using Eigen::Vector3d;
using test::waitFor;

struct Flight {
  double stamp = 0.0;                 // [s]
  Vector3d place = Vector3d::Zero();  // [m] in W
  Vector3d goal = Vector3d::Zero();   // [m] in W
  double farthest = 0.0;              // [m] from the goal, ever
};

TEST(OwnController, HoldsItsPlaceAndFliesToAGoal) {
  ros::NodeHandle handle;
  std::map<std::string, Flight> flights;
  flights["uav0"].goal = {0.0, 0.0, 1.5};
  flights["uav1"].goal = {2.0, 0.0, 1.5};
  std::vector<ros::Subscriber> subscribers;
  std::map<std::string, ros::Publisher> goals;
  for (auto& entry : flights) {
    Flight& flight = entry.second;
    subscribers.push_back(handle.subscribe<marsim::VehicleState>(
        entry.first + "/state", 1000, [&flight](const marsim::VehicleStateConstPtr& m) {
          flight.stamp = toSeconds(ros_nodes::fromRos(m->header.stamp));
          flight.place = ros_nodes::fromPoint(m->pose.position);
          flight.farthest = std::max(flight.farthest, (flight.place - flight.goal).norm());
        }));
    goals[entry.first] = handle.advertise<geometry_msgs::PoseStamped>(entry.first + "/goal", 1);
  }
  const auto passed = [&](double stamp) {
    return waitFor(
        [&] { return flights["uav0"].stamp >= stamp && flights["uav1"].stamp >= stamp; });
  };
  ASSERT_TRUE(passed(5.0));
  for (const auto& [name, flight] : flights) EXPECT_LT(flight.farthest, 0.3) << name;
  std::vector<std::string> nodes;
  ASSERT_TRUE(ros::master::getNodes(nodes));
  EXPECT_EQ(std::count(nodes.begin(), nodes.end(), "/uav0/controller"), 0);

  for (auto& [name, flight] : flights) {
    flight.goal += Vector3d(0.0, 0.5, 0.3);
    geometry_msgs::PoseStamped goal;
    goal.pose.position = ros_nodes::toPoint(flight.goal);
    ASSERT_TRUE(waitFor([&] { return goals[name].getNumSubscribers() > 0; })) << name;
    goals[name].publish(goal);
  }
  ASSERT_TRUE(passed(std::max(flights["uav0"].stamp, flights["uav1"].stamp) + 6.0));
  for (const auto& [name, flight] : flights) {
    EXPECT_LT((flight.place - flight.goal).norm(), 0.05) << name;
  }
}

}  // namespace
}  // namespace marsim

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  ros::init(argc, argv, "own_controller_test");
  return RUN_ALL_TESTS();
}
