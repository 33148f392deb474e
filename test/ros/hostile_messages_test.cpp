// SPDX-License-Identifier: BSD-3-Clause
// A single message with numbers, texts, arrays or stamps that nobody means ends no node and changes
// nothing in the flight; it is counted in the diagnostics.
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <diagnostic_msgs/DiagnosticArray.h>
#include <geometry_msgs/PoseStamped.h>
#include <geometry_msgs/Twist.h>
#include <gtest/gtest.h>
#include <ros/ros.h>
#include <rosgraph_msgs/Clock.h>
#include <topic_tools/shape_shifter.h>

#include "marsim/ActiveCommand.h"
#include "marsim/DrivenObstacles.h"
#include "marsim/Peers.h"
#include "marsim/VehicleState.h"
#include "ros/messages/conversions.hpp"
#include "wait_for.hpp"

namespace {

using marsim::test::waitFor;

class HostileMessages : public testing::Test {
 protected:
  template <class Message>
  void send(const std::string& topic, const Message& message) {
    send(nh_.advertise<Message>(topic, 10), message);
  }
  template <class Message>
  void send(const ros::Publisher& publisher, const Message& message) {
    publishers_.push_back(publisher);
    const std::uint32_t subscribers = countSubscribers(publisher.getTopic());
    EXPECT_GT(subscribers, 0U) << publisher.getTopic();
    EXPECT_TRUE(waitFor([&] { return publisher.getNumSubscribers() >= subscribers; }))
        << publisher.getTopic();
    publisher.publish(message);
  }
  /// Nodes that the master lists as subscribers of a topic, this program among them.
  static std::uint32_t countSubscribers(const std::string& topic) {
    XmlRpc::XmlRpcValue request, response, state;
    request[0] = ros::this_node::getName();
    if (!ros::master::execute("getSystemState", request, response, state, true)) return 0;
    XmlRpc::XmlRpcValue& subscribed = state[1];  // [[topic, [node, ...]], ...]
    for (int i = 0; i < subscribed.size(); ++i) {
      if (static_cast<std::string>(subscribed[i][0]) == topic) return subscribed[i][1].size();
    }
    return 0;
  }
  void onState(const marsim::VehicleState& state) {
    const bool is_own = state.header.stamp == ros::TIME_MAX || std::isnan(state.pose.position.x);
    if (!is_own) state_ = state;
  }
  void onDiagnostics(const diagnostic_msgs::DiagnosticArray& message) {
    for (const auto& status : message.status) {
      for (const auto& entry : status.values) values_[entry.key] = entry.value;
    }
  }

  ros::NodeHandle nh_{"uav0"};
  marsim::VehicleState state_;
  std::map<std::string, std::string> values_;  ///< of the diagnostics
  std::vector<ros::Publisher> publishers_;
  ros::Subscriber state_subscriber_ = nh_.subscribe<marsim::VehicleState>(
      "state", 1000, [this](const marsim::VehicleStateConstPtr& m) { onState(*m); });
  ros::Subscriber diagnostics_subscriber_ = nh_.subscribe<diagnostic_msgs::DiagnosticArray>(
      "/diagnostics", 100,
      [this](const diagnostic_msgs::DiagnosticArrayConstPtr& m) { onDiagnostics(*m); });
};

TEST_F(HostileMessages, AreRefusedAndCounted) {
  ASSERT_TRUE(waitFor(
      [&] { return marsim::ros_nodes::fromRos(state_.header.stamp) > marsim::kNsPerSecond; }));
  const marsim::VehicleState before = state_;

  geometry_msgs::PoseStamped goal;
  goal.header.frame_id = std::string(60'000, 'x');
  send("goal", goal);
  geometry_msgs::Twist velocity;
  velocity.linear.x = 1e308;
  send("cmd_vel", velocity);
  topic_tools::ShapeShifter cut_off;
  const ros::SerializedMessage whole = ros::serialization::serializeMessage(geometry_msgs::Twist());
  ros::serialization::IStream bytes(whole.message_start, 10);
  cut_off.read(bytes);
  using Twist = ros::message_traits::MD5Sum<geometry_msgs::Twist>;
  cut_off.morph(Twist::value(), "geometry_msgs/Twist",
                ros::message_traits::Definition<geometry_msgs::Twist>::value(), "0");
  send(cut_off.advertise(nh_, "command/velocity", 10), cut_off);
  marsim::ActiveCommand command;
  command.target.x = 1e308;
  send("command_taken", command);
  marsim::DrivenObstacles driven;
  driven.obstacles.resize(1);
  driven.obstacles[0].yaw = std::numeric_limits<double>::quiet_NaN();
  send("/obstacles/driven", driven);
  for (const double half : {0.0, std::numeric_limits<double>::infinity()}) {
    marsim::Peers peers;
    marsim::PeerBody body;
    body.id = 7;
    body.hub_half.x = body.hub_half.y = body.hub_half.z = half;
    body.cloud = "/there is no such file.pcd";
    peers.bodies.push_back(body);
    body.hub_half.x = body.hub_half.y = body.hub_half.z = 0.1;
    body.propeller_radius = 0.1F;
    body.rotors.resize(1000);
    peers.bodies.push_back(body);
    send("/peers", peers);
  }
  rosgraph_msgs::Clock clock;
  clock.clock = ros::TIME_MAX;
  send("/clock", clock);
  marsim::VehicleState state = before;
  state.header.stamp = ros::TIME_MAX;
  send("state", state);
  state = before;
  state.pose.position.x = std::numeric_limits<double>::quiet_NaN();
  send("state", state);

  for (const char* key :
       {"messages refused on /peers", "messages refused on /clock", "messages refused on state",
        "messages refused on command_taken", "messages refused on /obstacles/driven"}) {
    EXPECT_TRUE(waitFor([&] { return std::atoi(values_[key].c_str()) > 0; })) << key;
  }
  EXPECT_TRUE(waitFor([&] { return std::atoi(values_["commands refused"].c_str()) == 3; }));
  const ros::Time now = state_.header.stamp;
  EXPECT_TRUE(waitFor([&] { return (state_.header.stamp - now).toSec() > 1.0; }));
  EXPECT_EQ(state_.placements, before.placements) << "the flight goes on";
  EXPECT_NEAR(state_.pose.position.x, before.pose.position.x, 0.1);
  EXPECT_NEAR(state_.pose.position.z, before.pose.position.z, 0.1);
  values_.clear();  // all nodes still tell of themselves
  for (const char* key : {"commands taken", "mean render time [ms]", "real-time factor"}) {
    EXPECT_TRUE(waitFor([&] { return values_.count(key) > 0; })) << key;
  }
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  ros::init(argc, argv, "hostile_messages_test");
  ros::NodeHandle keep_running;
  return RUN_ALL_TESTS();
}
