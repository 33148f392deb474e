// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/collision/support.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "marsim/common/units.hpp"

namespace marsim::collision {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr int kDirections = 256;
constexpr std::size_t kCorners = 8;  // on which a body rests
// Largest distance of a surface's points from its plane: a share of the resolution, or [m].
constexpr double kRough = 0.5;
constexpr double kLeastRough = 0.02;

// Even directions on the sphere: Fibonacci's lattice.
Vector3d direction(int i) {
  const double z = 1.0 - (2.0 * i + 1.0) / kDirections, azimuth = kPi * (3.0 - std::sqrt(5.0)) * i;
  const double across = std::sqrt(1.0 - z * z);
  return {across * std::cos(azimuth), across * std::sin(azimuth), z};
}

// The outermost points of those on a plane.
std::vector<Vector3d> corners(const std::vector<Vector3d>& points, const Vector3d& normal) {
  const Vector3d x = normal.unitOrthogonal(), y = normal.cross(x);
  std::vector<Vector3d> corners;
  for (std::size_t i = 0; i < kCorners; ++i) {
    const double angle = 2.0 * kPi * static_cast<double>(i) / static_cast<double>(kCorners);
    const Vector3d way = std::cos(angle) * x + std::sin(angle) * y;
    const auto best = std::max_element(
        points.begin(), points.end(),
        [&way](const Vector3d& a, const Vector3d& b) { return a.dot(way) < b.dot(way); });
    if (std::find(corners.begin(), corners.end(), *best) == corners.end()) {
      corners.push_back(*best);
    }
  }
  return corners;
}

// Points of the map around a body, in the level frame with its yaw.
struct Around {
  std::vector<Vector3d> points, normals;  // normals point upwards; 0: not planar
};

Around pointsAround(const Neighbours& map, const Pose& X_WL, const Eigen::AlignedBox3d& box_L) {
  std::vector<map::FoundSurfel> found;
  map.inBox(X_WL, box_L, found);
  const Pose X_LW = X_WL.inverse();
  Around around;
  for (const map::FoundSurfel& point : found) {
    around.points.push_back(X_LW * (map.origin() + point.position.cast<double>()));
    Vector3d normal = Vector3d::Zero();
    if (point.planar) normal = X_LW.q * point.normal.cast<double>().normalized();
    around.normals.push_back(normal.z() < 0.0 ? Vector3d(-normal) : normal);
  }
  return around;
}

// Places that need support: under the feet, between neighbouring feet and in the middle.
std::vector<Vector2d> footprint(const BodyHull& body, const Pose& X_LB) {
  std::vector<Vector2d> feet;
  for (const Vector3d& foot : body.feet()) feet.emplace_back((X_LB * foot).head<2>());
  std::vector<Vector2d> places = feet;
  for (std::size_t i = 0; i < feet.size(); ++i) {
    for (std::size_t j = i + 1; j < feet.size(); ++j)
      places.emplace_back(0.5 * (feet[i] + feet[j]));
  }
  return places;
}

// The uppermost planar point within a distance [m] of a place; none if there is none.
std::optional<std::size_t> uppermost(const Around& around, const Vector2d& place, double distance) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < around.points.size(); ++i) {
    if (around.normals[i].isZero(0.0)) continue;
    if ((around.points[i].head<2>() - place).squaredNorm() > distance * distance) continue;
    if (!best || around.points[i].z() > around.points[*best].z()) best = i;
  }
  return best;
}

}  // namespace

BodyHull::BodyHull(const map::PointCloud& cloud_B, std::vector<Vector3d> feet_B)
    : feet_(std::move(feet_B)), points_(feet_) {
  double bottom = std::numeric_limits<double>::infinity();
  for (const Vector3d& foot : feet_) bottom = std::min(bottom, foot.z());
  if (feet_.empty()) bottom = -bottom;
  std::vector<std::size_t> farthest;
  for (int i = 0; i < kDirections; ++i) {
    const Eigen::Vector3f d = direction(i).cast<float>();
    const auto best = std::max_element(
        cloud_B.points.begin(), cloud_B.points.end(),
        [&d](const Eigen::Vector3f& a, const Eigen::Vector3f& b) { return a.dot(d) < b.dot(d); });
    if (best == cloud_B.points.end()) break;
    farthest.push_back(static_cast<std::size_t>(best - cloud_B.points.begin()));
  }
  std::sort(farthest.begin(), farthest.end());
  farthest.erase(std::unique(farthest.begin(), farthest.end()), farthest.end());
  for (const std::size_t i : farthest) {
    Vector3d p = cloud_B.points[i].cast<double>();
    p.z() = std::max(p.z(), bottom);
    points_.push_back(p);
  }
  for (const Vector3d& p : points_) radius_ = std::max(radius_, p.norm());
}

double BodyHull::lowest(const Plane& plane, const Pose& X_WB) const {
  const Vector3d normal_B = X_WB.q.conjugate() * plane.normal_W;
  double least = std::numeric_limits<double>::infinity();
  for (const Vector3d& p : points_) least = std::min(least, normal_B.dot(p));
  return plane.heightOf(X_WB.p) + least;
}

void BodyHull::appendBelow(const Plane& plane, const Pose& X_WB, double height,
                           std::vector<Vector3d>& points_B) const {
  const double centre = plane.heightOf(X_WB.p);
  if (centre - radius_ > height) return;
  const Vector3d normal_B = X_WB.q.conjugate() * plane.normal_W;
  std::vector<Vector3d> below;
  Vector3d sum = Vector3d::Zero();
  for (const Vector3d& p : points_) {
    if (centre + normal_B.dot(p) > height) continue;
    below.push_back(p);
    sum += p;
  }
  if (below.size() > 1) points_B.emplace_back(sum / static_cast<double>(below.size()));
  if (below.size() > kCorners) below = corners(below, normal_B);
  points_B.insert(points_B.end(), below.begin(), below.end());
}

std::optional<Plane> carryingSurface(const Neighbours& map, const BodyHull& body, const Pose& X_WB,
                                     double steepest) {
  const double r = map.resolution(), rough = std::max(kRough * r, kLeastRough);
  const double lowest = body.lowest({X_WB.p, Vector3d::UnitZ()}, X_WB);
  const Pose X_WL{fromRollPitchYaw(0.0, 0.0, yawOf(X_WB.q)), X_WB.p};
  const std::vector<Vector2d> places = footprint(body, X_WL.inverse() * X_WB);
  double span = 0.0;
  for (const Vector2d& place : places) span = std::max(span, place.norm());
  const double rise = std::tan(std::min(steepest, radians(60.0))) * (span + r) + rough;
  const double side = span + r;
  const Around around = pointsAround(
      map, X_WL, {Vector3d(-side, -side, lowest - rise), Vector3d(side, side, lowest + rise)});

  std::vector<std::size_t> tops;
  Vector3d middle = Vector3d::Zero(), normal = Vector3d::Zero();
  for (const Vector2d& place : places) {
    const auto top = uppermost(around, place, r);
    if (!top) return std::nullopt;
    tops.push_back(*top);
    middle += around.points[*top] / static_cast<double>(places.size());
    normal += around.normals[*top];
  }
  normal.normalize();
  if (!(normal.z() >= std::cos(steepest))) return std::nullopt;
  for (const std::size_t top : tops) {
    if (std::abs(normal.dot(around.points[top] - middle)) > rough) return std::nullopt;
  }
  for (const Vector3d& p : around.points) {
    if (p.head<2>().norm() <= span && normal.dot(p - middle) > rough) return std::nullopt;
  }
  return Plane{X_WL * middle, X_WL.q * normal};
}

}  // namespace marsim::collision
