#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "dataset/axes.hpp"
#include "marsim/lidar/scan.hpp"

namespace marsim::dataset {

/// Labels of returns as SemanticKITTI has them: the class in the lower 16 bits, the instance in the
/// upper ones. Instances are numbered from 1 on in the order in which they are first seen; what
/// does not move has none. Classes of what moves are those from 252 on where there is one.
class Labels {
 public:
  std::uint32_t of(const lidar::ScanPoint& point);
  /// The instance of an identity; 0: it does not move.
  std::uint16_t instanceOf(std::uint32_t identity);

 private:
  std::map<std::uint32_t, std::uint32_t> instances_;  // by identity
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

/// The points of a scan by these fields: x y z [m] in the sensor as it was at each point's time,
/// intensity (0 to 255), time [s] since the scan's stamp, ring, label.
std::string pointBytes(const lidar::Scan& scan, Axes axes, Labels& labels);
/// The same as a binary PCD file.
std::string pcdBytes(const lidar::Scan& scan, Axes axes, Labels& labels);

}  // namespace marsim::dataset
