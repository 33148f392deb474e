// SPDX-License-Identifier: BSD-3-Clause
#include "tools/map/map_accuracy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "common/nth_smallest.hpp"
#include "map_tools/compare.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"
#include "marsim/lidar/renderer.hpp"

namespace marsim::tools {
namespace {

constexpr float kBehind = 0.5F;      // [m] a beam without a hit by then is a miss
constexpr float kBefore = 0.3F;      // [m] hits so much too early are other objects
constexpr double kUnfit = 0.3;       // [m] median error of scans that do not fit
constexpr double kLost = 0.5;        // share of misses and too near ones of scans that do not fit
constexpr double kAll = 0.99;        // share of misses of scans that look elsewhere
constexpr double kHardlyAny = 0.05;  // share of too early hits if scans fit
constexpr double kFits = 0.1;        // [m] median error of scans that fit
constexpr float kLeastRange = 0.3F;  // [m] nearer beams are ignored

/// A beam of a scan that is not in the map, and its result in the map.
struct Beam {
  lidar::Ray ray;
  float measured;  ///< [m]
  float cosine = 0.0F;
  enum class Fate { kMet, kMissed, kTooNear } fate = Fate::kMissed;
  float error = 0.0F;  ///< [m]
};

double medianOf(std::vector<double> values) {
  return values.empty() ? 0.0 : nthSmallest(values, values.size() / 2);
}

template <class Choose>
AccuracyRow rowOf(const std::string& name, const std::vector<Beam>& beams, const Choose& choose) {
  AccuracyRow row;
  row.name = name;
  std::vector<double> errors, sizes;
  double misses = 0.0, too_near = 0.0;
  for (const Beam& beam : beams) {
    if (!choose(beam)) continue;
    ++row.beams;
    misses += beam.fate == Beam::Fate::kMissed ? 1.0 : 0.0;
    too_near += beam.fate == Beam::Fate::kTooNear ? 1.0 : 0.0;
    if (beam.fate != Beam::Fate::kMet) continue;
    errors.push_back(static_cast<double>(beam.error));
    sizes.push_back(std::abs(errors.back()));
  }
  const auto count = static_cast<double>(std::max<std::size_t>(row.beams, 1));
  row.misses = misses / count;
  row.too_near = too_near / count;
  row.signed_median = medianOf(errors);
  row.median = medianOf(sizes);
  if (!sizes.empty()) row.high = nthSmallest(sizes, 9 * (sizes.size() - 1) / 10);
  return row;
}

void appendBeams(const map_tools::Keyframe& keyframe, std::size_t most, std::vector<Beam>& beams) {
  const std::size_t count = keyframe.cloud.size();
  const std::size_t step = std::max<std::size_t>(1, (count + most - 1) / most);
  const Eigen::Vector3f origin = keyframe.origin.cast<float>();
  for (std::size_t i = 0; i < count; i += step) {
    const Eigen::Vector3f offset = keyframe.cloud.points[i] - origin;
    const float range = offset.norm();
    if (range < kLeastRange) continue;
    Beam beam;
    beam.ray = {origin, range + kBehind, offset / range, 0.0F};
    beam.measured = range;
    beams.push_back(beam);
  }
}

void cast(const std::shared_ptr<const map::SurfelMap>& map, std::vector<Beam>& beams) {
  lidar::RendererConfig config;
  config.threads = 0;
  std::vector<lidar::Ray> rays;
  for (const Beam& beam : beams) rays.push_back(beam.ray);
  std::vector<lidar::Hit> hits;
  lidar::makeRayCaster(map, config)->cast(rays, hits);
  for (std::size_t i = 0; i < beams.size(); ++i) {
    Beam& beam = beams[i];
    if (!hits[i].valid()) continue;
    beam.cosine = std::clamp(hits[i].incidenceCosine(beam.ray.direction), 0.0F, 1.0F);
    beam.error = hits[i].range - beam.measured;
    beam.fate = beam.error < -kBefore ? Beam::Fate::kTooNear : Beam::Fate::kMet;
  }
}

void fillTables(const std::vector<Beam>& beams, Accuracy& accuracy) {
  accuracy.all = rowOf("all", beams, [](const Beam&) { return true; });
  const std::vector<float> ranges = {0.0F, 4.0F, 8.0F, 12.0F, 20.0F, 30.0F, 1e9F};
  for (std::size_t i = 1; i < ranges.size(); ++i) {
    const float low = ranges[i - 1], high = ranges[i];
    const std::string name =
        high > 1e8F ? fmt::format("over {:g} m", low) : fmt::format("{:g} to {:g} m", low, high);
    AccuracyRow row = rowOf(name, beams, [&](const Beam& beam) {
      return beam.measured >= low && beam.measured < high;
    });
    if (row.beams > 0) accuracy.by_range.push_back(std::move(row));
  }
  for (int degree = 0; degree < 90; degree += 15) {
    const auto cosine = [](int at) { return static_cast<float>(std::cos(radians(at))); };
    const float most = cosine(degree), least = degree == 75 ? -1.0F : cosine(degree + 15);
    AccuracyRow row =
        rowOf(fmt::format("{} to {} deg", degree, degree + 15), beams, [&](const Beam& beam) {
          const bool met = beam.fate != Beam::Fate::kMissed;
          return met && beam.cosine <= most + 1e-6F && beam.cosine > least;
        });
    if (row.beams > 0) accuracy.by_incidence.push_back(std::move(row));
  }
}

void compareClouds(const std::vector<Beam>& beams, Accuracy& accuracy) {
  map::PointCloud real, simulated;
  for (const Beam& beam : beams) {
    const Eigen::Vector3f end = beam.ray.origin + beam.measured * beam.ray.direction;
    real.points.push_back(end);
    const bool missed = beam.fate == Beam::Fate::kMissed;
    accuracy.places.push_back(end);
    accuracy.errors.push_back(missed ? std::numeric_limits<float>::infinity()
                                     : std::abs(beam.error));
    if (missed) continue;
    simulated.points.emplace_back(beam.ray.origin +
                                  (beam.measured + beam.error) * beam.ray.direction);
  }
  accuracy.real_to_simulated = map_tools::distancesBetween(real, simulated).mean;
  accuracy.simulated_to_real = map_tools::distancesBetween(simulated, real).mean;
}

void requireFit(const AccuracyRow& all) {
  if (all.misses > kLost && all.misses < kAll && all.too_near < kHardlyAny && all.median < kFits) {
    throw Error(
        fmt::format("the map is too sparse: {:.0f} % of the beams meet nothing, the others fit; "
                    "more scans or a "
                    "larger --resolution are needed",
                    100.0 * all.misses));
  }
  const bool lost = all.misses + all.too_near > kLost;
  if (!lost && all.median < kUnfit) return;
  throw Error(fmt::format(
      "the scans do not fit each other: {:.0f} % of the beams meet nothing, {:.0f} % something too "
      "near, the others are off by {:.2f} m; are the poses of this recording, and those of the "
      "LiDAR (--lidar-pose)?",
      100.0 * all.misses, 100.0 * all.too_near, all.median));
}

}  // namespace

void AccuracyConfig::validate(const std::string& where) const {
  map.validate(where);
  kLeaveOut.require(where, "leave-out", static_cast<double>(leave_out));
  kRays.require(where, "rays", static_cast<double>(rays));
}

Accuracy measureAccuracy(const AccuracyConfig& config, Progress& progress) {
  config.validate("command line");
  Accuracy accuracy;
  std::vector<Beam> beams;
  map::PointCloud cloud;
  std::size_t scan = 0;
  const auto take = [&](const map_tools::Keyframe& keyframe) {
    // Not the first scan, where the sensor often stands still.
    if (scan++ % config.leave_out == config.leave_out / 2) {
      appendBeams(keyframe, config.rays, beams);
      ++accuracy.scans_left_out;
      return;
    }
    ++accuracy.scans_in_map;
    cloud.points.insert(cloud.points.end(), keyframe.cloud.points.begin(),
                        keyframe.cloud.points.end());
  };
  accuracy.notes = map_tools::readRecording(config.recording, progress, take).notes;
  if (beams.empty() || cloud.empty()) {
    throw Error(fmt::format("{} scans are too few to leave one of {} out", scan, config.leave_out));
  }
  const auto map =
      std::make_shared<const map::SurfelMap>(map::SurfelMap::build(cloud, config.map, progress));
  accuracy.surfels = map->size();
  progress.phase("casting beams");
  cast(map, beams);
  fillTables(beams, accuracy);
  requireFit(accuracy.all);
  progress.phase("comparing");
  compareClouds(beams, accuracy);
  return accuracy;
}

}  // namespace marsim::tools
