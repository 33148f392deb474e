// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include <ros/node_handle.h>

#include "config/defaults.hpp"

namespace marsim::ros_nodes {

/// Reads a node's private parameters, each with a default, and rejects unknown ones: a misspelt
/// parameter is an error with the nearest known name, not a silent default. Parameters that several
/// nodes of a UAV read (map, seed, vehicle, ...: see params.cpp) may be set once for all in the
/// namespace around the node's; the node's own value takes precedence. All errors name the node and
/// the parameter.
class Params {
 public:
  explicit Params(const ros::NodeHandle& private_handle);

  // Without a fallback the default is that of the launch argument of the same name.
  std::string text(const std::string& name) { return text(name, config::defaultOf(name)); }
  std::string text(const std::string& name, const std::string& fallback);
  bool flag(const std::string& name) { return flag(name, config::defaultOf(name) == "true"); }
  bool flag(const std::string& name, bool fallback);
  int integer(const std::string& name, int low, int high) {
    return integer(name, std::stoi(config::defaultOf(name)), low, high);
  }
  int integer(const std::string& name, int fallback, int low, int high);
  /// The parameter `seed`, a whole number from 0 to 2^64 - 1, as a number or as text.
  std::uint64_t seed();
  /// A number, or text with a unit ("90deg"); must be finite.
  double number(const std::string& name, double fallback, Quantity quantity);
  double number(const std::string& name, Quantity quantity) {
    return number(name, config::defaultNumber(name, quantity), quantity);
  }
  /// As number(), but `automatic` where the parameter is not set, empty or "auto".
  double numberOrAuto(const std::string& name, Quantity quantity,
                      double automatic = std::numeric_limits<double>::quiet_NaN());
  /// As number(); must be more than 0.
  double positive(const std::string& name, double fallback, Quantity quantity);
  double positive(const std::string& name, Quantity quantity) {
    return positive(name, config::defaultNumber(name, quantity), quantity);
  }
  /// A word or a number, as text.
  std::string wordOrNumber(const std::string& name);
  /// One of the choices.
  std::string choice(const std::string& name, const std::vector<std::string>& choices) {
    return choice(name, config::defaultOf(name), choices);
  }
  std::string choice(const std::string& name, const std::string& fallback,
                     const std::vector<std::string>& choices);

  /// The full name of a tree of parameters, which the caller reads.
  std::string tree(const std::string& name) {
    known_.insert(name);
    return where_ + "/" + name;
  }
  /// Throws UnknownNameError if the node's namespace holds a parameter that was never read.
  void finish() const;

  const std::string& where() const { return where_; }

 private:
  bool fetch(const std::string& name, XmlRpc::XmlRpcValue& value);

  ros::NodeHandle handle_;
  std::string where_;  ///< the node's name
  std::set<std::string> known_;
};

/// The parameter `seed` scattered by the UAV's namespace, so that UAVs with one seed
/// have different noise.
std::uint64_t readSeed(Params& params, const ros::NodeHandle& handle);

}  // namespace marsim::ros_nodes
