#include "ray_cluster.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
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

}  // namespace

namespace {

// A ray's first eight floats: origin, range_max; direction, time.
using Lane4 = Eigen::Array4f;
static_assert(offsetof(Ray, range_max) == 3 * sizeof(float) &&
              offsetof(Ray, direction) == 4 * sizeof(float) &&
              offsetof(Ray, time) == 7 * sizeof(float));

Lane4 fourOf(const void* floats) {
  Lane4 four;
  std::memcpy(four.data(), floats, sizeof four);
  return four;
}

}  // namespace

RaySpan::RaySpan(const std::vector<Ray>& rays, const RayOrder& order, const std::vector<Hit>& hits)
    : first(std::numeric_limits<double>::infinity()), last(-first) {
  const std::size_t count = order.octant_end[RayOrder::kUnusable - 1];
  const bool all = count == rays.size();  // then in the order in which they lie
  Lane4 low = Lane4::Constant(std::numeric_limits<float>::infinity()), early = low;
  Lane4 high = -low, late = -low;
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t i = all ? k : order.index[k];
    const Lane4 begins = fourOf(&rays[i]), fires = fourOf(&rays[i].direction);
    low = low.min(begins);
    high = high.max(begins);
    early = early.min(fires);
    late = late.max(fires);
    reach = std::max(reach, std::min(rays[i].range_max, hits[i].range));
  }
  first = static_cast<double>(early[3]);
  last = static_cast<double>(late[3]);
  const Eigen::AlignedBox3f origins(low.head<3>().matrix(), high.head<3>().matrix());
  origin = origins.center();
  spread = 0.5001F * origins.diagonal().norm() + 1e-6F * origin.norm();
}

RayBundle RaySpan::bundle() const {
  RayBundle bundle;
  bundle.origin = origin.cast<double>();
  bundle.spread = spread;
  bundle.cosine = -1.0F;
  bundle.reach = reach;
  return bundle;
}

RayCluster::RayCluster(const std::vector<Ray>& rays, const RayOrder& order,
                       const std::vector<Hit>& hits, const RaySpan& span, std::size_t first,
                       std::size_t end)
    : count_(std::min(end - first, kRays)), whole_(span.bundle()) {
  for (std::size_t i = 0; i < bundleCount() * kBundle; ++i) {
    const std::uint32_t index = order.index[first + std::min(i, count_ - 1)];
    const Ray& ray = rays[index];
    for (int axis = 0; axis < 3; ++axis) {
      origin_[axis][i] = ray.origin[axis] - span.origin[axis];
      direction_[axis][i] = ray.direction[axis];
    }
    time_[i] = ray.time;
    reach_[i] = i < count_ ? std::min(ray.range_max, hits[index].range) : -1.0F;
  }
  RayBundle bundles[kBundles];
  for (std::size_t b = 0; b < kBundles; ++b) {
    bundles[b] = b < bundleCount() ? bundleOf(b) : bundles[b - 1];
  }
  closeWhole(bundles);
}

// Its origin is the whole's.
RayBundle RayCluster::bundleOf(std::size_t number) const {
  RayBundle bundle;
  const std::size_t first = number * kBundle;
  Eigen::Vector3f sum;
  for (int axis = 0; axis < 3; ++axis) sum[axis] = sumOf(direction_[axis] + first);
  bundle.reach = extremesOf(reach_ + first).high;
  bundle.axis = sum.normalized();
  float cosines[kBundle];
  for (std::size_t i = 0; i < kBundle; ++i) {
    cosines[i] = bundle.axis.x() * direction_[0][first + i] +
                 bundle.axis.y() * direction_[1][first + i] +
                 bundle.axis.z() * direction_[2][first + i];
  }
  setAngle(bundle, sum.norm() > 1e-3F ? extremesOf(cosines).low : -1.0F);
  return bundle;
}

void RayCluster::closeWhole(const RayBundle* bundles) {
  Eigen::Vector3f sum = Eigen::Vector3f::Zero();
  whole_.reach = 0.0F;
  for (std::size_t b = 0; b < bundleCount(); ++b) {
    sum += bundles[b].axis;
    whole_.reach = std::max(whole_.reach, bundles[b].reach);
  }
  whole_.axis = sum.normalized();
  float least = sum.norm() > 1e-3F ? 1.0F : -1.0F;
  for (std::size_t b = 0; b < kBundles; ++b) {
    const RayBundle& bundle = bundles[b];
    // Of the sum of the angle to the bundle's axis and the bundle's own.
    const float cosine = std::min(whole_.axis.dot(bundle.axis), 1.0F);
    const float sine = std::sqrt(1.0F - cosine * cosine);
    const bool wide = !(cosine > 0.0F && bundle.cosine > 0.0F);
    least = std::min(least, wide ? -1.0F : cosine * bundle.cosine - sine * bundle.sine);
    for (int axis = 0; axis < 3; ++axis) cones_.axis[axis][b] = bundle.axis[axis];
    cones_.reach[b] = bundle.reach;
    cones_.cosine2[b] = bundle.cosine * bundle.cosine;
    cones_.sine[b] = bundle.sine;
    // Of any direction: far inside of the cone's side.
    cones_.extra[b] = bundle.cosine > 0.0F ? 0.0F : 1e18F;
  }
  setAngle(whole_, least);
}

void RayCluster::meet(const Ball& ball, bool* may) const {
  // As RayBundle::mayMeet.
  const Eigen::Vector3f v = (ball.centre - whole_.origin).cast<float>();
  const float squared = v.squaredNorm();
  const float radius = (static_cast<float>(ball.radius) + whole_.spread) * 1.00001F;
  const float away = radius + 1e-5F * std::sqrt(squared);
  for (std::size_t b = 0; b < kBundles; ++b) {
    const float most = cones_.reach[b] + radius;
    const float along =
        v.x() * cones_.axis[0][b] + v.y() * cones_.axis[1][b] + v.z() * cones_.axis[2][b];
    const float beside = squared - along * along;
    const float across2 = beside > 0.0F ? beside : 0.0F;
    const float side = away + along * cones_.sine[b] + cones_.extra[b];
    may[b] = (squared <= most * most * 1.00001F) & (side >= 0.0F) &
             (across2 * cones_.cosine2[b] <= side * side + 1e-5F * squared);
  }
}

void RayCluster::meet(std::size_t bundle, const StraightBox& box, bool* meets) const {
  const std::size_t at = bundle * kBundle;
  const float *ox = origin_[0] + at, *oy = origin_[1] + at, *oz = origin_[2] + at;
  const float *dx = direction_[0] + at, *dy = direction_[1] + at, *dz = direction_[2] + at;
  const float *when = time_ + at, *reach = reach_ + at;
  const Eigen::Vector3f c = (box.centre - whole_.origin).cast<float>();
  const auto middle = static_cast<float>(box.middle);
  const Eigen::Matrix3f& R = box.R_BW;
  const Eigen::Vector3f s = box.speed;
  const Eigen::Vector3f h = box.half.array() + 2e-6F * (c.norm() + whole_.spread);
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
