// SPDX-License-Identifier: BSD-3-Clause
#include "lidar/plant_oracle.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace marsim::lidar {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;
using scene::Patch;
using scene::PlantCylinder;
using scene::PlantDisc;
using Meeting = PlantOracle::Meeting;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Factors on radii and lengths, which show the effect of rounding.
constexpr std::array<double, 3> kSizes = {1.0, 1.0 + 2e-4, 1.0 - 2e-4};

bool counts(double t, const OracleRay& ray, const Meeting& so_far) {
  return t >= ray.range_min && t < ray.range_max && t < so_far.range;
}

Meeting meet(const PlantCylinder& cylinder, double size, const Vector3d& o, const Vector3d& d,
             const OracleRay& ray) {
  const Vector3d from = cylinder.from.cast<double>(), to = cylinder.to.cast<double>();
  const Vector3d u = (to - from).normalized();
  const double radius = size * static_cast<double>(cylinder.radius);
  const double slack = (size - 1.0) * 0.1, length = (to - from).norm();
  Meeting meeting;
  const Vector3d w = o - from;
  const Vector3d v = d - d.dot(u) * u, p = w - w.dot(u) * u;
  const double a = v.squaredNorm(), b = v.dot(p), c = p.squaredNorm() - radius * radius;
  if (a > 1e-18 && b * b >= a * c) {
    for (const double sign : {-1.0, 1.0}) {
      const double t = (-b + sign * std::sqrt(b * b - a * c)) / a;
      const double height = (w + t * d).dot(u);
      if (height < -slack || height > length + slack || !counts(t, ray, meeting)) continue;
      meeting = {t, p + t * v};
    }
  }
  for (const double cap : {-slack, length + slack}) {
    const double t = (cap - w.dot(u)) / d.dot(u);
    if (!((p + t * v).squaredNorm() <= radius * radius) || !counts(t, ray, meeting)) continue;
    meeting = {t, u};
  }
  return meeting;
}

Meeting meet(const PlantDisc& disc, double size, const Vector3d& o, const Vector3d& d,
             const OracleRay& ray) {
  const Vector3d n = disc.normal.cast<double>(), w = disc.centre.cast<double>() - o;
  const double t = w.dot(n) / d.dot(n), radius = size * static_cast<double>(disc.radius);
  if (!((t * d - w).squaredNorm() <= radius * radius) || !counts(t, ray, {})) return {};
  return {t, n};
}

/// Radius in M of a sphere about the foot that holds all of a patch.
double reachOf(const Patch& patch) {
  double radius = 0.0;
  for (const PlantCylinder& cylinder : patch.cylinders) {
    for (const Vector3d p : {cylinder.from.cast<double>(), cylinder.to.cast<double>()}) {
      radius = std::max(radius, p.norm() + static_cast<double>(cylinder.radius));
    }
  }
  for (const PlantDisc& disc : patch.discs) {
    radius = std::max(radius, static_cast<double>(disc.centre.norm() + disc.radius));
  }
  return radius;
}

}  // namespace

PlantOracle::PlantOracle(const scene::Vegetation& vegetation, double time)
    : vegetation_(vegetation) {
  for (const scene::PlantInstance& instance : vegetation.instances) addFrame(instance, time);
}

void PlantOracle::addFrame(const scene::PlantInstance& instance, double time) {
  const scene::Sway& sway = vegetation_.sway;
  const Vector3d foot = vegetation_.origin + instance.foot.cast<double>();
  Matrix3d turn = Matrix3d::Identity(), lean = turn, slope = turn, stretch = turn;
  const auto c = static_cast<double>(instance.yaw_cosine),
             s = static_cast<double>(instance.yaw_sine);
  turn << c, -s, 0, s, c, 0, 0, 0, 1;
  stretch.diagonal() << static_cast<double>(instance.width), static_cast<double>(instance.width),
      static_cast<double>(instance.height);
  if (sway.on()) {
    const Vector2d along(std::cos(sway.direction), std::sin(sway.direction));
    const double share = sway.shareAt(time, along.dot(foot.head<2>()));
    lean.block<2, 1>(0, 2) = share * std::tan(sway.lean) * along;
  }
  slope.block<1, 2>(2, 0) = instance.slope.cast<double>().transpose();
  const Matrix3d out = slope * lean * turn * stretch;
  const Patch& patch = vegetation_.patches[instance.patch];
  std::size_t first = 0;
  for (std::uint32_t i = 0; i < instance.patch; ++i) first += vegetation_.patches[i].size();
  frames_.push_back({foot, 1.01 * reachOf(patch) * out.norm(), out.inverse(), &patch, first});
}

PlantOracle::Answer PlantOracle::trace(const OracleRay& ray) const {
  Answer answer;
  std::array<double, kSizes.size()> ranges{kInfinity, kInfinity, kInfinity};
  for (std::size_t i = 0; i < frames_.size(); ++i) {
    const Frame& frame = frames_[i];
    const double off2 = (frame.foot - ray.origin).cross(ray.direction).squaredNorm();
    if (off2 > frame.radius * frame.radius * ray.direction.squaredNorm()) continue;
    const Vector3d o = frame.into * (ray.origin - frame.foot), d = frame.into * ray.direction;
    const std::size_t cylinders = frame.patch->cylinders.size();
    for (std::size_t p = 0; p < frame.patch->size(); ++p) {
      for (std::size_t k = 0; k < kSizes.size(); ++k) {
        const Meeting meeting = p < cylinders
                                    ? meet(frame.patch->cylinders[p], kSizes[k], o, d, ray)
                                    : meet(frame.patch->discs[p - cylinders], kSizes[k], o, d, ray);
        ranges[k] = std::min(ranges[k], meeting.range);
        if (k > 0 || !(meeting.range < answer.meeting.range)) continue;
        answer = {{meeting.range, frame.into.transpose() * meeting.normal}, i, frame.first + p};
      }
    }
  }
  for (const double range : ranges) {
    const bool same =
        range == answer.meeting.range || std::abs(range - answer.meeting.range) < 1e-3;
    answer.ambiguous |= !same;
  }
  return answer;
}

}  // namespace marsim::lidar
