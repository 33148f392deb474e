// SPDX-License-Identifier: BSD-3-Clause
#include "ros/common/lockstep.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include <ros/param.h>

#include "marsim/common/error.hpp"
#include "ros/messages/peer_message.hpp"

namespace marsim::ros_nodes {
namespace {

constexpr char kParticipants[] = "/sim_clock/participants";
constexpr char kQuadrotor[] = "/quadrotor";
constexpr char kObstacles[] = "/obstacles";

using Visit = std::function<void(const std::string& name, XmlRpc::XmlRpcValue& value)>;

// Visits the leaves of a tree of parameters, with their full names.
void forEachLeaf(const std::string& name, XmlRpc::XmlRpcValue& value, const Visit& visit) {
  if (value.getType() != XmlRpc::XmlRpcValue::TypeStruct) return visit(name, value);
  for (auto& [part, below] : value) forEachLeaf(name + "/" + part, below, visit);
}

void forEachParticipant(const std::string& parameter, const Visit& visit) {
  XmlRpc::XmlRpcValue tree;
  if (!ros::param::get(parameter, tree)) return;
  if (tree.getType() != XmlRpc::XmlRpcValue::TypeStruct) {
    throw ConfigError(parameter, "names", "no tree", "names of nodes, each with the value true");
  }
  forEachLeaf("", tree, [&visit](const std::string& name, XmlRpc::XmlRpcValue& value) {
    const bool is_left_out =
        value.getType() == XmlRpc::XmlRpcValue::TypeBoolean && !static_cast<bool>(value);
    if (!is_left_out) visit(name, value);
  });
}

bool endsWith(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

}  // namespace

std::vector<std::string> readParticipants(const std::string& parameter) {
  std::vector<std::string> names;
  forEachParticipant(parameter, [&names](const std::string& name, XmlRpc::XmlRpcValue&) {
    names.push_back(name);
  });
  std::sort(names.begin(), names.end());
  return names;
}

Lockstep Lockstep::read(Params& params) {
  Lockstep lockstep;
  lockstep.on = params.flag("lockstep");
  const double patience = params.numberOrAuto("patience", Quantity::kTime);
  if (!std::isnan(patience)) {
    Validator(params.where()).positive("patience", patience, "s");
    lockstep.patience = patience;
  }
  if (!lockstep.on) return lockstep;
  forEachParticipant(kParticipants, [&](const std::string& name, XmlRpc::XmlRpcValue& value) {
    if (name == kObstacles) lockstep.obstacles = true;
    if (!endsWith(name, kQuadrotor)) return;
    const std::string uav = name.substr(0, name.size() - std::string(kQuadrotor).size());
    const bool is_told = value.getType() == XmlRpc::XmlRpcValue::TypeInt;
    lockstep.uavs.push_back(is_told ? static_cast<std::uint32_t>(static_cast<int>(value))
                                    : uavIdOf(uav, params.where()));
  });
  std::sort(lockstep.uavs.begin(), lockstep.uavs.end());
  return lockstep;
}

}  // namespace marsim::ros_nodes
