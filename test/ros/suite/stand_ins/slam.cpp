// SPDX-License-Identifier: BSD-3-Clause
// Takes a SLAM program's place in the scenarios of config/suites: answers each cloud by the true
// pose of the body at its stamp, in a frame of its own, with a little noise. It takes its time.
#include <cmath>
#include <map>
#include <random>
#include <thread>

#include <nav_msgs/Odometry.h>
#include <ros/ros.h>
#include <topic_tools/shape_shifter.h>

#include "marsim/VehicleState.h"

namespace {

constexpr double kNoise = 0.01;  // [m]

class Slam {
 public:
  Slam() {
    ros::NodeHandle handle, own("~");
    cloud_ = handle.subscribe<topic_tools::ShapeShifter>(
        own.param<std::string>("cloud", "/livox/lidar"), 10, &Slam::onCloud, this);
    state_ = handle.subscribe("/uav0/state", 5000, &Slam::onState, this);
    odometry_ = handle.advertise<nav_msgs::Odometry>("/Odometry", 10);
  }

 private:
  void onState(const marsim::VehicleStateConstPtr& state) {
    states_[state->header.stamp] = state->pose;
    while (states_.size() > 2000) states_.erase(states_.begin());
    answer();
  }

  void onCloud(const topic_tools::ShapeShifter::ConstPtr& cloud) {
    std::vector<std::uint8_t> bytes(cloud->size());
    ros::serialization::OStream stream(bytes.data(), cloud->size());
    cloud->write(stream);
    std::uint32_t stamp[3];  // of the header: seq, secs, nsecs
    std::copy_n(bytes.data(), sizeof(stamp), reinterpret_cast<std::uint8_t*>(stamp));
    due_.push_back(ros::Time(stamp[1], stamp[2]));
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    answer();
  }

  void answer() {
    while (!due_.empty() && !states_.empty() && states_.rbegin()->first >= due_.front()) {
      const auto state = states_.lower_bound(due_.front());
      nav_msgs::Odometry odometry;
      odometry.header.stamp = due_.front();
      odometry.header.frame_id = "camera_init";
      odometry.pose.pose = state->second;
      // The map frame of a SLAM program is turned and begins elsewhere.
      const double x = state->second.position.x, y = state->second.position.y;
      odometry.pose.pose.position.x = 3.0 - y + noise_(random_);
      odometry.pose.pose.position.y = x + noise_(random_);
      odometry.pose.pose.position.z += noise_(random_);
      const auto q = state->second.orientation;
      const double s = std::sqrt(0.5);
      odometry.pose.pose.orientation.w = s * (q.w - q.z);
      odometry.pose.pose.orientation.x = s * (q.x - q.y);
      odometry.pose.pose.orientation.y = s * (q.y + q.x);
      odometry.pose.pose.orientation.z = s * (q.z + q.w);
      odometry_.publish(odometry);
      due_.erase(due_.begin());
    }
  }

  std::map<ros::Time, geometry_msgs::Pose> states_;
  std::vector<ros::Time> due_;
  std::mt19937 random_{1};
  std::normal_distribution<double> noise_{0.0, kNoise};
  ros::Publisher odometry_;
  ros::Subscriber cloud_, state_;
};

}  // namespace

int main(int argc, char** argv) {
  ros::init(argc, argv, "test_slam");
  const Slam slam;
  ros::spin();
}
