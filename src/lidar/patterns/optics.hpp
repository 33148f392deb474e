// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

#include <Eigen/Core>

#include "marsim/lidar/scan_pattern.hpp"

namespace marsim::lidar {

/// Snell's law in vector form: refracts the unit direction d of a beam at a surface with unit
/// normal n (against the beam) and the ratio r of the refractive indices before and behind it.
/// False at total reflection; d is unchanged then.
inline bool refract(Eigen::Vector3d& d, const Eigen::Vector3d& n, double r) {
  const double c = -d.dot(n);
  const double radicand = 1.0 - r * r * (1.0 - c * c);
  if (radicand < 0.0) return false;
  d = r * d + (r * c - std::sqrt(radicand)) * n;
  return true;
}

/// Refracts at a plane across the x axis, which the beam meets from -x.
inline bool refractAtPlane(Eigen::Vector3d& d, double r) {
  const double radicand = 1.0 - r * r * (1.0 - d.x() * d.x());
  if (radicand < 0.0) return false;
  d = {std::sqrt(radicand), r * d.y(), r * d.z()};
  return true;
}

/// The constants of a rotating prism.
struct PrismShape {
  explicit PrismShape(const RotatingPrism& prism)
      : speed(prism.speed),
        phase(prism.phase),
        index(prism.refractive_index),
        inclined_first(prism.wedge_angle > 0.0),
        along(-std::cos(prism.wedge_angle)),
        lean((inclined_first ? 1.0 : -1.0) * std::sin(std::abs(prism.wedge_angle))) {}

  double speed, phase, index;
  bool inclined_first;
  double along, lean;  // of the inclined face's normal: along and across the axis
};

/// The faces of a rotating prism at one instant. The optical axis is +x; at phase 0 the normal of
/// the inclined face leans towards +y, at a quarter turn towards +z.
class PrismFaces {
 public:
  PrismFaces(const PrismShape& prism, double time)
      : index_(prism.index), inclined_first_(prism.inclined_first) {
    const double phase = prism.speed * time + prism.phase;
    inclined_ = {prism.along, prism.lean * std::cos(phase), prism.lean * std::sin(phase)};
  }

  /// Sends a beam through the prism. False if it is totally reflected inside.
  bool pass(Eigen::Vector3d& beam) const {
    if (inclined_first_) {
      return refract(beam, inclined_, 1.0 / index_) && refractAtPlane(beam, index_);
    }
    return refractAtPlane(beam, 1.0 / index_) && refract(beam, inclined_, index_);
  }

 private:
  double index_;
  bool inclined_first_;
  Eigen::Vector3d inclined_;
};

}  // namespace marsim::lidar
