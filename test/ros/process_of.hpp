// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include <ros/network.h>
#include <ros/ros.h>
#include <xmlrpcpp/XmlRpcClient.h>

namespace marsim::test {

/// The process of a node, as the node itself says; 0 where there is none.
inline int processOf(const std::string& node) {
  XmlRpc::XmlRpcValue arguments, answer, uri;
  arguments[0] = ros::this_node::getName();
  arguments[1] = node;
  if (!ros::master::execute("lookupNode", arguments, answer, uri, false)) return 0;
  std::string host;
  std::uint32_t port = 0;
  if (!ros::network::splitURI(static_cast<std::string>(uri), host, port)) return 0;
  XmlRpc::XmlRpcClient client(host.c_str(), static_cast<int>(port), "/");
  XmlRpc::XmlRpcValue caller, process;
  caller[0] = ros::this_node::getName();
  if (!client.execute("getPid", caller, process)) return 0;
  return static_cast<int>(process[2]);
}

}  // namespace marsim::test
