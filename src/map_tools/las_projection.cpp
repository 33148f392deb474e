// SPDX-License-Identifier: BSD-3-Clause
#include "map_tools/las_projection.hpp"

#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "common/text.hpp"
#include "map/files/point_records.hpp"
#include "marsim/common/units.hpp"

/// LAS 1.4 R15, "Coordinate Reference System"; OGC GeoTIFF 1.1 (19-008r4); WKT 1 (OGC 01-009) and
/// WKT 2 (ISO 19162).
namespace marsim::map_tools {
namespace {

constexpr double kSurveyFoot = 1200.0 / 3937.0;          // [m]
constexpr std::size_t kLongest = std::size_t{1} << 20U;  // [bytes] of a record

template <class T>
T number(const std::string& bytes, std::size_t at) {
  T value{};
  if (at + sizeof(T) <= bytes.size()) std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

/// The records of a coordinate system by number.
using Records = std::map<std::uint16_t, std::string>;

void readRecords(std::istream& stream, std::uint64_t begin, std::uint32_t count, bool extended,
                 Records& records) {
  std::string head(extended ? 60 : 54, '\0');
  stream.clear();
  stream.seekg(static_cast<std::streamoff>(begin));
  for (std::uint32_t i = 0;
       i < count && stream.read(head.data(), static_cast<std::streamsize>(head.size())); ++i) {
    const std::uint64_t length =
        extended ? number<std::uint64_t>(head, 20) : number<std::uint16_t>(head, 20);
    const bool is_projection = std::strncmp(head.data() + 2, "LASF_Projection", 16) == 0;
    if (length >> 60U != 0) break;
    if (!is_projection || length > kLongest) {
      stream.seekg(static_cast<std::streamoff>(length), std::ios::cur);
      continue;
    }
    std::string& bytes = records[number<std::uint16_t>(head, 18)];
    bytes.resize(static_cast<std::size_t>(length));
    stream.read(bytes.data(), static_cast<std::streamsize>(length));
  }
  stream.clear();
}

/// [m] of a unit by its EPSG code; none for a rare unit or one that is no length.
std::optional<double> lengthOf(std::uint16_t code) {
  if (code == 9001) return 1.0;
  if (code == 9002) return kFoot;
  if (code == 9003) return kSurveyFoot;
  return std::nullopt;
}

LasProjection fromKeys(const std::string& directory, const std::string& text) {
  LasProjection projection;
  std::optional<double> unit, height_unit;
  std::optional<std::uint16_t> projected;  // EPSG code of the projected system
  for (std::size_t i = 0; i < number<std::uint16_t>(directory, 6) && 8 * (i + 1) < directory.size();
       ++i) {
    const auto key = number<std::uint16_t>(directory, 8 * (i + 1));
    const auto place = number<std::uint16_t>(directory, 8 * (i + 1) + 2);
    const auto value = number<std::uint16_t>(directory, 8 * (i + 1) + 6);
    if (place != 0) continue;  // not in the directory itself
    if (key == 1024) projection.is_geographic = value == 2;
    if (key == 3072) projected = value;
    if (key == 3076) projection.is_known = (unit = lengthOf(value)).has_value();
    if (key == 4099) projection.is_height_known = (height_unit = lengthOf(value)).has_value();
  }
  // The system's name may have the unit if only its EPSG code is given: "NAD83 / Ohio South
  // (ftUS)".
  if (!unit && projected) {
    if (text.find("ftUS") != std::string::npos) unit = kSurveyFoot;
    if (text.find("(ft)") != std::string::npos) unit = kFoot;
    const bool is_utm =
        text.find("UTM") != std::string::npos || (*projected > 32600 && *projected <= 32760);
    projection.is_known = unit.has_value() || is_utm;  // UTM is in metres
  }
  projection.unit = unit.value_or(1.0);
  projection.height_unit = height_unit.value_or(projection.unit);
  return projection;
}

/// [m] of the unit of the node that begins at `begin`: its own or its axes'.
std::optional<double> unitOfNode(std::string_view wkt, std::size_t begin) {
  std::array<std::string_view, 3> path;  // names of the enclosing nodes
  std::size_t depth = 0, word = begin;
  bool quoted = false;
  for (std::size_t i = begin; i < wkt.size(); ++i) {
    const char c = wkt[i];
    quoted = quoted != (c == '"');
    if (quoted) continue;
    if (c == '[' || c == '(') {
      const std::string_view name = trimmed(wkt.substr(word, i - word));
      const bool own = depth == 1 || (depth == 2 && path[1] == "AXIS");
      if (own && (name == "UNIT" || name == "LENGTHUNIT")) {
        const std::size_t comma = wkt.find("\",", i), end = wkt.find_first_of(",])", comma + 2);
        if (comma == std::string_view::npos || end == std::string_view::npos) return std::nullopt;
        return map::numberOf(trimmed(wkt.substr(comma + 2, end - comma - 2)));
      }
      if (depth < path.size()) path[depth] = name;
      ++depth;
    }
    if ((c == ']' || c == ')') && --depth == 0) return std::nullopt;
    if (c == '[' || c == '(' || c == ',') word = i + 1;
  }
  return std::nullopt;
}

LasProjection fromWkt(std::string_view wkt) {
  const auto find = [&](std::initializer_list<std::string_view> names) {
    std::size_t first = std::string_view::npos;
    for (const std::string_view name : names) first = std::min(first, wkt.find(name));
    return first;
  };
  LasProjection projection;
  const std::size_t projected =
      find({"PROJCS[", "PROJCRS[", "PROJECTEDCRS[", "LOCAL_CS[", "ENGCRS[", "ENGINEERINGCRS["});
  const std::size_t vertical = find({"VERT_CS[", "VERTCRS[", "VERTICALCRS["});
  if (projected == std::string_view::npos) {
    projection.is_geographic =
        find({"GEOGCS[", "GEOGCRS[", "GEOGRAPHICCRS["}) != std::string_view::npos;
    return projection;
  }
  const auto valid = [](std::optional<double> unit) {
    return unit && std::isfinite(*unit) && *unit > 0.0 ? unit : std::nullopt;
  };
  const std::optional<double> unit = valid(unitOfNode(wkt, projected));
  projection.is_known = unit.has_value();
  projection.unit = projection.height_unit = unit.value_or(1.0);
  if (vertical != std::string_view::npos) {
    const std::optional<double> height_unit = valid(unitOfNode(wkt, vertical));
    projection.is_height_known = height_unit.has_value();
    projection.height_unit = height_unit.value_or(projection.unit);
  }
  return projection;
}

}  // namespace

LasProjection readProjection(std::istream& stream, const LasRecords& places) {
  constexpr std::uint16_t kKeys = 34735, kKeyTexts = 34737, kWkt = 2112;
  Records records;
  readRecords(stream, places.begin, places.count, false, records);
  if (places.extended_begin > 0) {
    readRecords(stream, places.extended_begin, places.extended_count, true, records);
  }
  if (records.count(kWkt) > 0) return fromWkt(records[kWkt]);
  return fromKeys(records[kKeys], records[kKeyTexts]);
}

std::string unitName(double unit) {
  if (unit == 1.0) return "metre";
  const char* const name = unit == kFoot                         ? "foot"
                           : std::abs(unit - kSurveyFoot) < 1e-9 ? "US survey foot"
                                                                 : "length";
  return fmt::format("{} ({:.7g} m)", name, unit);
}

}  // namespace marsim::map_tools
