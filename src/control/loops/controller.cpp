#include "marsim/control/controller.hpp"

#include <fmt/format.h>

#include "marsim/common/error.hpp"
#include "marsim/control/cascaded_pid.hpp"
#include "marsim/control/geometric.hpp"

namespace marsim::control {
namespace {

// Inner loops this much faster than the outer ones leave the specified response its shape: their
// delay is then below a tenth of the settling time.
constexpr double kAttitudeToPosition = 4.0;

void validateLoop(const Validator& check, const std::string& name, const LoopSpec& spec) {
  check.positive(name + ".natural_frequency", spec.natural_frequency, "rad/s");
  check.within(name + ".damping", spec.damping, 0.3, 3.0);
}

}  // namespace

void ControllerConfig::validate(const std::string& where) const {
  const Validator check(where);
  validateLoop(check, "position", position);
  validateLoop(check, "attitude", attitude);
  validateLoop(check, "yaw", yaw);
  const bool reads_accelerations = type == ControllerType::kCascadedPid && feedback.accelerations;
  check.require(feedback.motor_model || !reads_accelerations, "feedback.motor_model", "false",
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
  check.within("position_integral", position_integral, 0.0, position.natural_frequency, "1/s");
  check.within("attitude_integral", attitude_integral, 0.0, attitude.natural_frequency, "1/s");
  check.notNegative("integral_limit", integral_limit, "m/s^2");
  check.within("tilt_max", tilt_max, 0.01, 1.4, "rad");
  check.positive("speed_max", speed_max, "m/s");
  check.positive("acceleration_max", acceleration_max, "m/s^2");
  check.positive("yaw_rate_max", yaw_rate_max, "rad/s");
  check.within("thrust_min_ratio", thrust_min_ratio, 0.01, 0.9);
  check.within("thrust_max_ratio", thrust_max_ratio, 0.1, 1.0);
  goal.validate(where);
  estimator.validate(where);
  check.positive("warn.reference_distance", warn.reference_distance, "m");
  check.positive("warn.tracking_error", warn.tracking_error, "m");
  check.require(goal.speed <= speed_max, "goal.speed", fmt::format("{}", goal.speed),
                fmt::format("up to speed_max ({} m/s)", speed_max));
  check.require(goal.acceleration <= acceleration_max, "goal.acceleration",
                fmt::format("{}", goal.acceleration),
                fmt::format("up to acceleration_max ({} m/s^2)", acceleration_max));
}

std::unique_ptr<Controller> makeController(const ControllerConfig& config,
                                           const VehicleModel& vehicle) {
  if (config.type == ControllerType::kGeometric) {
    return std::make_unique<GeometricController>(config, vehicle);
  }
  return std::make_unique<CascadedPid>(config, vehicle);
}

}  // namespace marsim::control
