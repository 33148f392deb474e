// Each class of nodes as a process and as a nodelet. In one file, because their headers together
// take hardly longer to compile than one of them.
#include <csignal>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include <nodelet/nodelet.h>
#include <ros/ros.h>
#include <pluginlib/class_list_macros.hpp>

#include "marsim/common/error.hpp"
#include "marsim/ros/controller_node.hpp"
#include "marsim/ros/depth_camera_node.hpp"
#include "marsim/ros/flight_recorder_node.hpp"
#include "marsim/ros/lidar_node.hpp"
#include "marsim/ros/map_server_node.hpp"
#include "marsim/ros/node_main.hpp"
#include "marsim/ros/obstacles_node.hpp"
#include "marsim/ros/peer_bridge_node.hpp"
#include "marsim/ros/quadrotor_node.hpp"
#include "marsim/ros/sim_clock_node.hpp"
#include "marsim/ros/slam_flight_node.hpp"
#include "marsim/ros/swarm_meter_node.hpp"
#include "marsim/ros/swarm_node.hpp"

namespace marsim {
namespace ros_nodes {
namespace {

using MakeNode =
    std::function<std::shared_ptr<void>(const ros::NodeHandle&, const ros::NodeHandle&)>;

template <class Node>
std::shared_ptr<void> make(const ros::NodeHandle& handle, const ros::NodeHandle& private_handle) {
  return std::make_shared<Node>(handle, private_handle);
}

const std::map<std::string, MakeNode>& kinds() {
  static const std::map<std::string, MakeNode> all{
      {"controller", make<ControllerNode>},
      {"depth_camera", make<DepthCameraNode>},
      {"flight_recorder", make<FlightRecorderNode>},
      {"lidar", make<LidarNode>},
      {"map_server", make<MapServerNode>},
      {"obstacles", make<ObstaclesNode>},
      {"peer_bridge", make<PeerBridgeNode>},
      {"quadrotor", make<QuadrotorNode>},
      {"sim_clock", make<SimClockNode>},
      {"slam_flight", make<SlamFlightNode>},
      {"swarm", make<SwarmNode>},
  };
  return all;
}

// An error at start-up is logged and makes the load fail.
template <class Node>
class NodeletOf : public nodelet::Nodelet {
 private:
  void onInit() override {
    try {
      node_ = std::make_unique<Node>(getNodeHandle(), getPrivateNodeHandle());
    } catch (const Error& error) {
      NODELET_FATAL("%s", error.what());
      throw;
    }
  }
  std::unique_ptr<Node> node_;
};

}  // namespace

// ROS's own handler only makes a note, which a node that is still reading its map does not see:
// until then Ctrl-C ends the process as it does any other.
int runNode(const std::string& kind, int argc, char** argv) {
  ros::init(argc, argv, kind, ros::init_options::NoSigintHandler);
  std::signal(SIGINT, SIG_DFL);
  // The last handle to go shuts the log down; this one keeps it open for what is caught below.
  const ros::NodeHandle handle;
  try {
    const std::shared_ptr<void> node = kinds().at(kind)(handle, ros::NodeHandle{"~"});
    std::signal(SIGINT, [](int) { ros::requestShutdown(); });
    ros::spin();
    return 0;
  } catch (const Error& error) {
    ROS_FATAL("%s", error.what());
    return 1;
  }
}

}  // namespace ros_nodes

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
