// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <tbb/parallel_for.h>
#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>

#include "map_tools/clean.hpp"
#include "map_tools/survey.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"
#include "marsim/geometry/kd_tree.hpp"
#include "marsim/map/voxel_grid.hpp"

namespace marsim::map_tools {
namespace {

constexpr std::size_t kSectors = 12;  // around a place; opposite ones are six apart
constexpr double kFlat = 0.15;        // of the width: largest distance of a plane's points from it
constexpr std::size_t kFewestPoints = 12;  // least points of a plane
constexpr double kGap = 2.0;               // spacings without a point in half a turn, at a rim

/// The plane of the points near a place.
struct LocalPlane {
  Eigen::Vector3d mean = Eigen::Vector3d::Zero();
  Eigen::Matrix3d axes = Eigen::Matrix3d::Identity();  ///< two axes along it, then the normal
  double thickness = 0.0;                              ///< [m]
};

LocalPlane planeOf(const KdTree& tree, const std::vector<KdTree::Neighbour>& near) {
  LocalPlane plane;
  for (const auto& n : near) plane.mean += tree.points()[n.index].cast<double>();
  plane.mean /= static_cast<double>(near.size());
  Eigen::Matrix3d covariance = Eigen::Matrix3d::Zero();
  for (const auto& n : near) {
    const Eigen::Vector3d d = tree.points()[n.index].cast<double>() - plane.mean;
    covariance += d * d.transpose();
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(covariance);
  plane.axes.col(0) = solver.eigenvectors().col(2);
  plane.axes.col(1) = solver.eigenvectors().col(1);
  plane.axes.col(2) = solver.eigenvectors().col(0);
  plane.thickness =
      std::sqrt(std::max(0.0, solver.eigenvalues()[0]) / static_cast<double>(near.size()));
  return plane;
}

/// Distance along a plane to the nearest point in each sector [m], infinite where there is none.
std::array<double, kSectors> sectorsRound(const KdTree& tree,
                                          const std::vector<KdTree::Neighbour>& near,
                                          const LocalPlane& plane, const Eigen::Vector3d& place) {
  std::array<double, kSectors> nearest;
  nearest.fill(std::numeric_limits<double>::infinity());
  for (const auto& n : near) {
    const Eigen::Vector3d offset = tree.points()[n.index].cast<double>() - place;
    const double x = offset.dot(plane.axes.col(0)), y = offset.dot(plane.axes.col(1));
    const double reach = std::hypot(x, y);
    if (reach < 1e-6) continue;
    const double turn = std::atan2(y, x) / (2.0 * kPi) + 0.5;
    const auto sector = std::min(kSectors - 1, static_cast<std::size_t>(turn * kSectors));
    nearest[sector] = std::min(nearest[sector], reach);
  }
  return nearest;
}

/// Keeps places at least 0.8 spacings apart.
class Spread {
 public:
  explicit Spread(double spacing) : spacing_(spacing) {}

  /// Takes a place that is far enough from all taken before; returns whether it was taken.
  bool takes(const Eigen::Vector3f& place) {
    const auto side = static_cast<float>(spacing_);
    for (int k = 0; k < 27; ++k) {
      const Eigen::Vector3f step(static_cast<float>(k % 3 - 1), static_cast<float>(k / 3 % 3 - 1),
                                 static_cast<float>(k / 9 - 1));
      const Eigen::Vector3f at = place + side * step;
      if (!map::insideVoxelGrid(at, spacing_)) continue;
      const auto found = taken_.find(map::voxelKey(at, spacing_));
      if (found == taken_.end()) continue;
      for (const Eigen::Vector3f& other : found->second) {
        if ((other - place).norm() < 0.8F * side) return false;
      }
    }
    taken_[map::voxelKey(place, spacing_)].push_back(place);
    return true;
  }

 private:
  double spacing_;
  std::unordered_map<std::uint64_t, std::vector<Eigen::Vector3f>> taken_;
};

class HoleFiller {
 public:
  HoleFiller(const map::PointCloud& cloud, double width)
      : tree_(cloud.points), width_(width), spacing_(medianSpacing(cloud)) {}

  double spacing() const { return spacing_; }
  const KdTree& tree() const { return tree_; }

  /// Whether a point lies at the rim of its surface.
  bool isRim(const Eigen::Vector3f& p) const {
    const auto near = tree_.within(p, static_cast<float>(3.0 * spacing_));
    if (near.size() < 5) return true;
    const LocalPlane plane = planeOf(tree_, near);
    const auto sectors = sectorsRound(tree_, near, plane, p.cast<double>());
    std::size_t longest = 0, empty = 0;
    for (std::size_t i = 0; i < 2 * kSectors; ++i) {
      empty = sectors[i % kSectors] > kGap * spacing_ ? empty + 1 : 0;
      longest = std::max(longest, empty);
    }
    return longest >= 3;
  }

  /// Appends places without points beside a rim point, in its plane.
  void appendCandidates(const Eigen::Vector3f& p, std::vector<Eigen::Vector3f>& candidates) const {
    const auto near = tree_.within(p, static_cast<float>(width_));
    if (near.size() < kFewestPoints) return;
    const LocalPlane plane = planeOf(tree_, near);
    const int steps = static_cast<int>(std::ceil(0.5 * width_ / spacing_)) + 1;
    for (int i = -steps; i <= steps; ++i) {
      for (int j = -steps; j <= steps; ++j) {
        const Eigen::Vector3d place =
            p.cast<double>() + i * spacing_ * plane.axes.col(0) + j * spacing_ * plane.axes.col(1);
        const Eigen::Vector3f at = place.cast<float>();
        if (static_cast<double>(tree_.nearest(at).distance) > 0.9 * spacing_) {
          candidates.push_back(at);
        }
      }
    }
  }

  /// The place moved onto its surface, if the surface surrounds it.
  std::optional<Eigen::Vector3f> filled(const Eigen::Vector3f& candidate) const {
    const auto near = tree_.within(candidate, static_cast<float>(width_));
    if (near.size() < kFewestPoints) return std::nullopt;
    const LocalPlane plane = planeOf(tree_, near);
    if (plane.thickness > kFlat * width_) return std::nullopt;
    const Eigen::Vector3d normal = plane.axes.col(2);
    const Eigen::Vector3d p = candidate.cast<double>();
    const Eigen::Vector3d place = p - normal.dot(p - plane.mean) * normal;
    const auto sectors = sectorsRound(tree_, near, plane, place);
    for (std::size_t i = 0; i < kSectors / 2; ++i) {
      if (!(sectors[i] + sectors[i + kSectors / 2] <= width_ + spacing_)) return std::nullopt;
    }
    return place.cast<float>();
  }

 private:
  KdTree tree_;
  double width_, spacing_;
};

}  // namespace

map::PointCloud fillHoles(const map::PointCloud& cloud, double width, Progress& progress) {
  kHoleWidths.require("", "width", width, "m");
  const HoleFiller filler(cloud, width);
  if (filler.spacing() <= 0.0) return cloud;
  progress.phase("filling holes");
  std::vector<std::uint8_t> rim(cloud.size());
  tbb::parallel_for(std::size_t{0}, cloud.size(),
                    [&](std::size_t i) { rim[i] = filler.isRim(cloud.points[i]); });
  std::vector<Eigen::Vector3f> candidates;
  std::unordered_set<std::uint64_t> taken;  // occupied voxels of one spacing
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    if (rim[i] == 0) continue;
    std::vector<Eigen::Vector3f> beside;
    filler.appendCandidates(cloud.points[i], beside);
    for (const Eigen::Vector3f& at : beside) {
      if (map::insideVoxelGrid(at, filler.spacing()) &&
          taken.insert(map::voxelKey(at, filler.spacing())).second) {
        candidates.push_back(at);
      }
    }
  }
  std::vector<std::optional<Eigen::Vector3f>> filled(candidates.size());
  tbb::parallel_for(std::size_t{0}, candidates.size(),
                    [&](std::size_t i) { filled[i] = filler.filled(candidates[i]); });
  map::PointCloud result = cloud;
  Spread spread(filler.spacing());
  for (const auto& place : filled) {
    if (!place || !spread.takes(*place)) continue;
    result.points.push_back(*place);
    map::appendChannels(cloud, filler.tree().nearest(*place).index, result);
  }
  return result;
}

}  // namespace marsim::map_tools
