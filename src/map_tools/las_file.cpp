#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "common/line_reader.hpp"
#include "common/output_file.hpp"
#include "common/text.hpp"
#include "map_tools/sources.hpp"
#include "marsim/common/error.hpp"
#include "marsim/map/semantic_class.hpp"

namespace marsim::map_tools {
namespace {

// Least size of a record in point formats 0 to 10 [bytes].
constexpr std::array<std::size_t, 11> kRecordSizes{20, 28, 26, 34, 57, 63, 30, 36, 38, 59, 67};
constexpr std::size_t kHeader = 227;    // [bytes] of LAS 1.2
constexpr std::size_t kHeader14 = 375;  // [bytes] of LAS 1.4

template <class T>
T number(const std::vector<char>& bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

struct LasHeader {
  std::uint64_t first = 0;  // [bytes] where the points begin
  std::uint64_t count = 0;
  int format = 0;
  std::size_t record = 0;  // [bytes]
  Eigen::Vector3d scale, offset;
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
  if (major != 1 || minor < 2 || minor > 4) {
    throw FileError(path, fmt::format("is LAS {}.{}, allowed: 1.2, 1.3, 1.4", major, minor));
  }
  LasHeader header;
  header.format = number<std::uint8_t>(bytes, 104);
  requirePointFormat(path, header.format);
  header.first = number<std::uint32_t>(bytes, 96);
  header.record = number<std::uint16_t>(bytes, 105);
  header.count = number<std::uint32_t>(bytes, 107);
  if (minor == 4) {
    if (got < kHeader14) throw FileError(path, "ends inside its header");
    header.count = number<std::uint64_t>(bytes, 247);
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

// [bytes] in a record where red, green and blue are, of two bytes each; none without colours.
std::optional<std::size_t> colourAt(int format) {
  constexpr std::array<std::size_t, 11> kAt = {0, 0, 20, 28, 0, 28, 0, 30, 30, 0, 30};
  const std::size_t at = kAt[static_cast<std::size_t>(format)];
  return at > 0 ? std::optional(at) : std::nullopt;
}

// The class that stands for one of ASPRS (LAS 1.4 R15, table 17).
std::uint8_t classOf(const char* record, int format) {
  namespace semantic = map::semantic;
  const unsigned number = format < 6 ? static_cast<unsigned char>(record[15]) & 0x1FU
                                     : static_cast<unsigned char>(record[16]);
  switch (number) {
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

// Colours have 16 bits; files whose first block has none above 255 hold bytes.
class LasColours {
 public:
  explicit LasColours(int format) : at_(colourAt(format)) {}

  void append(const char* record, std::vector<std::array<std::uint16_t, 3>>& raw) const {
    if (!at_) return;
    std::memcpy(raw.emplace_back().data(), record + *at_, 6);
  }
  void scale(const std::vector<std::array<std::uint16_t, 3>>& raw, map::PointBlock& block) {
    if (raw.empty()) return;
    if (shift_ < 0) {
      std::uint16_t most = 0;
      for (const auto& rgb : raw) most = std::max({most, rgb[0], rgb[1], rgb[2]});
      shift_ = most > 255 ? 8 : 0;
    }
    for (const auto& rgb : raw) {
      map::Colour& colour = block.colour.emplace_back();
      for (std::size_t i = 0; i < 3; ++i) {
        colour[i] = static_cast<std::uint8_t>(std::min(255, rgb[i] >> shift_));
      }
    }
  }

 private:
  std::optional<std::size_t> at_;
  int shift_ = -1;  // not known yet
};

bool isWithheld(const char* record, int format) {
  const auto flags = static_cast<unsigned char>(record[15]);
  return format < 6 ? (flags & 0x80) != 0 : (flags & 0x04) != 0;
}

}  // namespace

Notes readLas(const std::filesystem::path& path, Progress& progress, const TakePoints& take) {
  std::size_t size = 0;
  std::ifstream stream = openInput(path, size);
  if (size == 0) throw FileError(path.string(), "is empty");
  const LasHeader header = readHeader(path.string(), stream, size);
  stream.seekg(static_cast<std::streamoff>(header.first));
  progress.phase("reading " + path.filename().string(), header.count);
  std::uint64_t withheld = 0;
  LasColours colours(header.format);
  std::vector<char> bytes;
  for (std::uint64_t done = 0; done < header.count;) {
    const std::uint64_t count = std::min<std::uint64_t>(map::kBlockPoints, header.count - done);
    bytes.resize(count * header.record);
    if (!stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()))) {
      throw FileError(path.string(), "cannot be read to its end");
    }
    map::PointBlock block;
    std::vector<std::array<std::uint16_t, 3>> colours_of_block;
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::size_t at = i * header.record;
      if (isWithheld(bytes.data() + at, header.format)) {
        ++withheld;
        continue;
      }
      const Eigen::Vector3d raw(number<std::int32_t>(bytes, at),
                                number<std::int32_t>(bytes, at + 4),
                                number<std::int32_t>(bytes, at + 8));
      block.points.emplace_back(raw.cwiseProduct(header.scale) + header.offset);
      block.intensity.push_back(number<std::uint16_t>(bytes, at + 12));
      block.classes.push_back(classOf(bytes.data() + at, header.format));
      colours.append(bytes.data() + at, colours_of_block);
    }
    colours.scale(colours_of_block, block);
    take(block);
    done += count;
    progress.update(done);
  }
  if (withheld == 0) return {};
  return {fmt::format("{} points flagged as withheld dropped", withThousands(withheld))};
}

}  // namespace marsim::map_tools
