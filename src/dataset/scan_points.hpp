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

 private:
  std::map<std::uint32_t, std::uint32_t> instances_;  // by identity
};

/// A scan as a binary PCD file: x y z [m] in the sensor as it was at each point's time, intensity
/// (0 to 255), time [s] since the scan's stamp, ring, label.
std::string pcdBytes(const lidar::Scan& scan, Axes axes, Labels& labels);

}  // namespace marsim::dataset
