#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "marsim/geometry/pose.hpp"
#include "marsim/lidar/camera.hpp"
#include "marsim/lidar/lidar.hpp"
#include "marsim/vehicle/imu.hpp"

/// The sensors' true calibration, in the files that calibration tools write and SLAM nodes read.
namespace marsim::tools {

/// The sensors that one UAV carries.
struct CarriedSensors {
  std::string uav = "uav0";  ///< namespace of its topics
  vehicle::ImuConfig imu;    ///< X_BI: in the body
  std::string imu_topic = "imu/data_raw";
  Pose X_BL;  ///< LiDAR in the body
  std::string lidar_name;
  std::optional<lidar::DepthCameraConfig> depth;
  std::optional<lidar::CameraRigConfig> cameras;
};

/// imu.yaml as Kalibr reads it: noise densities and random walks in SI, as Kalibr defines them.
std::string kalibrImu(const CarriedSensors& sensors);
/// camchain.yaml as Kalibr writes it, of the cameras and then of the depth camera; OpenCV's
/// FileStorage reads it too. Throws Error where there is none, and for a k3, which Kalibr's radtan
/// does not have.
std::string kalibrCameras(const CarriedSensors& sensors);
/// Whether there is none with a k3.
bool kalibrHolds(const lidar::CameraRigConfig& rig);
/// FAST-LIO2's keys under `mapping`: the LiDAR in the IMU, rotation row by row.
std::string fastLioExtrinsics(const CarriedSensors& sensors);
/// All of FAST-LIO2's configuration for this LiDAR as slam.launch has it published: topics, layout,
/// lines, units and extrinsics follow from the sensor's file, the rest is the client's own. Throws
/// Error where its layout is none that the client reads.
std::string fastLioSettings(const CarriedSensors& sensors, const lidar::LidarConfig& lidar);
/// Poses of all sensors in the body as 4 x 4 matrices, and of the LiDAR in the IMU.
std::string extrinsicsTable(const CarriedSensors& sensors, bool has_lidar);

/// Names and texts of files.
using CalibrationFiles = std::vector<std::pair<std::string, std::string>>;

/// imu.yaml, fast_lio.yaml, extrinsics.yaml and, with cameras, camchain.yaml.
CalibrationFiles calibrationFiles(const CarriedSensors& sensors);

/// Writes files into a folder of results of `marsim calibration` and returns their paths. Throws
/// FileError, also where the folder holds other files.
std::vector<std::filesystem::path> writeCalibration(const CalibrationFiles& files,
                                                    const std::filesystem::path& folder);

}  // namespace marsim::tools
