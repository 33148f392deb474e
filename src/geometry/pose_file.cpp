#include "marsim/geometry/pose_file.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "common/input_file.hpp"
#include "common/text.hpp"
#include "marsim/common/error.hpp"

namespace marsim {
namespace {

// The difference of two stamps fits into 64 bits, too.
constexpr TimeNs kFarthestStamp = std::int64_t{4'000'000'000} * kNsPerSecond;
constexpr std::size_t kMostBytes = std::size_t{1} << 30U;
constexpr std::size_t kFields = 8;
const std::array<const char*, kFields> kNames = {"stamp", "x", "y", "z", "qx", "qy", "qz", "qw"};

/// Places of the fields among the columns of a line, in the order of kNames.
struct Columns {
  std::array<std::size_t, kFields> places = {0, 1, 2, 3, 4, 5, 6, 7};
  int decimals = 9;  ///< of the stamp's unit, in nanoseconds: 9 for s, 0 for ns
};

/// A line of a file, for errors.
struct Line {
  std::string path;
  std::size_t number = 0;

  [[noreturn]] void refuse(const std::string& reason) const {
    throw FileError(path, fmt::format("line {}: {}", number, reason));
  }
};

std::optional<double> parseNumber(std::string_view text) {
  double value = 0.0;
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Digit by digit, since nanoseconds since 1970 are more than a double holds; further ones are
// dropped.
std::optional<TimeNs> parseDecimalStamp(std::string_view text, int decimals) {
  const bool is_negative = !text.empty() && text.front() == '-';
  if (is_negative) text.remove_prefix(1);
  TimeNs stamp = 0;
  int left = -1;  // decimals still to come; < 0: before the point
  bool has_digit = false;
  for (const char c : text) {
    if (c == '.' && left < 0) {
      left = decimals;
      continue;
    }
    if (c < '0' || c > '9') return std::nullopt;
    has_digit = true;
    if (left == 0) continue;
    if (stamp > kFarthestStamp / 10 - 1) return std::nullopt;
    stamp = 10 * stamp + (c - '0');
    if (left > 0) --left;
  }
  for (int i = left < 0 ? decimals : left; i > 0; --i) {
    if (stamp > kFarthestStamp / 10 - 1) return std::nullopt;
    stamp *= 10;
  }
  if (!has_digit) return std::nullopt;
  return is_negative ? -stamp : stamp;
}

std::optional<TimeNs> parseStamp(std::string_view text, int decimals) {
  if (const auto stamp = parseDecimalStamp(text, decimals)) return stamp;
  const auto number = parseNumber(text);  // 1.5e3
  double nanoseconds = number ? *number : NAN;
  for (int i = 0; i < decimals; ++i) nanoseconds *= 10.0;
  if (!(std::abs(nanoseconds) < static_cast<double>(kFarthestStamp))) return std::nullopt;
  return std::llround(nanoseconds);
}

std::vector<std::string_view> splitAtBlanks(std::string_view text) {
  std::vector<std::string_view> words;
  while (!(text = trimmed(text)).empty()) {
    const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return words;
}

std::vector<std::string_view> splitAtCommas(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t end = 0; end != std::string_view::npos; text.remove_prefix(end + 1)) {
    end = text.find(',');
    words.push_back(trimmed(text.substr(0, end)));
    if (end == std::string_view::npos) break;
  }
  return words;
}

bool isComment(std::string_view line) { return line.empty() || line.front() == '#'; }

/// Name and unit of a column: "#timestamp [ns]" is timestamp, ns.
struct ColumnName {
  std::string name, unit;

  explicit ColumnName(std::string_view text) {
    while (!text.empty() && (text.front() == '#' || text.front() == ' ')) text.remove_prefix(1);
    const std::size_t bracket = text.find('[');
    name = trimmed(text.substr(0, bracket));
    if (bracket != std::string_view::npos) {
      const std::size_t end = text.find(']', bracket);
      if (end != std::string_view::npos)
        unit = trimmed(text.substr(bracket + 1, end - bracket - 1));
    }
  }
};

// The field that a column holds, kFields for none.
std::size_t fieldOf(const std::string& name) {
  static const std::array<std::vector<std::string>, kFields> names = {{
      {"stamp", "t", "time", "timestamp"},
      {"x", "p_RS_R_x"},
      {"y", "p_RS_R_y"},
      {"z", "p_RS_R_z"},
      {"qx", "q_RS_x"},
      {"qy", "q_RS_y"},
      {"qz", "q_RS_z"},
      {"qw", "q_RS_w"},
  }};
  const auto known = std::find_if(names.begin(), names.end(), [&](const auto& of_field) {
    return std::find(of_field.begin(), of_field.end(), name) != of_field.end();
  });
  return static_cast<std::size_t>(known - names.begin());
}

int decimalsOf(const ColumnName& stamp, bool is_euroc, const Line& line) {
  if (stamp.unit == "ns" || (stamp.unit.empty() && is_euroc)) return 0;
  if (stamp.unit == "us") return 3;
  if (stamp.unit == "ms") return 6;
  if (stamp.unit == "s" || stamp.unit.empty()) return 9;
  line.refuse(
      fmt::format("{} has the unit '{}', allowed: s, ms, us, ns", stamp.name, clipped(stamp.unit)));
}

Columns readHeader(std::string_view text, const Line& line) {
  Columns columns;
  columns.places.fill(std::string_view::npos);
  std::optional<ColumnName> stamp;
  std::vector<std::string> given;
  const std::vector<std::string_view> words = splitAtCommas(text);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const ColumnName column(words[i]);
    given.push_back(column.name);
    const std::size_t field = fieldOf(column.name);
    if (field == kFields) continue;
    if (columns.places[field] != std::string_view::npos) {
      line.refuse(fmt::format("two columns hold {}, allowed: one", kNames[field]));
    }
    columns.places[field] = i;
    if (field == 0) stamp = column;
  }
  for (std::size_t field = 0; field < kFields; ++field) {
    if (columns.places[field] != std::string_view::npos) continue;
    line.refuse(
        fmt::format("no column {}, allowed: a line that names {} before all others; it has "
                    "{}",
                    kNames[field], join({kNames.begin(), kNames.end()}), clipped(join(given))));
  }
  const bool is_euroc = given[columns.places[1]] == "p_RS_R_x";
  columns.decimals = decimalsOf(*stamp, is_euroc, line);
  return columns;
}

StampedPose readPose(const std::vector<std::string_view>& words, const Columns& columns,
                     const Line& line) {
  std::array<double, kFields> values{};
  StampedPose pose;
  for (std::size_t field = 0; field < kFields; ++field) {
    const std::size_t place = columns.places[field];
    if (place >= words.size()) {
      line.refuse(fmt::format("{} is missing, allowed: {}", kNames[field],
                              join({kNames.begin(), kNames.end()})));
    }
    const std::string_view word = words[place];
    const auto stamp = field == 0 ? parseStamp(word, columns.decimals) : std::nullopt;
    const auto number = field == 0 ? std::nullopt : parseNumber(word);
    if (field == 0 ? !stamp : !number || !std::isfinite(*number)) {
      const std::string most =
          field == 0 ? fmt::format(" up to {:g} s", toSeconds(kFarthestStamp)) : "";
      line.refuse(fmt::format("{} is '{}', allowed: a finite number{}", kNames[field],
                              clipped(word), most));
    }
    if (stamp) pose.stamp = *stamp;
    if (number) values[field] = *number;
  }
  pose.X_WB.p = {values[1], values[2], values[3]};
  pose.X_WB.q = Eigen::Quaterniond(values[7], values[4], values[5], values[6]);
  return pose;
}

}  // namespace

std::vector<StampedPose> readPoseFile(const std::filesystem::path& path, bool keyframes) {
  const std::string text = readFile(path, kMostBytes);
  Line line{path.string(), 0};
  std::vector<StampedPose> poses;
  std::optional<Columns> columns;  // of a CSV file
  std::string_view header;         // a comment that may be one
  std::size_t header_line = 0;
  for (std::string_view rest = text; !rest.empty();) {
    ++line.number;
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view content = trimmed(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const bool has_commas = content.find(',') != std::string_view::npos;
    if (isComment(content)) {
      if (has_commas && !columns) {
        header = content;
        header_line = line.number;
      }
      continue;
    }
    if (has_commas && poses.empty() && !columns) {
      const bool is_names = header.empty();
      columns = readHeader(is_names ? content : header,
                           {line.path, is_names ? line.number : header_line});
      if (is_names) continue;
    }
    const StampedPose pose = columns ? readPose(splitAtCommas(content), *columns, line)
                                     : readPose(splitAtBlanks(content), Columns(), line);
    const StampedPose* before = poses.empty() ? nullptr : &poses.back();
    std::string problem = problemOf(pose, keyframes ? nullptr : before);
    if (problem.empty() && before != nullptr && pose.stamp <= before->stamp) {
      problem = "stamp is not after that of the pose before";
    }
    if (!problem.empty()) line.refuse(problem);
    poses.push_back(pose);
  }
  if (poses.size() < 2) {
    throw FileError(line.path,
                    fmt::format("number of poses is {}, allowed: 2 or more", poses.size()));
  }
  return poses;
}

}  // namespace marsim
