#include "marsim/collision/neighbours.hpp"

#include <cmath>
#include <utility>

#include "marsim/geometry/kd_tree.hpp"

namespace marsim::collision {
namespace {

using Eigen::Vector3d;

class MapTree : public Neighbours {
 public:
  explicit MapTree(std::shared_ptr<const map::SurfelMap> map) : map_(std::move(map)) {}
  void within(const Vector3d& p_W, double radius,
              std::vector<map::FoundSurfel>& found) const override {
    map::surfelsWithin(map_->tree(), p_W - map_->origin(), radius, found);
  }
  void inBox(const Pose& X_WB, const Eigen::AlignedBox3d& box_B,
             std::vector<map::FoundSurfel>& found) const override {
    map::surfelsInBox(map_->tree(), {X_WB.q, X_WB.p - map_->origin()}, box_B, found);
  }
  double nearest(const Vector3d& p_W, double limit, map::FoundSurfel& point) const override {
    return map::nearestSurfel(map_->tree(), p_W - map_->origin(), limit, point);
  }
  Vector3d origin() const override { return map_->origin(); }
  double resolution() const override { return map_->resolution(); }

 private:
  std::shared_ptr<const map::SurfelMap> map_;
};

// nanoflann calculates in single precision: it is asked for somewhat more than is wanted.
constexpr double kRounding = 1e-6;  // of the query's largest coordinate or the radius

class FlatTree : public Neighbours {
 public:
  explicit FlatTree(const map::SurfelMap& map)
      : origin_(map.origin()),
        resolution_(map.resolution()),
        surfels_(map::decodeSurfels(map.tree())),
        tree_(positions()) {}

  void within(const Vector3d& p_W, double radius,
              std::vector<map::FoundSurfel>& found) const override {
    const Vector3d p_O = p_W - origin_;
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
    within(X_WB * Vector3d(box_B.center()), 0.5 * box_B.diagonal().norm(), near);
    for (const map::FoundSurfel& point : near) {
      if (box_B.contains(X_BO * point.position.cast<double>())) found.push_back(point);
    }
  }
  double nearest(const Vector3d& p_W, double limit, map::FoundSurfel& point) const override {
    if (surfels_.empty()) return limit;
    const Vector3d p_O = p_W - origin_;
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
  Vector3d origin() const override { return origin_; }
  double resolution() const override { return resolution_; }

 private:
  std::vector<Eigen::Vector3f> positions() const {
    std::vector<Eigen::Vector3f> positions;
    positions.reserve(surfels_.size());
    for (const map::Surfel& surfel : surfels_) positions.push_back(surfel.position);
    return positions;
  }
  static double slack(const Vector3d& p_O, double radius) {
    return kRounding * (p_O.cwiseAbs().maxCoeff() + radius);
  }
  map::FoundSurfel at(std::uint32_t number) const {
    const map::Surfel& surfel = surfels_[number];
    return {number, std::isfinite(surfel.thickness), surfel.position, surfel.normal};
  }

  Vector3d origin_;
  double resolution_;
  std::vector<map::Surfel> surfels_;
  KdTree tree_;
};

}  // namespace

std::shared_ptr<const Neighbours> makeNeighbours(std::shared_ptr<const map::SurfelMap> map,
                                                 Search search) {
  if (search == Search::kKdTree) return std::make_shared<const FlatTree>(*map);
  return std::make_shared<const MapTree>(std::move(map));
}

}  // namespace marsim::collision
