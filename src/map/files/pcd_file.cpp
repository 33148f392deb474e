// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstring>
#include <map>

#include <fmt/format.h>
#include <lzf.h>

#include "common/text.hpp"
#include "map/files/point_records.hpp"
#include "marsim/common/error.hpp"

/// PCD as described in "The PCD (Point Cloud Data) file format", Point Cloud Library tutorials. The
/// Point Cloud Library's own reader trusts the header and fills missing data with zeros.
namespace marsim::map {
namespace {

constexpr std::uint64_t kMaxFieldCount = 65536;  ///< values of one vector field

struct PcdHeader {
  std::vector<Field> fields;
  std::uint64_t points = 0;
  std::optional<Pose> viewpoint;  ///< unless it is the identity
  std::string data;               ///< ascii, binary, binary_compressed
  std::uint64_t data_begin = 0;   ///< [bytes]
  std::size_t data_line = 0;      ///< number of the first line of data
};

/// Values of the header's lines by their keyword.
using Entries = std::map<std::string, std::vector<std::string>, std::less<>>;

Entries readEntries(const std::string& path, HeaderLines& lines) {
  constexpr std::array<std::string_view, 11> kKeywords = {
      "VERSION", "FIELDS", "COLUMNS",   "SIZE",   "TYPE", "COUNT",
      "WIDTH",   "HEIGHT", "VIEWPOINT", "POINTS", "DATA"};
  Entries entries;
  while (const auto line = lines.next()) {
    const std::vector<std::string_view> parts = words(*line);
    if (parts.empty() || parts[0].front() == '#') continue;
    if (std::find(kKeywords.begin(), kKeywords.end(), parts[0]) == kKeywords.end()) {
      throw FileError(path, fmt::format("is no PCD file: line {} of the header is '{}'",
                                        lines.number(), excerpt(*line)));
    }
    // Before version 0.5 FIELDS was called COLUMNS.
    const std::string key(parts[0] == "COLUMNS" ? "FIELDS" : parts[0]);
    if (!entries.emplace(key, Entries::mapped_type(parts.begin() + 1, parts.end())).second) {
      throw FileError(path, fmt::format("header has {} twice (line {})", key, lines.number()));
    }
    if (key == "DATA") return entries;
  }
  throw FileError(path, "is no PCD file: its header has no DATA line");
}

std::uint64_t count(const std::string& path, std::string_view key, std::string_view word) {
  const auto value = parseWhole(word);
  if (!value) {
    throw FileError(path, fmt::format("header: {} is '{}', allowed: a whole number of 0 or more",
                                      key, excerpt(word)));
  }
  return *value;
}

/// The only value of an entry, or none if the header lacks it.
std::optional<std::uint64_t> soleCount(const std::string& path, const Entries& entries,
                                       std::string_view key) {
  const auto entry = entries.find(key);
  if (entry == entries.end()) return std::nullopt;
  if (entry->second.size() != 1) {
    throw FileError(path,
                    fmt::format("header: {} has {} values, allowed: 1", key, entry->second.size()));
  }
  return count(path, key, entry->second[0]);
}

/// The values of an entry that has one per field.
const std::vector<std::string>& perField(const std::string& path, const Entries& entries,
                                         std::string_view key, std::size_t fields) {
  const auto entry = entries.find(key);
  if (entry == entries.end()) throw FileError(path, fmt::format("header has no {} line", key));
  if (entry->second.size() != fields) {
    throw FileError(path, fmt::format("header: {} has {} values for {} fields", key,
                                      entry->second.size(), fields));
  }
  return entry->second;
}

NumberType numberType(const std::string& path, std::string type, std::uint64_t size) {
  for (char& c : type) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  using Kind = NumberType::Kind;
  const bool known_size = size == 1 || size == 2 || size == 4 || size == 8;
  if (!known_size || (type == "F" && size < 4) || (type != "F" && type != "I" && type != "U")) {
    throw FileError(path, fmt::format("header: a field of TYPE {} and SIZE {}, allowed: F of 4 or "
                                      "8, I or U of 1, 2, 4 or 8",
                                      excerpt(type), size));
  }
  return {type == "F" ? Kind::kFloat : (type == "I" ? Kind::kSigned : Kind::kUnsigned),
          static_cast<std::uint32_t>(size)};
}

std::vector<Field> parseFields(const std::string& path, const Entries& entries) {
  const auto names = entries.find("FIELDS");
  if (names == entries.end()) throw FileError(path, "header has no FIELDS line");
  const std::size_t number = names->second.size();
  const auto& sizes = perField(path, entries, "SIZE", number);
  const auto& types = perField(path, entries, "TYPE", number);
  const std::vector<std::string> ones(number, "1");
  const auto& counts = entries.count("COUNT") > 0 ? perField(path, entries, "COUNT", number) : ones;

  std::vector<Field> fields;
  for (std::size_t i = 0; i < number; ++i) {
    const std::uint64_t values = count(path, "COUNT", counts[i]);
    if (values < 1 || values > kMaxFieldCount) {
      throw FileError(path,
                      fmt::format("header: COUNT is {}, allowed: 1 to {}", values, kMaxFieldCount));
    }
    const std::uint64_t size = count(path, "SIZE", sizes[i]);
    fields.push_back(
        {names->second[i], numberType(path, types[i], size), static_cast<std::size_t>(values), {}});
  }
  return fields;
}

std::uint64_t parsePoints(const std::string& path, const Entries& entries) {
  const auto points = soleCount(path, entries, "POINTS");
  const auto width = soleCount(path, entries, "WIDTH");
  const std::uint64_t height = soleCount(path, entries, "HEIGHT").value_or(1);
  if (!points && !width) throw FileError(path, "header has neither POINTS nor WIDTH");
  if (!width) return *points;
  std::uint64_t product = 0;
  const bool overflow = __builtin_mul_overflow(*width, height, &product);
  if (overflow || product != points.value_or(product)) {
    throw FileError(path, fmt::format("header: WIDTH {} x HEIGHT {} is not POINTS {}", *width,
                                      height, points.value_or(0)));
  }
  return product;
}

/// The pose of VIEWPOINT (x y z qw qx qy qz); none if it is invalid or the identity.
std::optional<Pose> parseViewpoint(const Entries& entries) {
  const auto entry = entries.find("VIEWPOINT");
  if (entry == entries.end() || entry->second.size() != 7) return std::nullopt;
  std::array<double, 7> v{};
  for (std::size_t i = 0; i < v.size(); ++i) {
    const std::string& word = entry->second[i];
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), v[i]);
    if (error != std::errc() || !std::isfinite(v[i])) return std::nullopt;
  }
  const Pose X{Eigen::Quaterniond(v[3], v[4], v[5], v[6]), {v[0], v[1], v[2]}};
  if (std::abs(X.q.norm() - 1.0) > 0.01) return std::nullopt;
  const bool is_identity = X.p.isZero() && X.q.vec().isZero();
  return is_identity ? std::nullopt : std::optional(Pose{X.q.normalized(), X.p});
}

PcdHeader parseHeader(InputFile& file) {
  HeaderLines lines(file);
  const Entries entries = readEntries(file.path, lines);
  PcdHeader header;
  header.fields = parseFields(file.path, entries);
  header.points = parsePoints(file.path, entries);
  header.viewpoint = parseViewpoint(entries);
  const std::vector<std::string>& data = entries.find("DATA")->second;
  header.data = data.empty() ? "" : data[0];
  header.data_begin = lines.position();
  header.data_line = lines.number() + 1;
  return header;
}

void readCompressed(InputFile& file, const RecordLayout& layout, std::uint64_t points,
                    const PointSink& sink) {
  // Two sizes, then the compressed columns. LZF makes at most 264 bytes of 3.
  std::array<std::uint32_t, 2> sizes{};
  if (!file.stream.read(reinterpret_cast<char*>(sizes.data()), sizeof(sizes))) {
    throw FileError(file.path, "is truncated: no data follow its header");
  }
  const std::uint64_t compressed = sizes[0];
  const std::uint64_t expanded = sizes[1];
  if (compressed > bytesLeft(file)) {
    throw FileError(file.path, fmt::format("is truncated: {} compressed bytes promised, {} follow",
                                           compressed, bytesLeft(file)));
  }
  if (expanded % layout.record_size != 0 || expanded / layout.record_size != points) {
    throw FileError(file.path, fmt::format("is damaged: {} points of {} bytes do not make the {} "
                                           "bytes that its data expand to",
                                           points, layout.record_size, expanded));
  }
  const std::string damaged = "is damaged: its compressed data cannot be expanded";
  if (expanded / 88 > compressed) throw FileError(file.path, damaged);
  std::vector<char> packed(compressed);
  if (!file.stream.read(packed.data(), static_cast<std::streamsize>(packed.size()))) {
    throw FileError(file.path, "cannot be read to its end");
  }
  std::vector<char> bytes(expanded);
  if (lzf_decompress(packed.data(), sizes[0], bytes.data(), sizes[1]) != sizes[1]) {
    throw FileError(file.path, damaged);
  }
  packed = {};
  readColumns(bytes, layout, points, sink);
}

}  // namespace

void readPcd(InputFile& file, Progress& progress, const PointSink& sink) {
  const PcdHeader header = parseHeader(file);
  RecordLayout layout = makeLayout(file.path, header.fields);
  layout.viewpoint = header.viewpoint;
  if (header.points == 0) throw FileError(file.path, "holds no points");
  readWithDepth(layout, sink, [&](const RecordLayout& columns, const PointSink& points) {
    file.stream.clear();
    file.stream.seekg(static_cast<std::streamoff>(header.data_begin));
    progress.phase(sink.phase, header.points);
    if (header.data == "binary") {
      readBinary(file, columns, header.points, progress, points);
    } else if (header.data == "binary_compressed") {
      readCompressed(file, columns, header.points, points);
    } else if (header.data == "ascii") {
      readAscii(file, columns, header.points, header.data_line, true, progress, points);
    } else {
      throw FileError(file.path, fmt::format("header: DATA is '{}', allowed: ascii, binary, "
                                             "binary_compressed",
                                             excerpt(header.data)));
    }
  });
}

}  // namespace marsim::map
