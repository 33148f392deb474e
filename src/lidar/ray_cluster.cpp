#include "ray_cluster.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace marsim::lidar {
namespace {

// By its cosine. A thousandth of a radian is added: single precision near 1.
void setAngle(RayBundle& bundle, float cosine) {
  constexpr float kCosine = 0.9999995F, kSine = 0.0009999998F;
  cosine = std::min(cosine, 1.0F);
  const float sine = std::sqrt(1.0F - cosine * cosine);
  const bool wide = !(cosine > 0.1F);
  bundle.cosine = wide ? -1.0F : cosine * kCosine - sine * kSine;
  bundle.sine = wide ? 1.0F : sine * kCosine + cosine * kSine;
}

struct Extremes {
  float low, high;
};

// Of a bundle's values, a few at a time: compilers leave minima of single floats alone.
Extremes extremesOf(const float* values) {
  constexpr std::size_t kLanes = 8;
  float low[kLanes], high[kLanes];
  for (std::size_t k = 0; k < kLanes; ++k) low[k] = high[k] = values[k];
  for (std::size_t i = kLanes; i < RayCluster::kBundle; i += kLanes) {
    for (std::size_t k = 0; k < kLanes; ++k) {
      const float value = values[i + k];
      low[k] = value < low[k] ? value : low[k];
      high[k] = value > high[k] ? value : high[k];
    }
  }
  return {*std::min_element(low, low + kLanes), *std::max_element(high, high + kLanes)};
}

float sumOf(const float* values) {
  constexpr std::size_t kLanes = 8;
  float sums[kLanes] = {};
  for (std::size_t i = 0; i < RayCluster::kBundle; i += kLanes) {
    for (std::size_t k = 0; k < kLanes; ++k) sums[k] += values[i + k];
  }
  float sum = 0.0F;
  for (const float part : sums) sum += part;
  return sum;
}

void setOrigin(RayBundle& bundle, const Eigen::AlignedBox3f& origins) {
  bundle.origin = origins.center().cast<double>();
  bundle.spread = 0.5001F * origins.diagonal().norm() + 1e-6F * origins.center().norm();
}

}  // namespace

RaySpan::RaySpan(const std::vector<Ray>& rays, const RayOrder& order, const std::vector<Hit>& hits)
    : first(std::numeric_limits<double>::infinity()), last(-first) {
  const std::size_t count = order.octant_end[RayOrder::kUnusable - 1];
  const bool all = count == rays.size();  // then in the order in which they lie
  Eigen::Vector3f low = Eigen::Vector3f::Constant(std::numeric_limits<float>::infinity());
  Eigen::Vector3f high = -low;
  float early = low.x(), late = -low.x();
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t i = all ? k : order.index[k];
    low = low.cwiseMin(rays[i].origin);
    high = high.cwiseMax(rays[i].origin);
    early = std::min(early, rays[i].time);
    late = std::max(late, rays[i].time);
    reach = std::max(reach, std::min(rays[i].range_max, hits[i].range));
  }
  origins = {low, high};
  first = static_cast<double>(early);
  last = static_cast<double>(late);
}

RayBundle RaySpan::bundle() const {
  RayBundle bundle;
  setOrigin(bundle, origins);
  bundle.cosine = -1.0F;
  bundle.reach = reach;
  return bundle;
}

RayCluster::RayCluster(const std::vector<Ray>& rays, const RayOrder& order,
                       const std::vector<Hit>& hits, std::size_t first, std::size_t end)
    : count_(std::min(end - first, kRays)) {
  for (std::size_t i = 0; i < bundleCount() * kBundle; ++i) {
    const std::uint32_t index = order.index[first + std::min(i, count_ - 1)];
    const Ray& ray = rays[index];
    for (int axis = 0; axis < 3; ++axis) {
      origin_[axis][i] = ray.origin[axis];
      direction_[axis][i] = ray.direction[axis];
    }
    time_[i] = ray.time;
    reach_[i] = i < count_ ? std::min(ray.range_max, hits[index].range) : -1.0F;
  }
  for (std::size_t b = 0; b < bundleCount(); ++b) closeBundle(b);
  closeWhole();
}

void RayCluster::closeBundle(std::size_t number) {
  RayBundle& bundle = bundles_[number];
  const std::size_t first = number * kBundle;
  Eigen::Vector3f low, high, sum;
  for (int axis = 0; axis < 3; ++axis) {
    const Extremes extremes = extremesOf(origin_[axis] + first);
    low[axis] = extremes.low;
    high[axis] = extremes.high;
    sum[axis] = sumOf(direction_[axis] + first);
  }
  setOrigin(bundle, {low, high});
  bundle.reach = extremesOf(reach_ + first).high;
  for (int axis = 0; axis < 3; ++axis) {
    const auto from = static_cast<float>(bundle.origin[axis]);
    for (std::size_t i = first; i < first + kBundle; ++i) origin_[axis][i] -= from;
  }
  bundle.axis = sum.normalized();
  float cosines[kBundle];
  for (std::size_t i = 0; i < kBundle; ++i) {
    cosines[i] = bundle.axis.x() * direction_[0][first + i] +
                 bundle.axis.y() * direction_[1][first + i] +
                 bundle.axis.z() * direction_[2][first + i];
  }
  setAngle(bundle, sum.norm() > 1e-3F ? extremesOf(cosines).low : -1.0F);
}

void RayCluster::closeWhole() {
  Eigen::AlignedBox3f origins;
  Eigen::Vector3f sum = Eigen::Vector3f::Zero();
  whole_.reach = 0.0F;
  for (std::size_t b = 0; b < bundleCount(); ++b) {
    const Eigen::Vector3f centre = bundles_[b].origin.cast<float>();
    const Eigen::Vector3f spread = Eigen::Vector3f::Constant(bundles_[b].spread);
    origins.extend(Eigen::AlignedBox3f(centre - spread, centre + spread));
    sum += bundles_[b].axis;
    whole_.reach = std::max(whole_.reach, bundles_[b].reach);
  }
  setOrigin(whole_, origins);
  whole_.axis = sum.normalized();
  float least = sum.norm() > 1e-3F ? 1.0F : -1.0F;
  for (std::size_t b = 0; b < bundleCount(); ++b) {
    // Of the sum of the angle to the bundle's axis and the bundle's own.
    const float cosine = std::min(whole_.axis.dot(bundles_[b].axis), 1.0F);
    const float sine = std::sqrt(1.0F - cosine * cosine);
    const bool wide = !(cosine > 0.0F && bundles_[b].cosine > 0.0F);
    least = std::min(least, wide ? -1.0F : cosine * bundles_[b].cosine - sine * bundles_[b].sine);
  }
  setAngle(whole_, least);
  for (std::size_t b = 0; b < kBundles; ++b) {
    const RayBundle& bundle = bundles_[std::min(b, bundleCount() - 1)];
    const Eigen::Vector3f from = (bundle.origin - whole_.origin).cast<float>();
    for (int axis = 0; axis < 3; ++axis) {
      cones_.origin[axis][b] = from[axis];
      cones_.axis[axis][b] = bundle.axis[axis];
    }
    cones_.spread[b] = bundle.spread;
    cones_.reach[b] = bundle.reach;
    cones_.cosine2[b] = bundle.cosine * bundle.cosine;
    cones_.sine[b] = bundle.sine;
    // Of any direction: far to the side of the cone.
    cones_.extra[b] = bundle.cosine > 0.0F ? 0.0F : 1e18F;
  }
}

void RayCluster::meet(const Ball& ball, bool* may) const {
  const Eigen::Vector3f centre = (ball.centre - whole_.origin).cast<float>();
  const float own = (static_cast<float>(ball.radius) + 1e-6F * (centre.norm() + whole_.spread));
  for (std::size_t b = 0; b < kBundles; ++b) {
    // As RayBundle::mayMeet.
    const float x = centre.x() - cones_.origin[0][b], y = centre.y() - cones_.origin[1][b],
                z = centre.z() - cones_.origin[2][b];
    const float squared = x * x + y * y + z * z;
    const float radius = (own + cones_.spread[b]) * 1.00001F;
    const float most = cones_.reach[b] + radius;
    const float along = x * cones_.axis[0][b] + y * cones_.axis[1][b] + z * cones_.axis[2][b];
    const float beside = squared - along * along;
    const float across2 = beside > 0.0F ? beside : 0.0F;
    const float side =
        radius + along * cones_.sine[b] + 1e-5F * std::sqrt(squared) + cones_.extra[b];
    may[b] = (squared <= most * most * 1.00001F) & (side >= 0.0F) &
             (across2 * cones_.cosine2[b] <= side * side + 1e-5F * squared);
  }
}

void RayCluster::meet(std::size_t bundle, const StraightBox& box, bool* meets) const {
  const std::size_t at = bundle * kBundle;
  const float *ox = origin_[0] + at, *oy = origin_[1] + at, *oz = origin_[2] + at;
  const float *dx = direction_[0] + at, *dy = direction_[1] + at, *dz = direction_[2] + at;
  const float *when = time_ + at, *reach = reach_ + at;
  const Eigen::Vector3f c = (box.centre - bundles_[bundle].origin).cast<float>();
  const auto middle = static_cast<float>(box.middle);
  const Eigen::Matrix3f& R = box.R_BW;
  const Eigen::Vector3f s = box.speed;
  const Eigen::Vector3f h = box.half.array() + 2e-6F * (c.norm() + bundles_[bundle].spread);
  for (std::size_t i = 0; i < kBundle; ++i) {
    const float t = when[i] - middle;
    const float x = c.x() - ox[i] + t * s.x(), y = c.y() - oy[i] + t * s.y(),
                z = c.z() - oz[i] + t * s.z();
    // From the ray's origin to the box's centre, and the direction, in B.
    const float p = R(0, 0) * x + R(0, 1) * y + R(0, 2) * z;
    const float q = R(1, 0) * x + R(1, 1) * y + R(1, 2) * z;
    const float r = R(2, 0) * x + R(2, 1) * y + R(2, 2) * z;
    const float e = R(0, 0) * dx[i] + R(0, 1) * dy[i] + R(0, 2) * dz[i];
    const float f = R(1, 0) * dx[i] + R(1, 1) * dy[i] + R(1, 2) * dz[i];
    const float g = R(2, 0) * dx[i] + R(2, 1) * dy[i] + R(2, 2) * dz[i];
    const float ae = std::abs(e), af = std::abs(f), ag = std::abs(g);
    const float along = p * e + q * f + r * g, depth = h.x() * ae + h.y() * af + h.z() * ag;
    // A line misses a box if it is apart from it along an axis across it and one of the sides.
    meets[i] = (along + depth >= 0.0F) & (along - depth <= reach[i]) & (reach[i] > 0.0F) &
               (std::abs(q * g - r * f) <= h.y() * ag + h.z() * af) &
               (std::abs(r * e - p * g) <= h.z() * ae + h.x() * ag) &
               (std::abs(p * f - q * e) <= h.x() * af + h.y() * ae);
  }
}

}  // namespace marsim::lidar
