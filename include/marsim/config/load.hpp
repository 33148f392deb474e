// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "marsim/control/controller.hpp"
#include "marsim/lidar/camera.hpp"
#include "marsim/lidar/depth_camera.hpp"
#include "marsim/lidar/lidar.hpp"
#include "marsim/scene/obstacles.hpp"
#include "marsim/scene/places.hpp"
#include "marsim/scene/planting.hpp"
#include "marsim/sim/swarm.hpp"
#include "marsim/vehicle/vehicle_config.hpp"

/// YAML files into validated structs. Every loader takes a path or the name of a file that comes
/// with the package ("avia" for config/lidar/avia.yaml). They throw FileError (missing, not YAML),
/// UnknownNameError (lists the known names) and ConfigError (unknown key with the nearest known
/// one, value of the wrong type or out of bounds), always naming the file and the field's full
/// path.
namespace marsim::config {

/// The names that come with the package for a kind ("lidar", "depth", "camera", "vehicle", "imu",
/// "control", "obstacles", "species", "surfaces", "swarm", "vegetation", "weather"), sorted.
std::vector<std::string> knownNames(const std::string& kind);

lidar::LidarConfig loadLidar(const std::string& name_or_path);

lidar::DepthCameraConfig loadDepthCamera(const std::string& name_or_path);
/// The cameras of a file of config/camera.
lidar::CameraRigConfig loadCameras(const std::string& name_or_path);

vehicle::ImuConfig loadImu(const std::string& name_or_path);

/// The IMU that a LiDAR's file (`imu:`) says is built into it, at its place in the body. Throws
/// ConfigError where it has none.
vehicle::ImuConfig loadLidarImu(const std::string& name_or_path);

vehicle::VehicleConfig loadVehicle(const std::string& name_or_path);

/// Where the UAVs of a swarm start, a file of config/swarm.
sim::SwarmConfig loadSwarm(const std::string& name_or_path);
/// Obstacles that move. UAVs among them are vehicles by name or file.
scene::ObstaclesConfig loadObstacles(const std::string& name_or_path);
/// Reads obstacles from the text of a file; `name` stands for the file in errors.
scene::ObstaclesConfig readObstacles(const std::string& text, const std::string& name);

/// Vegetation: a file of config/vegetation, with species of config/species; "none": no plants.
/// Appends the texts of these files to `text`.
scene::VegetationConfig loadVegetation(const std::string& name_or_path,
                                       std::string* text = nullptr);

/// Mirrors, panes and retro-reflectors: a file of config/surfaces.
lidar::SurfacesConfig loadSurfaces(const std::string& name_or_path);
/// Rain, fog, snow and dust: a file of config/weather; "none" is clear air.
lidar::Weather loadWeather(const std::string& name_or_path);

/// The text of a file of a kind, of vegetation with its species' files; "none" for "none".
std::string settingsText(const std::string& kind, const std::string& name_or_path);

control::ControllerConfig loadController(const std::string& name_or_path);

/// The file of a map: the path itself of a .pcd or .ply file, or for the name of a bundled place
/// ("forest", "large_office") or the path of a place's YAML file its generated cloud, made on first
/// use in the cache folder (in the temporary one where that cannot be written).
std::filesystem::path resolveMap(const std::string& name_or_path);

}  // namespace marsim::config
