#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <optional>

#include <fmt/format.h>

#include "common/line_reader.hpp"
#include "common/text.hpp"
#include "map_tools/sources.hpp"
#include "marsim/common/error.hpp"

namespace marsim::map_tools {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

std::vector<std::string> columnsOf(std::string line) {
  // Between semicolons a comma is a decimal point, as spreadsheets of many countries write it.
  if (line.find(';') != std::string::npos) std::replace(line.begin(), line.end(), ',', '.');
  for (char& c : line) {
    if (c == ',' || c == ';' || c == '\t' || c == '\r' || c == '"') c = ' ';
  }
  std::vector<std::string> columns;
  for (const std::string_view word : map::words(line)) columns.emplace_back(word);
  return columns;
}

std::optional<double> numberOf(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || *end != '\0') return std::nullopt;
  return value;
}

/// Which columns hold what.
struct TableColumns {
  std::size_t count = 0;
  std::array<std::size_t, 3> xyz{0, 1, 2};
  std::size_t intensity = kNone;
  std::array<std::size_t, 3> rgb{kNone, kNone, kNone};
  std::size_t label = kNone;

  bool hasColour() const { return rgb[0] != kNone && rgb[1] != kNone && rgb[2] != kNone; }
};

TableColumns namedColumns(const std::string& path, std::vector<std::string> names) {
  // CloudCompare writes "//X Y Z".
  if (names.front().rfind("//", 0) == 0) names.front().erase(0, 2);
  if (names.front().empty()) names.erase(names.begin());
  TableColumns columns;
  columns.count = names.size();
  columns.xyz = {kNone, kNone, kNone};
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::string name;
    for (const char c : names[i]) {
      name.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
    }
    if (name == "x" || name == "y" || name == "z") {
      columns.xyz[static_cast<std::size_t>(name[0] - 'x')] = i;
    } else if (name == "intensity" || name == "i" || name == "reflectivity") {
      columns.intensity = i;
    } else if (name == "red" || name == "r") {
      columns.rgb[0] = i;
    } else if (name == "green" || name == "g") {
      columns.rgb[1] = i;
    } else if (name == "blue" || name == "b") {
      columns.rgb[2] = i;
    } else if (name == "label" || name == "class" || name == "classification") {
      columns.label = i;
    }
  }
  for (const std::size_t column : columns.xyz) {
    if (column == kNone) {
      throw FileError(path,
                      fmt::format("has the columns {}, allowed: x, y, z and others, or numbers "
                                  "without names",
                                  clipped(join(names))));
    }
  }
  return columns;
}

TableColumns numberedColumns(const std::string& path, std::size_t line, std::size_t count) {
  if (count < 3) {
    throw FileError(path,
                    fmt::format("line {} has {} columns, allowed: at least x y z", line, count));
  }
  TableColumns columns;
  columns.count = count;
  if (count == 4 || count == 7) columns.intensity = 3;  // x y z i, x y z i r g b
  if (count == 7) columns.rgb = {4, 5, 6};
  return columns;
}

/// Reads lines into blocks.
class TableReader {
 public:
  TableReader(std::string path, const TakePoints& take) : path_(std::move(path)), take_(take) {}

  void line(const std::string& text) {
    ++number_;
    const std::vector<std::string> columns = columnsOf(text);
    if (columns.empty() || columns.front()[0] == '#') return;
    if (isCount(columns)) return;
    if (!layout_) {
      if (!begin(columns)) return;
    }
    if (columns.size() != layout_->count) {
      throw FileError(
          path_, fmt::format("line {} has {} columns, the first has {}; partly written?", number_,
                             columns.size(), layout_->count));
    }
    Eigen::Vector3d point;
    for (int axis = 0; axis < 3; ++axis) {
      point[axis] = value(columns, layout_->xyz[static_cast<std::size_t>(axis)]);
    }
    block_.points.push_back(point);
    if (layout_->intensity != kNone) {
      block_.intensity.push_back(static_cast<float>(value(columns, layout_->intensity)));
    }
    if (layout_->hasColour()) {
      map::Colour& colour = block_.colour.emplace_back();
      for (std::size_t i = 0; i < 3; ++i) {
        const double shade = std::clamp(value(columns, layout_->rgb[i]), 0.0, 255.0);
        colour[i] = static_cast<std::uint8_t>(std::lround(shade));
      }
    }
    if (layout_->label != kNone) {
      block_.classes.push_back(map::classOfLabel(value(columns, layout_->label)));
    }
    if (block_.size() == map::kBlockPoints) flush();
  }
  void finish() {
    flush();
    if (points_ < promised_) {
      throw FileError(path_, fmt::format("is partly written: it holds {} of {} points",
                                         withThousands(points_), withThousands(promised_)));
    }
    if (points_ == 0) throw FileError(path_, "has no points");
  }
  const std::optional<TableColumns>& layout() const { return layout_; }

 private:
  // PTS: the number of points alone, before the first of them and before those of another scan.
  bool isCount(const std::vector<std::string>& columns) {
    if (columns.size() != 1 || points_ + block_.size() != promised_) return false;
    const std::optional<std::uint64_t> count = parseWhole(columns[0]);
    promised_ += count.value_or(0);
    return count.has_value();
  }
  // Whether the line is one of numbers.
  bool begin(const std::vector<std::string>& columns) {
    if (numberOf(columns.front())) {
      layout_ = numberedColumns(path_, number_, columns.size());
      return true;
    }
    layout_ = namedColumns(path_, columns);
    return false;
  }
  double value(const std::vector<std::string>& columns, std::size_t column) const {
    const std::optional<double> number = numberOf(columns[column]);
    if (!number) {
      throw FileError(path_, fmt::format("line {}, column {} is '{}', allowed: a number", number_,
                                         column + 1, map::excerpt(columns[column])));
    }
    return *number;
  }
  void flush() {
    points_ += block_.size();
    if (block_.size() > 0) take_(block_);
    block_ = {};
  }

  std::string path_;
  const TakePoints& take_;
  std::optional<TableColumns> layout_;
  std::size_t number_ = 0;
  std::uint64_t points_ = 0, promised_ = 0;
  map::PointBlock block_;
};

}  // namespace

Notes readTable(const std::filesystem::path& path, Progress& progress, const TakePoints& take) {
  std::size_t size = 0;
  std::ifstream stream = openInput(path, size);
  if (size == 0) throw FileError(path.string(), "is empty");
  progress.phase("reading " + path.filename().string(), size);
  TableReader reader(path.string(), take);
  std::size_t done = 0;
  for (LineReader lines(stream, path.string()); lines.next();) {
    std::string line(lines.line());
    if (lines.number() == 1 && line.rfind("\xef\xbb\xbf", 0) == 0)
      line.erase(0, 3);  // UTF-8's mark
    if (line.find('\0') != std::string::npos) {
      throw FileError(path.string(), fmt::format("line {} is no text", lines.number()));
    }
    reader.line(line);
    done += line.size() + 1;
    if (lines.number() % 4096 == 0) progress.update(std::min(done, size));
  }
  reader.finish();
  const TableColumns& columns = *reader.layout();
  const bool more = columns.intensity != kNone || columns.hasColour() || columns.label != kNone;
  if (more || columns.count == 3) return {};
  return {fmt::format("{} columns: x, y and z are read, none is named intensity", columns.count)};
}

}  // namespace marsim::map_tools
