// SPDX-License-Identifier: BSD-3-Clause
#include "map/make/sized_points.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>

#include "common/nth_smallest.hpp"
#include "map/make/channel_mean.hpp"
#include "map/make/neighbour_cells.hpp"
#include "map/make/sorted_voxels.hpp"
#include "map/make/voxel_fit.hpp"
#include "marsim/map/surfel_map.hpp"

namespace marsim::map {
namespace {

using Eigen::Vector3d;
using Eigen::Vector3f;

constexpr double kCells = 4.0;          // neighbours' voxels along a side of a voxel
constexpr double kNeighbourhood = 2.0;  // [sides] radius of the largest neighbourhood
constexpr double kLeast = 0.9;          // [sides] of the smallest
constexpr double kLineReach = 0.33;     // [m] in which other scan lines are sought
constexpr float kSheetBand = 3.0F;      // in noise: half the thickness of a sheet
constexpr float kRest = 0.04F;          // share of a voxel's points that may lie off its sheet
constexpr float kRootRest = 0.1F;       // of the largest voxels
constexpr float kRootInliers = 0.9F;
constexpr float kNoise = 5.0F;             // in noise: points nearer to a sheet are its own
constexpr std::size_t kCellsPerTask = 16;  // of neighbours
constexpr double kNoiseCell = 1.0;         // [m] side of the cells whose noise is measured
constexpr double kNoiseRadius = 0.15;      // [m] of a neighbourhood that shows it, at least
constexpr std::size_t kNoiseLooks = 12;    // neighbourhoods of a cell
constexpr std::size_t kNoiseFlat = 4;      // least flat ones
constexpr double kNoiseFactor = 8.0;  // between noise of a cell and of the whole cloud, at most

double detailOf(double resolution) {
  SurfelMapConfig config;
  config.resolution = resolution;
  config.surface = Surface::kSized;
  return config.detail();
}

/// Points in voxels, and their means.
struct Voxels {
  std::vector<std::uint32_t> members;  ///< points of the cloud
  std::vector<std::size_t> begins;     ///< of each voxel among the members, and the last's end
  PointCloud means;

  std::size_t size() const { return means.size(); }
};

Voxels voxelsOf(const PointCloud& cloud, const std::vector<std::uint32_t>& members, double side) {
  std::vector<Vector3f> points;
  points.reserve(members.size());
  for (const std::uint32_t i : members) points.push_back(cloud.points[i]);
  const std::vector<VoxelPoint> sorted = sortedByVoxel(points, side);
  Voxels voxels;
  voxels.begins = voxelBegins(sorted);
  voxels.members.reserve(sorted.size());
  for (const VoxelPoint& point : sorted) voxels.members.push_back(members[point.index]);
  const std::size_t count = voxels.begins.size() - 1;
  voxels.means.points.resize(count);
  voxels.means.weight.resize(count);
  tbb::parallel_for(std::size_t{0}, count, [&](std::size_t voxel) {
    Vector3d sum = Vector3d::Zero();
    double all = 0.0;
    for (std::size_t k = voxels.begins[voxel]; k < voxels.begins[voxel + 1]; ++k) {
      const auto weight = std::sqrt(static_cast<double>(cloud.weight[voxels.members[k]]));
      sum += weight * cloud.points[voxels.members[k]].cast<double>();
      all += weight;
    }
    voxels.means.points[voxel] = (sum / all).cast<float>();
    voxels.means.weight[voxel] = static_cast<float>(all);
  });
  return voxels;
}

/// Standard deviation [m] of a cloud's points from a plane, from means by their weights: within a
/// radius of a centre; negative if they are not flat.
double noiseAround(const PointCloud& cloud, const VoxelPoint* begin, const VoxelPoint* end,
                   const Vector3f& centre, double radius) {
  double all = 0.0, count = 0.0;
  Vector3d sum = Vector3d::Zero();
  Eigen::Matrix3d squares = Eigen::Matrix3d::Zero();
  for (const VoxelPoint* point = begin; point != end; ++point) {
    const Vector3d d = (cloud.points[point->index] - centre).cast<double>();
    if (d.squaredNorm() > radius * radius) continue;
    const auto weight = static_cast<double>(cloud.weight[point->index]);
    ++count;
    all += weight;
    sum += weight * d;
    squares += weight * d * d.transpose();
  }
  if (count < 12.0) return -1.0;
  const Vector3d mean = sum / all;
  Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver;
  solver.computeDirect(squares / all - mean * mean.transpose(), Eigen::EigenvaluesOnly);
  const Vector3d variances = solver.eigenvalues().cwiseMax(0.0);
  if (variances[1] < 0.4 * variances[2] || variances[0] > 0.2 * variances[1]) return -1.0;
  return std::sqrt(variances[0] * all / (count - 3.0));
}

/// The noise of a cloud's points, by cells of a grid.
class LocalNoise {
 public:
  LocalNoise(const PointCloud& cloud, const SizeSettings& settings) : noise_(settings.noise) {
    if (!settings.is_local || noise_ == 0.0) return;
    const std::vector<VoxelPoint> sorted = sortedByVoxel(cloud.points, kNoiseCell);
    const std::vector<std::size_t> begins = voxelBegins(sorted);
    std::vector<double> found(begins.size() - 1);
    tbb::parallel_for(std::size_t{0}, found.size(), [&](std::size_t cell) {
      found[cell] = noiseOf(cloud, sorted.data() + begins[cell], sorted.data() + begins[cell + 1]);
    });
    for (std::size_t cell = 0; cell < found.size(); ++cell) {
      if (found[cell] > 0.0) cells_[sorted[begins[cell]].key] = found[cell];
    }
  }
  /// Noise [m] at each of some points.
  std::vector<float> at(const std::vector<Vector3f>& points) const {
    std::vector<float> noise(points.size(), static_cast<float>(noise_));
    if (cells_.empty()) return noise;
    for (const VoxelPoint& point : sortedByVoxel(points, kNoiseCell)) {
      const auto cell = cells_.find(point.key);
      if (cell != cells_.end()) noise[point.index] = static_cast<float>(cell->second);
    }
    return noise;
  }

 private:
  double noiseOf(const PointCloud& cloud, const VoxelPoint* begin, const VoxelPoint* end) const {
    const auto count = static_cast<std::size_t>(end - begin);
    const double radius = std::max(kNoiseRadius, 6.0 * noise_);
    std::vector<double> flat;
    for (std::size_t i = 0; i < kNoiseLooks; ++i) {
      const VoxelPoint* at = begin + (2 * i + 1) * count / (2 * kNoiseLooks);
      const double noise = noiseAround(cloud, begin, end, cloud.points[at->index], radius);
      if (noise > 0.0) flat.push_back(noise);
    }
    if (flat.size() < kNoiseFlat) return 0.0;
    const double median = nthSmallest(flat, flat.size() / 2);
    return std::clamp(median, noise_ / kNoiseFactor, kNoiseFactor * noise_);
  }

  double noise_;
  std::unordered_map<std::uint64_t, double> cells_;
};

/// Voxels of one size.
class Level {
 public:
  Level(const PointCloud& cloud, const std::vector<std::uint32_t>& left, double side,
        const SizeSettings& settings, const LocalNoise& noise)
      : cloud_(cloud),
        settings_(settings),
        detail_(detailOf(settings.resolution)),
        side_(side),
        is_root_(side > 1.5 * settings.resolution),
        is_last_(0.5 * side < std::max(0.24 * settings.resolution, 0.9 * detail_)),
        voxels_(voxelsOf(cloud, left, side)),
        noise_(noise.at(voxels_.means.points)),
        fits_(voxels_.size()) {
    fit_.side = static_cast<float>(side);
    fit_.disc = discRadius(side);
    for (std::size_t voxel = 0; voxel < voxels_.size(); ++voxel) {
      fit_.radius = std::max(fit_.radius, radiusOf(voxel));
    }
  }

  void fitAll();
  /// Appends the discs and returns the points for smaller voxels.
  std::vector<std::uint32_t> take(MergedPoints& merged) const;

 private:
  using Fit = VoxelFit (*)(const CellNeighbours&, const Vector3f&, const VoxelSettings&,
                           NearPoints&);
  void fit(Fit function, const VoxelSettings& settings, const std::vector<std::uint32_t>& wanted);
  void fitWide();
  float radiusOf(std::size_t voxel) const {
    return std::max(static_cast<float>(kNeighbourhood * side_), 8.0F * noise_[voxel]);
  }
  float bandOf(std::size_t voxel) const {
    return std::max(kSheetBand * noise_[voxel], static_cast<float>(side_ / 8.0));
  }
  bool isLast(std::size_t voxel) const {
    return is_last_ || 0.5 * side_ < 2.0 * static_cast<double>(noise_[voxel]);
  }
  float weightOffSheet(std::size_t voxel, std::vector<std::uint32_t>& off) const;
  bool isSplit(std::size_t voxel, float share_off) const;
  void appendDisc(std::size_t voxel, MovedPoints& moved) const;
  void appendVolume(std::size_t voxel, MovedPoints& moved) const;
  void append(std::size_t voxel, const Vector3f& place, FitKind kind, double radius,
              MovedPoints& moved) const;

  const PointCloud& cloud_;
  const SizeSettings& settings_;
  const double detail_;           // [m] side of the voxels whose means the cloud holds
  const double side_;             // [m]
  const bool is_root_, is_last_;  // of the sizes
  const Voxels voxels_;
  const std::vector<float> noise_;  // [m] of each voxel's neighbourhood
  VoxelSettings fit_;               // of all voxels
  std::vector<VoxelFit> fits_;
};

void Level::fit(Fit function, const VoxelSettings& settings,
                const std::vector<std::uint32_t>& wanted) {
  const auto radius = static_cast<double>(settings.radius);
  std::vector<std::uint32_t> all(cloud_.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint32_t>(i);
  const bool is_wide = function == fitLines;
  const bool is_fine = static_cast<double>(settings.cell) < 1.1 * detail_;
  const PointCloud coarse =
      is_fine ? PointCloud() : voxelsOf(cloud_, all, static_cast<double>(settings.cell)).means;
  const PointCloud& data = is_fine ? cloud_ : coarse;
  PointCloud targets;
  for (const std::uint32_t voxel : wanted) {
    targets.points.push_back(voxels_.means.points[voxel]);
    targets.weight.push_back(1.0F);
  }
  const Vector3d corner = cornerBelow(targets.points).cwiseMin(cornerBelow(data.points));
  const NeighbourCells at(targets.points, targets.weight, radius, corner);
  const NeighbourCells cells(data.points, data.weight, radius, corner);
  tbb::parallel_for(
      tbb::blocked_range<std::size_t>(0, at.cells(), kCellsPerTask), [&](const auto& range) {
        NeighbourCells::Cursors cursors{};
        CellNeighbours neighbours;
        NearPoints near;
        for (std::size_t cell = range.begin(); cell != range.end(); ++cell) {
          cells.gather(at.key(cell), cursors, neighbours);
          const Vector3d middle = at.middle(at.key(cell));
          for (std::size_t k = at.begin(cell); k < at.begin(cell + 1); ++k) {
            const std::uint32_t i = at.order()[k];
            const Vector3f centre = (targets.points[i].cast<double>() - middle).cast<float>();
            VoxelSettings own = settings;
            own.noise = noise_[wanted[i]];
            own.band = bandOf(wanted[i]);
            if (!is_wide) {
              own.radius = radiusOf(wanted[i]);
              own.least_radius = std::max(static_cast<float>(kLeast * side_), 2.5F * own.noise);
            }
            fits_[wanted[i]] = function(neighbours, centre, own, near);
          }
        }
      });
}

void Level::fitAll() {
  std::vector<std::uint32_t> all(voxels_.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint32_t>(i);
  VoxelSettings settings = fit_;
  settings.cell = static_cast<float>(std::max(side_ / kCells, detail_));
  fit(fitVoxel, settings, all);
  fitWide();
}

/// Fits again, to wider neighbourhoods, where points are sparse or form lines.
void Level::fitWide() {
  if (side_ < 0.9 * settings_.resolution) return;
  std::vector<std::uint32_t> wanted;
  for (std::size_t i = 0; i < fits_.size(); ++i) {
    if (fits_[i].is_alone || fits_[i].is_line) wanted.push_back(static_cast<std::uint32_t>(i));
  }
  if (wanted.empty()) return;
  VoxelSettings settings = fit_;
  settings.least_radius = settings.radius;
  settings.radius = static_cast<float>(std::max(kLineReach, 1.5 * kNeighbourhood * side_));
  settings.cell =
      static_cast<float>(std::max(static_cast<double>(settings.radius) / 12.0, detail_));
  const std::vector<VoxelFit> before = fits_;
  fit(fitLines, settings, wanted);
  for (const std::uint32_t i : wanted) {
    if (fits_[i].kind != FitKind::kSheet) fits_[i] = before[i];
  }
}

/// Weight of the voxel's points off its sheet, and these points.
float Level::weightOffSheet(std::size_t voxel, std::vector<std::uint32_t>& off) const {
  const VoxelFit& fit = fits_[voxel];
  const float least = std::max(kNoise * noise_[voxel], bandOf(voxel));
  const Vector3f plane = voxels_.means.points[voxel] + fit.on_plane;
  float weight = 0.0F;
  for (std::size_t k = voxels_.begins[voxel]; k < voxels_.begins[voxel + 1]; ++k) {
    const std::uint32_t i = voxels_.members[k];
    if (std::abs(fit.direction.dot(cloud_.points[i] - plane)) < least) continue;
    off.push_back(i);
    weight += std::sqrt(cloud_.weight[i]);
  }
  return weight;
}

bool Level::isSplit(std::size_t voxel, float share_off) const {
  const VoxelFit& fit = fits_[voxel];
  if (isLast(voxel) || static_cast<double>(fit.spacing) > side_) return false;
  if (fit.kind != FitKind::kSheet || !fit.is_filled) return true;
  return is_root_ && (fit.is_edge || fit.inliers < kRootInliers || share_off > kRootRest);
}

void Level::append(std::size_t voxel, const Vector3f& place, FitKind kind, double radius,
                   MovedPoints& moved) const {
  const auto of_usual = radius / static_cast<double>(discRadius(settings_.resolution));
  const double size = std::round(kUsualSize - 2.0 * std::log2(of_usual));
  moved.positions.push_back(place);
  moved.directions.push_back(fits_[voxel].direction);
  const float threshold = settings_.planar_threshold;
  moved.thickness.push_back(kind == FitKind::kNeither
                                ? 2.0F * threshold
                                : std::min(fits_[voxel].thickness, 0.999F * threshold));
  moved.kinds.push_back(kind);
  moved.sizes.push_back(static_cast<std::uint8_t>(std::clamp(size, 0.0, kSizeCount - 1.0)));
  float weight = 0.0F;
  ChannelMean mean;
  for (std::size_t k = voxels_.begins[voxel]; k < voxels_.begins[voxel + 1]; ++k) {
    const std::uint32_t i = voxels_.members[k];
    weight += cloud_.weight[i];
    mean.add(cloud_, i, static_cast<double>(cloud_.weight[i]));
  }
  moved.weights.push_back(weight);
  mean.appendTo(moved);
}

void Level::appendDisc(std::size_t voxel, MovedPoints& moved) const {
  const auto disc = static_cast<double>(fit_.disc);
  const double radius =
      is_root_ ? disc : std::max(0.4 * disc, disc - 0.5 * static_cast<double>(noise_[voxel]));
  append(voxel, voxels_.means.points[voxel] + fits_[voxel].shift, FitKind::kSheet, radius, moved);
}

/// A disc as large as the points' spread and spacing.
void Level::appendVolume(std::size_t voxel, MovedPoints& moved) const {
  const VoxelFit& fit = fits_[voxel];
  const Vector3f& mean = voxels_.means.points[voxel];
  double spread = 0.0;
  for (std::size_t k = voxels_.begins[voxel]; k < voxels_.begins[voxel + 1]; ++k) {
    const Vector3f way = cloud_.points[voxels_.members[k]] - mean;
    spread = std::max(spread, static_cast<double>(way.norm()));
  }
  const double spacing =
      fit.spacing > 0.0F ? static_cast<double>(fit.spacing) : (fit.is_alone ? side_ : detail_);
  double radius = std::max(0.5 * spacing, spread > 0.0 ? 0.8 * spread + 0.3 * spacing : 0.0);
  radius = std::min({radius, std::max(0.5 * spacing, 0.6 * side_),
                     static_cast<double>(discRadius(settings_.resolution))});
  const FitKind kind = fit.is_alone ? FitKind::kNeither : fit.kind;
  append(voxel, mean, kind, radius, moved);
}

std::vector<std::uint32_t> Level::take(MergedPoints& merged) const {
  MovedPoints moved;
  std::vector<std::uint32_t> left, off;
  for (std::size_t voxel = 0; voxel < voxels_.size(); ++voxel) {
    const std::size_t begin = voxels_.begins[voxel], end = voxels_.begins[voxel + 1];
    off.clear();
    const bool is_sheet = fits_[voxel].kind == FitKind::kSheet;
    float share = is_sheet ? weightOffSheet(voxel, off) / voxels_.means.weight[voxel] : 0.0F;
    if (off.size() < 3) share = 0.0F;
    if (isSplit(voxel, share)) {
      for (std::size_t k = begin; k < end; ++k) left.push_back(voxels_.members[k]);
      continue;
    }
    if (is_sheet && fits_[voxel].is_filled) {
      appendDisc(voxel, moved);
      if (!isLast(voxel) && share > kRest) left.insert(left.end(), off.begin(), off.end());
    } else {
      appendVolume(voxel, moved);
    }
  }
  MergeSettings merging;
  merging.resolution = side_;
  merging.offset = settings_.offset;
  merging.crossed_rods = true;
  merged.append(mergeInVoxels(moved, merging));
  return left;
}

}  // namespace

double detailOf(double resolution) {
  return std::max(resolution / 8.0, std::min(resolution, 0.005));
}

MergedPoints makeSizedPoints(const PointCloud& cloud, const SizeSettings& settings,
                             Progress& progress) {
  progress.phase("surfaces", cloud.size());
  const LocalNoise noise(cloud, settings);
  MergedPoints merged;
  std::vector<std::uint32_t> left(cloud.size());
  for (std::size_t i = 0; i < left.size(); ++i) left[i] = static_cast<std::uint32_t>(i);
  for (double side = 2.0 * settings.resolution; !left.empty(); side *= 0.5) {
    Level level(cloud, left, side, settings, noise);
    level.fitAll();
    left = level.take(merged);
    progress.update(cloud.size() - left.size());
  }
  return merged;
}

}  // namespace marsim::map
