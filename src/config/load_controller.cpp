#include "config/names.hpp"
#include "config/yaml_reader.hpp"
#include "marsim/config/load.hpp"

namespace marsim::config {
namespace {

void readLoop(YamlReader& reader, const std::string& key, control::LoopSpec& loop) {
  reader.readMap(key, [&](YamlReader& map) {
    map.read("natural_frequency", loop.natural_frequency, Quantity::kAngularSpeed);
    map.read("damping", loop.damping);
  });
}

void readEstimator(YamlReader& reader, control::EstimatorConfig& estimator) {
  reader.readMap("estimator", [&](YamlReader& map) {
    map.read("position_noise", estimator.position_noise, Quantity::kLength);
    map.read("attitude_noise", estimator.attitude_noise, Quantity::kAngle);
    map.read("acceleration_noise", estimator.acceleration_noise);
    map.read("acceleration_drift", estimator.acceleration_drift);
    map.read("rate_noise", estimator.rate_noise);
    map.read("rate_drift", estimator.rate_drift);
    map.read("largest_jump", estimator.largest_jump, Quantity::kLength);
    map.read("largest_turn", estimator.largest_turn, Quantity::kAngle);
    map.read("timeout", estimator.timeout, Quantity::kTime);
    map.read("land_after", estimator.land_after, Quantity::kTime);
  });
}

void readType(YamlReader& reader, control::ControllerType& type) {
  reader.readWord<control::ControllerType>("type", type,
                                           {{"cascaded_pid", control::ControllerType::kCascadedPid},
                                            {"geometric", control::ControllerType::kGeometric}});
}

// Keys that a type of controller does not read are unknown in its file.
void readCascade(YamlReader& reader, control::ControllerConfig& config) {
  reader.readMap("feedback", [&](YamlReader& feedback) {
    feedback.read("accelerations", config.feedback.accelerations);
    feedback.read("motor_model", config.feedback.motor_model);
  });
  reader.read("attitude_integral", config.attitude_integral);
  reader.read("yaw_rate_max", config.yaw_rate_max, Quantity::kAngularSpeed);
}

void readGeometric(YamlReader& reader, control::ControllerConfig& config) {
  reader.readMap("feedback", [&](YamlReader& feedback) {
    feedback.read("motor_model", config.feedback.motor_model);
  });
}

}  // namespace

control::ControllerConfig loadController(const std::string& name_or_path) {
  const std::filesystem::path path = resolve("control", name_or_path);
  control::ControllerConfig config;
  YamlReader::readFile(path, [&](YamlReader& reader) {
    readType(reader, config.type);
    const bool is_geometric = config.type == control::ControllerType::kGeometric;
    (is_geometric ? readGeometric : readCascade)(reader, config);
    reader.read("drag_model", config.drag_model);
    readLoop(reader, "position", config.position);
    readLoop(reader, "attitude", config.attitude);
    readLoop(reader, "yaw", config.yaw);
    reader.read("position_integral", config.position_integral);
    reader.read("integral_limit", config.integral_limit);
    reader.read("tilt_max", config.tilt_max, Quantity::kAngle);
    reader.read("speed_max", config.speed_max, Quantity::kSpeed);
    reader.read("acceleration_max", config.acceleration_max);
    reader.read("thrust_min_ratio", config.thrust_min_ratio);
    reader.read("thrust_max_ratio", config.thrust_max_ratio);
    reader.readMap("goal", [&](YamlReader& goal) {
      goal.read("speed", config.goal.speed, Quantity::kSpeed);
      goal.read("acceleration", config.goal.acceleration);
      goal.read("yaw_rate", config.goal.yaw_rate, Quantity::kAngularSpeed);
    });
    readEstimator(reader, config.estimator);
    reader.readMap("warn", [&](YamlReader& warn) {
      warn.read("reference_distance", config.warn.reference_distance, Quantity::kLength);
      warn.read("tracking_error", config.warn.tracking_error, Quantity::kLength);
    });
  });
  config.validate(path.string());
  return config;
}

}  // namespace marsim::config
