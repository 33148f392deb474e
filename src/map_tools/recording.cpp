// SPDX-License-Identifier: BSD-3-Clause
#include "map_tools/recording.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "common/output_file.hpp"
#include "common/text.hpp"
#include "map_tools/scan_reader.hpp"
#include "marsim/common/error.hpp"

namespace marsim::map_tools {
namespace {

namespace fs = std::filesystem;

constexpr TimeNs kLongestGap = kNsPerSecond;
constexpr double kAtSensor =
    0.05;  // [m] nearer points are the LiDAR itself, or shots without a return

constexpr std::size_t kJudged = 5;  // scans that decide the unit of points' times

/// Whether a point is a valid return.
bool isSeen(const Eigen::Vector3f& p_L) {
  return p_L.allFinite() && p_L.cast<double>().norm() >= kAtSensor;
}

/// First and last time of the valid points, in the field's unit; none without points.
std::optional<std::pair<double, double>> firstAndLast(const RawScan& scan) {
  double first = INFINITY, last = -INFINITY;
  for (std::size_t i = 0; i < scan.times.size(); ++i) {
    if (!std::isfinite(scan.times[i]) || !isSeen(scan.cloud.points[i])) continue;
    first = std::min(first, scan.times[i]);
    last = std::max(last, scan.times[i]);
  }
  if (first > last) return std::nullopt;
  // A stamp of today has steps of 128 s as a float32.
  const double step = scan.times_are_float32 ? 1e-7 * std::max(-first, last) : 0.0;
  return last - first < 100.0 * step ? std::pair(first, first) : std::pair(first, last);
}

}  // namespace

std::optional<Pose> Trajectory::at(TimeNs stamp) const {
  const auto after =
      std::lower_bound(poses_.begin(), poses_.end(), stamp,
                       [](const StampedPose& pose, TimeNs wanted) { return pose.stamp < wanted; });
  if (after == poses_.end()) return std::nullopt;
  if (after->stamp == stamp) return after->X_WB;
  if (after == poses_.begin()) return std::nullopt;
  const StampedPose& before = *(after - 1);
  const TimeNs gap = after->stamp - before.stamp;
  if (gap > kLongestGap) return std::nullopt;
  const double share = static_cast<double>(stamp - before.stamp) / static_cast<double>(gap);
  return Pose{before.X_WB.q.slerp(share, after->X_WB.q),
              before.X_WB.p + share * (after->X_WB.p - before.X_WB.p)};
}

bool ScanPlacer::append(const RawScan& scan, std::size_t i, const Pose& X_WL, Keyframe& keyframe) {
  if (!isSeen(scan.cloud.points[i])) return false;
  keyframe.cloud.points.push_back((X_WL * scan.cloud.points[i].cast<double>()).cast<float>());
  map::appendChannels(scan.cloud, i, keyframe.cloud);
  keyframe.cloud.to_sensor.resize(keyframe.cloud.size());
  Eigen::Map<Eigen::Vector3f>(keyframe.cloud.to_sensor.back().data()) =
      X_WL.p.cast<float>() - keyframe.cloud.points.back();
  return true;
}

void ScanPlacer::takeScan(const RawScan& scan, const Keyframe& keyframe) {
  ++report.scans;
  report.points += scan.cloud.size();
  take_(keyframe);
}

void ScanPlacer::add(RawScan scan) {
  if (!scan.X_WB && !stamps_.insert(scan.stamp).second) {
    throw FileError(scan.name, fmt::format("has a second scan at {:.9f} s, allowed: one a stamp",
                                           toSeconds(scan.stamp)));
  }
  if (is_judged_) return place(scan);
  waiting_.push_back(std::move(scan));
  if (waiting_.size() == kJudged) judgeTimes();
}

// The scan of longest span decides: a recording may begin in the middle of one.
void ScanPlacer::judgeTimes() {
  is_judged_ = true;
  std::string field;
  double span = 0.0;
  for (const RawScan& scan : waiting_) {
    const auto times = firstAndLast(scan);
    if (!times) continue;
    field = scan.time_field;
    span = std::max(span, times->second - times->first);
  }
  if (has_stamps_) times_ = PointTimes::ofSpan(span);
  const std::string one_pose = "each scan was placed by one pose";
  if (times_) {
    times_note_ = fmt::format(
        "points' times ({}) are in {}, {:.3g} s a scan: every point was placed "
        "by the pose at its own time",
        field, times_->unit(), 1e-9 * times_->length(span));
  } else if (field.empty()) {
    times_note_ = "points have no times: " + one_pose;
  } else if (!has_stamps_) {
    times_note_ = fmt::format("points have times ({}), the poses have none: {}", field, one_pose);
  } else if (span == 0.0) {
    times_note_ =
        fmt::format("points' times ({}) are one for all points of a scan: {}", field, one_pose);
  } else {
    times_note_ = fmt::format(
        "warning: points' times ({}) span {:g} a scan, which is 2 ms to 2 s in "
        "none of s, ms, us, ns: {}",
        field, span, one_pose);
  }
  for (const RawScan& scan : waiting_) place(scan);
  waiting_.clear();
}

void ScanPlacer::place(const RawScan& scan) {
  if (times_ && !scan.times.empty()) {
    if (placeByPoint(scan)) return;
    ++by_pose_;
  }
  const std::optional<Pose> X_WB = scan.X_WB ? scan.X_WB : trajectory_.at(scan.stamp);
  X_WB ? placeBy(scan, *X_WB) : static_cast<void>(++report.outside);
}

void ScanPlacer::placeBy(const RawScan& scan, const Pose& X_WB) {
  Keyframe keyframe;
  const Pose X_WL = X_WB * config_.X_BL;
  keyframe.origin = X_WL.p;
  for (std::size_t i = 0; i < scan.cloud.size(); ++i) {
    if (!append(scan, i, X_WL, keyframe)) ++report.not_finite;
  }
  takeScan(scan, keyframe);
}

// False if the trajectory lacks poses for some of the times.
bool ScanPlacer::placeByPoint(const RawScan& scan) {
  const auto span = firstAndLast(scan);
  if (!span) return false;
  const std::vector<std::int64_t> times = times_->since(scan.stamp, scan.times, *span);
  if (times.empty()) return false;
  const auto [least, most] = std::minmax_element(times.begin(), times.end());
  const auto poseAt = [&](std::int64_t time) { return trajectory_.at(scan.stamp + time); };
  const std::optional<Pose> X_WB = poseAt((*least + *most) / 2);
  if (!X_WB || !poseAt(*least) || !poseAt(*most)) return false;
  Keyframe keyframe;
  keyframe.origin = (*X_WB * config_.X_BL).p;
  std::int64_t known = *least;
  Pose X_WL = *poseAt(known) * config_.X_BL;
  for (std::size_t i = 0; i < scan.cloud.size(); ++i) {
    if (times[i] != known) {
      known = times[i];
      const std::optional<Pose> X_WB_i = poseAt(known);
      if (!X_WB_i) return false;
      X_WL = *X_WB_i * config_.X_BL;
    }
    append(scan, i, X_WL, keyframe);
  }
  report.by_point = true;
  report.not_finite += scan.cloud.size() - keyframe.cloud.size();
  takeScan(scan, keyframe);
  return true;
}

void ScanPlacer::addNotes() {
  std::vector<std::string>& notes = report.notes;
  notes.push_back(times_note_);
  if (times_ && times_->otherClock() > 0) {
    notes.push_back(
        fmt::format("warning: points of {} scans have times of another clock: the first "
                    "point was taken to be at the scan's stamp",
                    withThousands(times_->otherClock())));
  }
  if (by_pose_ > 0) {
    notes.push_back(
        fmt::format("warning: {} scans have points at times without a pose: each was "
                    "placed by one pose, or dropped",
                    withThousands(by_pose_)));
  }
  if (report.outside > 0) {
    notes.push_back(
        fmt::format("warning: {} scans dropped, the trajectory has no poses for their times",
                    withThousands(report.outside)));
  }
}

RecordingReport ScanPlacer::finish() {
  if (!is_judged_) judgeTimes();
  if (report.scans > 0) {
    if (report.points == report.not_finite) {
      throw FileError(config_.source.string(), "has scans without a single point");
    }
    addNotes();
    return report;
  }
  if (stamps_.empty()) throw FileError(config_.source.string(), "has no scan");
  throw FileError(
      config_.poses.empty() ? config_.source.string() : config_.poses.string(),
      fmt::format("poses from {:.3f} to {:.3f} s fit none of the {} scans from {:.3f} to {:.3f} s: "
                  "are they of another clock or recording?",
                  toSeconds(trajectory_.begin()), toSeconds(trajectory_.end()), report.outside,
                  toSeconds(*stamps_.begin()), toSeconds(*stamps_.rbegin())));
}

bool isRecording(const fs::path& path) {
  std::error_code none;
  return fs::is_directory(path, none) || lowerExtension(path) == ".bag";
}

RecordingReport readRecording(const RecordingConfig& config, Progress& progress,
                              const std::function<void(const Keyframe& keyframe)>& take) {
  RecordingReport report;
  if (fs::is_directory(config.source)) {
    readFolder(config, progress, report, take);
    report.source = "PCD or PLY files";
  } else {
    readBag(config, progress, report, take);
  }
  return report;
}

}  // namespace marsim::map_tools
