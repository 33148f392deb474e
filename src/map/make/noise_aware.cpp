// SPDX-License-Identifier: BSD-3-Clause
#include "map/make/noise_aware.hpp"

#include <algorithm>
#include <utility>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <Eigen/Geometry>

#include "map/make/hole_filling.hpp"
#include "map/make/moved_points.hpp"
#include "map/make/neighbour_cells.hpp"
#include "map/make/noise_sample.hpp"
#include "map/make/reflectivity.hpp"
#include "map/make/sized_points.hpp"
#include "map/make/sorted_voxels.hpp"
#include "map/make/surface_fit.hpp"

namespace marsim::map {
namespace {

using Eigen::Vector3d;
using Eigen::Vector3f;

constexpr double kCoarsening = 3.0;   // radius of a neighbourhood, in sides of coarse means
constexpr std::size_t kFewest = 6;    // least points of a neighbourhood that shows a surface
constexpr float kWider = 3.0F;        // factor to the radius where there are fewer
constexpr double kHardlyAny = 0.001;  // share of the points that may be strays
constexpr double kVoxelOfDisc = 1.1547005383793;  // r / R
constexpr std::size_t kTargetsPerBlock = 16384;   // between two reports of progress

/// Weighted means of the points in each voxel.
PointCloud pooled(const PointCloud& from, double resolution) {
  const std::vector<VoxelPoint> points = sortedByVoxel(from.points, resolution);
  const std::vector<std::size_t> begins = voxelBegins(points);
  PointCloud result;
  result.points.resize(begins.size() - 1);
  result.weight.resize(begins.size() - 1);
  const auto pool = [&](std::size_t voxel) {
    Vector3d sum = Vector3d::Zero();
    double count = 0.0;
    for (std::size_t i = begins[voxel]; i < begins[voxel + 1]; ++i) {
      const std::size_t index = points[i].index;
      const auto weight = static_cast<double>(from.weight[index]);
      sum += weight * from.points[index].cast<double>();
      count += weight;
    }
    result.points[voxel] = (sum / count).cast<float>();
    result.weight[voxel] = static_cast<float>(count);
  };
  tbb::parallel_for(std::size_t{0}, result.points.size(), pool);
  return result;
}

/// Fits the surface round every point of `cloud` to the points of `data`.
class Mover {
 public:
  Mover(const PointCloud& cloud, const PointCloud& data, const FitSettings& settings,
        float planar_threshold, MovedPoints& moved)
      : cloud_(cloud),
        settings_(settings),
        planar_threshold_(planar_threshold),
        moved_(moved),
        is_alone_(cloud.size()),
        corner_(cornerBelow(cloud.points).cwiseMin(cornerBelow(data.points))),
        targets_(cloud.points, cloud.weight, static_cast<double>(settings.radius), corner_),
        cells_(data.points, data.weight, static_cast<double>(settings.radius), corner_) {}

  void moveAll(Progress& progress);
  /// Whether each point had too few neighbours for a surface.
  const std::vector<std::uint8_t>& isAlone() const { return is_alone_; }

 private:
  void moveCells(std::size_t begin, std::size_t end);

  const PointCloud& cloud_;
  const FitSettings& settings_;
  float planar_threshold_;
  MovedPoints& moved_;
  std::vector<std::uint8_t> is_alone_;
  Vector3d corner_;
  NeighbourCells targets_, cells_;
};

void Mover::moveCells(std::size_t begin, std::size_t end) {
  NeighbourCells::Cursors cursors{};
  CellNeighbours neighbours;
  NearPoints near;
  for (std::size_t cell = begin; cell < end; ++cell) {
    cells_.gather(targets_.key(cell), cursors, neighbours);
    const Vector3d middle = targets_.middle(targets_.key(cell));
    for (std::size_t place = targets_.begin(cell); place < targets_.begin(cell + 1); ++place) {
      const std::uint32_t i = targets_.order()[place];
      const Vector3f centre = (cloud_.points[i].cast<double>() - middle).cast<float>();
      near.gather(neighbours, centre, settings_.radius);
      is_alone_[i] = near.count < kFewest ? 1 : 0;
      const SurfaceFit fit = fitSurface(near, settings_);
      moved_.positions[i] = cloud_.points[i] + fit.shift;
      moved_.directions[i] = fit.direction;
      moved_.kinds[i] = fit.kind;
      moved_.thickness[i] = fit.kind == FitKind::kNeither
                                ? 2.0F * planar_threshold_
                                : std::min(fit.thickness, 0.999F * planar_threshold_);
      moved_.weights[i] = cloud_.weight[i];
    }
  }
}

void Mover::moveAll(Progress& progress) {
  for (std::size_t begin = 0; begin < targets_.cells(); begin += kTargetsPerBlock) {
    const std::size_t end = std::min(begin + kTargetsPerBlock, targets_.cells());
    tbb::parallel_for(tbb::blocked_range<std::size_t>(begin, end, 16),
                      [&](const auto& range) { moveCells(range.begin(), range.end()); });
    progress.update(targets_.begin(end));
  }
}

/// Fits surfaces again, to wider neighbourhoods, where points are sparse. Points that are alone
/// there too stay as they are.
void moveSparse(const PointCloud& cloud, const std::vector<std::uint8_t>& is_alone,
                FitSettings settings, float planar_threshold, Progress& progress,
                MovedPoints& moved) {
  settings.radius *= kWider;
  PointCloud sparse;
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    if (is_alone[i] == 0) continue;
    numbers.push_back(i);
    sparse.points.push_back(cloud.points[i]);
    sparse.weight.push_back(cloud.weight[i]);
  }
  MovedPoints again;
  again.resize(sparse.size());
  Mover mover(sparse, cloud, settings, planar_threshold, again);
  mover.moveAll(progress);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (mover.isAlone()[i] != 0) continue;
    moved.positions[numbers[i]] = again.positions[i];
    moved.directions[numbers[i]] = again.directions[i];
    moved.kinds[numbers[i]] = again.kinds[i];
    moved.thickness[numbers[i]] = again.thickness[i];
  }
}

/// A neighbourhood of far more means than a fit needs is thinned first, since they cost time.
MovedPoints moveOntoSurfaces(const PointCloud& cloud, const FitSettings& settings,
                             float planar_threshold, Progress& progress) {
  progress.phase("surfaces", cloud.size());
  const double coarse = static_cast<double>(settings.radius) / kCoarsening;
  const double fine = static_cast<double>(settings.disc) * kVoxelOfDisc;
  MovedPoints moved;
  moved.resize(cloud.size());
  const bool is_thinned = coarse > 1.2 * fine;
  const PointCloud thinned = is_thinned ? pooled(cloud, coarse) : PointCloud();
  Mover mover(cloud, is_thinned ? thinned : cloud, settings, planar_threshold, moved);
  mover.moveAll(progress);
  const auto alone = std::count(mover.isAlone().begin(), mover.isAlone().end(), std::uint8_t{1});
  if (static_cast<double>(alone) > kHardlyAny * static_cast<double>(cloud.size())) {
    moveSparse(cloud, mover.isAlone(), settings, planar_threshold, progress, moved);
  }
  return moved;
}

}  // namespace

double measureNoise(const PointCloud& source) {
  NoiseSample sample;
  sample.add(source.points);
  return sample.noise();
}

namespace {

/// Surfels of one size: of every mean's own surface, merged in each voxel.
MergedPoints makeEvenPoints(PointCloud&& cloud, const SurfelMapConfig& config,
                            const SurfelSet& surface, Progress& progress) {
  const double r = config.resolution;
  const auto noise = static_cast<double>(surface.noise);
  const double radius =
      config.smoothing_radius > 0.0 ? config.smoothing_radius : std::max(2.0 * r, 8.0 * noise);
  FitSettings settings;
  settings.radius = static_cast<float>(radius);
  settings.noise = surface.noise;
  settings.disc = discRadius(r);
  MovedPoints moved = moveOntoSurfaces(cloud, settings, surface.planar_threshold, progress);
  static_cast<PointChannels&>(moved) = std::move(cloud);
  cloud = {};
  progress.phase("merging");
  MergeSettings merging;
  merging.resolution = r;
  merging.offset = static_cast<double>(surface.blending.max_offset);
  // Small discs beside much noise are too narrow for a rod when seen from the side.
  merging.crossed_rods = static_cast<double>(settings.disc) < 1.5 * noise;
  return mergeInVoxels(moved, merging);
}

}  // namespace

SurfelSet makeNoiseAwareSurfels(PointCloud&& cloud, double measured_noise,
                                const SurfelMapConfig& config, Progress& progress) {
  config.validate("");
  const double r = config.resolution;
  constexpr double kDeepest = 0.15;  // [m] largest depth of blending
  if (cloud.weight.empty()) cloud.weight.assign(cloud.size(), 1.0F);
  const double noise = config.noise > 0.0 ? config.noise : measured_noise;
  const double depth = config.blending_depth >= 0.0
                           ? config.blending_depth
                           : std::clamp(2.0 * noise, r, std::max(r, kDeepest));
  SurfelSet result;
  result.noise = static_cast<float>(noise);
  result.planar_threshold = static_cast<float>(std::max(r, 3.0 * noise));
  result.blending.depth = static_cast<float>(depth);
  result.blending.max_offset = static_cast<float>(std::max(noise, 0.25 * r));

  MergeSettings merging;
  merging.resolution = r;
  merging.offset = static_cast<double>(result.blending.max_offset);
  const bool is_sized = config.surface == Surface::kSized;
  const SizeSettings sizes{r, noise, config.measuresNoise(), merging.offset,
                           result.planar_threshold};
  MergedPoints merged = is_sized ? makeSizedPoints(cloud, sizes, progress)
                                 : makeEvenPoints(std::move(cloud), config, result, progress);
  cloud = {};
  HoleSettings holes;
  holes.disc = discRadius(r);
  holes.largest = static_cast<float>(config.largestHole());
  holes.offset = result.blending.max_offset;
  merged.append(mergeInVoxels(fillHoles(merged, holes, progress), merging));
  result.surfels = std::move(merged.surfels);
  if (is_sized) result.sizes = std::move(merged.sizes);
  result.channels = toSurfelChannels(std::move(merged), config.intensity_full_scale);
  return result;
}

}  // namespace marsim::map
