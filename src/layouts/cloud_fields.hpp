// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "marsim/common/time.hpp"
#include "marsim/lidar/output.hpp"

namespace marsim::layouts {

/// Types of fields, by the numbers of sensor_msgs/PointField.
enum FieldType : std::uint8_t { kU8 = 2, kU16 = 4, kU32 = 6, kF32 = 7, kF64 = 8 };

/// A field of a point: sensor_msgs/PointField without its count, which is always 1.
struct CloudField {
  const char* name;
  FieldType datatype;
  std::uint32_t offset;
};

/// The bytes of a point.
struct CloudFields {
  std::uint32_t point_step;
  std::vector<CloudField> fields;
  bool is_dense;  ///< the driver's value, whether or not there are NaNs
};

/// x y z float32 at 0 4 8, and further fields.
CloudFields xyzAnd(std::uint32_t point_step, const std::vector<CloudField>& more,
                   bool is_dense = true);
/// The fields of a layout's driver. CustomMsg layouts have none (Error).
const CloudFields& fieldsOf(lidar::CloudLayout layout);

/// The contents of a sensor_msgs/PointCloud2; little endian.
struct Cloud {
  TimeNs stamp = 0;
  std::string frame_id;
  std::uint32_t height = 0, width = 0;
  std::uint32_t point_step = 0, row_step = 0;  ///< [bytes]
  std::vector<CloudField> fields;
  bool is_dense = true;
  std::vector<std::uint8_t> data;
};

/// A cloud of zeros, complete except its stamp.
Cloud makeCloud(const CloudFields& fields, std::size_t width, std::size_t height,
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

}  // namespace marsim::layouts
