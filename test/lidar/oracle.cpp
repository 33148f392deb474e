// SPDX-License-Identifier: BSD-3-Clause
#include "lidar/oracle.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <Eigen/Geometry>

namespace marsim::lidar {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kScaleChange = 1e-5;  // of R, the threshold and the blending's settings
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

}  // namespace

bool differs(double range, double other) {
  if (std::isinf(range) || std::isinf(other)) return std::isinf(range) != std::isinf(other);
  return std::abs(range - other) > kTolerance;
}

struct Oracle::Variation {
  double radius = 1.0, threshold = 1.0, depth = 1.0, cosine = 1.0, offset = 1.0;  // factors
};

// Where a ray meets a surfel.
struct Oracle::Meeting {
  double range = kInfinity;  // [m]
  double off = 0.0;          // [m] of the crossing, or of the ray, from the surfel's position
};

Oracle::Oracle(const map::SurfelMap& map)
    : Oracle(map, map::decodeSurfels(map.tree()), map.origin()) {}

Oracle::Oracle(const map::SurfelMap& map, std::vector<map::Surfel> surfels,
               const Eigen::Vector3d& origin)
    : map_(map),
      surfels_(std::move(surfels)),
      radii_(map.radii()),
      largest_radius_(radii_.empty() ? 0.0 : *std::max_element(radii_.begin(), radii_.end())),
      origin_(origin) {
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
  return meet(surfel, inTree(ray), Variation{}).range;
}

OracleRay Oracle::inTree(OracleRay ray) const {
  ray.origin -= origin_;
  return ray;
}

bool Oracle::planar(std::uint32_t surfel, const Variation& variation) const {
  return static_cast<double>(surfels_[surfel].thickness) <
         variation.threshold * static_cast<double>(map_.planarThreshold());
}

Oracle::Meeting Oracle::meet(std::uint32_t index, const OracleRay& ray,
                             const Variation& variation) const {
  const map::Surfel& surfel = surfels_[index];
  const double radius = variation.radius * static_cast<double>(radii_[index]);
  const Eigen::Vector3d p = surfel.position.cast<double>();
  const Eigen::Vector3d n = surfel.normal.cast<double>();
  const Eigen::Vector3d to_point = p - ray.origin;
  Meeting meeting;
  if (planar(index, variation)) {
    const double slope = n.dot(ray.direction);
    if (slope == 0.0) return {};
    meeting.range = n.dot(to_point) / slope;
    const Eigen::Vector3d crossing = ray.origin + meeting.range * ray.direction;
    meeting.off = (crossing - p).norm();
  } else {
    meeting.range = to_point.dot(ray.direction);
    meeting.off = to_point.cross(ray.direction).norm();
  }
  const bool met = meeting.off <= radius && meeting.range > 0.0 && meeting.range >= ray.range_min &&
                   meeting.range <= ray.range_max;
  return met ? meeting : Meeting{};
}

bool Oracle::agree(std::uint32_t index, std::uint32_t first, const Variation& variation) const {
  if (planar(index, variation) != planar(first, variation)) return false;
  if (!planar(first, variation)) return true;
  const map::Surfel &a = surfels_[first], &b = surfels_[index];
  const Eigen::Vector3d n = a.normal.cast<double>();
  const double cosine = std::abs(n.dot(b.normal.cast<double>()));
  const double offset = std::abs(n.dot(b.position.cast<double>() - a.position.cast<double>()));
  return cosine >= variation.cosine * static_cast<double>(map_.blending().min_cosine) &&
         offset <= variation.offset * static_cast<double>(map_.blending().max_offset);
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
  const double reach = 1.01 * largest_radius_ + 1e-5;
  std::vector<std::uint32_t> result;
  for (const Group& group : groups_) {
    if (!passesWithin(ray, group.centre, 1.01 * group.radius + reach)) continue;
    for (const std::uint32_t i : group.surfels) {
      if (passesWithin(ray, surfels_[i].position.cast<double>(), reach)) result.push_back(i);
    }
  }
  return result;
}

// The definition of Blending in surfel_map.hpp, line by line.
OracleResult Oracle::firstSurface(const std::vector<std::uint32_t>& surfels, const OracleRay& ray,
                                  const Variation& variation) const {
  std::vector<std::pair<std::uint32_t, Meeting>> met;
  Meeting nearest;
  std::uint32_t first = kNoSurfel;
  for (const std::uint32_t surfel : surfels) {
    const Meeting meeting = meet(surfel, ray, variation);
    if (std::isinf(meeting.range)) continue;
    met.emplace_back(surfel, meeting);
    if (meeting.range > nearest.range || (meeting.range == nearest.range && surfel > first)) {
      continue;
    }
    nearest = meeting;
    first = surfel;
  }
  OracleResult result;
  if (first == kNoSurfel) return result;
  if (!map_.blending().on()) {
    result.range = nearest.range;
    result.weights.emplace_back(first, 1.0);
    return result;
  }
  const double depth = variation.depth * static_cast<double>(map_.blending().depth);
  double sum = 0.0, mean = 0.0;
  for (const auto& [surfel, meeting] : met) {
    const double behind = meeting.range - nearest.range;
    if (behind > depth || !(surfel == first || agree(surfel, first, variation))) continue;
    const double off = meeting.off / (variation.radius * static_cast<double>(radii_[surfel]));
    const double weight = (1.0 - off * off) * (1.0 - behind / depth) + 1e-6;
    sum += weight;
    mean += weight * meeting.range;
    result.weights.emplace_back(surfel, weight);
  }
  result.range = mean / sum;
  return result;
}

OracleResult Oracle::trace(const OracleRay& ray_W) const {
  const OracleRay ray = inTree(ray_W);
  std::vector<std::uint32_t> surfels = candidates(ray);
  OracleResult result = firstSurface(surfels, ray, {});
  // A surface behind this one changes the answer only if the ray loses this one, and then the ray
  // is ambiguous whatever is behind.
  const double reach =
      result.range + 1.01 * (largest_radius_ + static_cast<double>(map_.blending().depth)) + 0.01;
  const auto behind = [&](std::uint32_t i) {
    return (surfels_[i].position.cast<double>() - ray.origin).dot(ray.direction) > reach;
  };
  surfels.erase(std::remove_if(surfels.begin(), surfels.end(), behind), surfels.end());
  const auto vary = [&](const OracleRay& changed, const Variation& variation) {
    if (result.ambiguous) return;
    result.ambiguous = differs(result.range, firstSurface(surfels, changed, variation).range);
  };
  for (const double factor : {1.0 - kScaleChange, 1.0 + kScaleChange}) {
    vary(ray, {factor, 1.0, 1.0, 1.0, 1.0});
    vary(ray, {1.0, factor, 1.0, 1.0, 1.0});
    if (!map_.blending().on()) continue;
    vary(ray, {1.0, 1.0, factor, 1.0, 1.0});
    vary(ray, {1.0, 1.0, 1.0, factor, 1.0});
    vary(ray, {1.0, 1.0, 1.0, 1.0, factor});
  }
  for (const OracleRay& neighbour : neighbours(ray)) vary(neighbour, {});
  return result;
}

bool Oracle::explains(const OracleRay& ray, const OracleResult& result, const Hit& hit,
                      bool with_normal) const {
  if (hit.surfel >= map_.size()) return false;
  // Rounding of a millionth of a range against R is a thousandth of a weight at the most.
  constexpr double kRoom = 5e-3;
  double largest = 0.0, own = 0.0;
  for (const auto& [surfel, weight] : result.weights) {
    largest = std::max(largest, weight);
    if (surfel == hit.surfel) own = weight;
  }
  // Any of several surfels at one range (within rounding) may be the nearest.
  const bool right = map_.blending().on() ? own >= largest - kRoom
                                          : !differs(result.range, rangeOf(hit.surfel, ray));
  if (!right || !with_normal) return right;
  Eigen::Vector3d normal = -ray.direction;
  if (planar(hit.surfel, {})) {
    normal = surfels_[hit.surfel].normal.cast<double>();
    if (normal.dot(ray.direction) > 0.0) normal = -normal;
    // Seen edge-on, rounding decides the side.
    if (std::abs(normal.dot(ray.direction)) < 1e-5) normal = hit.normal.cast<double>();
  }
  return (hit.normal.cast<double>() - normal.normalized()).norm() < 1e-5 &&
         std::abs(hit.normal.norm() - 1.0F) < 1e-5F;
}

OracleRay toOracleRay(const Ray& ray) {
  return {ray.origin.cast<double>(), ray.direction.cast<double>(),
          static_cast<double>(ray.range_max), static_cast<double>(ray.range_min)};
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

}  // namespace marsim::lidar
