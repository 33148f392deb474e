#pragma once

#include <memory>
#include <string>
#include <vector>

#include <diagnostic_updater/diagnostic_updater.h>
#include <geometry_msgs/Twist.h>
#include <ros/ros.h>

#include "marsim/common/time.hpp"
#include "marsim/scene/obstacles.hpp"

namespace marsim::ros_nodes {

/// Tells a world's nodes of its obstacles. Every node works out by itself where they are; only
/// those that are driven are followed here.
///
/// In: obstacles/<name>/cmd_vel (geometry_msgs/Twist, in the obstacle's frame) of each driven one.
/// Out: obstacles (marsim/Obstacles, latched), obstacles/driven (marsim/DrivenObstacles, 50 Hz),
/// obstacle_markers (visualization_msgs/MarkerArray).
/// Parameters: obstacles (name or file of config/obstacles), map and those of readMapConfig,
/// world_frame, marker_rate [Hz], command_timeout [s] after which a driven one stops; 0: never.
/// With drive: false it leaves the driven ones to another machine's node.
class ObstaclesNode {
 public:
  ObstaclesNode(ros::NodeHandle handle, ros::NodeHandle private_handle);

 private:
  struct Command {
    std::size_t obstacle;
    std::string name;
    ros::Subscriber subscriber;
    geometry_msgs::Twist twist;  ///< the newest
    TimeNs heard = 0;
  };

  void onCommand(std::size_t index, const geometry_msgs::TwistConstPtr& message);
  void drive(const ros::TimerEvent&);
  void showMarkers(const ros::TimerEvent&);
  void diagnose(diagnostic_updater::DiagnosticStatusWrapper& status);

  std::string world_frame_, source_;
  TimeNs command_timeout_ = 0;
  std::unique_ptr<scene::Obstacles> obstacles_;
  std::vector<Command> commands_;  // of each driven one
  std::vector<scene::Obstacles::Driven> starts_;
  TimeNs driven_to_ = 0;
  ros::Publisher obstacles_publisher_, driven_publisher_, marker_publisher_;
  ros::Timer drive_timer_, marker_timer_;
  diagnostic_updater::Updater diagnostics_;
};

}  // namespace marsim::ros_nodes
