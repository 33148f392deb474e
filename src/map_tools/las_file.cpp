// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "common/line_reader.hpp"
#include "common/output_file.hpp"
#include "common/text.hpp"
#include "map_tools/las_projection.hpp"
#include "map_tools/sources.hpp"
#include "marsim/common/error.hpp"
#include "marsim/map/semantic_class.hpp"

namespace marsim::map_tools {
namespace {

// Least size of a record in point formats 0 to 10 [bytes].
constexpr std::array<std::size_t, 11> kRecordSizes{20, 28, 26, 34, 57, 63, 30, 36, 38, 59, 67};
constexpr std::size_t kHeader = 227;    // [bytes] of LAS 1.0 to 1.2
constexpr std::size_t kHeader14 = 375;  // [bytes] of LAS 1.4; LAS 1.5 begins with the same

template <class T>
T number(const std::vector<char>& bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

struct LasHeader {
  std::uint64_t first = 0;  // [bytes] offset of the points
  std::uint64_t count = 0;
  int format = 0;
  std::size_t record = 0;  // [bytes]
  Eigen::Vector3d scale, offset;
  double farthest = 0.0;  // largest absolute value of x and y in the header
  LasRecords records;
};

void requirePointFormat(const std::string& path, int format) {
  if (format & 0xc0) {
    throw FileError(path,
                    "is LAZ (compressed LAS), allowed: LAS; unpack it with 'laszip' or 'las2las'");
  }
  if (format > 10) {
    throw FileError(path, fmt::format("has point format {}, allowed: 0 to 10", format));
  }
}

LasHeader readHeader(const std::string& path, std::ifstream& stream, std::uint64_t size) {
  std::vector<char> bytes(kHeader14);
  stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  const auto got = static_cast<std::size_t>(stream.gcount());
  stream.clear();
  if (got < 4 || std::memcmp(bytes.data(), "LASF", 4) != 0) {
    throw FileError(path, "is no LAS file: it does not begin with LASF");
  }
  if (got < kHeader) {
    throw FileError(path, fmt::format("ends inside its header, after {} bytes", got));
  }
  const int major = number<std::uint8_t>(bytes, 24), minor = number<std::uint8_t>(bytes, 25);
  if (major != 1 || minor > 5) {
    throw FileError(path, fmt::format("is LAS {}.{}, allowed: 1.0 to 1.5", major, minor));
  }
  LasHeader header;
  header.format = number<std::uint8_t>(bytes, 104);
  requirePointFormat(path, header.format);
  header.first = number<std::uint32_t>(bytes, 96);
  header.record = number<std::uint16_t>(bytes, 105);
  header.count = number<std::uint32_t>(bytes, 107);
  header.records = {number<std::uint16_t>(bytes, 94), number<std::uint32_t>(bytes, 100), 0, 0};
  if (minor >= 4) {
    if (got < kHeader14) throw FileError(path, "ends inside its header");
    // Some programs write only the count of 32 bits.
    if (const auto count = number<std::uint64_t>(bytes, 247); count > 0) header.count = count;
    header.records.extended_begin = number<std::uint64_t>(bytes, 235);
    header.records.extended_count = number<std::uint32_t>(bytes, 243);
  }
  for (const std::size_t at : {179U, 187U, 195U, 203U}) {
    header.farthest = std::max(header.farthest, std::abs(number<double>(bytes, at)));
  }
  for (int axis = 0; axis < 3; ++axis) {
    const auto at = 8U * static_cast<std::size_t>(axis);
    header.scale[axis] = number<double>(bytes, 131 + at);
    header.offset[axis] = number<double>(bytes, 155 + at);
  }
  const std::size_t least = kRecordSizes[static_cast<std::size_t>(header.format)];
  if (header.record < least) {
    throw FileError(path, fmt::format("has records of {} bytes, allowed in point format {}: at "
                                      "least {}",
                                      header.record, header.format, least));
  }
  if (!header.scale.allFinite() || (header.scale.array() == 0.0).any() ||
      !header.offset.allFinite()) {
    throw FileError(path, "has a scale of 0 or a scale or offset that is not finite");
  }
  const std::uint64_t there = size < header.first ? 0 : (size - header.first) / header.record;
  if (header.first < kHeader || there < header.count) {
    throw FileError(path, fmt::format("is partly written: it holds {} of {} points",
                                      withThousands(there), withThousands(header.count)));
  }
  if (header.count == 0) throw FileError(path, "has no points");
  return header;
}

// [bytes] offset of red, green and blue, two bytes each, in a record; none without colours.
std::optional<std::size_t> colourAt(int format) {
  constexpr std::array<std::size_t, 11> kAt = {0, 0, 20, 28, 0, 28, 0, 30, 30, 0, 30};
  const std::size_t at = kAt[static_cast<std::size_t>(format)];
  return at > 0 ? std::optional(at) : std::nullopt;
}

// A record's ASPRS class (LAS 1.4 R15, table 17).
unsigned asprsClassOf(const char* record, int format) {
  return format < 6 ? static_cast<unsigned char>(record[15]) & 0x1FU
                    : static_cast<unsigned char>(record[16]);
}

// Low and high noise.
bool isNoise(unsigned asprs) { return asprs == 7 || asprs == 18; }

// The class for one of ASPRS.
std::uint8_t classOf(unsigned asprs) {
  namespace semantic = map::semantic;
  switch (asprs) {
    case 2:
      return semantic::kTerrain;
    case 3:
    case 4:
    case 5:
      return semantic::kVegetation;
    case 6:
      return semantic::kBuilding;
    case 9:
    case 10:
      return semantic::kOtherGround;
    case 11:
      return semantic::kRoad;
    case 13:
    case 14:
    case 16:
    case 17:
      return semantic::kOtherStructure;
    case 15:
      return semantic::kPole;
    default:
      return semantic::kNone;
  }
}

bool isWithheld(const char* record, int format) {
  const auto flags = static_cast<unsigned char>(record[15]);
  return format < 6 ? (flags & 0x80) != 0 : (flags & 0x04) != 0;
}

/// Calls take(bytes, count) for blocks of records.
template <class Take>
void forEachBlock(const std::filesystem::path& path, std::ifstream& stream, const LasHeader& header,
                  Progress& progress, const Take& take) {
  stream.clear();
  stream.seekg(static_cast<std::streamoff>(header.first));
  progress.phase("reading " + path.filename().string(), header.count);
  std::vector<char> bytes;
  for (std::uint64_t done = 0; done < header.count;) {
    const std::uint64_t count = std::min<std::uint64_t>(map::kBlockPoints, header.count - done);
    bytes.resize(count * header.record);
    if (!stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()))) {
      throw FileError(path.string(), "cannot be read to its end");
    }
    take(bytes, count);
    done += count;
    progress.update(done);
  }
}

/// Layout of the colours, whose depth is that of the largest.
map::RecordLayout colourLayout(const std::filesystem::path& path, std::ifstream& stream,
                               const LasHeader& header, Progress& progress) {
  using Kind = map::NumberType::Kind;
  map::RecordLayout layout;
  const std::optional<std::size_t> at = colourAt(header.format);
  if (!at) return layout;
  const map::NumberType word{Kind::kUnsigned, 2};
  layout.colour = {{{word, *at, 0}, {word, *at + 2, 0}, {word, *at + 4, 0}}};
  std::uint16_t most = 0;
  forEachBlock(path, stream, header, progress, [&](const auto& bytes, std::uint64_t count) {
    for (std::uint64_t i = 0; i < 3 * count; ++i) {
      most = std::max(most, number<std::uint16_t>(bytes, i / 3 * header.record + *at + i % 3 * 2));
    }
  });
  layout.depth = layout.depthFor(most);
  return layout;
}

/// [m] per unit of the file on each axis. Notes a unit other than the metre.
Eigen::Vector3d unitsOf(const std::filesystem::path& path, std::ifstream& stream,
                        const LasHeader& header, std::optional<double> scale, Notes& notes) {
  const LasProjection projection = readProjection(stream, header.records);
  if (scale) {
    if (projection.unit != 1.0 && std::abs(projection.unit / *scale - 1.0) > 1e-5) {
      notes.push_back(
          fmt::format("warning: the file says that its unit is the {}, taken is --scale",
                      unitName(projection.unit)));
    }
    return Eigen::Vector3d::Constant(*scale);
  }
  if (projection.is_geographic && header.farthest <= 360.0) {
    throw FileError(path.string(),
                    "has degrees of longitude and latitude, allowed: a projection in metres or "
                    "feet; project it with 'pdal translate' or 'las2las -target_utm' (--scale "
                    "takes them as lengths)");
  }
  if (!projection.is_known) {
    notes.emplace_back("warning: the unit of the file is not known: taken as metres (--scale)");
  } else if (!projection.is_height_known) {
    notes.push_back(
        fmt::format("warning: the unit of heights is not known: taken as the {} (--scale)",
                    unitName(projection.height_unit)));
  }
  const Eigen::Vector3d units(projection.unit, projection.unit, projection.height_unit);
  if (units == Eigen::Vector3d::Ones()) return units;
  const bool is_one_unit = units.x() == units.z();
  notes.push_back(fmt::format("the file's unit is the {}{}: scaled to metres, --scale replaces it",
                              unitName(units.x()),
                              is_one_unit ? "" : ", that of heights the " + unitName(units.z())));
  return units;
}

/// Numbers of dropped points.
struct Dropped {
  std::uint64_t withheld = 0, noise = 0;

  bool take(const char* record, int format) {
    if (isWithheld(record, format)) return ++withheld > 0;
    return isNoise(asprsClassOf(record, format)) && ++noise > 0;
  }
  void addTo(Notes& notes) const {
    if (withheld > 0) {
      notes.push_back(
          fmt::format("{} points flagged as withheld dropped", withThousands(withheld)));
    }
    if (noise > 0) {
      notes.push_back(
          fmt::format("{} points of the noise classes 7 and 18 dropped", withThousands(noise)));
    }
  }
};

}  // namespace

Notes readLas(const std::filesystem::path& path, std::optional<double> scale, Progress& progress,
              const TakePoints& take) {
  std::size_t size = 0;
  std::ifstream stream = openInput(path, size);
  if (size == 0) throw FileError(path.string(), "is empty");
  const LasHeader header = readHeader(path.string(), stream, size);
  Notes notes;
  const Eigen::Vector3d units = unitsOf(path, stream, header, scale, notes);
  const map::RecordLayout layout = colourLayout(path, stream, header, progress);
  Dropped dropped;
  forEachBlock(path, stream, header, progress, [&](const auto& bytes, std::uint64_t count) {
    map::PointBlock block;
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::size_t at = i * header.record;
      const char* const record = bytes.data() + at;
      if (dropped.take(record, header.format)) continue;
      const Eigen::Vector3d raw(number<std::int32_t>(bytes, at),
                                number<std::int32_t>(bytes, at + 4),
                                number<std::int32_t>(bytes, at + 8));
      block.points.emplace_back(
          (raw.cwiseProduct(header.scale) + header.offset).cwiseProduct(units));
      block.intensity.push_back(number<std::uint16_t>(bytes, at + 12));
      block.classes.push_back(classOf(asprsClassOf(record, header.format)));
      if (!layout.colour) continue;
      std::array<double, 3> rgb{};
      for (std::size_t k = 0; k < 3; ++k) {
        rgb[k] = number<std::uint16_t>(bytes, at + (*layout.colour)[k].offset);
      }
      block.colour.push_back(map::roundedColour(map::coloursOf(layout, rgb)));
    }
    take(block);
  });
  dropped.addTo(notes);
  if (dropped.withheld + dropped.noise == header.count) {
    throw FileError(path.string(),
                    fmt::format("has no points but {} withheld and {} of noise",
                                withThousands(dropped.withheld), withThousands(dropped.noise)));
  }
  return notes;
}

}  // namespace marsim::map_tools
