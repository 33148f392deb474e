// SPDX-License-Identifier: BSD-3-Clause
// Takes a planner's place in the scenarios of config/suites: answers a goal by a smooth straight
// flight to it, in PositionCommands of the definition that the planner uses, 100 a second.
// Parameters: ~odom, ~cloud, ~goal, ~goal_is_path, ~command (topics), ~md5.
#include <geometry_msgs/PoseStamped.h>
#include <nav_msgs/Odometry.h>
#include <nav_msgs/Path.h>
#include <ros/ros.h>
#include <sensor_msgs/PointCloud2.h>
#include <topic_tools/shape_shifter.h>

#include "ros/planned_flight.hpp"

namespace {

constexpr double kSpeed = 1.5;  // [m/s] mean

class Planner {
 public:
  Planner() {
    ros::NodeHandle handle, own("~");
    own.param<std::string>("md5", md5_, marsim::test::kEgo);
    odom_ = handle.subscribe(own.param<std::string>("odom", ""), 10, &Planner::onOdometry, this);
    cloud_ = handle.subscribe(own.param<std::string>("cloud", ""), 10, &Planner::onCloud, this);
    const std::string goal = own.param<std::string>("goal", "");
    goal_ = own.param("goal_is_path", false) ? handle.subscribe(goal, 10, &Planner::onPath, this)
                                             : handle.subscribe(goal, 10, &Planner::onGoal, this);
    command_.morph(md5_, "quadrotor_msgs/PositionCommand", "Header header\n", "0");
    publisher_ = command_.advertise(handle, own.param<std::string>("command", ""), 10);
    timer_ = handle.createTimer(ros::Duration(0.01), &Planner::onTimer, this);
  }

 private:
  void onOdometry(const nav_msgs::OdometryConstPtr& odometry) {
    const auto& p = odometry->pose.pose.position;
    here_ = {p.x, p.y, p.z};
    has_odometry_ = true;
    plan();
  }
  void onCloud(const sensor_msgs::PointCloud2ConstPtr& cloud) { sees_ = cloud->width > 0; }
  void onPath(const nav_msgs::PathConstPtr& path) { take(path->poses.at(0)); }
  void onGoal(const geometry_msgs::PoseStampedConstPtr& goal) { take(*goal); }

  void take(const geometry_msgs::PoseStamped& goal) {
    goal_pose_ = goal;
    is_new_ = true;
    plan();
  }

  void plan() {
    if (!is_new_ || !has_odometry_) return;
    is_new_ = false;
    const auto& p = goal_pose_.pose.position;
    flight_.from = here_;
    flight_.to = {p.x, p.y, p.z};
    flight_.duration = std::max(1.0, (flight_.to - flight_.from).norm() / kSpeed);
    flight_.turn = 0.0;
    begun_ = ros::Time::now();
  }

  void onTimer(const ros::TimerEvent&) {
    const ros::Time now = ros::Time::now();
    if (begun_.isZero() || !sees_ || now == told_) return;
    told_ = now;
    marsim::test::CommandFields fields = flight_.at((now - begun_).toSec());
    fields.seconds = now.sec;
    fields.nanoseconds = now.nsec;
    std::vector<std::uint8_t> bytes = marsim::test::commandBytes(md5_, fields);
    ros::serialization::IStream stream(bytes.data(), static_cast<std::uint32_t>(bytes.size()));
    command_.read(stream);
    publisher_.publish(command_);
  }

  std::string md5_;
  Eigen::Vector3d here_{0.0, 0.0, 0.0};
  bool sees_ = false, has_odometry_ = false, is_new_ = false;
  geometry_msgs::PoseStamped goal_pose_;
  marsim::test::Flight flight_;
  ros::Time begun_, told_;
  topic_tools::ShapeShifter command_;
  ros::Publisher publisher_;
  ros::Subscriber odom_, cloud_, goal_;
  ros::Timer timer_;
};

}  // namespace

int main(int argc, char** argv) {
  ros::init(argc, argv, "test_planner");
  const Planner planner;
  ros::spin();
}
