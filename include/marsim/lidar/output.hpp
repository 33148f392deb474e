// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "marsim/common/settings.hpp"

namespace marsim::lidar {

/// Layouts of cloud messages, byte for byte those of the drivers named.
enum class CloudLayout {
  kXyzi,          ///< "xyzi": pcl::PointXYZI as PCL serialises it, 32 bytes
  kXyzit,         ///< "xyzit": x y z intensity time f32, packed, 20 bytes
  kLabelled,      ///< "labelled": the same, what was hit and which return, 28 bytes
  kOrganised,     ///< "organised": a row a ring, a column a firing; misses by REP-117
  kVelodyne,      ///< "velodyne": velodyne_pointcloud, 22 bytes
  kOuster,        ///< "ouster": ouster_ros, organised, 48 bytes
  kLivox,         ///< "livox": livox_ros_driver's PointCloud2, 18 bytes
  kLivox2,        ///< "livox2": livox_ros_driver2's PointCloud2, 26 bytes
  kLivoxCustom,   ///< "livox_custom": livox_ros_driver/CustomMsg
  kLivoxCustom2,  ///< "livox_custom2": livox_ros_driver2/CustomMsg
  kHesai,         ///< "hesai": hesai_ros_driver, 26 bytes
  kRslidar,       ///< "rslidar": rslidar_sdk XYZIRT, 26 bytes
  kLaserScan,     ///< "laser_scan": sensor_msgs/LaserScan, of sensors of one ring
};

/// Words of YAML files and pages, in the order of the enumeration.
const std::vector<std::pair<std::string, CloudLayout>>& cloudLayouts();
const char* nameOf(CloudLayout layout);
bool isOrganised(CloudLayout layout);
bool isLivoxCustom(CloudLayout layout);
/// Returns of a shot that a layout has room for.
int mostReturns(CloudLayout layout);

/// The encoding of a shot without a return in an unorganised cloud.
enum class MissEncoding {
  kDriver,  ///< "driver": as the layout's driver encodes it, if known; else dropped
  kDrop,    ///< "drop"
  kZero,    ///< "zero": a point at (0, 0, 0)
  kNan,     ///< "nan"
};

/// The meaning of a cloud's header.stamp.
enum class StampPolicy {
  kFirstFiring,  ///< "first_firing": the first shot's time
  kDriver,       ///< "driver": the habit of the layout's driver
};

/// One topic that a LiDAR publishes.
struct OutputConfig {
  CloudLayout layout = CloudLayout::kXyzit;
  std::string topic;  ///< empty: `points` for the first cloud, `livox/lidar` for CustomMsg, `scan`
                      ///< for LaserScan, `points_LAYOUT` for others
  std::string frame_id;  ///< empty: the sensor's frame
  StampPolicy stamp = StampPolicy::kFirstFiring;
  MissEncoding misses = MissEncoding::kDriver;
  double time_unit =
      1.0;  ///< [s] of the float32 time of velodyne, xyzit and labelled; 1e-6: microseconds
  void declare(Settings& settings);
};

/// The setting `output`: a word, or a list of maps that each name a layout.
void declareOutputs(Settings& settings, std::vector<OutputConfig>& outputs);

/// The topic of each output, the empty ones filled in.
std::vector<std::string> outputTopics(const std::vector<OutputConfig>& outputs);

/// Throws ConfigError: no output, a topic twice, misses dropped from an organised cloud, no unit.
void validateOutputs(const std::vector<OutputConfig>& outputs, const std::string& where);

/// Returns the outputs of a list such as "velodyne, livox_custom", in that order: a word among
/// `configured` keeps its settings, any other has the defaults. Errors name `where` and `field`:
/// ConfigError, UnknownNameError.
std::vector<OutputConfig> chooseOutputs(const std::vector<OutputConfig>& configured,
                                        const std::string& words, const std::string& where,
                                        const std::string& field);

}  // namespace marsim::lidar
