// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "marsim/collision/neighbours.hpp"
#include "marsim/geometry/kd_tree.hpp"
#include "marsim/map/surfel_map.hpp"

namespace marsim::collision {

/// Searches by nanoflann's KD-tree over the decoded positions, which takes 28 bytes a point and
/// more: an independent second way, for comparison with the map's own tree.
class FlatTree : public Neighbours {
 public:
  explicit FlatTree(const map::SurfelMap& map)
      : origin_(map.origin()),
        resolution_(map.resolution()),
        surfels_(map::decodeSurfels(map.tree())),
        tree_(positions()) {}

  void within(const Eigen::Vector3d& p_W, double radius,
              std::vector<map::FoundSurfel>& found) const override {
    const Eigen::Vector3d p_O = p_W - origin_;
    for (const KdTree::Neighbour& neighbour :
         tree_.within(p_O.cast<float>(), static_cast<float>(radius + slack(p_O, radius)))) {
      const map::FoundSurfel point = at(neighbour.index);
      if ((point.position.cast<double>() - p_O).squaredNorm() <= radius * radius) {
        found.push_back(point);
      }
    }
  }
  void inBox(const Pose& X_WB, const Eigen::AlignedBox3d& box_B,
             std::vector<map::FoundSurfel>& found) const override {
    const Pose X_BO = X_WB.inverse() * Pose{Eigen::Quaterniond::Identity(), origin_};
    std::vector<map::FoundSurfel> near;
    within(X_WB * Eigen::Vector3d(box_B.center()), 0.5 * box_B.diagonal().norm(), near);
    for (const map::FoundSurfel& point : near) {
      if (box_B.contains(X_BO * point.position.cast<double>())) found.push_back(point);
    }
  }
  double nearest(const Eigen::Vector3d& p_W, double limit, map::FoundSurfel& point) const override {
    if (surfels_.empty()) return limit;
    const Eigen::Vector3d p_O = p_W - origin_;
    const KdTree::Neighbour first = tree_.nearest(p_O.cast<float>());
    const auto about = static_cast<double>(first.distance);
    if (about - slack(p_O, about) >= limit) return limit;
    double best = limit * limit;
    for (const KdTree::Neighbour& neighbour :
         tree_.within(p_O.cast<float>(), static_cast<float>(about + 2.0 * slack(p_O, about)))) {
      const map::FoundSurfel candidate = at(neighbour.index);
      const double here = (candidate.position.cast<double>() - p_O).squaredNorm();
      if (here >= best) continue;
      best = here;
      point = candidate;
    }
    return std::min(std::sqrt(best), limit);
  }
  Eigen::Vector3d origin() const override { return origin_; }
  double resolution() const override { return resolution_; }

 private:
  std::vector<Eigen::Vector3f> positions() const {
    std::vector<Eigen::Vector3f> positions;
    positions.reserve(surfels_.size());
    for (const map::Surfel& surfel : surfels_) positions.push_back(surfel.position);
    return positions;
  }
  /// nanoflann calculates in single precision: it is asked for somewhat more than is wanted.
  static double slack(const Eigen::Vector3d& p_O, double radius) {
    constexpr double kRounding = 1e-6;  // of the query's largest coordinate or the radius
    return kRounding * (p_O.cwiseAbs().maxCoeff() + radius);
  }
  map::FoundSurfel at(std::uint32_t number) const {
    const map::Surfel& surfel = surfels_[number];
    return {number, std::isfinite(surfel.thickness), map::kUsualSize, surfel.position,
            surfel.normal};
  }

  Eigen::Vector3d origin_;
  double resolution_;
  std::vector<map::Surfel> surfels_;
  KdTree tree_;
};

}  // namespace marsim::collision
