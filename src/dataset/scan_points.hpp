// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "dataset/axes.hpp"
#include "marsim/lidar/scan.hpp"

namespace marsim::dataset {

/// Labels of returns as in SemanticKITTI: the class in the lower 16 bits, the instance in the upper
/// ones. Things of the map have their own numbers, moving objects the next ones in the order of
/// their first return; other surfaces have none. Moving objects have the classes from 252 on, if
/// there is one for them.
class Labels {
 public:
  /// `things`: largest number of the map's things.
  explicit Labels(std::uint16_t things) : things_(things) {}
  std::uint32_t of(const lidar::ScanPoint& point);
  /// The instance of an identity; 0: none.
  std::uint16_t instanceOf(std::uint32_t identity);
  std::vector<std::uint16_t> instancesOf(const std::vector<std::uint32_t>& identities);

 private:
  std::uint32_t things_;
  std::map<std::uint32_t, std::uint32_t> instances_;  // of moving objects, by identity
};

/// A field of a point; types are numbered as in sensor_msgs/PointField.
struct PointField {
  const char* name;
  std::uint32_t offset;  ///< in bytes
  std::uint8_t datatype;
};
constexpr std::uint8_t kUint16 = 4, kUint32 = 6, kFloat32 = 7;
constexpr PointField kPointFields[] = {{"x", 0, kFloat32},     {"y", 4, kFloat32},
                                       {"z", 8, kFloat32},     {"intensity", 12, kFloat32},
                                       {"time", 16, kFloat32}, {"ring", 20, kUint16},
                                       {"label", 22, kUint32}};
constexpr std::uint32_t kPointSize = 26;

/// The points of a scan with these fields: x y z [m] in the sensor's frame at each point's time,
/// intensity (0 to 255), time [s] since the scan's stamp, ring, label.
std::string pointBytes(const lidar::Scan& scan, Axes axes, Labels& labels);
/// The points of a scan as a binary PCD file.
std::string pcdBytes(const lidar::Scan& scan, Axes axes, Labels& labels);

}  // namespace marsim::dataset
