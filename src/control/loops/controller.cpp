// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/control/controller.hpp"

#include <fmt/format.h>

#include "control/loops/cascaded_pid.hpp"
#include "control/loops/geometric.hpp"
#include "control/loops/wheel_controller.hpp"
#include "marsim/common/error.hpp"

namespace marsim::control {
namespace {

// Inner loops this much faster than the outer ones leave the specified response its shape: their
// delay is then below a tenth of the settling time.
constexpr double kAttitudeToPosition = 4.0;

}  // namespace

void LoopSpec::declare(Settings& settings) {
  settings.optional("natural_frequency", natural_frequency, "rad/s", kPositive);
  settings.optional("damping", damping, "", {0.3, 3.0});
}

void ControllerConfig::declare(Settings& settings) {
  settings.optional(
      "type", type,
      {{"cascaded_pid", ControllerType::kCascadedPid}, {"geometric", ControllerType::kGeometric}});
  // Keys that a type of controller does not read are unknown in its file.
  const bool is_cascade = type == ControllerType::kCascadedPid;
  settings.optional("feedback", [&](Settings& map) {
    if (is_cascade) map.optional("accelerations", feedback.accelerations);
    map.optional("motor_model", feedback.motor_model);
  });
  settings.optional("drag_model", drag_model);
  settings.optional("position", position);
  settings.optional("attitude", attitude);
  settings.optional("yaw", yaw);
  settings.optional("position_integral", position_integral, "1/s",
                    {0.0, position.natural_frequency});
  if (is_cascade) {
    settings.optional("attitude_integral", attitude_integral, "1/s",
                      {0.0, attitude.natural_frequency});
    settings.optional("yaw_rate_max", yaw_rate_max, "rad/s", kPositive);
  }
  settings.optional("integral_limit", integral_limit, "m/s^2", kNotNegative);
  settings.optional("tilt_max", tilt_max, "rad", {0.01, 1.4});
  settings.optional("speed_max", speed_max, "m/s", kPositive);
  settings.optional("acceleration_max", acceleration_max, "m/s^2", kPositive);
  settings.optional("thrust_min_ratio", thrust_min_ratio, "", {0.01, 0.9});
  settings.optional("thrust_max_ratio", thrust_max_ratio, "", {0.1, 1.0});
  settings.optional("goal", goal);
  estimator.declare(settings);
  settings.optional("warn", [&](Settings& map) {
    map.optional("reference_distance", warn.reference_distance, "m", kPositive);
    map.optional("tracking_error", warn.tracking_error, "m", kPositive);
  });
}

void ControllerConfig::validate(const std::string& where) const {
  checkSettings(where, *this);
  const Validator check(where);
  check.require(feedback.motor_model || !readsAccelerations(), "feedback.motor_model", "false",
                "true where feedback.accelerations is");
  const double position_highest = attitude.natural_frequency / kAttitudeToPosition;
  check.require(position.natural_frequency <= position_highest, "position.natural_frequency",
                fmt::format("{}", position.natural_frequency),
                fmt::format("up to {:.4g} rad/s (a quarter of attitude.natural_frequency)",
                            position_highest));
  check.require(
      yaw.natural_frequency <= attitude.natural_frequency, "yaw.natural_frequency",
      fmt::format("{}", yaw.natural_frequency),
      fmt::format("up to attitude.natural_frequency ({} rad/s)", attitude.natural_frequency));
  check.require(goal.speed <= speed_max, "goal.speed", fmt::format("{}", goal.speed),
                fmt::format("up to speed_max ({} m/s)", speed_max));
  check.require(goal.acceleration <= acceleration_max, "goal.acceleration",
                fmt::format("{}", goal.acceleration),
                fmt::format("up to acceleration_max ({} m/s^2)", acceleration_max));
}

bool ControllerConfig::readsAccelerations() const {
  return type == ControllerType::kCascadedPid && feedback.accelerations;
}

void ControllerConfig::requireFitForEstimates(const std::string& where) const {
  Validator(where).require(
      !readsAccelerations(), "controller", "one that reads true accelerations",
      "on an estimate (estimate:= or the vehicle's file) one that does not (feedback: "
      "{accelerations: false}): onboard, onboard_slow, geometric");
}

std::unique_ptr<Controller> makeController(const ControllerConfig& config,
                                           const VehicleModel& vehicle) {
  if (vehicle.wheels) return std::make_unique<WheelController>(*vehicle.wheels);
  if (config.type == ControllerType::kGeometric) {
    return std::make_unique<GeometricController>(config, vehicle);
  }
  return std::make_unique<CascadedPid>(config, vehicle);
}

}  // namespace marsim::control
