// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <istream>
#include <string>

namespace marsim::map_tools {

/// Units of a LAS file's coordinates, from its records of the coordinate system.
struct LasProjection {
  bool is_geographic = false;  ///< coordinates are degrees of longitude and latitude
  double unit = 1.0;           ///< [m] of x and y
  double height_unit = 1.0;    ///< [m] of z
  bool is_known = true;        ///< false: the file has an unknown unit
  bool is_height_known = true;
};

/// Places of the records in a file.
struct LasRecords {
  std::uint64_t begin = 0;           ///< [bytes]
  std::uint32_t count = 0;           ///< number of records there
  std::uint64_t extended_begin = 0;  ///< [bytes] extended ones, usually behind the points
  std::uint32_t extended_count = 0;
};

/// Reads the GeoTIFF keys or the WKT of a file; metres if it has neither, or names no unit.
LasProjection readProjection(std::istream& stream, const LasRecords& records);

/// "metre", "foot (0.3048 m)", ...
std::string unitName(double unit);

}  // namespace marsim::map_tools
