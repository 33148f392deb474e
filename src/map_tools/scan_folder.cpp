// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include <fmt/format.h>

#include "common/output_file.hpp"
#include "common/text.hpp"
#include "map/files/local_frame.hpp"
#include "map_tools/scan_reader.hpp"
#include "marsim/common/error.hpp"
#include "marsim/map/cloud_io.hpp"

namespace marsim::map_tools {
namespace {

namespace fs = std::filesystem;

/// Cloud files of a folder in the natural order of their names.
std::vector<fs::path> cloudsOf(const fs::path& folder) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string extension = lowerExtension(entry.path());
    const auto& formats = map::cloudFormats();
    const bool is_cloud = std::find(formats.begin(), formats.end(), extension) != formats.end();
    if (is_cloud && entry.path().filename().string().front() != '.') paths.push_back(entry.path());
  }
  if (paths.empty()) throw FileError(folder.string(), "has no PCD or PLY file");
  std::sort(paths.begin(), paths.end());
  std::stable_sort(paths.begin(), paths.end(), [](const fs::path& a, const fs::path& b) {
    return naturalOrder(a.stem().string(), b.stem().string()) < 0;
  });
  return paths;
}

/// A name with 0 in place of each of its numbers.
std::string withoutNumbers(const std::string& name) {
  std::string text;
  bool in_number = false;
  for (const char c : name) {
    const bool is_digit = c >= '0' && c <= '9';
    if (!is_digit || !in_number) text.push_back(is_digit ? '0' : c);
    in_number = is_digit;
  }
  return text;
}

/// Throws FileError if the names do not tell the order of the scans.
void requireOneOrder(const std::vector<fs::path>& paths, const fs::path& folder) {
  for (std::size_t i = 1; i < paths.size(); ++i) {
    const std::string a = paths[i - 1].stem().string(), b = paths[i].stem().string();
    const char* reason = nullptr;
    if (withoutNumbers(a) != withoutNumbers(b)) {
      reason = "differ in more than their numbers";
    } else if (naturalOrder(a, b) == 0) {
      reason = "have the same number";
    } else if (naturalOrder(a, b, true) >= 0) {
      reason = "are in another order if the point is a decimal point";
    }
    if (reason == nullptr) continue;
    throw FileError(
        folder.string(),
        fmt::format("the order of its clouds is not sure: {} and {} {}, allowed: names of which "
                    "only the numbers differ (scan1 to scan10), or stamps (1650000000.25)",
                    clipped(paths[i - 1].filename().string()),
                    clipped(paths[i].filename().string()), reason));
  }
}

/// The stamp in a file's name: seconds with a point (1650000000.25), or nanoseconds of 16 digits or
/// more.
std::optional<TimeNs> stampOf(const fs::path& path) {
  const std::string stem = path.stem().string();
  const std::size_t point = stem.find('.');
  const auto whole = parseWhole(stem.substr(0, point));
  if (!whole || *whole > 4'000'000'000'000'000'000U) return std::nullopt;
  if (point == std::string::npos) {
    if (stem.size() < 16) return std::nullopt;
    return static_cast<TimeNs>(*whole);
  }
  std::string decimals = stem.substr(point + 1, 9);
  if (*whole > 4'000'000'000U || !parseWhole(decimals)) return std::nullopt;
  decimals.resize(9, '0');
  return static_cast<TimeNs>(*whole) * kNsPerSecond + static_cast<TimeNs>(*parseWhole(decimals));
}

/// Stamps from the names, rising where no two are equal; empty if some names have none.
std::vector<TimeNs> stampsOf(std::vector<fs::path>& paths) {
  if (!std::all_of(paths.begin(), paths.end(), stampOf)) return {};
  std::stable_sort(paths.begin(), paths.end(),
                   [](const auto& a, const auto& b) { return *stampOf(a) < *stampOf(b); });
  std::vector<TimeNs> stamps;
  for (const fs::path& path : paths) stamps.push_back(*stampOf(path));
  return stamps;
}

/// Counts data in the files of scans beside the scans.
struct FileCounts {
  std::size_t not_finite = 0;
  std::size_t viewpoints = 0;
};

RawScan readScan(const fs::path& path, FileCounts& counts) {
  RawScan scan;
  scan.name = path.string();
  map::LocalFrame frame;
  map::PointSink sink;
  sink.begin = [&](const map::RecordLayout& layout, std::uint64_t count) {
    frame.begin(layout);
    scan.cloud.points.reserve(count);
    map::reserveChannels(layout, count, scan.cloud);
    scan.time_field = layout.time_field;
    if (layout.time) {
      const map::NumberType type = layout.time->type;
      scan.times_are_float32 = type.kind == map::NumberType::Kind::kFloat && type.size == 4;
    }
    counts.viewpoints += layout.viewpoint ? 1U : 0U;
  };
  sink.take = [&](const map::PointBlock& block) {
    frame.append(block, scan.cloud);
    if (!frame.origin().isZero()) {
      throw FileError(scan.name,
                      "lies more than 10 km from its origin, allowed: the LiDAR's frame");
    }
    for (std::size_t i = 0; i < block.times.size(); ++i) {
      if (block.points[i].cast<float>().allFinite()) scan.times.push_back(block.times[i]);
    }
  };
  map::readPoints(path, Progress::none(), sink);
  counts.not_finite += frame.nonFinite();
  return scan;
}

}  // namespace

void readFolder(const RecordingConfig& config, Progress& progress, RecordingReport& report,
                const std::function<void(const Keyframe& keyframe)>& take) {
  if (config.poses.empty()) {
    throw ConfigError("command line", "--poses", "absent",
                      "the trajectory of the scans in " + config.source.string());
  }
  std::vector<fs::path> paths = cloudsOf(config.source);
  ScanPoses poses = readScanPoses(config.poses);
  const std::vector<TimeNs> stamps = stampsOf(paths);
  const bool by_stamp = poses.has_stamps && !stamps.empty();
  const std::size_t count = poses.poses.size();
  if (!by_stamp && count != paths.size()) {
    throw FileError(config.poses.string(),
                    fmt::format("has {} poses for {} clouds in {}, allowed: as many, or clouds "
                                "named by their stamps (1650000000.25.pcd) and poses with stamps",
                                count, paths.size(), config.source.string()));
  }
  if (stamps.empty()) requireOneOrder(paths, config.source);
  if (!poses.has_stamps && !stamps.empty()) {
    for (std::size_t i = 0; i < count; ++i) poses.poses[i].stamp = stamps[i];
    poses.has_stamps = true;
  }
  const std::vector<StampedPose> known = poses.poses;
  const std::string format = poses.format;
  ScanPlacer placer(config, std::move(poses), take);
  FileCounts counts;
  progress.phase("reading scans", paths.size());
  for (std::size_t i = 0; i < paths.size(); ++i) {
    RawScan scan = readScan(paths[i], counts);
    scan.stamp = stamps.empty() ? known[i].stamp : stamps[i];
    if (!by_stamp) scan.X_WB = known[i].X_WB;
    placer.add(std::move(scan));
    progress.update(i + 1);
  }
  report = placer.finish();
  report.points += counts.not_finite;
  report.not_finite += counts.not_finite;
  report.notes.insert(
      report.notes.begin(),
      fmt::format("{}: {} poses, {}, matched by {}", config.poses.string(), withThousands(count),
                  format, by_stamp ? "stamps" : "the order of names"));
  if (counts.viewpoints > 0) {
    report.notes.push_back(fmt::format("VIEWPOINT of {} scans is not used, the poses of {} are",
                                       withThousands(counts.viewpoints), config.poses.string()));
  }
}

}  // namespace marsim::map_tools
