#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "map/files/point_records.hpp"

namespace marsim::map {

/// A value or, where it has the type of its length, a list of values.
struct PlyProperty : Field {
  std::optional<NumberType> length;
};

struct PlyElement {
  std::string name;
  std::uint64_t count = 0;
  std::vector<PlyProperty> properties;

  bool hasList() const {
    return std::any_of(properties.begin(), properties.end(),
                       [](const PlyProperty& property) { return property.length.has_value(); });
  }
  /// The properties of an element without lists.
  std::vector<Field> fields() const { return {properties.begin(), properties.end()}; }
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
