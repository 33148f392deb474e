#include <array>
#include <cstdint>
#include <cstring>

#include <fmt/format.h>

#include "common/input_file.hpp"
#include "common/output_file.hpp"
#include "common/text.hpp"
#include "map_tools/sources.hpp"
#include "marsim/common/error.hpp"

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

bool isWithheld(const char* record, int format) {
  const auto flags = static_cast<unsigned char>(record[15]);
  return format < 6 ? (flags & 0x80) != 0 : (flags & 0x04) != 0;
}

}  // namespace

Notes readLas(const std::filesystem::path& path, Progress& progress, const TakePoints& take) {
  std::size_t size = 0;
  { const FileDescriptor checked = openRegularFile(path, size); }
  if (size == 0) throw FileError(path.string(), "is empty");
  std::ifstream stream(path, std::ios::binary);
  const LasHeader header = readHeader(path.string(), stream, size);
  stream.seekg(static_cast<std::streamoff>(header.first));
  progress.phase("reading " + path.filename().string(), header.count);
  std::uint64_t withheld = 0;
  std::vector<char> bytes;
  for (std::uint64_t done = 0; done < header.count;) {
    const std::uint64_t count = std::min<std::uint64_t>(map::kBlockPoints, header.count - done);
    bytes.resize(count * header.record);
    if (!stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()))) {
      throw FileError(path.string(), "cannot be read to its end");
    }
    map::PointBlock block;
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
    }
    take(block);
    done += count;
    progress.update(done);
  }
  if (withheld == 0) return {};
  return {fmt::format("{} points flagged as withheld dropped", withThousands(withheld))};
}

}  // namespace marsim::map_tools
