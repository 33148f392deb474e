// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "map/files/point_records.hpp"

namespace marsim::map {

struct PlyElement {
  std::string name;
  std::uint64_t count = 0;
  std::vector<Field> properties;

  bool hasList() const {
    return std::any_of(properties.begin(), properties.end(),
                       [](const Field& property) { return property.length.has_value(); });
  }
};

struct PlyHeader {
  bool ascii = false;
  bool big_endian = false;
  std::vector<PlyElement> elements;
  std::vector<std::string> comments;
  std::uint64_t data_begin = 0;  ///< [bytes]
  std::size_t data_line = 0;     ///< number of the first line of data
};

/// Reads the header of an opened PLY file. Throws FileError.
PlyHeader readPlyHeader(InputFile& file);

}  // namespace marsim::map
