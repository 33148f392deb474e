// SPDX-License-Identifier: BSD-3-Clause
#include "map/make/point_spacing.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "common/nth_smallest.hpp"
#include "marsim/common/random.hpp"
#include "marsim/common/units.hpp"
#include "marsim/geometry/kd_tree.hpp"
#include "marsim/map/surfel_map.hpp"

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
constexpr double kFilled = 1.9;     // largest radius of a hole that is filled, in spacings
constexpr double kLeftOpen = 0.02;  // share left open in a sheet whose holes are filled

/// Voxels in some cells of a coarse grid, so that all but those at a border have their neighbours.
class Sample {
 public:
  Sample(const PointCloud& voxels, double resolution)
      : side_(kCell * resolution), tree_(choose(voxels)) {}

  std::size_t size() const { return tree_.points().size(); }
  struct Look {
    double spacing = 0.0;  ///< [m] between points around a voxel
    bool is_isolated = false;
  };
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

PointSpacing measureSpacing(const PointCloud& voxels, double resolution, double largest_hole) {
  if (voxels.empty()) return {};
  const Sample sample(voxels, resolution);
  std::vector<double> spacings;
  double isolated = 0.0;
  RandomStream random(1, "spacing");
  const std::size_t looks = std::min(kLooks, sample.size());
  for (std::size_t i = 0; i < looks; ++i) {
    const std::size_t index = sample.size() <= kLooks ? i : random.index(sample.size());
    const auto found = sample.lookAt(index, static_cast<float>(resolution));
    if (!found) continue;
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
