// SPDX-License-Identifier: BSD-3-Clause
#include "tools/map/map_accuracy.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include <tbb/parallel_for.h>
#include <Eigen/Eigenvalues>

#include "common/nth_smallest.hpp"
#include "map/tree/beam_evidence.hpp"
#include "map_tools/compare.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"
#include "marsim/geometry/kd_tree.hpp"
#include "marsim/lidar/renderer.hpp"
#include "marsim/map/voxel_grid.hpp"

namespace marsim::tools {
namespace {

constexpr float kBehind = 0.5F;      // [m] a beam without a hit by then is a miss
constexpr float kOff = 0.3F;         // [m] hits so much too early or too late are other objects
constexpr double kUnfit = 0.3;       // [m] median error of scans that do not fit
constexpr double kLost = 0.5;        // share of misses and too near ones of scans that do not fit
constexpr double kAll = 0.99;        // share of misses of scans that look elsewhere
constexpr double kHardlyAny = 0.05;  // share of too early hits if scans fit
constexpr double kFits = 0.1;        // [m] median error of scans that fit
constexpr float kLeastRange = 0.3F;  // [m] nearer beams are ignored
// The points around the end of a beam:
constexpr double kPointSpacing = 0.04;  // [m] one in a voxel of this side
constexpr std::size_t kPoints = 60;     // nearest ones
constexpr double kFlat = 0.15;          // least by middle variance of a sheet, at most
constexpr double kOneSided = 0.25;      // distance of their mean, in that of the farthest, at edges

/// A beam of a scan that is not in the map, and its result in the map.
struct Beam {
  lidar::Ray ray;
  float measured;        ///< [m]
  std::size_t kind = 0;  ///< of kShapes
  float cosine = 0.0F;
  enum class Fate { kMet, kMissed, kTooNear } fate = Fate::kMissed;
  float error = 0.0F;  ///< [m]
};

constexpr std::array<const char*, 3> kShapes{"sheets", "edges", "volumes"};

double medianOf(std::vector<double> values) {
  return values.empty() ? 0.0 : nthSmallest(values, values.size() / 2);
}

template <class Choose>
AccuracyRow rowOf(const std::string& name, const std::vector<Beam>& beams, const Choose& choose) {
  AccuracyRow row;
  row.name = name;
  std::vector<double> errors, sizes;
  double misses = 0.0, too_near = 0.0, too_far = 0.0;
  for (const Beam& beam : beams) {
    if (!choose(beam)) continue;
    ++row.beams;
    misses += beam.fate == Beam::Fate::kMissed ? 1.0 : 0.0;
    too_near += beam.fate == Beam::Fate::kTooNear ? 1.0 : 0.0;
    if (beam.fate != Beam::Fate::kMet) continue;
    too_far += beam.error > kOff ? 1.0 : 0.0;
    errors.push_back(static_cast<double>(beam.error));
    sizes.push_back(std::abs(errors.back()));
  }
  const auto count = static_cast<double>(std::max<std::size_t>(row.beams, 1));
  row.misses = misses / count;
  row.too_near = too_near / count;
  row.too_far = too_far / count;
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
    beam.fate = Beam::Fate::kMissed;
    if (!hits[i].valid()) continue;
    beam.cosine = std::clamp(hits[i].incidenceCosine(beam.ray.direction), 0.0F, 1.0F);
    beam.error = hits[i].range - beam.measured;
    beam.fate = beam.error < -kOff ? Beam::Fate::kTooNear : Beam::Fate::kMet;
  }
}

/// Finds the kind of every beam's end, from the points of the map.
void findKinds(const map::PointCloud& cloud, std::vector<Beam>& beams) {
  map::PointCloud points;
  points.points = cloud.points;
  const KdTree tree(map::downsample(points, kPointSpacing).points);
  tbb::parallel_for(std::size_t{0}, beams.size(), [&](std::size_t i) {
    const Eigen::Vector3f end = beams[i].ray.origin + beams[i].measured * beams[i].ray.direction;
    const std::vector<KdTree::Neighbour> near = tree.nearest(end, kPoints);
    Eigen::Vector3d mean = Eigen::Vector3d::Zero();
    Eigen::Matrix3d squares = Eigen::Matrix3d::Zero();
    for (const KdTree::Neighbour& point : near) {
      const Eigen::Vector3d offset = (tree.points()[point.index] - end).cast<double>();
      mean += offset / static_cast<double>(near.size());
      squares += offset * offset.transpose() / static_cast<double>(near.size());
    }
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(squares - mean * mean.transpose());
    const bool is_flat = solver.eigenvalues()[0] < kFlat * solver.eigenvalues()[1];
    const Eigen::Vector3d normal = solver.eigenvectors().col(0);
    const double aside = (mean - normal.dot(mean) * normal).norm();
    const bool is_edge = aside > kOneSided * static_cast<double>(near.back().distance);
    beams[i].kind = !is_flat ? 2 : is_edge ? 1 : 0;
  });
}

AccuracyTable tableOf(const std::vector<Beam>& beams) {
  AccuracyTable accuracy;
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
  for (std::size_t kind = 0; kind < kShapes.size(); ++kind) {
    AccuracyRow row =
        rowOf(kShapes[kind], beams, [&](const Beam& beam) { return beam.kind == kind; });
    if (row.beams > 0) accuracy.by_kind.push_back(std::move(row));
  }
  return accuracy;
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
    cloud.to_sensor.insert(cloud.to_sensor.end(), keyframe.cloud.to_sensor.begin(),
                           keyframe.cloud.to_sensor.end());
  };
  accuracy.notes = map_tools::readRecording(config.recording, progress, take).notes;
  if (beams.empty() || cloud.empty()) {
    throw Error(fmt::format("{} scans are too few to leave one of {} out", scan, config.leave_out));
  }
  std::vector<map::Offset> to_sensor;
  std::swap(cloud.to_sensor, to_sensor);
  auto map =
      std::make_shared<const map::SurfelMap>(map::SurfelMap::build(cloud, config.map, progress));
  progress.phase("casting beams");
  findKinds(cloud, beams);
  cast(map, beams);
  accuracy.without_beams = tableOf(beams);
  accuracy.without_beams.surfels = map->size();
  requireFit(accuracy.without_beams.all);
  if (config.map.surface != map::Surface::kPaper) {
    cloud.to_sensor = std::move(to_sensor);
    map::BeamEvidence evidence(*map);
    evidence.add(cloud);
    map =
        std::make_shared<const map::SurfelMap>(map::SurfelMap::of(evidence.resized(), config.map));
    cast(map, beams);
  }
  static_cast<AccuracyTable&>(accuracy) = tableOf(beams);
  accuracy.surfels = map->size();
  progress.phase("comparing");
  compareClouds(beams, accuracy);
  return accuracy;
}

}  // namespace marsim::tools
