#include "map/files/point_records.hpp"

#include <locale.h>  // NOLINT: strtod_l is POSIX

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include "common/text.hpp"
#include "marsim/common/error.hpp"

namespace marsim::map {
namespace {

constexpr std::size_t kMaxHeader = std::size_t{1} << 20;  // [bytes]
constexpr std::size_t kMaxLine = std::size_t{1} << 16;    // [bytes] of an ascii record
constexpr std::uint64_t kMaxPoints = 0xFFFFFFFFULL;       // indices have 32 bits

template <class T>
double loadAs(const char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return static_cast<double>(value);
}

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
    case NumberType::Kind::kUnsigned:
      if (type.size == 1) return loadAs<std::uint8_t>(bytes);
      if (type.size == 2) return loadAs<std::uint16_t>(bytes);
      return type.size == 4 ? loadAs<std::uint32_t>(bytes) : loadAs<std::uint64_t>(bytes);
  }
  return 0.0;
}

/// PCL's packed colour, however it is typed: the bits of a float32 or a whole number.
std::uint32_t packedColour(double value, NumberType type) {
  if (type.kind == NumberType::Kind::kFloat) {
    const auto number = static_cast<float>(value);
    std::uint32_t bits = 0;
    std::memcpy(&bits, &number, sizeof(bits));
    return bits;
  }
  return static_cast<std::uint32_t>(static_cast<std::int64_t>(value));
}

/// Red, green and blue of a record, of which value(column) is a number.
template <class Value>
std::array<double, 3> colourOf(const std::array<Column, 3>& colour, const Value& value) {
  if (colour[0].offset == colour[1].offset) {
    const std::uint32_t bits = packedColour(value(colour[0]), colour[0].type);
    return {static_cast<double>(bits >> 16 & 255U), static_cast<double>(bits >> 8 & 255U),
            static_cast<double>(bits & 255U)};
  }
  std::array<double, 3> rgb{};
  for (std::size_t i = 0; i < 3; ++i) rgb[i] = value(colour[i]);
  return rgb;
}

Colour roundedColour(const std::array<double, 3>& rgb) {
  Colour colour{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double value = std::isfinite(rgb[i]) ? std::clamp(rgb[i], 0.0, 255.0) : 0.0;
    colour[i] = static_cast<std::uint8_t>(std::lround(value));
  }
  return colour;
}

/// What a record carries, of which value(column) is a number. Without an intensity its colour's
/// luma stands for it (ITU-R BT.709, item 3.2).
template <class Value>
void takeChannels(const RecordLayout& layout, const Value& value, std::size_t row,
                  PointBlock& block) {
  if (layout.intensity) block.intensity[row] = static_cast<float>(value(*layout.intensity));
  if (layout.label) block.classes[row] = classOfLabel(value(*layout.label));
  if (layout.time) block.times[row] = value(*layout.time);
  if (!layout.colour) return;
  const std::array<double, 3> rgb = colourOf(*layout.colour, value);
  block.colour[row] = roundedColour(rgb);
  if (layout.intensity) return;
  block.intensity[row] = static_cast<float>(0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2]);
}

/// How surely a field is a class; 0: it is none. The simulator's own clouds have a `class` and a
/// `label` that tells objects apart.
int labelRank(const Field& field) {
  constexpr std::array<std::string_view, 4> kNames = {"label", "classification", "semantic",
                                                      "scalar_Classification"};
  if (field.count != 1) return 0;
  if (field.name == "class") return 2;
  return std::find(kNames.begin(), kNames.end(), field.name) != kNames.end() ? 1 : 0;
}

/// Names of red, green and blue, or of a value that holds all three.
void takeColour(const Field& field, const Column& column,
                std::array<std::optional<Column>, 3>& colour) {
  if (field.count != 1) return;
  if ((field.name == "rgb" || field.name == "rgba") && field.type.size == 4) {
    colour.fill(column);
    return;
  }
  constexpr std::array<std::string_view, 3> kNames = {"red", "green", "blue"};
  for (std::size_t i = 0; i < 3; ++i) {
    if (field.name == kNames[i] && !colour[i]) colour[i] = column;
  }
}

std::string typeName(NumberType type) {
  const char* kind = type.kind == NumberType::Kind::kFloat    ? "float"
                     : type.kind == NumberType::Kind::kSigned ? "int"
                                                              : "uint";
  return fmt::format("{}{}", kind, 8 * type.size);
}

/// Tells the sink what comes; called once the file has proved large enough for it.
void begin(const InputFile& file, const RecordLayout& layout, std::uint64_t count,
           const PointSink& sink) {
  if (count > kMaxPoints) {
    throw FileError(file.path, fmt::format("holds {} points, allowed: at most {}", count,
                                           withThousands(kMaxPoints)));
  }
  sink.begin(layout, count);
}

/// Fills a block with `rows` records, of which value(row, column) is a number.
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
          layout, [&](const Column& column) { return value(row, column); }, row, block);
    }
  });
}

/// Numbers in text as C writes them, whatever the program's locale.
class NumberParser {
 public:
  NumberParser() : locale_(newlocale(LC_ALL_MASK, "C", nullptr)) {}
  ~NumberParser() { freelocale(locale_); }
  NumberParser(const NumberParser&) = delete;
  NumberParser& operator=(const NumberParser&) = delete;

  /// Reads the number at `text`, which must end with a zero byte; false where there is none.
  bool parse(const char*& text, double& value) const {
    char* end = nullptr;
    value = strtod_l(text, &end, locale_);
    if (end == text || !(*end == '\0' || isBlank(*end))) return false;
    text = end;
    return true;
  }
  static bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

 private:
  locale_t locale_;
};

}  // namespace

int timeRank(std::string_view name) {
  constexpr std::array<std::string_view, 4> kNames = {"timestamp", "offset_time", "t", "time"};
  if (name.substr(0, 7) == "scalar_") name.remove_prefix(7);  // as CloudCompare writes it
  const auto* known = std::find(kNames.begin(), kNames.end(), name);
  return known == kNames.end() ? 0 : static_cast<int>(known - kNames.begin()) + 1;
}

RecordLayout makeLayout(const std::string& path, const std::vector<Field>& fields) {
  RecordLayout layout;
  std::array<bool, 3> found{};
  int intensity_rank = 0, label_rank = 0, time_rank = 0;
  std::array<std::optional<Column>, 3> colour;
  for (const Field& field : fields) {
    const Column column{field.type, layout.record_size, layout.values};
    layout.record_size += field.type.size * field.count;
    layout.values += field.count;
    const std::size_t axis = std::string_view("xyz").find(field.name);
    if (field.name.size() == 1 && axis < 3) {
      if (found[axis]) throw FileError(path, fmt::format("has two fields {}", field.name));
      if (field.type.kind != NumberType::Kind::kFloat || field.count != 1) {
        throw FileError(path, fmt::format("field {} is {} x {}, allowed: one float32 or float64",
                                          field.name, field.count, typeName(field.type)));
      }
      found[axis] = true;
      layout.xyz[axis] = column;
    }
    // An Ouster cloud has both names; its intensity is the raw signal as other scanners give it.
    const int rank = field.name == "intensity" || field.name == "scalar_Intensity" ? 2
                     : field.name == "reflectivity"                                ? 1
                                                                                   : 0;
    if (rank > intensity_rank && field.count == 1) {
      intensity_rank = rank;
      layout.intensity = column;
    }
    takeColour(field, column, colour);
    if (labelRank(field) > label_rank) {
      label_rank = labelRank(field);
      layout.label = column;
    }
    if (field.count == 1 && timeRank(field.name) > time_rank) {
      time_rank = timeRank(field.name);
      layout.time = column;
      layout.time_field = field.name;
    }
  }
  if (colour[0] && colour[1] && colour[2]) {
    layout.colour = {*colour[0], *colour[1], *colour[2]};
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!found[axis]) throw FileError(path, fmt::format("has no field {}", "xyz"[axis]));
  }
  return layout;
}

void PointBlock::resize(std::size_t size, const RecordLayout& layout) {
  points.resize(size);
  intensity.resize(layout.hasIntensity() ? size : 0);
  colour.resize(layout.colour ? size : 0);
  classes.resize(layout.label ? size : 0);
  times.resize(layout.time ? size : 0);
}

void reserveChannels(const RecordLayout& layout, std::size_t size, PointChannels& channels) {
  if (layout.hasIntensity()) channels.intensity.reserve(size);
  if (layout.colour) channels.colour.reserve(size);
  if (layout.label) channels.classes.reserve(size);
}

std::size_t bytesOfChannels(const RecordLayout& layout) {
  return (layout.hasIntensity() ? sizeof(float) : 0) + (layout.colour ? sizeof(Colour) : 0) +
         (layout.label ? sizeof(std::uint8_t) : 0);
}

std::uint8_t classOfLabel(double label) {
  if (!(label >= 0.0 && label <= 4294967295.0)) return 0;
  const std::uint32_t number = static_cast<std::uint32_t>(label) & 0xFFFFU;
  constexpr std::array<std::uint8_t, 4> kMoving = {16, 13, 18, 20};  // from 256 on
  if (number >= 256 && number < 256 + kMoving.size()) return kMoving[number - 256];
  return number < 256 ? static_cast<std::uint8_t>(number) : 0;
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

std::vector<std::string_view> words(std::string_view line) {
  constexpr std::string_view kBlank = " \t\r";
  std::vector<std::string_view> result;
  for (std::size_t begin = line.find_first_not_of(kBlank); begin != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(kBlank, begin), line.size());
    result.push_back(line.substr(begin, end - begin));
    begin = line.find_first_not_of(kBlank, end);
  }
  return result;
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
    if (!file.stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()))) {
      throw FileError(file.path, fmt::format("cannot be read beyond point {}", done));
    }
    fill(block, layout, rows, [&](std::size_t row, const Column& column) {
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
    fill(block, layout, rows, [&](std::size_t row, const Column& column) {
      return decode(bytes.data() + column.offset * count + (done + row) * column.type.size,
                    column.type, layout.big_endian);
    });
    sink.take(block);
  }
}

void readAscii(InputFile& file, const RecordLayout& layout, std::uint64_t count,
               std::size_t first_line, bool to_end, Progress& progress, const PointSink& sink) {
  // The shortest record: one digit a value, a separator after each but the file's last.
  const std::uint64_t most = (bytesLeft(file) + 1) / (2 * layout.values);
  const auto truncated = [&](std::uint64_t have) {
    return FileError(file.path, fmt::format("is truncated: its header promises {} points, {} {}",
                                            count, have == most ? "at most" : "only", have));
  };
  if (most < count) throw truncated(most);
  begin(file, layout, count, sink);

  PointBlock block;
  const NumberParser parser;
  std::vector<char> line(kMaxLine);
  std::vector<double> row(layout.values);
  std::size_t number = first_line - 1;
  std::uint64_t done = 0;
  while (file.stream.getline(line.data(), static_cast<std::streamsize>(line.size()))) {
    ++number;
    const char* text = line.data();
    const char* const end = text + file.stream.gcount() - (file.stream.eof() ? 0 : 1);
    const auto skipBlanks = [&text] {
      while (NumberParser::isBlank(*text)) ++text;
    };
    skipBlanks();
    if (text == end) continue;
    if (done == count) {
      if (!to_end) break;
      throw FileError(file.path, fmt::format("line {}: more than the {} points that the header "
                                             "promises",
                                             number, count));
    }
    for (std::size_t i = 0; i < layout.values; ++i, skipBlanks()) {
      if (!parser.parse(text, row[i])) {
        throw FileError(file.path, fmt::format("line {}: '{}' where value {} of {} should be a "
                                               "number",
                                               number, excerpt(text), i + 1, layout.values));
      }
    }
    if (text != end) {
      throw FileError(file.path,
                      fmt::format("line {}: more than {} values", number, layout.values));
    }
    const std::size_t i = block.size();
    block.resize(i + 1, layout);
    block.points[i] = {row[layout.xyz[0].value], row[layout.xyz[1].value],
                       row[layout.xyz[2].value]};
    takeChannels(
        layout, [&](const Column& column) { return row[column.value]; }, i, block);
    ++done;
    if (block.size() == kBlockPoints) {
      sink.take(block);
      block.resize(0, layout);
      progress.update(done);
    }
    if (done == count && !to_end) break;
  }
  if (!file.stream.eof() && file.stream.fail()) {
    throw FileError(file.path, fmt::format("line {}: longer than {} characters or unreadable",
                                           number + 1, kMaxLine));
  }
  if (done < count) throw truncated(done);
  if (block.size() > 0) sink.take(block);
}

}  // namespace marsim::map
