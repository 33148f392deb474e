#include "ray_cluster.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace marsim::lidar {
namespace {

void setAngle(RayBundle& bundle, float angle) {
  angle += 1e-3F;  // acos of single precision near 1
  bundle.cosine = angle < 1.5F ? std::cos(angle) : -1.0F;
  bundle.sine = angle < 1.5F ? std::sin(angle) : 1.0F;
}

float angleOf(float cosine) { return std::acos(std::clamp(cosine, -1.0F, 1.0F)); }

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
    const float *o = origin_[axis] + first, *d = direction_[axis] + first;
    low[axis] = *std::min_element(o, o + kBundle);
    high[axis] = *std::max_element(o, o + kBundle);
    sum[axis] = 0.0F;
    for (std::size_t i = 0; i < kBundle; ++i) sum[axis] += d[i];
  }
  setOrigin(bundle, {low, high});
  bundle.reach = *std::max_element(reach_ + first, reach_ + first + kBundle);
  for (int axis = 0; axis < 3; ++axis) {
    const auto from = static_cast<float>(bundle.origin[axis]);
    for (std::size_t i = first; i < first + kBundle; ++i) origin_[axis][i] -= from;
  }
  bundle.axis = sum.normalized();
  float least = 1.0F;
  for (std::size_t i = first; i < first + kBundle; ++i) {
    least =
        std::min(least, bundle.axis.x() * direction_[0][i] + bundle.axis.y() * direction_[1][i] +
                            bundle.axis.z() * direction_[2][i]);
  }
  setAngle(bundle, sum.norm() > 1e-3F ? angleOf(least) : 4.0F);
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
  float angle = sum.norm() > 1e-3F ? 0.0F : 4.0F;
  for (std::size_t b = 0; b < bundleCount(); ++b) {
    const float own = bundles_[b].cosine > 0.0F ? angleOf(bundles_[b].cosine) : 4.0F;
    angle = std::max(angle, angleOf(whole_.axis.dot(bundles_[b].axis)) + own);
  }
  setAngle(whole_, angle);
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
