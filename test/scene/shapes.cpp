// SPDX-License-Identifier: BSD-3-Clause
#include "scene/shapes.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

namespace marsim::scene {
namespace {

using Eigen::Vector3d;

double range(const Rectangle& shape, const Vector3d& origin, const Vector3d& direction) {
  const Vector3d normal = shape.a.cross(shape.b);
  const double t = normal.dot(shape.corner - origin) / normal.dot(direction);
  if (!(t > 0.0 && t < kNoRange)) return kNoRange;
  const Vector3d offset = origin + t * direction - shape.corner;
  const double u = offset.dot(shape.a) / shape.a.squaredNorm();
  const double v = offset.dot(shape.b) / shape.b.squaredNorm();
  return u >= 0.0 && u <= 1.0 && v >= 0.0 && v <= 1.0 ? t : kNoRange;
}

double distance(const Rectangle& shape, const Vector3d& point) {
  const Vector3d offset = point - shape.corner;
  const double u = std::clamp(offset.dot(shape.a) / shape.a.squaredNorm(), 0.0, 1.0);
  const double v = std::clamp(offset.dot(shape.b) / shape.b.squaredNorm(), 0.0, 1.0);
  return (offset - u * shape.a - v * shape.b).norm();
}

/// Ranges at which a ray enters and leaves something; nothing where enter > leave.
struct RayInterval {
  double enter = -kNoRange, leave = kNoRange;

  void cut(double from, double to) {
    enter = std::max(enter, from);
    leave = std::min(leave, to);
  }
  double first() const {
    if (!(enter <= leave) || leave <= 0.0) return kNoRange;
    return enter > 0.0 ? enter : leave;
  }
};

/// The part of a ray between two planes: |position + t slope| <= half.
void cutSlab(double position, double slope, double half, RayInterval& interval) {
  if (slope == 0.0) {
    if (std::abs(position) > half) interval.leave = -kNoRange;
    return;
  }
  const double a = (-half - position) / slope;
  const double b = (half - position) / slope;
  interval.cut(std::min(a, b), std::max(a, b));
}

double range(const Box& shape, const Vector3d& origin, const Vector3d& direction) {
  const Vector3d from = shape.axes.transpose() * (origin - shape.centre);
  const Vector3d along = shape.axes.transpose() * direction;
  RayInterval interval;
  for (int i = 0; i < 3; ++i) cutSlab(from[i], along[i], shape.half[i], interval);
  return interval.first();
}

double distance(const Box& shape, const Vector3d& point) {
  const Vector3d offset = shape.axes.transpose() * (point - shape.centre);
  return (offset.cwiseAbs() - shape.half).cwiseMax(0.0).norm();
}

/// Cuts a ray to |offset + t along|^2 <= radius^2.
void cutRound(const Vector3d& offset, const Vector3d& along, double radius, RayInterval& interval) {
  const double a = along.squaredNorm();
  const double b = offset.dot(along);
  const double c = offset.squaredNorm() - radius * radius;
  if (a == 0.0) {
    if (c > 0.0) interval.leave = -kNoRange;
    return;
  }
  const double discriminant = b * b - a * c;
  if (discriminant < 0.0) {
    interval.leave = -kNoRange;
    return;
  }
  const double root = std::sqrt(discriminant);
  interval.cut((-b - root) / a, (-b + root) / a);
}

double range(const Cylinder& shape, const Vector3d& origin, const Vector3d& direction) {
  const double length = (shape.to - shape.from).norm();
  const Vector3d axis = (shape.to - shape.from) / length;
  const Vector3d offset = origin - 0.5 * (shape.from + shape.to);
  const double along = offset.dot(axis);
  const double slope = direction.dot(axis);
  RayInterval interval;
  cutSlab(along, slope, 0.5 * length, interval);
  cutRound(offset - along * axis, direction - slope * axis, shape.radius, interval);
  return interval.first();
}

double distance(const Cylinder& shape, const Vector3d& point) {
  const double length = (shape.to - shape.from).norm();
  const Vector3d axis = (shape.to - shape.from) / length;
  const Vector3d offset = point - 0.5 * (shape.from + shape.to);
  const double along = offset.dot(axis);
  const double beyond = std::max(0.0, std::abs(along) - 0.5 * length);
  const double aside = std::max(0.0, (offset - along * axis).norm() - shape.radius);
  return std::hypot(beyond, aside);
}

double range(const Sphere& shape, const Vector3d& origin, const Vector3d& direction) {
  RayInterval interval;
  cutRound(origin - shape.centre, direction, shape.radius, interval);
  return interval.first();
}

double distance(const Sphere& shape, const Vector3d& point) {
  return std::max(0.0, (point - shape.centre).norm() - shape.radius);
}

double range(const Foliage& shape, const Vector3d& origin, const Vector3d& direction) {
  double nearest = kNoRange;
  if (range(shape.ball, origin, direction) == kNoRange) return nearest;
  for (const Disc& leaf : shape.leaves) {
    const Vector3d offset = leaf.centre - origin;
    const double t = leaf.normal.dot(offset) / leaf.normal.dot(direction);
    if (!(t > 0.0 && t < nearest)) continue;
    if ((t * direction - offset).squaredNorm() <= leaf.radius * leaf.radius) nearest = t;
  }
  return nearest;
}

double distance(const Foliage& shape, const Vector3d& point) {
  double nearest = kNoRange;
  for (const Disc& leaf : shape.leaves) {
    const Vector3d offset = point - leaf.centre;
    const double above = leaf.normal.dot(offset);
    const double aside = std::max(0.0, (offset - above * leaf.normal).norm() - leaf.radius);
    nearest = std::min(nearest, std::hypot(above, aside));
  }
  return nearest;
}

}  // namespace

double rangeTo(const Shape& shape, const Vector3d& origin, const Vector3d& direction) {
  return std::visit([&](const auto& some) { return range(some, origin, direction); }, shape);
}

double distanceTo(const Shape& shape, const Vector3d& point) {
  return std::visit([&](const auto& some) { return distance(some, point); }, shape);
}

Approach approachOf(const Cylinder& cylinder, const Vector3d& origin, const Vector3d& direction,
                    double range_max) {
  const double length = (cylinder.to - cylinder.from).norm();
  const Vector3d axis = (cylinder.to - cylinder.from) / length;
  const Vector3d offset = origin - cylinder.from;
  const double cosine = axis.dot(direction);
  const double a = axis.dot(offset);
  const double b = direction.dot(offset);
  const double determinant = 1.0 - cosine * cosine;
  const double free = determinant > 1e-12 ? (a - b * cosine) / determinant : 0.0;
  // The best place of either that the other's end leaves.
  double s = std::clamp(free, 0.0, length);
  const double t = std::clamp(s * cosine - b, 0.0, range_max);
  s = std::clamp(a + t * cosine, 0.0, length);
  return {(origin + t * direction - cylinder.from - s * axis).norm(), t};
}

}  // namespace marsim::scene
