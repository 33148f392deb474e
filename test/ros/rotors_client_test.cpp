// SPDX-License-Identifier: BSD-3-Clause
// Plays a planner made for RotorS: odometry with the twist in the body frame, a whole trajectory
// in one MultiDOFJointTrajectory, a single way point of positions, a set point as a pose.
#include <cmath>
#include <vector>

#include <geometry_msgs/PoseStamped.h>
#include <gtest/gtest.h>
#include <nav_msgs/Odometry.h>
#include <ros/ros.h>
#include <trajectory_msgs/MultiDOFJointTrajectory.h>

#include "marsim/StateReference.h"
#include "planned_flight.hpp"
#include "ros/messages/conversions.hpp"
#include "wait_for.hpp"

namespace marsim {
namespace {

using Eigen::Vector3d;
using test::waitFor;

class RotorsClient : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(waitFor([&] {
      return !odom_.empty() && references_ > 0 && trajectories_.getNumSubscribers() > 0 &&
             poses_.getNumSubscribers() > 0;
    }));
  }

  double now() const { return odom_.back().header.stamp.toSec(); }
  Vector3d position() const { return ros_nodes::fromPoint(odom_.back().pose.pose.position); }
  Eigen::Quaterniond attitude() const {
    return ros_nodes::fromQuaternion(odom_.back().pose.pose.orientation);
  }
  bool restsAt(const Vector3d& place) const {
    return (position() - place).norm() < 0.05 &&
           ros_nodes::fromVector3(odom_.back().twist.twist.linear).norm() < 0.05;
  }

  // A point with its full motion, as mav_trajectory_generation samples it, or only its place.
  static trajectory_msgs::MultiDOFJointTrajectoryPoint point(const test::CommandFields& fields,
                                                             double t, bool moves) {
    trajectory_msgs::MultiDOFJointTrajectoryPoint message;
    message.time_from_start = ros::Duration(t);
    message.transforms.resize(1);
    message.transforms[0].translation = ros_nodes::toVector3(fields.position);
    message.transforms[0].rotation =
        ros_nodes::toQuaternion(fromRollPitchYaw(0.0, 0.0, fields.yaw));
    if (!moves) return message;
    message.velocities.resize(1);
    message.velocities[0].linear = ros_nodes::toVector3(fields.velocity);
    message.velocities[0].angular.z = fields.yaw_dot;
    message.accelerations.resize(1);
    message.accelerations[0].linear = ros_nodes::toVector3(fields.acceleration);
    return message;
  }

  ros::NodeHandle nh_{"uav0"};
  std::vector<nav_msgs::Odometry> odom_;
  double highest_tilt_ = 0.0;
  ros::Subscriber odom_subscriber_ =
      nh_.subscribe<nav_msgs::Odometry>("odom", 1000, [this](const nav_msgs::OdometryConstPtr& m) {
        odom_.push_back(*m);
        const double up = (attitude() * Vector3d::UnitZ()).z();
        highest_tilt_ = std::max(highest_tilt_, std::acos(std::min(1.0, up)));
      });
  int references_ = 0;         // the controller is at work
  double moving_since_ = 0.0;  // stamp of the first reference that moves
  ros::Subscriber reference_subscriber_ = nh_.subscribe<marsim::StateReference>(
      "reference", 1000, [this](const marsim::StateReferenceConstPtr& m) {
        ++references_;
        if (moving_since_ > 0.0 || ros_nodes::fromVector3(m->velocity).norm() < 1e-9) return;
        moving_since_ = m->header.stamp.toSec();
      });
  ros::Publisher trajectories_ =
      nh_.advertise<trajectory_msgs::MultiDOFJointTrajectory>("command/trajectory", 10);
  ros::Publisher poses_ = nh_.advertise<geometry_msgs::PoseStamped>("command/pose", 10);
};

TEST_F(RotorsClient, FliesTrajectoriesWayPointsAndPoses) {
  test::Flight flight;
  flight.from = position();
  flight.to = {1.5, 0.5, 1.8};
  trajectory_msgs::MultiDOFJointTrajectory whole;
  whole.header.frame_id = "world";
  whole.joint_names = {"base_link"};
  for (int i = 0; i <= 150; ++i) {
    whole.points.push_back(point(flight.at(0.02 * i), 0.02 * i, true));
  }
  const std::size_t first = odom_.size();
  trajectories_.publish(whole);
  ASSERT_TRUE(waitFor([&] { return moving_since_ > 0.0; })) << "the trajectory was not taken";
  const double start = moving_since_;
  ASSERT_TRUE(waitFor([&] { return now() > start + flight.duration + 1.0; }));
  EXPECT_TRUE(restsAt(flight.to)) << "held after the last point";
  EXPECT_LT(std::abs(wrapAngle(yawOf(attitude()) - flight.turn)), 0.03);
  for (std::size_t i = first; i < odom_.size(); ++i) {
    const double t = odom_[i].header.stamp.toSec() - start;
    if (t < 0.0) continue;
    const Vector3d error =
        ros_nodes::fromPoint(odom_[i].pose.pose.position) - flight.at(t).position;
    ASSERT_LT(error.norm(), 0.05) << t;
  }

  // A way point without motion, two metres away: flown to calmly.
  highest_tilt_ = 0.0;
  test::CommandFields place;
  place.position = {0.0, 1.5, 1.5};
  trajectory_msgs::MultiDOFJointTrajectory way_point;
  way_point.points = {point(place, 0.0, false)};
  trajectories_.publish(way_point);
  EXPECT_TRUE(waitFor([&] { return restsAt(place.position); }));
  EXPECT_LT(highest_tilt_, 0.35);

  // A pose that keeps the yaw: a quaternion of zeros.
  const double yaw = yawOf(attitude());
  geometry_msgs::PoseStamped pose;
  pose.pose.position = ros_nodes::toPoint({0.0, 0.0, 1.2});
  poses_.publish(pose);
  EXPECT_TRUE(waitFor([&] { return restsAt({0.0, 0.0, 1.2}); }));
  EXPECT_LT(highest_tilt_, 0.35);
  EXPECT_NEAR(yawOf(attitude()), yaw, 0.03);
}

}  // namespace
}  // namespace marsim

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  ros::init(argc, argv, "rotors_client_test");
  return RUN_ALL_TESTS();
}
