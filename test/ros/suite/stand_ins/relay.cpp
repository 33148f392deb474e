// SPDX-License-Identifier: BSD-3-Clause
// A program that sleeps in simulated time: passes the newest message of ~in on to ~out, 200 times a
// second.
#include <ros/ros.h>
#include <topic_tools/shape_shifter.h>

int main(int argc, char** argv) {
  ros::init(argc, argv, "test_relay");
  ros::NodeHandle handle, own("~");
  topic_tools::ShapeShifter::ConstPtr newest;
  ros::Publisher publisher;
  const boost::function<void(const topic_tools::ShapeShifter::ConstPtr&)> take =
      [&](const topic_tools::ShapeShifter::ConstPtr& message) {
        newest = message;
        if (!publisher)
          publisher = message->advertise(handle, own.param<std::string>("out", ""), 10);
      };
  const ros::Subscriber subscriber =
      handle.subscribe<topic_tools::ShapeShifter>(own.param<std::string>("in", ""), 10, take);
  ros::Rate rate(200.0);
  while (ros::ok()) {
    ros::spinOnce();
    if (newest) publisher.publish(*newest);
    rate.sleep();
  }
}
