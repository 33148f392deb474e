// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/config/load.hpp"

#include "config/yaml_reader.hpp"

namespace marsim::config {

control::ControllerConfig loadController(const std::string& name_or_path) {
  return load<control::ControllerConfig>("control", name_or_path);
}

lidar::DepthCameraConfig loadDepthCamera(const std::string& name_or_path) {
  auto config = load<lidar::DepthCameraConfig>("depth", name_or_path);
  config.X_BC.q = config.X_BC.q * lidar::opticalRotation();
  return config;
}

sim::SwarmConfig loadSwarm(const std::string& name_or_path) {
  return load<sim::SwarmConfig>("swarm", name_or_path);
}

lidar::Weather loadWeather(const std::string& name_or_path) {
  return name_or_path == "none" ? lidar::Weather{} : load<lidar::Weather>("weather", name_or_path);
}

}  // namespace marsim::config
