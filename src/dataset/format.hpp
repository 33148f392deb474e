// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "dataset/writer.hpp"

namespace marsim::dataset {

/// The layouts of a data set on disk.
enum class Format {
  kTum,     ///< "tum": ground truth and accelerometer of TUM RGB-D
  kAsl,     ///< "asl" or "euroc": EuRoC's mav0
  kKitti,   ///< "kitti": KITTI odometry with SemanticKITTI's labels
  kPcd,     ///< "pcd": a PCD file a scan
  kRosbag,  ///< "rosbag": a bag of ROS 1
  kMcap     ///< "mcap": a bag of ROS 2
};
/// Name of a format, also of its folder in the data set's.
const char* nameOf(Format format);

/// The formats of a list such as "tum,kitti", in the order of the enumeration. Throws ConfigError,
/// UnknownNameError; errors name `where` and `field`.
std::vector<Format> formatsOf(const std::string& words, const std::string& where,
                              const std::string& field);

/// Where formats and axes are set, for errors.
struct Asked {
  std::string where, formats, frame;
};

/// Throws ConfigError if none of the formats holds some sensor, a format would hold nothing, or
/// none can be written in these axes.
void requireCarried(const std::vector<Format>& formats, const Sensors& sensors, Axes axes,
                    const Asked& asked);

std::unique_ptr<Writer> makeWriter(Format format, const Destination& to);

/// Whether one of the formats can be written in any axes.
bool takesAxes(const std::vector<Format>& formats);

/// "enu" or "ned". Throws ConfigError.
Axes axesOf(const std::string& word, const std::string& where, const std::string& field);
const char* nameOf(Axes axes);

}  // namespace marsim::dataset
