// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "marsim/lidar/output.hpp"

namespace marsim::lidar {

/// The driver that a sensor's data look like, by the layouts in its file.
enum class DriverFamily {
  kLivox,     ///< any layout of a Livox driver
  kOuster,    ///< ouster_ros
  kVelodyne,  ///< any other: read as a Velodyne's cloud
};
DriverFamily driverFamily(const std::vector<OutputConfig>& configured);

/// LiDAR odometry and SLAM programs with known inputs (docs/slam_clients.md).
const std::vector<std::string>& slamClients();

/// The outputs of a LiDAR: `words` (layouts, comma-separated, as chooseOutputs() reads them) or, if
/// these are empty or "auto", the input of `client` for this sensor: "fast_lio" and "point_lio"
/// the layout of the sensor's own driver, "dlio" the same, of a Livox `livox2`, "lio_sam"
/// `velodyne`, "kiss_icp" `xyzit`; "openvins" and "none" (or empty) keep the configured ones. For
/// FAST-LIO2 and Point-LIO a cloud without a configured topic has its driver's: `velodyne_points`,
/// `os_cloud_node/points`. Throws ConfigError, UnknownNameError.
std::vector<OutputConfig> outputsFor(const std::string& client,
                                     const std::vector<OutputConfig>& configured,
                                     const std::string& words, const std::string& where);

}  // namespace marsim::lidar
