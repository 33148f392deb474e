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
/// "[1.0, 0.0, 0.0,", "0.0, 1.0, 0.0,", "0.0, 0.0, 1.0]": lines, indented from the second on.
std::string rotationRows(const Eigen::Matrix3d& R, const std::string& indent);

/// The LiDAR in the IMU.
Pose lidarInImu(const CarriedSensors& sensors);
/// Cameras, the depth camera last; depth in an image's pixels belongs to the image's camera.
std::vector<dataset::ImageStream> kalibrOrder(const CarriedSensors& sensors);
/// The clock of a camera's stamps.
const ClockErrors& clockOf(const CarriedSensors& sensors, const dataset::ImageStream& stream);

}  // namespace marsim::tools
