#include "marsim/collision/neighbours.hpp"

#include <utility>

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

}  // namespace

std::shared_ptr<const Neighbours> makeNeighbours(std::shared_ptr<const map::SurfelMap> map) {
  return std::make_shared<const MapTree>(std::move(map));
}

}  // namespace marsim::collision
