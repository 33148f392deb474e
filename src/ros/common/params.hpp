#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <ros/node_handle.h>

#include "marsim/common/units.hpp"

namespace marsim::ros_nodes {

/// Reads a node's private parameters, each with a default, and rejects unknown ones: a misspelt
/// parameter is an error with the nearest known name, not a silent default. Parameters that several
/// nodes of a UAV read (map, seed, vehicle, ...: see params.cpp) may be set once for all in the
/// namespace around the node's; the node's own value takes precedence. All errors name the node and
/// the parameter.
class Params {
 public:
  explicit Params(const ros::NodeHandle& private_handle);

  std::string text(const std::string& name, const std::string& fallback);
  bool flag(const std::string& name, bool fallback);
  int integer(const std::string& name, int fallback, int low, int high);
  /// A whole number from 0 to 2^64 - 1, as a number or as text.
  std::uint64_t seed(const std::string& name, std::uint64_t fallback);
  /// A number, or text with a unit ("90deg"); must be finite.
  double number(const std::string& name, double fallback, Quantity quantity);
  /// As number(), but NaN where the parameter is not set, empty or "auto".
  double numberOrAuto(const std::string& name, Quantity quantity);
  /// As number(); must be more than 0.
  double positive(const std::string& name, double fallback, Quantity quantity);
  /// A word or a number, as text.
  std::string wordOrNumber(const std::string& name, const std::string& fallback);
  /// One of the choices.
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

/// The parameter `seed` (default 1) scattered by the UAV's namespace, so that UAVs with one seed
/// have different noise.
std::uint64_t readSeed(Params& params, const ros::NodeHandle& handle);

}  // namespace marsim::ros_nodes
