#pragma once

#include <string>
#include <vector>

#include "dataset/writer.hpp"

namespace marsim::dataset {

/// The layouts of a data set on disk.
enum class Format {
  kTum,     ///< "tum": TUM RGB-D's truth and accelerometer
  kAsl,     ///< "asl": EuRoC's mav0
  kKitti,   ///< "kitti": KITTI odometry with SemanticKITTI's labels
  kPcd,     ///< "pcd": a PCD file a scan
  kRosbag,  ///< "rosbag": a bag of ROS 1
  kMcap     ///< "mcap": a bag of ROS 2
};
/// The word, which is also the name of its folder in the data set's.
const char* nameOf(Format format);

/// The formats of "tum,kitti", in the order of the enumeration. Throws ConfigError,
/// UnknownNameError; `where` and `field` are for errors.
std::vector<Format> formatsOf(const std::string& words, const std::string& where,
                              const std::string& field);

/// Who asks for formats and axes, and in which fields, for errors.
struct Asked {
  std::string where, formats, frame;
};

/// Throws ConfigError where a sensor would be in none of the files, a format would have nothing to
/// hold, or none is written in the axes that are asked for.
void requireCarried(const std::vector<Format>& formats, const Sensors& sensors, Axes axes,
                    const Asked& asked);

std::unique_ptr<Writer> makeWriter(Format format, const Destination& to);

/// "enu" or "ned". Throws ConfigError.
Axes axesOf(const std::string& word, const std::string& where, const std::string& field);
const char* nameOf(Axes axes);

}  // namespace marsim::dataset
