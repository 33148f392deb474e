// SPDX-License-Identifier: BSD-3-Clause
// Commands at every level by topics, and the services that take off, land and arm.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <geometry_msgs/PoseStamped.h>
#include <geometry_msgs/TwistStamped.h>
#include <gtest/gtest.h>
#include <ros/ros.h>
#include <rosgraph_msgs/Log.h>
#include <std_srvs/SetBool.h>
#include <std_srvs/Trigger.h>

#include "marsim/AttitudeCommand.h"
#include "marsim/MotorSpeeds.h"
#include "marsim/MotorStates.h"
#include "marsim/RateCommand.h"
#include "marsim/StateReference.h"
#include "marsim/TakeOff.h"
#include "marsim/Teleport.h"
#include "marsim/VehicleState.h"
#include "marsim/common/units.hpp"
#include "marsim/config/load.hpp"
#include "ros/common/clock_grants.hpp"
#include "ros/messages/conversions.hpp"
#include "wait_for.hpp"

namespace marsim {
namespace {

using Eigen::Vector3d;
using ros_nodes::fromPoint;
using ros_nodes::fromVector3;
using test::waitFor;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr TimeNs kPeriod = 50'000'000;  // of streams

// The nodes' side of what the tests do; time stands still between them.
class Client {
 public:
  bool isThere() {
    until_ = kPeriod;
    grants_.grant(until_);
    return waitFor([&] {
      grants_.repeat();  // the clock may not have been there
      return now() >= until_ && ros::service::exists("uav0/arm", false);
    });
  }
  TimeNs now() const { return ros_nodes::fromRos(state_.header.stamp); }
  const marsim::VehicleState& state() const { return state_; }
  Vector3d position() const { return fromPoint(state_.pose.position); }
  Vector3d velocity() const { return fromVector3(state_.velocity); }
  Eigen::Quaterniond attitude() const { return ros_nodes::fromQuaternion(state_.pose.orientation); }
  double fastestMotor() const {
    return *std::max_element(motors_.speeds.begin(), motors_.speeds.end());
  }

  void run(double seconds) {
    for (const TimeNs end = until_ + toNs(seconds); until_ < end;) {
      until_ = std::min(until_ + kPeriod, end);
      grants_.grant(until_);
      ASSERT_TRUE(waitFor([&] { return now() >= until_; }));
    }
  }
  // At the first state after now, or as far ahead.
  std_msgs::Header header(const std::string& frame = "", double ahead = 0.0) const {
    std_msgs::Header header;
    header.stamp = ros_nodes::toRos(until_ + 2'000'000 + toNs(ahead));
    header.frame_id = frame;
    return header;
  }
  template <class Message>
  ros::Publisher advertise(const std::string& topic) {
    ros::Publisher publisher = nh_.advertise<Message>(topic, 10);
    EXPECT_TRUE(waitFor([&] { return publisher.getNumSubscribers() > 0; })) << topic;
    return publisher;
  }
  // Publishes every 50 ms what `make` gives.
  template <class Make>
  void stream(const ros::Publisher& publisher, const Make& make, double seconds) {
    for (const TimeNs end = until_ + toNs(seconds); until_ < end;) {
      publisher.publish(make());
      run(toSeconds(kPeriod));
    }
  }
  // Places it at rest: in the air, or on the ground at z = 0.
  void place(double z, double yaw = 0.0) {
    marsim::Teleport teleport;
    teleport.request.position.z = z;
    teleport.request.yaw = yaw;
    ASSERT_TRUE(ros::service::call("uav0/teleport", teleport) && teleport.response.success);
    run(0.2);
    ASSERT_NEAR(position().head<2>().norm(), 0.0, 1e-3);
    said_.clear();
  }
  // Whether the controller says something with these words.
  bool says(const std::string& words) {
    return waitFor(
        [&] {
          for (const std::string& text : said_) {
            if (text.find(words) != std::string::npos) return true;
          }
          return false;
        },
        5.0);
  }
  const std::vector<std::string>& said() const { return said_; }

 private:
  ros::NodeHandle nh_{"uav0"};
  ros_nodes::ClockGrants grants_{nh_, ros::NodeHandle("~")};
  TimeNs until_ = 0;
  marsim::VehicleState state_;
  marsim::MotorStates motors_;
  std::vector<std::string> said_;
  ros::Subscriber state_subscriber_ = nh_.subscribe<marsim::VehicleState>(
      "state", 1000, [this](const marsim::VehicleStateConstPtr& m) { state_ = *m; });
  ros::Subscriber motor_subscriber_ = nh_.subscribe<marsim::MotorStates>(
      "motor_states", 1000, [this](const marsim::MotorStatesConstPtr& m) { motors_ = *m; });
  ros::Subscriber log_subscriber_ = nh_.subscribe<rosgraph_msgs::Log>(
      "/rosout", 1000, [this](const rosgraph_msgs::LogConstPtr& m) {
        if (m->name == "/uav0/controller") said_.push_back(m->msg);
      });
};

class CommandLevels : public testing::Test {
 protected:
  static void SetUpTestSuite() { client_ = new Client; }
  static void TearDownTestSuite() { delete client_; }
  void SetUp() override {
    static const bool is_there = client_->isThere();
    ASSERT_TRUE(is_there);
  }
  Client& uav() { return *client_; }
  void expectRest() {
    EXPECT_LT(uav().velocity().norm(), 0.02);
    const Vector3d place = uav().position();
    uav().run(1.0);
    EXPECT_LT((uav().position() - place).norm(), 0.02);
  }

  const vehicle::VehicleConfig vehicle_ = config::loadVehicle("hummingbird");
  const double weight_ = vehicle_.mass * kGravity;

 private:
  static Client* client_;
};

Client* CommandLevels::client_ = nullptr;

geometry_msgs::Twist twist(const Vector3d& velocity, double yaw_rate = 0.0) {
  geometry_msgs::Twist message;
  message.linear = ros_nodes::toVector3(velocity);
  message.angular.z = yaw_rate;
  return message;
}

TEST_F(CommandLevels, TakesOffLandsAndIsArmed) {
  uav().place(0.0);
  ASSERT_TRUE(uav().state().on_ground);
  const double ground = uav().position().z();
  std_srvs::SetBool arm;
  arm.request.data = false;
  ASSERT_TRUE(ros::service::call("uav0/arm", arm));
  EXPECT_TRUE(arm.response.success) << arm.response.message;
  const auto goals = uav().advertise<geometry_msgs::PoseStamped>("goal");
  geometry_msgs::PoseStamped goal;
  goal.pose.position.z = 2.0;
  goals.publish(goal);
  uav().run(1.0);
  EXPECT_TRUE(uav().says("goal ignored: the motors are disarmed (services arm and take_off)"));
  EXPECT_TRUE(uav().state().on_ground);
  EXPECT_EQ(uav().fastestMotor(), 0.0);

  marsim::TakeOff take_off;
  take_off.request.height = -1.0;
  ASSERT_TRUE(ros::service::call("uav0/take_off", take_off));
  EXPECT_FALSE(take_off.response.success);
  EXPECT_EQ(take_off.response.message, "height is -1 m, allowed: 0 (1.5 m) to 1000 m");
  take_off.request.height = 1.0;
  ASSERT_TRUE(ros::service::call("uav0/take_off", take_off));
  EXPECT_TRUE(take_off.response.success) << take_off.response.message;
  uav().run(4.0);
  EXPECT_NEAR(uav().position().z(), ground + 1.0, 0.02);
  ASSERT_TRUE(ros::service::call("uav0/arm", arm));
  EXPECT_FALSE(arm.response.success);
  EXPECT_NE(arm.response.message.find("in the air"), std::string::npos);
  ASSERT_TRUE(ros::service::call("uav0/take_off", take_off));
  EXPECT_FALSE(take_off.response.success);

  std_srvs::Trigger land;
  ASSERT_TRUE(ros::service::call("uav0/land", land));
  EXPECT_TRUE(land.response.success) << land.response.message;
  uav().run(1.5);
  EXPECT_FALSE(uav().state().on_ground);
  EXPECT_NEAR(uav().velocity().z(), -0.5, 0.05);
  uav().run(3.0);
  EXPECT_TRUE(uav().state().on_ground);
  EXPECT_LT(uav().fastestMotor(), 1.0);
  EXPECT_FALSE(uav().state().commanded) << "a controller that is started again lets it stand";
}

TEST_F(CommandLevels, Velocity) {
  uav().place(20.0, kPi / 2.0);
  auto publisher = uav().advertise<geometry_msgs::TwistStamped>("command/velocity");
  const auto command = [&](const Vector3d& velocity, const std::string& frame) {
    geometry_msgs::TwistStamped message;
    message.header = uav().header(frame);
    message.twist = twist(velocity);
    return message;
  };
  const Vector3d velocity(1.0, 0.5, -0.2);
  uav().stream(
      publisher, [&] { return command(velocity, ""); }, 2.0);
  EXPECT_LT((uav().velocity() - velocity).norm(), 0.02) << "in the world";
  uav().stream(
      publisher, [&] { return command(velocity, "uav0/base_link"); }, 2.0);
  EXPECT_LT((uav().velocity() - Vector3d(-0.5, 1.0, -0.2)).norm(), 0.02) << "of the heading";
  uav().run(0.4);
  EXPECT_GT(uav().velocity().norm(), 1.0);
  uav().run(2.0);
  expectRest();
  EXPECT_TRUE(uav().said().empty()) << uav().said().front();

  publisher.publish(command({kNaN, 0.0, 0.0}, ""));
  EXPECT_TRUE((uav().run(0.1), uav().says("command/velocity ignored: a value is NaN")));
  publisher.publish(command(velocity, "uav0/lidar"));
  EXPECT_TRUE((uav().run(0.1), uav().says("header.frame_id is 'uav0/lidar', allowed: "
                                          "'uav0/base_link', 'world' or empty")));
  publisher.publish(command({20.0, 0.0, 0.0}, "world"));
  EXPECT_TRUE((uav().run(0.1), uav().says("speed of 20 m/s is beyond 8 m/s")));
  publisher.shutdown();

  // A plain Twist has no frame: the world's on this topic.
  uav().run(3.0);
  publisher = uav().advertise<geometry_msgs::Twist>("command/velocity");
  uav().stream(
      publisher, [&] { return twist(velocity); }, 2.0);
  EXPECT_LT((uav().velocity() - velocity).norm(), 0.02);
}

TEST_F(CommandLevels, CmdVel) {
  uav().place(20.0, kPi / 2.0);
  auto publisher = uav().advertise<geometry_msgs::Twist>("cmd_vel");
  uav().stream(
      publisher,
      [&] {
        return twist({1.0, 0.0, 0.0});
      },
      2.0);
  EXPECT_LT((uav().velocity() - Vector3d(0.0, 1.0, 0.0)).norm(), 0.02) << "forward";
  uav().stream(
      publisher,
      [&] {
        return twist({0.0, 0.0, 0.0}, 0.5);
      },
      2.0);
  EXPECT_NEAR(uav().state().angular_velocity.z, 0.5, 0.02);
  geometry_msgs::Twist rolling = twist({0.0, 0.0, 0.0});
  rolling.angular.x = 0.1;
  uav().stream(
      publisher, [&] { return rolling; }, 0.2);
  EXPECT_TRUE(uav().says("cmd_vel: angular.x and angular.y are not followed"));
  publisher.publish(twist({0.0, kNaN, 0.0}));
  EXPECT_TRUE((uav().run(0.1), uav().says("cmd_vel ignored: a value is NaN or infinite")));
  publisher.shutdown();
  uav().run(2.0);
  const auto strange = uav().advertise<geometry_msgs::PoseStamped>("cmd_vel");
  strange.publish(geometry_msgs::PoseStamped());
  EXPECT_TRUE((uav().run(0.1), uav().says("cmd_vel ignored: type is geometry_msgs/PoseStamped, "
                                          "allowed: geometry_msgs/TwistStamped or")));
  expectRest();
}

TEST_F(CommandLevels, Attitude) {
  uav().place(100.0);
  const auto publisher = uav().advertise<marsim::AttitudeCommand>("command/attitude");
  constexpr double kTilt = 0.2;
  const Eigen::Quaterniond q_WB = fromRollPitchYaw(kTilt, 0.0, 0.3);
  const auto command = [&] {
    marsim::AttitudeCommand message;
    message.header = uav().header("world");
    message.orientation = ros_nodes::toQuaternion(q_WB);
    message.thrust = weight_ / std::cos(kTilt);
    return message;
  };
  uav().stream(publisher, command, 1.5);
  EXPECT_LT(uav().attitude().angularDistance(q_WB), 0.02);
  EXPECT_NEAR(uav().position().z(), 100.0, 0.5);
  uav().run(0.4);
  EXPECT_LT(uav().attitude().angularDistance(q_WB), 0.02);
  EXPECT_TRUE(uav().said().empty()) << uav().said().front();
  uav().run(0.2);
  EXPECT_TRUE(uav().says("no attitudes came any more: the vehicle brakes and holds its place"));
  uav().run(5.0);
  expectRest();

  const auto expectRefused = [&](const marsim::AttitudeCommand& message, const std::string& why) {
    publisher.publish(message);
    uav().run(0.1);
    EXPECT_TRUE(uav().says("command/attitude ignored: " + why)) << why;
  };
  marsim::AttitudeCommand wrong = command();
  wrong.yaw_rate = kNaN;
  expectRefused(wrong, "a value is NaN or infinite");
  wrong = command();
  wrong.orientation = geometry_msgs::Quaternion();
  expectRefused(wrong, "orientation is zero, allowed: a quaternion");
  wrong = command();
  wrong.thrust = -1.0;
  expectRefused(wrong, "thrust is -1 N, allowed: 0 and more");
  wrong = command();
  wrong.header.frame_id = "uav0/base_link";
  expectRefused(wrong, "header.frame_id is 'uav0/base_link', allowed: 'world' or empty");
  expectRest();
  marsim::AttitudeCommand strong = command();
  strong.thrust = 1e4;
  strong.orientation = ros_nodes::toQuaternion(Eigen::Quaterniond::Identity());
  publisher.publish(strong);
  EXPECT_TRUE((uav().run(0.1), uav().says("thrust of 1e+04 N is beyond")));
}

TEST_F(CommandLevels, RatesAndMotorSpeeds) {
  uav().place(100.0);
  const auto rates = uav().advertise<marsim::RateCommand>("command/rates");
  const auto rateCommand = [&] {
    marsim::RateCommand message;
    message.header = uav().header("uav0/base_link");
    message.rates.z = 0.8;
    message.thrust = weight_;
    return message;
  };
  uav().stream(rates, rateCommand, 1.5);
  EXPECT_NEAR(uav().state().angular_velocity.z, 0.8, 0.02);
  marsim::RateCommand wrong = rateCommand();
  wrong.header.frame_id = "world";
  rates.publish(wrong);
  EXPECT_TRUE((uav().run(0.1), uav().says("command/rates ignored: header.frame_id is 'world', "
                                          "allowed: 'uav0/base_link' or empty")));
  wrong = rateCommand();
  wrong.rates.x = kNaN;
  rates.publish(wrong);
  EXPECT_TRUE((uav().run(0.1), uav().says("command/rates ignored: a value is NaN or infinite")));
  uav().run(0.5);
  EXPECT_TRUE(uav().says("no body rates came any more"));
  uav().run(4.0);
  expectRest();

  const auto motors = uav().advertise<marsim::MotorSpeeds>("command/motor_speeds");
  const auto motorCommand = [&](std::size_t count, double share) {
    marsim::MotorSpeeds message;
    message.header = uav().header();
    message.speeds.assign(count, share * vehicle_.hoverSpeeds()[0]);
    return message;
  };
  uav().stream(
      motors, [&] { return motorCommand(4, 1.05); }, 1.0);
  EXPECT_NEAR(uav().velocity().z(), kGravity * (1.05 * 1.05 - 1.0), 0.15);
  motors.publish(motorCommand(3, 1.0));
  EXPECT_TRUE((uav().run(0.1), uav().says("command/motor_speeds ignored: 3 speeds, allowed: 4")));
  motors.publish(motorCommand(4, -1.0));
  EXPECT_TRUE((uav().run(0.1), uav().says("rad/s, allowed: 0 and more")));
  uav().run(0.5);
  EXPECT_TRUE(uav().says("no motor speeds came any more"));
  uav().run(4.0);
  expectRest();
}

TEST_F(CommandLevels, NewestIsFollowedAndTwoSourcesAreSaid) {
  uav().place(100.0);
  const auto velocities = uav().advertise<geometry_msgs::TwistStamped>("command/velocity");
  const auto rates = uav().advertise<marsim::RateCommand>("command/rates");
  geometry_msgs::TwistStamped up;
  up.twist = twist({0.0, 0.0, 1.0});
  marsim::RateCommand hover;
  hover.thrust = weight_;
  // Both at one state: body rates come later in the fixed order, whatever came first. It lies
  // ahead, so that both have come by then.
  for (int i = 0; i < 20; ++i) {
    up.header = hover.header = uav().header("", 0.04);
    rates.publish(hover);
    velocities.publish(up);
    uav().run(0.05);
  }
  EXPECT_LT(uav().velocity().norm(), 0.1);
  EXPECT_TRUE(
      uav().says("command/rates and command/velocity both command the vehicle: the newest "
                 "command is followed"));
  uav().stream(
      velocities, [&] { return up.header = uav().header(), up; }, 2.0);
  EXPECT_NEAR(uav().velocity().z(), 1.0, 0.02);
}

TEST_F(CommandLevels, StampsFarAheadAndReferencesFarAway) {
  uav().place(100.0);
  const auto attitudes = uav().advertise<marsim::AttitudeCommand>("command/attitude");
  marsim::AttitudeCommand tilted;
  tilted.header = uav().header("", 10.0);
  tilted.orientation = ros_nodes::toQuaternion(fromRollPitchYaw(0.3, 0.0, 0.0));
  tilted.thrust = weight_;
  attitudes.publish(tilted);
  uav().run(0.45);
  EXPECT_TRUE(uav().says("it is more than 0.2 s ahead"));
  EXPECT_GT(uav().attitude().angularDistance(Eigen::Quaterniond::Identity()), 0.25);
  uav().run(5.0);
  expectRest();
  tilted.header = uav().header("", 0.15);
  attitudes.publish(tilted);
  uav().run(0.14);
  EXPECT_LT(uav().attitude().angularDistance(Eigen::Quaterniond::Identity()), 0.02);
  uav().run(0.3);
  EXPECT_GT(uav().attitude().angularDistance(Eigen::Quaterniond::Identity()), 0.25);

  const auto references = uav().advertise<marsim::StateReference>("command/state");
  marsim::StateReference far;
  far.header = uav().header();
  far.position = ros_nodes::toPoint(uav().position() + Vector3d(100.0, 0.0, 0.0));
  references.publish(far);
  uav().run(0.1);
  EXPECT_TRUE(uav().says("command/state: the reference is 100 m from the vehicle, beyond 2 m"));
}

}  // namespace
}  // namespace marsim

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  ros::init(argc, argv, "command_levels_test");
  return RUN_ALL_TESTS();
}
