// SPDX-License-Identifier: BSD-3-Clause
#include "map/make/point_spacing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include <Eigen/Eigenvalues>

#include "common/nth_smallest.hpp"
#include "marsim/common/random.hpp"
#include "marsim/common/units.hpp"
#include "marsim/geometry/kd_tree.hpp"
#include "marsim/map/surfel_map.hpp"
#include "marsim/map/surfel_search.hpp"

namespace marsim::map {
namespace {

constexpr double kMostPassing = 0.01;         // share of beams at the advised resolution
constexpr std::size_t kMostVoxels = 200'000;  // in the sample
constexpr std::size_t kLooks = 4000;
constexpr double kCell = 24.0;     // [r] side of the cells in which voxels are chosen
constexpr float kNear = 3.0F;      // [r] neighbourhood of dense points
constexpr float kFar = 8.0F;       // [r] farthest neighbour of sparse ones
constexpr double kNeighbours = 8;  // least points of a neighbourhood
constexpr std::size_t kCompany =
    4;  // least voxels within 8 r, itself included, of a voxel that is not isolated
constexpr float kReach = 0.33F;     // [m] in which other scan lines are sought at least
constexpr float kFlat = 0.15F;      // largest ratio of a sheet's thickness to its width
constexpr float kWide = 2.0F;       // median sector distances: farther neighbours lie across a hole
constexpr double kLines = 2.0;      // least distance of scan lines, in even spacings,
constexpr double kSeen = 1.5;       // and in r
constexpr double kFilled = 1.9;     // largest radius of a hole that is filled, in spacings
constexpr double kLeftOpen = 0.02;  // share left open in a sheet whose holes are filled

/// Nearest points of a sheet in eight sectors around a place, in its plane.
class Sectors {
 public:
  /// False where the points form no sheet, or do not surround the place.
  bool find(const Eigen::Vector3f& place, const std::vector<KdTree::Neighbour>& near,
            const std::vector<Eigen::Vector3f>& points);
  /// [m] Spacing of scan lines: the median distance, and less for its chance.
  float spacing() const { return 0.8F * sorted_[3]; }
  /// A place between the points, by its chance in proportion to the area, and the area [m^2].
  SheetProbe probe(RandomStream& random) const;

 private:
  using Ways = std::array<Eigen::Vector3f, 8>;
  Eigen::Vector3f place_, normal_;
  Ways nearest_;
  std::array<float, 8> distances_, sorted_;
};

bool Sectors::find(const Eigen::Vector3f& place, const std::vector<KdTree::Neighbour>& near,
                   const std::vector<Eigen::Vector3f>& points) {
  Eigen::Vector3d mean = Eigen::Vector3d::Zero();
  Eigen::Matrix3d squares = Eigen::Matrix3d::Zero();
  for (const KdTree::Neighbour& n : near) {
    const Eigen::Vector3d way = (points[n.index] - place).cast<double>();
    mean += way;
    squares += way * way.transpose();
  }
  const auto count = static_cast<double>(near.size());
  mean /= count;
  Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver;
  solver.computeDirect(squares / count - mean * mean.transpose());
  const Eigen::Vector3f width = solver.eigenvalues().cwiseMax(0.0).cwiseSqrt().cast<float>();
  if (!(width[0] < kFlat * width[1])) return false;
  place_ = place;
  normal_ = solver.eigenvectors().col(0).cast<float>();
  const Eigen::Vector3f u = normal_.unitOrthogonal(), v = normal_.cross(u);
  distances_.fill(std::numeric_limits<float>::infinity());
  for (const KdTree::Neighbour& n : near) {
    const Eigen::Vector3f way = points[n.index] - place;
    const float a = way.dot(u), b = way.dot(v), distance = std::hypot(a, b);
    if (std::abs(way.dot(normal_)) > std::max(3.0F * width[0], kFlat * distance)) continue;
    const double turn = std::atan2(static_cast<double>(b), static_cast<double>(a)) / (2.0 * kPi);
    const std::size_t sector = static_cast<std::size_t>(8.0 * (turn + 0.5)) % 8;
    if (distance == 0.0F || distance >= distances_[sector]) continue;
    distances_[sector] = distance;
    nearest_[sector] = a * u + b * v;
  }
  sorted_ = distances_;
  std::sort(sorted_.begin(), sorted_.end());
  return std::isfinite(sorted_.back());
}

SheetProbe Sectors::probe(RandomStream& random) const {
  std::array<float, 8> areas{};
  float area = 0.0F;
  const float most = kWide * sorted_[3];
  for (std::size_t k = 0; k < 8; ++k) {
    const std::size_t next = (k + 1) % 8;
    if (distances_[k] > most || distances_[next] > most) continue;
    areas[k] = 0.5F * nearest_[k].cross(nearest_[next]).norm();
    area += areas[k];
  }
  auto at = static_cast<float>(random.uniform()) * area;
  std::size_t k = 0;
  while (k < 7 && at >= areas[k]) at -= areas[k++];
  auto a = static_cast<float>(random.uniform()), b = static_cast<float>(random.uniform());
  if (a + b > 1.0F) a = 1.0F - a, b = 1.0F - b;
  return {place_ + a * nearest_[k] + b * nearest_[(k + 1) % 8], normal_, area};
}

/// Voxels in some cells of a coarse grid, so that all but those at a border have their neighbours.
class Sample {
 public:
  Sample(const PointCloud& voxels, double resolution)
      : side_(kCell * resolution), tree_(choose(voxels)) {}

  std::size_t size() const { return tree_.points().size(); }
  struct Look {
    double spacing = 0.0;  ///< [m] between points around a voxel
    bool is_isolated = false;
    SheetProbe probe = {};  ///< of a sheet around the voxel, else without area
  };
  /// Adds a probe of the sheet around a voxel, and the spacing of its scan lines.
  void addSheet(std::size_t index, float resolution, RandomStream& random, Look& look) const {
    const Eigen::Vector3f& p = tree_.points()[index];
    Sectors sectors;
    for (const float reach :
         {kNear * resolution, kFar * resolution, std::max(kReach, kFar * resolution)}) {
      if (!all_ && !isInside(p, reach)) return;
      if (!sectors.find(p, tree_.within(p, reach), tree_.points())) continue;
      const auto lines = static_cast<double>(sectors.spacing());
      if (lines > std::max(kLines * look.spacing, kSeen * static_cast<double>(resolution))) {
        look.spacing = lines;
      }
      look.probe = sectors.probe(random);
      return;
    }
  }
  /// None for a voxel at a border.
  std::optional<Look> lookAt(std::size_t index, float resolution) const {
    const Eigen::Vector3f& p = tree_.points()[index];
    double count = 0.0;
    bool is_isolated = false;
    for (const float reach : {kNear * resolution, kFar * resolution}) {
      if (!all_ && !isInside(p, reach)) return std::nullopt;
      const auto found = tree_.within(p, reach);
      count = 0.0;
      for (const KdTree::Neighbour& n : found) count += weights_[n.index];
      is_isolated = found.size() < kCompany;
      if (count > 4.0 * kNeighbours) return Look{reach * std::sqrt(kPi / count), is_isolated};
      count = 0.0;
      for (const KdTree::Neighbour& n : found) {
        count += weights_[n.index];
        if (count > kNeighbours && n.distance > 0.0F) {
          return Look{n.distance * std::sqrt(kPi / (count - 1.0)), false};
        }
      }
    }
    return Look{kFar * resolution * std::sqrt(kPi / std::max(1.0, count)), is_isolated};
  }

 private:
  std::vector<Eigen::Vector3f> choose(const PointCloud& voxels) {
    const double share = static_cast<double>(kMostVoxels) / static_cast<double>(voxels.size());
    all_ = share >= 1.0;
    const double limit = share * 18446744073709551616.0;  // 2^64
    std::vector<Eigen::Vector3f> points;
    for (std::size_t i = 0; i < voxels.size(); ++i) {
      if (!all_ && static_cast<double>(hashOf(voxels.points[i])) > limit) continue;
      points.push_back(voxels.points[i]);
      weights_.push_back(voxels.weight.empty() ? 1.0 : static_cast<double>(voxels.weight[i]));
    }
    return points;
  }
  /// Place in sides of a cell. Walls and floors tend to lie at round coordinates, borders do not.
  Eigen::Vector3d inGrid(const Eigen::Vector3f& p) const {
    return p.cast<double>() / side_ + Eigen::Vector3d(0.37, 0.61, 0.53);
  }
  std::uint64_t hashOf(const Eigen::Vector3f& p) const {
    const Eigen::Vector3d place = inGrid(p);
    std::uint64_t hash = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const double cell = std::floor(place[axis]);
      hash = mixBits(hash + kGoldenGamma +
                     static_cast<std::uint64_t>(static_cast<std::int64_t>(cell)));
    }
    return hash;
  }
  bool isInside(const Eigen::Vector3f& p, float reach) const {
    const Eigen::Vector3d place = inGrid(p);
    const Eigen::Vector3d share = place - place.array().floor().matrix();
    const double margin = static_cast<double>(reach) / side_;
    return share.minCoeff() >= margin && share.maxCoeff() <= 1.0 - margin;
  }

  double side_;
  bool all_ = false;
  std::vector<double> weights_;
  KdTree tree_;
};

}  // namespace

double sharePassing(const std::vector<double>& spacings, double resolution, double largest_hole) {
  const auto radius = static_cast<double>(discRadius(resolution));
  double open = 0.0;
  for (const double s : spacings) {
    const double between = std::exp(-kPi * radius * radius / (s * s));
    open += kFilled * s < largest_hole ? std::min(between, kLeftOpen) : between;
  }
  return spacings.empty() ? 0.0 : open / static_cast<double>(spacings.size());
}

double advisedResolution(const std::vector<double>& spacings) {
  for (double step = 0.01;; step *= 10.0) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      if (sharePassing(spacings, factor * step) <= kMostPassing) return factor * step;
    }
  }
}

double shareOpen(const std::vector<SheetProbe>& probes, const SurfelMap& map) {
  const double band = 2.0 * map.resolution(), largest = kSizeFactors[0] * map.radius();
  std::vector<FoundSurfel> found;
  double all = 0.0, open = 0.0;
  for (const SheetProbe& probe : probes) {
    const Eigen::Vector3d p_O = probe.place.cast<double>() - map.origin();
    found.clear();
    surfelsWithin(map.tree(), p_O, std::hypot(band, largest), found);
    const bool is_met = std::any_of(found.begin(), found.end(), [&](const FoundSurfel& surfel) {
      const Eigen::Vector3f way = surfel.position - p_O.cast<float>();
      const float radius = map.radius() * kSizeFactors[surfel.size];
      const Eigen::Vector3f& n = surfel.planar ? surfel.normal : probe.normal;
      const float along = way.dot(n) / probe.normal.dot(n);
      return std::abs(along) < static_cast<float>(band) &&
             (along * probe.normal - way).squaredNorm() <= radius * radius;
    });
    all += static_cast<double>(probe.area);
    open += is_met ? 0.0 : static_cast<double>(probe.area);
  }
  return all > 0.0 ? open / all : 0.0;
}

PointSpacing measureSpacing(const PointCloud& voxels, double resolution, double largest_hole,
                            std::vector<SheetProbe>* probes) {
  if (voxels.empty()) return {};
  const Sample sample(voxels, resolution);
  std::vector<double> spacings;
  double isolated = 0.0;
  RandomStream random(1, "spacing");
  const std::size_t looks = std::min(kLooks, sample.size());
  for (std::size_t i = 0; i < looks; ++i) {
    const std::size_t index = sample.size() <= kLooks ? i : random.index(sample.size());
    auto found = sample.lookAt(index, static_cast<float>(resolution));
    if (!found) continue;
    sample.addSheet(index, static_cast<float>(resolution), random, *found);
    if (probes != nullptr && found->probe.area > 0.0F) probes->push_back(found->probe);
    spacings.push_back(found->spacing);
    isolated += found->is_isolated ? 1.0 : 0.0;
  }
  if (spacings.size() < 10) return {};
  PointSpacing result;
  result.passing = sharePassing(spacings, resolution, largest_hole);
  result.isolated = isolated / static_cast<double>(spacings.size());
  result.advised_resolution = advisedResolution(spacings);
  result.median = nthSmallest(spacings, spacings.size() / 2);
  return result;
}

}  // namespace marsim::map
