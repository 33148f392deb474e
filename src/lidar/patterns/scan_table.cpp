// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "common/input_file.hpp"
#include "common/text.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"
#include "marsim/lidar/scan_pattern.hpp"

namespace marsim::lidar {
namespace {

constexpr std::size_t kLargestFile = std::size_t{128} << 20;  // [bytes]
constexpr int kAbsent = -1;
constexpr double kTimeMax = 3600.0;  // [s] longer ones are row numbers, not seconds

using Fields = std::vector<std::string_view>;

/// The number, or NaN if the text is none.
double numberOf(std::string_view text) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole ? value : std::nan("");
}

bool isNumber(std::string_view text) { return !std::isnan(numberOf(text)); }

std::string lowerCase(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

/// Reads a table line by line; keeps its position for messages.
class TableReader {
 public:
  TableReader(const std::string& file, const ScanTableColumns& names, bool with_times)
      : names_(names), with_times_(with_times) {
    table_.file = file;
  }

  ScanTable read() {
    const std::string content = readFile(table_.file, kLargestFile);
    std::string_view rest = content;
    bool first = true;
    while (!rest.empty()) {
      ++line_number_;
      std::string_view text = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(text.size() + 1, rest.size()));
      if (text.rfind("\xEF\xBB\xBF", 0) == 0) text.remove_prefix(3);  // a byte order mark
      text = trimmed(text);
      if (text.empty() || text.front() == '#') continue;
      if (first) {
        first = false;
        separator_ = separatorOf(text);
        splitInto(text);
        if (beginTable()) continue;  // the line was the header
      }
      splitInto(text);
      addRow();
    }
    if (table_.directions.empty()) throw FileError(table_.file, "holds no rows");
    return std::move(table_);
  }

 private:
  static char separatorOf(std::string_view text) {
    for (const char separator : {',', ';', '\t'}) {
      if (text.find(separator) != std::string_view::npos) return separator;
    }
    return ' ';
  }

  void splitInto(std::string_view text) {
    fields_.clear();
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find(separator_, begin), text.size());
      fields_.push_back(trimmed(text.substr(begin, end - begin)));
      begin = end + 1;
    }
  }

  // Finds the columns; returns whether the line is a header.
  bool beginTable() {
    const bool header = std::none_of(fields_.begin(), fields_.end(), isNumber);
    azimuth_ = find("azimuth", names_.azimuth, header);
    elevation_ = find("elevation", names_.elevation, header);
    zenith_ = find("zenith", names_.zenith, header);
    if (with_times_) time_ = find("time", names_.time, header);
    line_ = find("line", names_.line, header);
    ring_ = find("ring", names_.ring, header);
    if (azimuth_ == kAbsent) throw missing("azimuth");
    if (elevation_ == kAbsent && zenith_ == kAbsent) throw missing("elevation or zenith");
    if (elevation_ != kAbsent && zenith_ != kAbsent) {
      throw FileError(table_.file, "has both elevation and zenith, one is wanted");
    }
    return header;
  }

  FileError missing(const char* what) const {
    return FileError(table_.file,
                     fmt::format("line {}: no column for {} among '{}' (pattern.columns names or "
                                 "numbers it)",
                                 line_number_, what, joined()));
  }

  // A column named or numbered by the user, else one whose header begins with the word.
  int find(const char* word, const std::string& wanted, bool header) const {
    if (wanted.empty()) {
      if (!header) return kAbsent;
      for (std::size_t i = 0; i < fields_.size(); ++i) {
        if (lowerCase(fields_[i]).rfind(word, 0) == 0) return static_cast<int>(i);
      }
      return kAbsent;
    }
    int number = 0;
    const auto [end, error] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), number);
    if (error == std::errc() && end == wanted.data() + wanted.size()) {
      if (number >= 1 && static_cast<std::size_t>(number) <= fields_.size()) return number - 1;
    } else if (header) {
      for (std::size_t i = 0; i < fields_.size(); ++i) {
        if (fields_[i] == wanted) return static_cast<int>(i);
      }
    }
    throw FileError(table_.file, fmt::format("line {}: no column '{}' for {} among '{}'",
                                             line_number_, wanted, word, joined()));
  }

  std::string joined() const {
    return clipped(join(std::vector<std::string>(fields_.begin(), fields_.end())), 160);
  }

  double number(int column, double low, double high, const char* unit) const {
    const auto index = static_cast<std::size_t>(column);
    const std::string_view text = index < fields_.size() ? fields_[index] : std::string_view();
    const double value = numberOf(text);
    if (!(value >= low && value <= high)) {
      refuse(column, fmt::format("{} to {}{}", low, high, unit));
    }
    return value;
  }

  template <class Value>
  Value count(int column, int high) const {
    const double value = number(column, 0, high, "");
    if (value != std::floor(value)) refuse(column, fmt::format("whole numbers from 0 to {}", high));
    return static_cast<Value>(value);
  }

  [[noreturn]] void refuse(int column, const std::string& allowed) const {
    const auto index = static_cast<std::size_t>(column);
    const std::string text =
        index < fields_.size() ? fmt::format("'{}'", clipped(fields_[index])) : "missing";
    throw FileError(table_.file, fmt::format("line {}, column {} is {}, allowed: {}", line_number_,
                                             column + 1, text, allowed));
  }

  void addRow() {
    const double azimuth = radians(number(azimuth_, -360.0, 360.0, " degrees"));
    const double elevation = elevation_ != kAbsent
                                 ? radians(number(elevation_, -90.0, 90.0, " degrees"))
                                 : radians(90.0 - number(zenith_, 0.0, 180.0, " degrees"));
    table_.directions.push_back(Eigen::Vector3d(std::cos(elevation) * std::cos(azimuth),
                                                std::cos(elevation) * std::sin(azimuth),
                                                std::sin(elevation))
                                    .cast<float>());
    if (line_ != kAbsent) table_.lines.push_back(count<std::uint8_t>(line_, 255));
    if (ring_ != kAbsent) table_.rings.push_back(count<std::uint16_t>(ring_, 65534));
    if (time_ == kAbsent) return;
    const double time = number(time_, -kTimeMax, kTimeMax, " s (else set points_per_second)");
    if (table_.times.empty()) start_ = time;
    const TimeNs since_start = toNs(time - start_);
    if (!table_.times.empty() && since_start < table_.times.back()) {
      refuse(time_, "the time of the row before or later");
    }
    table_.times.push_back(since_start);
  }

  const ScanTableColumns& names_;
  bool with_times_;
  ScanTable table_;
  std::size_t line_number_ = 0;
  char separator_ = ',';
  Fields fields_;
  int azimuth_ = kAbsent, elevation_ = kAbsent, zenith_ = kAbsent;
  int time_ = kAbsent, line_ = kAbsent, ring_ = kAbsent;
  double start_ = 0.0;  // [s] of the first row
};

}  // namespace

ScanTable readScanTable(const std::string& file, const ScanTableColumns& columns, bool with_times) {
  ScanTable table = TableReader(file, columns, with_times).read();
  table.directions.shrink_to_fit();
  table.times.shrink_to_fit();
  table.lines.shrink_to_fit();
  table.rings.shrink_to_fit();
  return table;
}

}  // namespace marsim::lidar
