// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstring>
#include <string>

#include <fmt/format.h>

#include "layouts/cloud_fields.hpp"

/// Points of clouds as bytes, and what example_scan.hpp's are as such.
namespace marsim::layouts {

/// The bytes of one point as hexadecimal.
inline std::string bytesOf(const Cloud& cloud, std::size_t point) {
  std::string text;
  for (std::size_t i = 0; i < cloud.point_step; ++i) {
    text += fmt::format("{:02x}", cloud.data.at(point * cloud.point_step + i));
  }
  return text;
}

inline std::string joined(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  return text;
}

template <class Value>
Value valueAt(const Cloud& cloud, std::size_t point, std::size_t offset) {
  Value value;
  std::memcpy(&value, &cloud.data.at(point * cloud.point_step + offset), sizeof(Value));
  return value;
}

// -1.5, 0, 0.25 and 255 as little-endian float32; 1/32 s as float32 and as nanoseconds.
inline const std::string kXyz = "0000c0bf 00000000 0000803e ";
inline const std::string kOne = "0000803f ";
inline const std::string kIntensity = "00007f43 ";
inline const std::string kTime = "0000003d ";
inline const std::string kTimeNs = "50d6dc01 ";
inline const std::string kNan = "0000c07f ";

}  // namespace marsim::layouts
