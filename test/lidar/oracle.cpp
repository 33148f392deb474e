#include "lidar/oracle.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <gtest/gtest.h>
#include <Eigen/Geometry>

namespace marsim::lidar {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kScaleChange = 1e-5;  // of R and the threshold
constexpr double kRayChange = 1e-6;    // [m] and [rad]
constexpr double kTolerance = 1e-3;    // [m]

// The ray with its origin or direction moved a little, in all directions.
std::vector<OracleRay> neighbours(const OracleRay& ray) {
  std::vector<OracleRay> result;
  for (int axis = 0; axis < 3; ++axis) {
    for (const double sign : {-1.0, 1.0}) {
      OracleRay moved = ray;
      moved.origin[axis] += sign * kRayChange;
      result.push_back(moved);
    }
  }
  const Eigen::Vector3d u = ray.direction.unitOrthogonal();
  const Eigen::Vector3d v = ray.direction.cross(u);
  for (int i = 0; i < 8; ++i) {
    const double angle = i * std::acos(-1.0) / 4.0;
    OracleRay turned = ray;
    turned.direction += kRayChange * (std::cos(angle) * u + std::sin(angle) * v);
    turned.direction.normalize();
    result.push_back(turned);
  }
  return result;
}

bool differs(double range, double other) {
  if (std::isinf(range) || std::isinf(other)) return std::isinf(range) != std::isinf(other);
  return std::abs(range - other) > kTolerance;
}

}  // namespace

struct Oracle::Variation {
  double radius_factor = 1.0;
  double threshold_factor = 1.0;
};

Oracle::Oracle(const map::SurfelMap& map)
    : map_(map), surfels_(map::decodeSurfels(map.tree())), origin_(map.origin()) {
  std::vector<std::uint32_t> all(map.size());
  std::iota(all.begin(), all.end(), 0U);
  addGroups(std::move(all));
}

void Oracle::addGroups(std::vector<std::uint32_t> surfels) {
  constexpr std::size_t kGroupSize = 32;
  Eigen::AlignedBox3d box;
  const auto positionOf = [&](std::uint32_t i) { return surfels_[i].position; };
  for (const std::uint32_t i : surfels) box.extend(positionOf(i).cast<double>());
  if (surfels.size() <= kGroupSize) {
    if (!surfels.empty()) {
      groups_.push_back({box.center(), 0.5 * box.diagonal().norm(), std::move(surfels)});
    }
    return;
  }
  Eigen::Index axis = 0;
  box.sizes().maxCoeff(&axis);
  const auto middle = surfels.begin() + static_cast<std::ptrdiff_t>(surfels.size() / 2);
  std::nth_element(surfels.begin(), middle, surfels.end(), [&](std::uint32_t i, std::uint32_t j) {
    return positionOf(i)[axis] < positionOf(j)[axis];
  });
  addGroups({surfels.begin(), middle});
  addGroups({middle, surfels.end()});
}

double Oracle::rangeOf(std::uint32_t surfel, const OracleRay& ray) const {
  return rangeOf(surfel, inTree(ray), Variation{});
}

OracleRay Oracle::inTree(OracleRay ray) const {
  ray.origin -= origin_;
  return ray;
}

double Oracle::rangeOf(std::uint32_t index, const OracleRay& ray,
                       const Variation& variation) const {
  const map::Surfel& surfel = surfels_[index];
  const double radius = variation.radius_factor * static_cast<double>(map_.radius());
  const bool planar = static_cast<double>(surfel.thickness) <
                      variation.threshold_factor * static_cast<double>(map_.planarThreshold());
  const Eigen::Vector3d p = surfel.position.cast<double>();
  const Eigen::Vector3d n = surfel.normal.cast<double>();
  const Eigen::Vector3d to_point = p - ray.origin;
  double range = to_point.dot(ray.direction);
  if (planar) {
    const double slope = n.dot(ray.direction);
    if (slope == 0.0) return kInfinity;
    range = n.dot(to_point) / slope;
    const Eigen::Vector3d crossing = ray.origin + range * ray.direction;
    if ((crossing - p).norm() > radius) return kInfinity;
  } else if (to_point.cross(ray.direction).norm() > radius) {
    return kInfinity;
  }
  return range > 0.0 && range <= ray.range_max ? range : kInfinity;
}

bool Oracle::passesWithin(const OracleRay& ray, const Eigen::Vector3d& point,
                          double distance) const {
  const Eigen::Vector3d v = point - ray.origin;
  const double along = v.dot(ray.direction);
  const double bound = distance + 2.0 * kRayChange * std::abs(along);
  return (v - along * ray.direction).squaredNorm() <= bound * bound;
}

// All surfels that the ray or a neighbour of it may meet: those it passes within a little more than
// R.
std::vector<std::uint32_t> Oracle::candidates(const OracleRay& ray) const {
  const double reach = 1.01 * static_cast<double>(map_.radius()) + 1e-5;
  std::vector<std::uint32_t> result;
  for (const Group& group : groups_) {
    if (!passesWithin(ray, group.centre, 1.01 * group.radius + reach)) continue;
    for (const std::uint32_t i : group.surfels) {
      if (passesWithin(ray, surfels_[i].position.cast<double>(), reach)) result.push_back(i);
    }
  }
  return result;
}

double Oracle::nearest(const std::vector<std::uint32_t>& surfels, const OracleRay& ray,
                       const Variation& variation) const {
  double range = kInfinity;
  for (const std::uint32_t surfel : surfels) {
    range = std::min(range, rangeOf(surfel, ray, variation));
  }
  return range;
}

OracleResult Oracle::trace(const OracleRay& ray_W) const {
  const OracleRay ray = inTree(ray_W);
  const std::vector<std::uint32_t> surfels = candidates(ray);
  OracleResult result;
  result.range = nearest(surfels, ray, {});
  for (const double change : {-kScaleChange, kScaleChange}) {
    result.ambiguous |= differs(result.range, nearest(surfels, ray, {1.0 + change, 1.0}));
    result.ambiguous |= differs(result.range, nearest(surfels, ray, {1.0, 1.0 + change}));
  }
  for (const OracleRay& neighbour : neighbours(ray)) {
    if (result.ambiguous) break;
    result.ambiguous = differs(result.range, nearest(surfels, neighbour, {}));
  }
  return result;
}

OracleRay toOracleRay(const Ray& ray) {
  return {ray.origin.cast<double>(), ray.direction.cast<double>(),
          static_cast<double>(ray.range_max)};
}

std::vector<OracleRay> imageRays(const ImageGrid& grid, const Pose& X_WS, double range_max) {
  std::vector<OracleRay> rays;
  for (int row = 0; row < grid.height; ++row) {
    for (int column = 0; column < grid.width; ++column) {
      rays.push_back({X_WS.p, X_WS.q * grid.direction(row, column), range_max});
    }
  }
  return rays;
}

Agreement compare(const map::SurfelMap& map, const std::vector<OracleRay>& rays,
                  const std::vector<Hit>& hits) {
  Agreement agreement;
  EXPECT_EQ(hits.size(), rays.size());
  if (hits.size() != rays.size()) return agreement;
  const Oracle oracle(map);
  for (std::size_t i = 0; i < rays.size(); ++i) {
    const OracleResult expected = oracle.trace(rays[i]);
    const Hit& hit = hits[i];
    ++agreement.rays;
    agreement.hits += expected.hit() ? 1 : 0;
    agreement.ambiguous += expected.ambiguous ? 1 : 0;
    if (expected.ambiguous) continue;
    bool right = hit.valid() == expected.hit() && hit.valid() == std::isfinite(hit.range) &&
                 !differs(expected.range, hit.range);
    if (right && hit.valid()) {
      right = hit.surfel < map.size() && !differs(hit.range, oracle.rangeOf(hit.surfel, rays[i]));
    }
    if (right) continue;
    if (++agreement.wrong <= 5) {
      ADD_FAILURE() << "ray " << i << " from " << rays[i].origin.transpose() << " along "
                    << rays[i].direction.transpose() << ": range " << hit.range << " of surfel "
                    << hit.surfel << ", expected " << expected.range;
    }
  }
  EXPECT_EQ(agreement.wrong, 0) << "of " << agreement.rays << " rays";
  return agreement;
}

}  // namespace marsim::lidar
