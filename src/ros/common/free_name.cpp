// SPDX-License-Identifier: BSD-3-Clause
#include "ros/common/free_name.hpp"

#include <vector>

#include <ros/console.h>
#include <ros/master.h>
#include <ros/names.h>
#include <ros/service.h>
#include <ros/this_node.h>

namespace marsim::ros_nodes {
namespace {

/// Services that show whether it runs. Every node has loggers; a nodelet's are its manager's.
std::vector<std::string> servicesOf(const std::string& name, const std::string& kind) {
  std::vector<std::string> services = {name + "/get_loggers"};
  if (kind == "quadrotor") services.push_back(ros::names::parentNamespace(name) + "/reset");
  if (kind == "sim_clock") services.push_back(name + "/pause");
  return services;
}

bool isRegistered(const std::string& name) {
  XmlRpc::XmlRpcValue request, response, uri;
  request[0] = ros::this_node::getName();
  request[1] = name;
  return ros::master::execute("lookupNode", request, response, uri, false);
}

}  // namespace

bool isNameFree(const std::string& name, const std::string& kind) {
  for (const std::string& service : servicesOf(name, kind)) {
    if (!ros::service::exists(service, false)) continue;
    ROS_FATAL(
        "%s runs already on the master %s, allowed: another name (uav:=NAME), or another "
        "ROS_MASTER_URI",
        name.c_str(), ros::master::getURI().c_str());
    return false;
  }
  if (isRegistered(name)) ROS_WARN("%s no longer answers: its name is taken over", name.c_str());
  return true;
}

}  // namespace marsim::ros_nodes
