// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/geometry/pose_file.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "common/text.hpp"
#include "geometry/pose_lines.hpp"
#include "marsim/common/error.hpp"

namespace marsim {
namespace {

constexpr std::size_t kFields = 8;
constexpr std::size_t kNone = std::string_view::npos;
const std::array<const char*, kFields> kNames = {"stamp", "x", "y", "z", "qx", "qy", "qz", "qw"};

/// Places of the fields among the columns of a line, in the order of kNames.
struct Columns {
  std::array<std::size_t, kFields> places = {0, 1, 2, 3, 4, 5, 6, 7};
  std::size_t count = 0;  ///< of the columns; 0: as many as the fields need
  int decimals = 9;       ///< of the stamp's unit, in nanoseconds: 9 for s, 0 for ns

  bool hasStamp() const { return places[0] != kNone; }
};

/// Name and unit of a column: "timestamp [ns]" or "timestamp(ns)" is timestamp, ns.
struct ColumnName {
  std::string name, unit;

  explicit ColumnName(std::string_view text) {
    const std::size_t bracket = text.find_first_of("[(");
    name = trimmed(text.substr(0, bracket));
    if (bracket == kNone) return;
    const std::size_t end = text.find_first_of("])", bracket);
    if (end != kNone) unit = trimmed(text.substr(bracket + 1, end - bracket - 1));
  }
};

std::vector<ColumnName> namesOf(std::string_view text) {
  std::vector<ColumnName> names;
  for (const std::string_view word : poseWords(text)) {
    const ColumnName column(word);
    // After a blank a unit is a word of its own.
    if (column.name.empty() && !column.unit.empty() && !names.empty()) {
      names.back().unit = column.unit;
    } else {
      names.push_back(column);
    }
  }
  return names;
}

// The field that a column holds, kFields for none.
std::size_t fieldOf(const std::string& name) {
  static const std::array<std::vector<std::string>, kFields> names = {{
      {"stamp", "t", "time", "timestamp"},
      {"x", "tx", "px", "pos_x", "p_RS_R_x"},
      {"y", "ty", "py", "pos_y", "p_RS_R_y"},
      {"z", "tz", "pz", "pos_z", "p_RS_R_z"},
      {"qx", "q_x", "quat_x", "q_RS_x"},
      {"qy", "q_y", "quat_y", "q_RS_y"},
      {"qz", "q_z", "quat_z", "q_RS_z"},
      {"qw", "q_w", "quat_w", "q_RS_w"},
  }};
  const auto known = std::find_if(names.begin(), names.end(), [&](const auto& of_field) {
    return std::find(of_field.begin(), of_field.end(), name) != of_field.end();
  });
  return static_cast<std::size_t>(known - names.begin());
}

/// Whether a line names all columns of a pose.
bool namesAll(const std::vector<ColumnName>& names, bool needs_stamp) {
  std::array<bool, kFields + 1> found{};
  for (const ColumnName& column : names) found[fieldOf(column.name)] = true;
  return std::all_of(found.begin() + (needs_stamp ? 0 : 1), found.end() - 1,
                     [](bool is_there) { return is_there; });
}

/// Reads the poses of a file, starting with the line read last.
class PoseReader {
 public:
  PoseReader(PoseLines& lines, bool keyframes) : lines_(lines), keyframes_(keyframes) {}
  std::vector<StampedPose> read();
  const Columns& columns() const { return columns_; }

 private:
  bool findColumns();
  void useNames(const std::vector<ColumnName>& names, std::size_t line);
  int decimalsOf(const ColumnName& stamp, bool is_euroc, std::size_t line) const;
  StampedPose readPose() const;
  void check(const StampedPose& pose, const StampedPose* before) const;
  void requireUpright(const Eigen::Quaterniond& q) const;

  PoseLines& lines_;
  bool keyframes_;
  Columns columns_;
  bool is_named_ = false;
};

// Finds out which column holds which field. False if the first line has names.
bool PoseReader::findColumns() {
  const std::vector<std::string_view> words = lines_.words();
  const bool has_commas = lines_.text().find(',') != std::string::npos;
  const std::vector<ColumnName> names = namesOf(lines_.text());
  if (!namesAll(names, !keyframes_)) {
    for (const PoseLines::Comment& comment : lines_.comments()) {
      const std::vector<ColumnName> said = namesOf(comment.text);
      if (!namesAll(said, !keyframes_) || (!has_commas && said.size() != words.size())) continue;
      useNames(said, comment.number);
      return true;
    }
    if (!has_commas) {
      if (keyframes_ && words.size() == kFields - 1) {
        columns_.places = {kNone, 0, 1, 2, 3, 4, 5, 6};
      }
      return true;
    }
  }
  useNames(names, 0);
  return false;
}

void PoseReader::useNames(const std::vector<ColumnName>& names, std::size_t line) {
  columns_.places.fill(kNone);
  columns_.count = names.size();
  is_named_ = true;
  std::vector<std::string> given;
  for (std::size_t i = 0; i < names.size(); ++i) {
    given.push_back(names[i].name);
    const std::size_t field = fieldOf(names[i].name);
    if (field == kFields) continue;
    if (columns_.places[field] != kNone) {
      lines_.refuse(fmt::format("two columns hold {}, allowed: one", kNames[field]), line);
    }
    columns_.places[field] = i;
  }
  for (std::size_t field = keyframes_ ? 1 : 0; field < kFields; ++field) {
    if (columns_.places[field] != kNone) continue;
    lines_.refuse(
        fmt::format("no column {}, allowed: a line that names {} before all others; it "
                    "has {}",
                    kNames[field], join({kNames.begin(), kNames.end()}), clipped(join(given))),
        line);
  }
  const bool is_euroc = given[columns_.places[1]] == "p_RS_R_x";
  if (columns_.hasStamp()) {
    columns_.decimals = decimalsOf(names[columns_.places[0]], is_euroc, line);
  }
}

int PoseReader::decimalsOf(const ColumnName& stamp, bool is_euroc, std::size_t line) const {
  if (stamp.unit == "ns" || (stamp.unit.empty() && is_euroc)) return 0;
  if (stamp.unit == "us") return 3;
  if (stamp.unit == "ms") return 6;
  if (stamp.unit == "s" || stamp.unit == "sec" || stamp.unit.empty()) return 9;
  lines_.refuse(
      fmt::format("{} has the unit '{}', allowed: s, ms, us, ns", stamp.name, clipped(stamp.unit)),
      line);
}

StampedPose PoseReader::readPose() const {
  const std::vector<std::string_view> words = lines_.words();
  std::array<double, kFields> values{};
  StampedPose pose;
  for (std::size_t field = columns_.hasStamp() ? 0 : 1; field < kFields; ++field) {
    const std::size_t place = columns_.places[field];
    if (place >= words.size()) {
      lines_.refuse(fmt::format("{} is missing, allowed: {}", kNames[field],
                                join({kNames.begin(), kNames.end()})));
    }
    const std::string_view word = words[place];
    const auto stamp = field == 0 ? poseStamp(word, columns_.decimals) : std::nullopt;
    const auto number = field == 0 ? std::nullopt : poseNumber(word);
    if (field == 0 ? !stamp : !number || !std::isfinite(*number)) {
      const std::string most =
          field == 0 ? fmt::format(" up to {:g} s", toSeconds(kFarthestPoseStamp)) : "";
      lines_.refuse(fmt::format("{} is '{}', allowed: a finite number{}", kNames[field],
                                clipped(word), most));
    }
    if (stamp) pose.stamp = *stamp;
    if (number) values[field] = *number;
  }
  const std::size_t most =
      columns_.count > 0 ? columns_.count : kFields - (columns_.hasStamp() ? 0 : 1);
  if (words.size() > most) {
    lines_.refuse(fmt::format("{} columns, allowed: {}", words.size(),
                              is_named_ ? fmt::format("the {} that are named", most)
                                        : join({kNames.begin(), kNames.end()})));
  }
  pose.X_WB.p = {values[1], values[2], values[3]};
  pose.X_WB.q = Eigen::Quaterniond(values[7], values[4], values[5], values[6]);
  return pose;
}

void PoseReader::check(const StampedPose& pose, const StampedPose* before) const {
  std::string problem = problemOf(pose, keyframes_ ? nullptr : before);
  if (problem.empty() && columns_.hasStamp() && before != nullptr && pose.stamp <= before->stamp) {
    problem = "stamp is not after that of the pose before";
  }
  if (!problem.empty()) lines_.refuse(problem);
  if (before == nullptr && !columns_.hasStamp() && !is_named_) requireUpright(pose.X_WB.q);
}

// Programs write seven columns in two different orders.
void PoseReader::requireUpright(const Eigen::Quaterniond& q) const {
  const auto up = [](double x, double y) { return 1.0 - 2.0 * (x * x + y * y); };
  if (up(q.x(), q.y()) > -0.5 || up(q.y(), q.z()) < 0.5) return;
  lines_.refuse(
      "as x y z qx qy qz qw the first pose is upside down, as x y z qw qx qy qz it is not, "
      "allowed: a first line that names the columns in their order");
}

std::vector<StampedPose> PoseReader::read() {
  std::vector<StampedPose> poses;
  for (bool more = findColumns() || lines_.next(); more; more = lines_.next()) {
    StampedPose pose = readPose();
    if (!columns_.hasStamp()) pose.stamp = static_cast<TimeNs>(poses.size());
    check(pose, poses.empty() ? nullptr : &poses.back());
    poses.push_back(pose);
  }
  return poses;
}

void requirePoses(const std::vector<StampedPose>& poses, const PoseLines& lines,
                  std::size_t least) {
  if (poses.size() >= least) return;
  throw FileError(lines.path(),
                  fmt::format("number of poses is {}, allowed: {} or more", poses.size(), least));
}

}  // namespace

std::vector<StampedPose> readPoseFile(const std::filesystem::path& path) {
  PoseLines lines(path);
  std::vector<StampedPose> poses;
  if (lines.next()) poses = PoseReader(lines, false).read();
  requirePoses(poses, lines, 2);
  return poses;
}

ScanPoses readScanPoses(const std::filesystem::path& path) {
  PoseLines lines(path);
  ScanPoses scans;
  if (lines.next()) {
    if (auto matrices = readMatrices(lines)) {
      scans = std::move(*matrices);
    } else {
      PoseReader reader(lines, true);
      scans.poses = reader.read();
      scans.has_stamps = reader.columns().hasStamp();
      scans.format = scans.has_stamps ? "x y z and a quaternion with stamps"
                                      : "x y z and a quaternion without stamps";
    }
  }
  requirePoses(scans.poses, lines, 1);
  for (StampedPose& pose : scans.poses) pose.X_WB.q.normalize();
  return scans;
}

}  // namespace marsim
