#include <pluginlib/class_list_macros.hpp>

#include "marsim/ros/controller_node.hpp"
#include "marsim/ros/depth_camera_node.hpp"
#include "marsim/ros/lidar_node.hpp"
#include "marsim/ros/map_server_node.hpp"
#include "marsim/ros/node_main.hpp"
#include "marsim/ros/obstacles_node.hpp"
#include "marsim/ros/quadrotor_node.hpp"
#include "marsim/ros/sim_clock_node.hpp"
#include "marsim/ros/swarm_meter_node.hpp"
#include "marsim/ros/swarm_node.hpp"

namespace marsim {

using ControllerNodelet = ros_nodes::NodeletOf<ros_nodes::ControllerNode>;
using DepthCameraNodelet = ros_nodes::NodeletOf<ros_nodes::DepthCameraNode>;
using LidarNodelet = ros_nodes::NodeletOf<ros_nodes::LidarNode>;
using MapServerNodelet = ros_nodes::NodeletOf<ros_nodes::MapServerNode>;
using ObstaclesNodelet = ros_nodes::NodeletOf<ros_nodes::ObstaclesNode>;
using QuadrotorNodelet = ros_nodes::NodeletOf<ros_nodes::QuadrotorNode>;
using SimClockNodelet = ros_nodes::NodeletOf<ros_nodes::SimClockNode>;
using SwarmMeterNodelet = ros_nodes::NodeletOf<ros_nodes::SwarmMeterNode>;
using SwarmNodelet = ros_nodes::NodeletOf<ros_nodes::SwarmNode>;

}  // namespace marsim

PLUGINLIB_EXPORT_CLASS(marsim::ControllerNodelet, nodelet::Nodelet)
PLUGINLIB_EXPORT_CLASS(marsim::DepthCameraNodelet, nodelet::Nodelet)
PLUGINLIB_EXPORT_CLASS(marsim::LidarNodelet, nodelet::Nodelet)
PLUGINLIB_EXPORT_CLASS(marsim::MapServerNodelet, nodelet::Nodelet)
PLUGINLIB_EXPORT_CLASS(marsim::ObstaclesNodelet, nodelet::Nodelet)
PLUGINLIB_EXPORT_CLASS(marsim::QuadrotorNodelet, nodelet::Nodelet)
PLUGINLIB_EXPORT_CLASS(marsim::SimClockNodelet, nodelet::Nodelet)
PLUGINLIB_EXPORT_CLASS(marsim::SwarmMeterNodelet, nodelet::Nodelet)
PLUGINLIB_EXPORT_CLASS(marsim::SwarmNodelet, nodelet::Nodelet)
