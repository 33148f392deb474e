// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include "config/launch_words.hpp"
#include "marsim/common/error.hpp"
#include "marsim/config/load.hpp"

namespace marsim::config {
namespace {

constexpr double kLongestDelay = 1.0;      // [s], the estimator's memory
constexpr double kLongestSettling = 60.0;  // [s]
// A SLAM's first estimates may be off.
constexpr TimeNs kSettling = 5 * kNsPerSecond;

// Replaces a time where seconds are given.
void replace(const std::string& field, double seconds, double longest, const WhereOf& where,
             TimeNs& time) {
  if (std::isnan(seconds)) return;
  Validator(where(field)).within(field, seconds, 0.0, longest, "s");
  time = toNs(seconds);
}

}  // namespace

std::optional<sim::EstimateConfig> chooseEstimate(const EstimateWords& words,
                                                  const vehicle::VehicleConfig& vehicle,
                                                  const std::string& lidar, const WhereOf& where) {
  const std::string& word = words.estimate;
  const bool is_auto = word == "auto", is_none = word.empty() || word == "none";
  sim::EstimateConfig config;
  config.X_BE =
      chooseFrame(words.frame, vehicle.imu, lidar, where("estimate_frame"), "estimate_frame");
  config.begins_at_vehicle = words.begins_at_vehicle;
  config.settle = kSettling;
  if (is_auto || word == "realistic") {
    config = sim::EstimateConfig::simulated(vehicle.estimate.value_or(vehicle::SlamConfig()));
  }
  replace("estimate_delay", words.delay, kLongestDelay, where, config.delay);
  replace("estimate_settle", words.settle, kLongestSettling, where, config.settle);
  if (is_none || (is_auto && !vehicle.estimate)) return std::nullopt;
  return config;
}

std::string controllerName(const std::string& word, bool on_estimate) {
  if (word != "auto") return word;
  return on_estimate ? "onboard" : "default";
}

control::ControllerConfig chooseController(const std::string& name, bool on_estimate,
                                           const std::string& where) {
  control::ControllerConfig config = loadController(name);
  if (on_estimate) config.requireFitForEstimates(where);
  return config;
}

}  // namespace marsim::config
