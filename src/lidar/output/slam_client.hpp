#pragma once

#include <string>
#include <vector>

#include "marsim/lidar/output.hpp"

namespace marsim::lidar {

/// Whose driver a sensor's data look like, told by the layouts in the sensor's file.
enum class DriverFamily {
  kLivox,     ///< any layout of a Livox driver
  kOuster,    ///< ouster_ros
  kVelodyne,  ///< none of them: read as a Velodyne's cloud
};
DriverFamily driverFamily(const std::vector<OutputConfig>& configured);

/// LiDAR odometry and SLAM programs whose inputs are known (docs/slam.md).
const std::vector<std::string>& slamClients();

/// The outputs of a LiDAR: `words` (layouts, comma-separated, as chooseOutputs() reads them), or
/// where they are empty or "auto" what `client` reads of this sensor: "fast_lio" the layout of the
/// sensor's own driver, "lio_sam" `velodyne`, "kiss_icp" `xyzit`, and "none" (or empty) what is
/// configured. For FAST-LIO2 a cloud whose topic is not configured has the name of its driver's:
/// `velodyne_points`, `os_cloud_node/points`. Throws ConfigError, UnknownNameError.
std::vector<OutputConfig> outputsFor(const std::string& client,
                                     const std::vector<OutputConfig>& configured,
                                     const std::string& words, const std::string& where);

}  // namespace marsim::lidar
