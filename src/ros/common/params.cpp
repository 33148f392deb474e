// SPDX-License-Identifier: BSD-3-Clause
#include "ros/common/params.hpp"

#include <cmath>
#include <optional>
#include <set>
#include <string>

#include <fmt/format.h>
#include <ros/console.h>
#include <ros/names.h>
#include <ros/param.h>

#include "common/bounds.hpp"
#include "common/text.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/random.hpp"

namespace marsim::ros_nodes {
namespace {

/// Parameters that several nodes of a UAV read: set once in the UAV's namespace, unless a node has
/// its own.
const std::set<std::string> kOfAUav{
    "map",      "resolution", "surface",    "renderer", "threads",       "seed",
    "lockstep", "patience",   "peer_rate",  "vehicle",  "ground_z",      "uav_id",
    "swarm",    "swarm_size", "vegetation", "weather",  "peers_in_scans"};

std::string described(XmlRpc::XmlRpcValue& value) {
  switch (value.getType()) {
    case XmlRpc::XmlRpcValue::TypeString:
      return fmt::format("'{}'", static_cast<std::string>(value));
    case XmlRpc::XmlRpcValue::TypeInt:
      return fmt::format("{}", static_cast<int>(value));
    case XmlRpc::XmlRpcValue::TypeDouble:
      return fmt::format("{}", static_cast<double>(value));
    case XmlRpc::XmlRpcValue::TypeBoolean:
      return static_cast<bool>(value) ? "true" : "false";
    default:
      return "a list or map";
  }
}

/// The text of a number, which may have been written without a unit.
std::string bareText(XmlRpc::XmlRpcValue& value) {
  return value.getType() == XmlRpc::XmlRpcValue::TypeString ? static_cast<std::string>(value)
                                                            : described(value);
}

}  // namespace

Params::Params(const ros::NodeHandle& private_handle)
    : handle_(private_handle), where_(private_handle.getNamespace()) {
  known_.insert("diagnostic_period");  // read by diagnostic_updater
}

bool Params::fetch(const std::string& name, XmlRpc::XmlRpcValue& value) {
  known_.insert(name);
  if (handle_.getParam(name, value)) return true;
  const std::string around = ros::names::parentNamespace(where_);
  return kOfAUav.count(name) != 0 && around != "/" && ros::param::get(around + "/" + name, value);
}

std::string Params::text(const std::string& name, const std::string& fallback) {
  XmlRpc::XmlRpcValue value;
  if (!fetch(name, value)) return fallback;
  if (value.getType() != XmlRpc::XmlRpcValue::TypeString) {
    throw ConfigError(where_, name, described(value), "text");
  }
  return static_cast<std::string>(value);
}

bool Params::flag(const std::string& name, bool fallback) {
  XmlRpc::XmlRpcValue value;
  if (!fetch(name, value)) return fallback;
  if (value.getType() != XmlRpc::XmlRpcValue::TypeBoolean) {
    throw ConfigError(where_, name, described(value), "true or false");
  }
  return static_cast<bool>(value);
}

int Params::integer(const std::string& name, int fallback, int low, int high) {
  XmlRpc::XmlRpcValue value;
  if (!fetch(name, value)) return fallback;
  const bool is_int = value.getType() == XmlRpc::XmlRpcValue::TypeInt;
  const int number = is_int ? static_cast<int>(value) : 0;
  if (!is_int || number < low || number > high) {
    throw ConfigError(where_, name, described(value),
                      fmt::format("a whole number from {} to {}", low, high));
  }
  return number;
}

// XML-RPC has whole numbers of 32 bits; larger ones come as text or as a double.
std::uint64_t Params::seed() {
  constexpr double kExact = 9007199254740992.0;  // 2^53: doubles are exact below it
  XmlRpc::XmlRpcValue value;
  if (!fetch("seed", value)) value = config::defaultOf("seed");
  std::optional<std::uint64_t> seed;
  if (value.getType() == XmlRpc::XmlRpcValue::TypeString) {
    seed = parseWhole(static_cast<std::string>(value));
  } else if (value.getType() == XmlRpc::XmlRpcValue::TypeInt && static_cast<int>(value) >= 0) {
    seed = static_cast<std::uint64_t>(static_cast<int>(value));
  } else if (value.getType() == XmlRpc::XmlRpcValue::TypeDouble) {
    const double number = static_cast<double>(value);
    const bool is_whole = number >= 0.0 && number <= kExact && number == std::floor(number);
    if (is_whole) seed = static_cast<std::uint64_t>(number);
  }
  if (!seed) {
    throw ConfigError(where_, "seed", described(value),
                      std::string(kAllowedSeeds) + ", above 2^53 as text");
  }
  return *seed;
}

double Params::number(const std::string& name, double fallback, Quantity quantity) {
  XmlRpc::XmlRpcValue value;
  if (!fetch(name, value)) return fallback;
  double number = std::numeric_limits<double>::quiet_NaN();
  if (value.getType() == XmlRpc::XmlRpcValue::TypeInt) number = static_cast<int>(value);
  if (value.getType() == XmlRpc::XmlRpcValue::TypeDouble) number = static_cast<double>(value);
  if (value.getType() == XmlRpc::XmlRpcValue::TypeString) {
    try {
      number = parseQuantity(static_cast<std::string>(value), quantity);
    } catch (const Error&) {
      // Reported below together with the parameter's name.
    }
  }
  const std::string hint = degreesHint(bareText(value), quantity);
  if (!hint.empty()) ROS_WARN("%s: %s: %s", where_.c_str(), name.c_str(), hint.c_str());
  if (!std::isfinite(number)) {
    const std::string units = unitList(quantity);
    throw ConfigError(where_, name, described(value),
                      units.empty()
                          ? "a finite number"
                          : fmt::format("a finite number, alone or with a unit ({})", units));
  }
  return number;
}

double Params::numberOrAuto(const std::string& name, Quantity quantity, double automatic) {
  XmlRpc::XmlRpcValue value;
  if (!fetch(name, value)) return automatic;
  if (value.getType() == XmlRpc::XmlRpcValue::TypeString) {
    const std::string text = value;
    if (text.empty() || text == "auto") return automatic;
  }
  return number(name, automatic, quantity);
}

double Params::positive(const std::string& name, double fallback, Quantity quantity) {
  const double value = number(name, fallback, quantity);
  Validator(where_).positive(name, value);
  return value;
}

std::string Params::wordOrNumber(const std::string& name) {
  XmlRpc::XmlRpcValue value;
  return fetch(name, value) ? bareText(value) : config::defaultOf(name);
}

std::string Params::choice(const std::string& name, const std::string& fallback,
                           const std::vector<std::string>& choices) {
  const std::string chosen = text(name, fallback);
  for (const std::string& candidate : choices) {
    if (chosen == candidate) return chosen;
  }
  throw ConfigError(where_, name, fmt::format("'{}'", chosen), join(choices, " | "));
}

void Params::finish() const {
  std::vector<std::string> names;
  if (!ros::param::getParamNames(names)) return;
  const std::string prefix = where_ + "/";
  for (const std::string& full_name : names) {
    if (full_name.compare(0, prefix.size(), prefix) != 0) continue;
    const std::string name = split(std::string_view(full_name).substr(prefix.size()), '/').front();
    if (known_.count(name) == 0) {
      throw UnknownNameError(where_, "parameter", name, {known_.begin(), known_.end()});
    }
  }
}

std::uint64_t readSeed(Params& params, const ros::NodeHandle& handle) {
  return RandomStream(params.seed(), handle.getNamespace()).next();
}

}  // namespace marsim::ros_nodes
