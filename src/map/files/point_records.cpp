// SPDX-License-Identifier: BSD-3-Clause
#include "map/files/point_records.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <limits>

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include "common/line_reader.hpp"
#include "common/text.hpp"
#include "marsim/common/error.hpp"

namespace marsim::map {
namespace {

constexpr std::size_t kMaxHeader = std::size_t{1} << 20;  // [bytes]
constexpr std::uint64_t kMaxPoints = 0xFFFFFFFFULL;       // indices have 32 bits

template <class T>
double loadAs(const char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return static_cast<double>(value);
}

}  // namespace

double decode(const char* bytes, NumberType type, bool swap) {
  std::array<char, 8> swapped;
  if (swap) {
    std::reverse_copy(bytes, bytes + type.size, swapped.begin());
    bytes = swapped.data();
  }
  switch (type.kind) {
    case NumberType::Kind::kFloat:
      return type.size == 4 ? loadAs<float>(bytes) : loadAs<double>(bytes);
    case NumberType::Kind::kSigned:
      if (type.size == 1) return loadAs<std::int8_t>(bytes);
      if (type.size == 2) return loadAs<std::int16_t>(bytes);
      return type.size == 4 ? loadAs<std::int32_t>(bytes) : loadAs<std::int64_t>(bytes);
    case NumberType::Kind::kPackedFloat:
    case NumberType::Kind::kUnsigned:
      if (type.size == 1) return loadAs<std::uint8_t>(bytes);
      if (type.size == 2) return loadAs<std::uint16_t>(bytes);
      return type.size == 4 ? loadAs<std::uint32_t>(bytes) : loadAs<std::uint64_t>(bytes);
  }
  return 0.0;
}

namespace {

/// Channels of a record; value(column) gives one of its numbers. Without an intensity the colour's
/// luma replaces it (ITU-R BT.709, item 3.2).
template <class Value>
void takeChannels(const RecordLayout& layout, const Value& value, std::size_t row,
                  PointBlock& block) {
  if (layout.intensity) block.intensity[row] = static_cast<float>(value(*layout.intensity));
  if (layout.label) {
    const double label = value(*layout.label);
    block.classes[row] = classOfLabel(label);
    if (layout.hasInstances()) block.instances[row] = instanceOfLabel(label);
  }
  if (layout.time) block.times[row] = value(*layout.time);
  if (layout.sensor) {
    Eigen::Vector3d sensor;
    for (std::size_t axis = 0; axis < 3; ++axis) sensor[axis] = value((*layout.sensor)[axis]);
    const Eigen::Vector3f offset = (sensor - block.points[row]).cast<float>();
    block.to_sensor[row] =
        offset.allFinite() ? Offset{offset.x(), offset.y(), offset.z()} : Offset{};
  }
  if (!layout.colour) return;
  const std::array<RecordColumn, 3>& colour = *layout.colour;
  const std::array<double, 3> rgb =
      coloursOf(layout, {value(colour[0]), value(colour[1]), value(colour[2])});
  block.colour[row] = roundedColour(rgb);
  if (layout.intensity) return;
  block.intensity[row] = static_cast<float>(0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2]);
}

/// Announces the points to the sink once the file has proved large enough for them.
void begin(const InputFile& file, const RecordLayout& layout, std::uint64_t count,
           const PointSink& sink) {
  if (count > kMaxPoints) {
    throw FileError(file.path, fmt::format("holds {} points, allowed: at most {}", count,
                                           withThousands(kMaxPoints)));
  }
  sink.begin(layout, count);
}

/// Fills a block with `rows` records; value(row, column) gives their numbers.
template <class Value>
void fill(PointBlock& block, const RecordLayout& layout, std::size_t rows, const Value& value) {
  block.resize(rows, layout);
  constexpr std::size_t kGrain = 8192;  // records a task
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, rows, kGrain), [&](const auto& range) {
    for (std::size_t row = range.begin(); row != range.end(); ++row) {
      for (int axis = 0; axis < 3; ++axis) {
        block.points[row][axis] = value(row, layout.xyz[static_cast<std::size_t>(axis)]);
      }
      takeChannels(
          layout, [&](const RecordColumn& column) { return value(row, column); }, row, block);
    }
  });
}

}  // namespace

void PointBlock::resize(std::size_t size, const RecordLayout& layout) {
  points.resize(size);
  intensity.resize(layout.hasIntensity() ? size : 0);
  colour.resize(layout.colour ? size : 0);
  classes.resize(layout.label ? size : 0);
  instances.resize(layout.hasInstances() ? size : 0);
  times.resize(layout.time ? size : 0);
  to_sensor.resize(layout.sensor ? size : 0);
  is_luma = layout.colour && !layout.intensity;
}

void reserveChannels(const RecordLayout& layout, std::size_t size, PointChannels& channels) {
  if (layout.hasIntensity()) channels.intensity.reserve(size);
  if (layout.colour) channels.colour.reserve(size);
  if (layout.label) channels.classes.reserve(size);
  if (layout.hasInstances()) channels.instances.reserve(size);
  if (layout.sensor) channels.to_sensor.reserve(size);
}

std::size_t bytesOfChannels(const RecordLayout& layout) {
  return (layout.hasIntensity() ? sizeof(float) : 0) + (layout.colour ? sizeof(Colour) : 0) +
         (layout.label ? sizeof(std::uint8_t) : 0) +
         (layout.hasInstances() ? sizeof(std::uint16_t) : 0) + (layout.sensor ? sizeof(Offset) : 0);
}

HeaderLines::HeaderLines(InputFile& file) {
  text_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(file.size, kMaxHeader)));
  file.stream.read(text_.data(), static_cast<std::streamsize>(text_.size()));
  text_.resize(static_cast<std::size_t>(file.stream.gcount()));
  file.stream.clear();
}

std::optional<std::string_view> HeaderLines::next() {
  if (position_ >= text_.size()) return std::nullopt;
  const std::string_view rest = std::string_view(text_).substr(position_);
  const std::size_t length = std::min(rest.find('\n'), rest.size());
  position_ += std::min(length + 1, rest.size());
  ++number_;
  return trimmed(rest.substr(0, length));
}

void splitWords(std::string_view line, std::vector<std::string_view>& words) {
  constexpr std::string_view kBlank = " \t\r";
  words.clear();
  for (std::size_t begin = line.find_first_not_of(kBlank); begin != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(kBlank, begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    begin = line.find_first_not_of(kBlank, end);
  }
}

std::vector<std::string_view> words(std::string_view line) {
  std::vector<std::string_view> result;
  splitWords(line, result);
  return result;
}

std::optional<double> numberOf(std::string_view text) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (!text.empty() && text[0] == '+') text.remove_prefix(1);
  if (text.empty() || text[0] == '+') return std::nullopt;
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view rest = text.substr(static_cast<std::size_t>(end - text.data()));
  if (error == std::errc::invalid_argument) return std::nullopt;
  // Microsoft's 1.#IND, 1.#INF, 1.#QNAN and 1.#SNAN, of any length.
  if (rest.size() > 1 && rest[0] == '#' && std::string_view("IQS").find(rest[1]) < 3) return kNone;
  if (!rest.empty()) return std::nullopt;
  if (error != std::errc::result_out_of_range) return value;
  return text.find_first_of("eE") < text.rfind('-') && text.rfind('-') < text.size() ? 0.0 : kNone;
}

std::string excerpt(std::string_view text) {
  constexpr std::size_t kLength = 24;
  std::string result(text.substr(0, kLength));
  for (char& c : result) {
    if (c < ' ' || c > '~') c = '?';
  }
  return text.size() > kLength ? result + "..." : result;
}

std::uint64_t bytesLeft(InputFile& file) {
  const auto position = file.stream.tellg();
  if (position < 0) return 0;
  return file.size - std::min(file.size, static_cast<std::uint64_t>(position));
}

void appendRecord(const RecordLayout& layout, const std::vector<double>& values,
                  PointBlock& block) {
  const auto value = [&](const RecordColumn& column) {
    const double number = values[column.value];
    if (column.type.kind != NumberType::Kind::kPackedFloat) return number;
    return static_cast<double>(packedBits(number));
  };
  const std::size_t i = block.size();
  block.resize(i + 1, layout);
  block.points[i] = {value(layout.xyz[0]), value(layout.xyz[1]), value(layout.xyz[2])};
  takeChannels(layout, value, i, block);
}

void readWithDepth(RecordLayout layout, const PointSink& sink,
                   const std::function<void(const RecordLayout&, const PointSink&)>& read) {
  if (layout.needsDepth()) {
    // This layout reads the colours as coordinates.
    RecordLayout colours = layout;
    colours.xyz = *layout.colour;
    colours.colour.reset();
    colours.intensity.reset();
    colours.label.reset();
    colours.time.reset();
    colours.sensor.reset();
    double most = 0.0;
    const PointSink measure{[](const RecordLayout&, std::uint64_t) {},
                            [&](const PointBlock& block) {
                              for (const Eigen::Vector3d& rgb : block.points) {
                                if (rgb.allFinite()) most = std::max(most, rgb.maxCoeff());
                              }
                            },
                            sink.phase};
    read(colours, measure);
    layout.depth = layout.depthFor(most);
  }
  read(layout, sink);
}

bool readRecord(InputFile& file, const RecordLayout& layout, char* record) {
  std::size_t at = 0;
  const auto readTo = [&](std::size_t end) {
    const auto size = static_cast<std::streamsize>(end - at);
    file.stream.read(record + at, size);
    at = end;
    return file.stream.gcount() == size;
  };
  std::array<char, 8> bytes{};
  for (const List& list : layout.lists) {
    if (!readTo(list.next.offset)) return false;
    if (!file.stream.read(bytes.data(), list.length.size)) return false;
    const double length = decode(bytes.data(), list.length, layout.big_endian);
    if (!(length >= 0.0 && length <= static_cast<double>(file.size))) return false;
    const auto size = static_cast<std::streamsize>(static_cast<std::size_t>(length) * list.item);
    if (size > 0 && file.stream.ignore(size).gcount() != size) return false;
  }
  return readTo(layout.record_size);
}

void readBinary(InputFile& file, const RecordLayout& layout, std::uint64_t count,
                Progress& progress, const PointSink& sink) {
  const std::uint64_t available = bytesLeft(file) / layout.record_size;
  if (available < count) {
    throw FileError(file.path, fmt::format("is truncated: its header promises {} points, {} follow",
                                           count, available));
  }
  begin(file, layout, count, sink);
  std::vector<char> bytes;
  PointBlock block;
  for (std::uint64_t done = 0; done < count;) {
    const auto rows = static_cast<std::size_t>(std::min<std::uint64_t>(kBlockPoints, count - done));
    bytes.resize(rows * layout.record_size);
    if (layout.lists.empty()) {
      file.stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    }
    for (std::size_t row = 0; !layout.lists.empty() && row < rows; ++row) {
      if (readRecord(file, layout, bytes.data() + row * layout.record_size)) continue;
      throw FileError(file.path,
                      fmt::format("is truncated: its header promises {} points, a list of point {} "
                                  "goes beyond its end",
                                  count, done + row + 1));
    }
    if (!file.stream) {
      throw FileError(file.path, fmt::format("cannot be read beyond point {}", done));
    }
    fill(block, layout, rows, [&](std::size_t row, const RecordColumn& column) {
      return decode(bytes.data() + row * layout.record_size + column.offset, column.type,
                    layout.big_endian);
    });
    sink.take(block);
    done += rows;
    progress.update(done);
  }
}

void readColumns(const std::vector<char>& bytes, const RecordLayout& layout, std::uint64_t count,
                 const PointSink& sink) {
  sink.begin(layout, count);
  PointBlock block;
  for (std::size_t done = 0; done < count; done += block.size()) {
    const auto rows = static_cast<std::size_t>(std::min<std::uint64_t>(kBlockPoints, count - done));
    fill(block, layout, rows, [&](std::size_t row, const RecordColumn& column) {
      return decode(bytes.data() + column.offset * count + (done + row) * column.type.size,
                    column.type, layout.big_endian);
    });
    sink.take(block);
  }
}

namespace {

/// Numbers of a line by their places in the record. Throws FileError if their number is wrong.
void parseRecord(const InputFile& file, std::size_t line,
                 const std::vector<std::string_view>& cells, const RecordLayout& layout,
                 std::vector<double>& values) {
  std::size_t cell = 0;
  const auto refuse = [&](std::size_t value, const char* what) {
    const std::string_view text = cell < cells.size() ? cells[cell] : std::string_view();
    return FileError(file.path, fmt::format("line {}: '{}' where value {} of {} should be a {}",
                                            line, excerpt(text), value + 1, layout.values, what));
  };
  auto list = layout.lists.begin();
  for (std::size_t i = 0; i <= layout.values; ++i) {
    for (; list != layout.lists.end() && list->next.value == i; ++list) {
      const auto length = cell < cells.size() ? parseWhole(cells[cell]) : std::nullopt;
      if (!length || *length >= cells.size() - cell) throw refuse(i, "list");
      cell += 1 + static_cast<std::size_t>(*length);
    }
    if (i == layout.values) break;
    const auto number = cell < cells.size() ? numberOf(cells[cell]) : std::nullopt;
    if (!number) throw refuse(i, "number");
    values[i] = *number;
    ++cell;
  }
  if (cell == cells.size()) return;
  throw FileError(file.path, fmt::format("line {}: more than {} values", line, layout.values));
}

}  // namespace

void readAscii(InputFile& file, const RecordLayout& layout, std::uint64_t count,
               std::size_t first_line, bool to_end, Progress& progress, const PointSink& sink) {
  // The shortest record: one digit a value, a separator after each but the file's last.
  const std::uint64_t most = (bytesLeft(file) + 1) / (2 * (layout.values + layout.lists.size()));
  const auto truncated = [&](std::uint64_t have) {
    return FileError(file.path, fmt::format("is truncated: its header promises {} points, {} {}",
                                            count, have == most ? "at most" : "only", have));
  };
  if (most < count) throw truncated(most);
  begin(file, layout, count, sink);

  PointBlock block;
  std::vector<std::string_view> cells;
  std::vector<double> values(layout.values);
  std::uint64_t done = 0;
  LineReader lines(file.stream, file.path, first_line - 1);
  while ((done < count || to_end) && lines.next()) {
    splitWords(lines.line(), cells);
    if (cells.empty()) continue;
    if (done == count) {
      throw FileError(file.path, fmt::format("line {}: more than the {} points that the header "
                                             "promises",
                                             lines.number(), count));
    }
    parseRecord(file, lines.number(), cells, layout, values);
    appendRecord(layout, values, block);
    if (++done % kBlockPoints != 0) continue;
    sink.take(block);
    block.resize(0, layout);
    progress.update(done);
  }
  if (done < count) throw truncated(done);
  if (block.size() > 0) sink.take(block);
}

}  // namespace marsim::map
