// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "dataset/image_stream.hpp"
#include "tools/sensors/calibration_files.hpp"

/// Numbers and sensors as calibration files and clients' settings have them.
namespace marsim::tools {

/// A floating-point number to twelve digits, without rounding errors; no "-0.0".
std::string number(double value);
/// Removes rounding errors from a rotation's entries that should be 0 or 1.
double cleaned(double value);
Eigen::Vector3d cleaned(const Eigen::Vector3d& v);
/// "1.0, 2.0, 3.0".
std::string numbers(const Eigen::Vector3d& v);
/// "[1.0, 0.0, 0.0,", "0.0, 1.0, 0.0,", "0.0, 0.0, 1.0]": lines of a rotation matrix, indented from
/// the second on.
std::string rotationRows(const Pose& X, std::size_t indent);
/// "fx, fy, cx, cy" and "k1, k2, p1, p2".
std::string intrinsics(const lidar::CameraModel& model);
std::string distortion(const lidar::CameraModel& model);
/// Kalibr's name of the distortion model.
const char* kalibrModel(const lidar::CameraModel& model);

/// The LiDAR in the IMU.
Pose lidarInImu(const CarriedSensors& sensors);
/// Cameras, the depth camera last; depth in an image's pixels belongs to the image's camera.
std::vector<dataset::ImageStream> kalibrOrder(const CarriedSensors& sensors);
/// The clock of a camera's stamps.
const ClockErrors& clockOf(const CarriedSensors& sensors, const dataset::ImageStream& stream);

}  // namespace marsim::tools
