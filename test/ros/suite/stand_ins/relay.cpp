// SPDX-License-Identifier: BSD-3-Clause
// A program that sleeps in simulated time: passes the newest PositionCommand of ~in on to ~out, 200
// times a second.
#include <ros/ros.h>
#include <topic_tools/shape_shifter.h>

#include "ros/position_command_bytes.hpp"

int main(int argc, char** argv) {
  ros::init(argc, argv, "test_relay");
  ros::NodeHandle handle, own("~");
  topic_tools::ShapeShifter kind;
  kind.morph(marsim::test::kEgo, "quadrotor_msgs/PositionCommand", "Header header\n", "0");
  ros::Publisher publisher = kind.advertise(handle, own.param<std::string>("out", ""), 10);
  topic_tools::ShapeShifter::ConstPtr newest;
  const boost::function<void(const topic_tools::ShapeShifter::ConstPtr&)> take =
      [&](const topic_tools::ShapeShifter::ConstPtr& message) { newest = message; };
  const ros::Subscriber subscriber =
      handle.subscribe<topic_tools::ShapeShifter>(own.param<std::string>("in", ""), 10, take);
  ros::Rate rate(200.0);
  while (ros::ok()) {
    ros::spinOnce();
    if (newest) publisher.publish(*newest);
    rate.sleep();
  }
}
