#pragma once

#include <cstdint>
#include <istream>
#include <string>

namespace marsim::map_tools {

/// Units of a LAS file's coordinates, as its records of the coordinate system say.
struct LasProjection {
  bool is_geographic = false;  ///< degrees of longitude and latitude
  double unit = 1.0;           ///< [m] of x and y
  double height_unit = 1.0;    ///< [m] of z
  bool is_known = true;        ///< false: the file names a unit that is not known
  bool is_height_known = true;
};

/// Where the records lie in a file.
struct LasRecords {
  std::uint64_t begin = 0;           ///< [bytes]
  std::uint32_t count = 0;           ///< of records there
  std::uint64_t extended_begin = 0;  ///< [bytes] of those of LAS 1.4, usually behind the points
  std::uint32_t extended_count = 0;
};

/// Reads the GeoTIFF keys or the WKT of a file; metres where it has neither, or names no unit.
LasProjection readProjection(std::istream& stream, const LasRecords& records);

/// "metre", "foot (0.3048 m)", ...
std::string unitName(double unit);

}  // namespace marsim::map_tools
