// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "marsim/geometry/pose.hpp"
#include "marsim/lidar/camera.hpp"
#include "marsim/lidar/lidar.hpp"
#include "marsim/scene/obstacles.hpp"
#include "marsim/vehicle/imu.hpp"

/// The sensors' true calibration, in files of calibration tools and SLAM nodes.
namespace marsim::tools {

/// The sensors that one UAV carries.
struct CarriedSensors {
  std::string uav = "uav0";  ///< namespace of its topics
  vehicle::ImuConfig imu;    ///< X_BI: in the body
  std::string imu_topic = "imu/data_raw";
  Pose X_BL;  ///< LiDAR in the body
  std::string lidar_name;
  ClockErrors lidar_clock;
  std::optional<lidar::DepthCameraConfig> depth;
  std::optional<lidar::CameraRigConfig> cameras;
};

/// imu.yaml for Kalibr: noise densities and random walks in SI, by Kalibr's definitions.
std::string kalibrImu(const CarriedSensors& sensors);
/// Lines with the standard deviations of one sample's noise and of one step of the bias, at the
/// IMU's rate.
std::string imuSigmas(const vehicle::ImuConfig& imu);
/// camchain.yaml in Kalibr's form, of the cameras and then of the depth camera; OpenCV's
/// FileStorage reads it too. Throws Error if there is none, and for a k3, which Kalibr's radtan
/// does not have.
std::string kalibrCameras(const CarriedSensors& sensors);
/// Whether no camera has a k3.
bool kalibrHolds(const lidar::CameraRigConfig& rig);
/// FAST-LIO2's keys under `mapping`: the LiDAR in the IMU, rotation row by row.
std::string fastLioExtrinsics(const CarriedSensors& sensors);
/// Poses of all sensors in the body as 4 x 4 matrices, and of the LiDAR in the IMU; the errors of
/// their clocks where there are some.
std::string extrinsicsTable(const CarriedSensors& sensors, bool has_lidar);

/// Names and texts of files.
using CalibrationFiles = std::vector<std::pair<std::string, std::string>>;

/// imu.yaml, fast_lio.yaml, extrinsics.yaml and, with cameras, camchain.yaml.
CalibrationFiles calibrationFiles(const CarriedSensors& sensors);

/// Returns files about the calibration targets of a world: target.yaml in Kalibr's form
/// (target_NAME.yaml if there are several targets), and corners.csv with the corners in the world
/// of the targets at rest. No files without a target.
CalibrationFiles targetFiles(const scene::ObstaclesConfig& obstacles);

/// Writes files into a folder for results of `marsim calibration` and returns their paths. Throws
/// FileError, also if the folder holds other files.
std::vector<std::filesystem::path> writeCalibration(const CalibrationFiles& files,
                                                    const std::filesystem::path& folder);

}  // namespace marsim::tools
