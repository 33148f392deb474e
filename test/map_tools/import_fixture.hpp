// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "map/test_files.hpp"
#include "map_tools/import.hpp"

namespace marsim::map_tools {

using map::bytesOf;
using map::TestFolder;

struct LasPoint {
  std::int32_t x, y, z;
  std::uint16_t intensity;
  std::uint8_t flags = 0;  // byte 15 of the record
};

/// LAS by hand (ASPRS, LAS Specification 1.4 - R15, tables 3 and 8 to 18).
inline std::string las(int minor, int format, const std::vector<LasPoint>& points,
                       std::size_t extra = 0) {
  constexpr std::array<std::size_t, 11> kSizes{20, 28, 26, 34, 57, 63, 30, 36, 38, 59, 67};
  const std::size_t header = minor >= 5 ? 393 : minor == 4 ? 375 : minor == 3 ? 235 : 227;
  const std::size_t record = kSizes.at(static_cast<std::size_t>(format % 64) % 11) + extra;
  std::string bytes(header + 10, '\0');  // a gap before the points
  const auto put = [&](std::size_t at, const std::string& value) {
    bytes.replace(at, value.size(), value);
  };
  put(0, "LASF");
  bytes[24] = 1;
  bytes[25] = static_cast<char>(minor);
  put(94, bytesOf(static_cast<std::uint16_t>(header)));
  put(96, bytesOf(static_cast<std::uint32_t>(header + 10)));
  bytes[104] = static_cast<char>(format);
  put(105, bytesOf(static_cast<std::uint16_t>(record)));
  put(107, bytesOf(static_cast<std::uint32_t>(format < 6 ? points.size() : 0)));
  for (std::size_t axis = 0; axis < 3; ++axis) {
    put(131 + 8 * axis, bytesOf(0.001));
    put(155 + 8 * axis, bytesOf(100.0 * static_cast<double>(axis + 1)));
  }
  if (minor >= 4) put(247, bytesOf(static_cast<std::uint64_t>(points.size())));
  for (const LasPoint& point : points) {
    std::string row(record, '\x55');
    row.replace(0, 14,
                bytesOf(point.x) + bytesOf(point.y) + bytesOf(point.z) + bytesOf(point.intensity));
    row[15] = static_cast<char>(point.flags);
    bytes += row;
  }
  return bytes;
}

inline const std::vector<LasPoint> kPoints{{1000, 2000, 3000, 7}, {-5000, 0, 10, 65535}};

/// Imports files without progress.
inline Imported imported(const std::vector<std::filesystem::path>& paths,
                         const ImportConfig& config = {}) {
  return importFiles(paths, config);
}

/// The error with which an import ends.
inline std::string importError(const std::filesystem::path& path, const ImportConfig& config = {}) {
  try {
    imported({path}, config);
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    return text;
  }
  return "no error";
}

/// Imports files that it writes.
class Import : public testing::Test {
 protected:
  void expectError(const std::string& name, const std::string& bytes, const std::string& part) {
    const std::string error = importError(folder_.write(name, bytes));
    EXPECT_NE(error.find(part), std::string::npos) << error;
    EXPECT_NE(error.find(name), std::string::npos) << error;
  }
  TestFolder folder_;
};

}  // namespace marsim::map_tools
