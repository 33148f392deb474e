// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "marsim/lidar/lidar.hpp"
#include "tools/sensors/calibration_files.hpp"

/// Complete settings of SLAM programs for the sensors of a UAV, as slam.launch publishes them.
/// Topics, layouts, units and extrinsics follow from the sensors' files; all other values are the
/// program's own and stand in the template config/clients/CLIENT.yaml, whose @NAME@ are filled in.
namespace marsim::tools {

/// The parameters of a client, a name of config/clients, in YAML. Throws UnknownNameError, and
/// Error if the client cannot read the LiDAR's layout or there is no camera for it.
std::string clientSettings(const std::string& client, const CarriedSensors& sensors,
                           const lidar::LidarConfig& lidar);

}  // namespace marsim::tools
