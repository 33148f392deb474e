// SPDX-License-Identifier: BSD-3-Clause
#include "sim/wheel_ground.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace marsim::sim {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr double kLevel = 0.5;  // least z of a normal whose plane is ground

class WheelGround {
 public:
  WheelGround(std::shared_ptr<const collision::Neighbours> map, double ground_z,
              double wheel_radius)
      : map_(std::move(map)), ground_z_(ground_z), reach_(0.5 * wheel_radius) {
    if (map_) reach_ = std::max(reach_, 1.5 * map_->resolution());
  }

  double heightIn(const Vector3d& p_W, const Vector2d& gradient, double from, double to) {
    const bool has_plane = from <= 0.0 && to >= 0.0;
    double height = meanOfMap(p_W, gradient, from, to);
    if (!has_plane || !std::isfinite(ground_z_)) return height;
    const bool is_in = ground_z_ - p_W.z() >= from && ground_z_ - p_W.z() <= to;
    if (std::isnan(height) && is_in) height = ground_z_;
    return std::isnan(height) ? height : std::max(height, ground_z_);
  }

 private:
  double meanOfMap(const Vector3d& p_W, const Vector2d& gradient, double from, double to) {
    if (!map_) return std::nan("");
    const double rise = reach_ * gradient.norm();
    found_.clear();
    map_->inBox({Eigen::Quaterniond::Identity(), p_W},
                {Vector3d(-reach_, -reach_, from - rise), Vector3d(reach_, reach_, to + rise)},
                found_);
    double sum = 0.0, weights = 0.0;
    for (const map::FoundSurfel& surfel : found_) {
      const Vector3d p = map_->origin() + surfel.position.cast<double>() - p_W;
      const double near = 1.0 - p.head<2>().squaredNorm() / (reach_ * reach_);
      const double over = p.z() - gradient.dot(p.head<2>());
      if (near <= 0.0 || over < from || over > to) continue;
      const Vector3d n = surfel.normal.cast<double>().normalized();
      const bool is_level = surfel.planar && std::abs(n.z()) > kLevel;
      sum += near * near * (is_level ? n.dot(p) / n.z() : over);
      weights += near * near;
    }
    return weights > 0.0 ? p_W.z() + sum / weights : std::nan("");
  }

  std::shared_ptr<const collision::Neighbours> map_;
  double ground_z_, reach_;
  std::vector<map::FoundSurfel> found_;  // kept between searches
};

}  // namespace

vehicle::GroundIn groundOf(std::shared_ptr<const collision::Neighbours> map, double ground_z,
                           double wheel_radius) {
  const auto ground = std::make_shared<WheelGround>(std::move(map), ground_z, wheel_radius);
  return [ground](const Vector3d& p_W, const Vector2d& gradient, double from, double to) {
    return ground->heightIn(p_W, gradient, from, to);
  };
}

}  // namespace marsim::sim
