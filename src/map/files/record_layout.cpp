// SPDX-License-Identifier: BSD-3-Clause
#include "map/files/record_layout.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>

#include <fmt/format.h>

#include "common/text.hpp"
#include "marsim/common/error.hpp"

namespace marsim::map {
namespace {

enum Role {
  kX,
  kY,
  kZ,
  kIntensity,
  kRed,
  kGreen,
  kBlue,
  kPacked,
  kLabel,
  kTime,
  kSensorX,
  kSensorY,
  kSensorZ,
  kRoles
};

struct KnownName {
  std::string_view name;
  Role role;
  int rank;  // the field of highest rank is used
};

/// Names of fields in PCL, CloudCompare, MeshLab, PDAL and ParaView. An Ouster cloud has an
/// intensity and a reflectivity; its intensity is the raw signal, as other scanners give it. The
/// simulator's own clouds have a class, and a label that distinguishes objects. The drivers of
/// Velodyne and RoboSense, Ouster, Livox and Hesai each have another name for the time of a point.
/// PCL's points with a viewpoint have the sensor's place.
constexpr std::array<KnownName, 39> kNames{{{"x", kX, 2},
                                            {"y", kY, 2},
                                            {"z", kZ, 2},
                                            {"points:0", kX, 1},
                                            {"points:1", kY, 1},
                                            {"points:2", kZ, 1},
                                            {"intensity", kIntensity, 3},
                                            {"i", kIntensity, 2},
                                            {"reflectivity", kIntensity, 1},
                                            {"reflectance", kIntensity, 1},
                                            {"red", kRed, 3},
                                            {"green", kGreen, 3},
                                            {"blue", kBlue, 3},
                                            {"diffuse_red", kRed, 2},
                                            {"diffuse_green", kGreen, 2},
                                            {"diffuse_blue", kBlue, 2},
                                            {"r", kRed, 1},
                                            {"g", kGreen, 1},
                                            {"b", kBlue, 1},
                                            {"rf", kRed, 1},
                                            {"gf", kGreen, 1},
                                            {"bf", kBlue, 1},
                                            {"rgb:0", kRed, 1},
                                            {"rgb:1", kGreen, 1},
                                            {"rgb:2", kBlue, 1},
                                            {"rgb", kPacked, 1},
                                            {"rgba", kPacked, 1},
                                            {"class", kLabel, 2},
                                            {"label", kLabel, 1},
                                            {"classification", kLabel, 1},
                                            {"semantic", kLabel, 1},
                                            {"time", kTime, 4},
                                            {"t", kTime, 3},
                                            {"offset_time", kTime, 2},
                                            {"timestamp", kTime, 1},
                                            {"vp_x", kSensorX, 1},
                                            {"vp_y", kSensorY, 1},
                                            {"vp_z", kSensorZ, 1},
                                            {"", kRoles, 0}}};

/// "X (m)" and "scalar_X" are "x".
std::string plainName(std::string_view name) {
  constexpr std::string_view kScalar = "scalar_";  // CloudCompare's prefix in PLY
  if (name.substr(0, kScalar.size()) == kScalar) name.remove_prefix(kScalar.size());
  std::string plain(trimmed(name.substr(0, name.find_first_of("([", 1))));
  for (char& c : plain) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return plain;
}

const KnownName& known(std::string_view name) {
  const std::string plain = plainName(name);
  return *std::find_if(kNames.begin(), kNames.end() - 1,
                       [&](const KnownName& other) { return other.name == plain; });
}

using FoundColumns = std::array<std::optional<RecordColumn>, kRoles>;

FoundColumns findColumns(const std::string& path, const std::vector<Field>& fields,
                         RecordLayout& layout) {
  FoundColumns found;
  std::array<int, kRoles> ranks{};
  for (const Field& field : fields) {
    const RecordColumn column = addField(field, layout);
    const KnownName& name = known(field.name);
    if (name.role == kRoles || field.length) continue;
    if (name.role <= kZ) {
      if (ranks[name.role] == name.rank) {
        throw FileError(path, fmt::format("has two fields {}", name.name));
      }
      if (field.count != 1) {
        throw FileError(path, fmt::format("field {} is {} x {}, allowed: one number", name.name,
                                          field.count, typeName(field.type)));
      }
    }
    if (field.count != 1 || name.rank <= ranks[name.role]) continue;
    if (name.role == kPacked && field.type.size != 4) continue;
    ranks[name.role] = name.rank;
    found[name.role] = column;
    if (name.role == kTime) layout.time_field = field.name;
  }
  return found;
}

constexpr std::uint32_t kNotANumber = 0x7FC00000U;  // bits of the float32 that PCL writes

std::string namesOf(const std::vector<Field>& fields) {
  std::vector<std::string> names;
  for (const Field& field : fields) names.push_back(field.name);
  return clipped(join(names));
}

}  // namespace

std::string typeName(NumberType type) {
  const char* kind = type.kind == NumberType::Kind::kSigned     ? "int"
                     : type.kind == NumberType::Kind::kUnsigned ? "uint"
                                                                : "float";
  return fmt::format("{}{}", kind, 8 * type.size);
}

ColourDepth depthOf(double most, bool are_floats) {
  constexpr double kMostUnit = 1.5;  // rounding and highlights may exceed 1
  if (are_floats && most <= kMostUnit) return ColourDepth::kUnit;
  return most <= 255.0 ? ColourDepth::kByte : ColourDepth::kWord;
}

double shadeOf(double raw, ColourDepth depth) {
  // Writers multiply bytes by 256 or 257 to get words: the upper byte is right for both.
  if (depth == ColourDepth::kWord) return std::floor(raw / 256.0);
  return depth == ColourDepth::kUnit ? 255.0 * raw : raw;
}

bool RecordLayout::needsDepth() const {
  return colour && !isPacked() &&
         std::any_of(colour->begin(), colour->end(),
                     [](const RecordColumn& column) { return column.type.size > 1; });
}

ColourDepth RecordLayout::depthFor(double most) const {
  return depthOf(most, std::any_of(colour->begin(), colour->end(), [](const RecordColumn& column) {
                   return column.type.kind == NumberType::Kind::kFloat;
                 }));
}

RecordColumn addField(const Field& field, RecordLayout& layout) {
  const RecordColumn column{field.type, layout.record_size, layout.values};
  if (field.length) {
    layout.lists.push_back({*field.length, field.type.size, column});
  } else {
    layout.record_size += field.type.size * field.count;
    layout.values += field.count;
  }
  return column;
}

bool nameAPlace(const std::vector<std::string>& names) {
  std::array<bool, kRoles + 1> found{};
  for (const std::string& name : names) found[known(name).role] = true;
  return found[kX] && found[kY] && found[kZ];
}

bool isKnownName(const std::string& name) {
  const Role role = known(name).role;
  return role <= kLabel && role != kPacked;
}

int timeRank(const std::string& name) {
  const KnownName& found = known(name);
  return found.role == kTime ? found.rank : 0;
}

RecordLayout makeLayout(const std::string& path, const std::vector<Field>& fields) {
  RecordLayout layout;
  FoundColumns found = findColumns(path, fields, layout);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!found[axis]) {
      throw FileError(path, fmt::format("has no field {} among {}", "xyz"[axis], namesOf(fields)));
    }
    layout.xyz[axis] = *found[axis];
  }
  layout.intensity = found[kIntensity];
  layout.label = found[kLabel];
  layout.time = found[kTime];
  if (found[kSensorX] && found[kSensorY] && found[kSensorZ]) {
    layout.sensor = {*found[kSensorX], *found[kSensorY], *found[kSensorZ]};
  }
  if (found[kPacked]) {
    RecordColumn packed = *found[kPacked];
    if (packed.type.kind == NumberType::Kind::kFloat) {
      packed.type.kind = NumberType::Kind::kPackedFloat;
    }
    layout.colour = {packed, packed, packed};
  }
  if (found[kRed] && found[kGreen] && found[kBlue]) {
    layout.colour = {*found[kRed], *found[kGreen], *found[kBlue]};
  }
  return layout;
}

std::uint8_t classOfLabel(double label) {
  if (!(label >= 0.0 && label <= 4294967295.0)) return 0;
  const std::uint32_t number = static_cast<std::uint32_t>(label) & 0xFFFFU;
  constexpr std::array<std::uint8_t, 4> kMoving = {16, 13, 18, 20};  // from 256 on
  if (number >= 256 && number < 256 + kMoving.size()) return kMoving[number - 256];
  return number < 256 ? static_cast<std::uint8_t>(number) : 0;
}

std::uint16_t instanceOfLabel(double label) {
  if (classOfLabel(label) == 0) return 0;
  return static_cast<std::uint16_t>(static_cast<std::uint32_t>(label) >> 16U);
}

std::uint32_t packedBits(double number) {
  if (std::isnan(number)) return kNotANumber;
  const auto value = static_cast<float>(number);
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

Colour unpackedColour(std::uint32_t bits, bool is_float) {
  if (is_float && bits == kNotANumber) return {};
  return {static_cast<std::uint8_t>(bits >> 16U), static_cast<std::uint8_t>(bits >> 8U),
          static_cast<std::uint8_t>(bits)};
}

std::array<double, 3> coloursOf(const RecordLayout& layout, const std::array<double, 3>& raw) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  constexpr std::array<double, 3> kNone{kNaN, kNaN, kNaN};
  if (layout.isPacked()) {
    if (!(std::abs(raw[0]) <= 4294967295.0)) return kNone;
    const auto bits = static_cast<std::uint32_t>(static_cast<std::int64_t>(raw[0]));
    const bool is_float = (*layout.colour)[0].type.kind == NumberType::Kind::kPackedFloat;
    if (is_float && bits == kNotANumber) return kNone;
    const auto [red, green, blue] = unpackedColour(bits, is_float);
    return {static_cast<double>(red), static_cast<double>(green), static_cast<double>(blue)};
  }
  std::array<double, 3> rgb{};
  for (std::size_t i = 0; i < 3; ++i) {
    if (!std::isfinite(raw[i])) return kNone;
    rgb[i] = shadeOf(raw[i], layout.depth);
  }
  return rgb;
}

Colour roundedColour(const std::array<double, 3>& rgb) {
  Colour colour{};
  for (std::size_t i = 0; i < 3; ++i) {
    if (std::isnan(rgb[i])) return {};
    colour[i] = static_cast<std::uint8_t>(std::lround(std::clamp(rgb[i], 0.0, 255.0)));
  }
  return colour;
}

}  // namespace marsim::map
