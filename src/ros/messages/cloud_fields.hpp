#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <sensor_msgs/PointCloud2.h>
#include <Eigen/Core>

#include "marsim/lidar/output.hpp"

namespace marsim::ros_nodes {

/// A field of a point: sensor_msgs/PointField without its count, which is always 1.
struct CloudField {
  const char* name;
  std::uint8_t datatype;
  std::uint32_t offset;
};

/// The bytes of a point.
struct CloudFields {
  std::uint32_t point_step;
  std::vector<CloudField> fields;
  bool is_dense;  ///< as the driver says, whether or not there are NaNs
};

/// x y z float32 at 0 4 8, and more.
CloudFields xyzAnd(std::uint32_t point_step, const std::vector<CloudField>& more,
                   bool is_dense = true);
/// The fields of a layout's driver. CustomMsg layouts have none (Error).
const CloudFields& fieldsOf(lidar::CloudLayout layout);

/// A message of zeros with all but its stamp.
sensor_msgs::PointCloud2 makeCloud(const CloudFields& fields, std::size_t width, std::size_t height,
                                   const std::string& frame);

/// Writes a value at an offset that need not be aligned.
template <class Value>
void put(std::uint8_t* point, std::size_t offset, Value value) {
  std::memcpy(point + offset, &value, sizeof(Value));
}

inline void putPosition(std::uint8_t* point, const Eigen::Vector3f& p) {
  put(point, 0, p.x());
  put(point, 4, p.y());
  put(point, 8, p.z());
}

}  // namespace marsim::ros_nodes
