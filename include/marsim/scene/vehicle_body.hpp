// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "marsim/map/point_cloud.hpp"
#include "marsim/map/surfel_map.hpp"

namespace marsim::scene {

/// The body of a UAV in its frame B [m], for the sensors of others and for collisions: a box in the
/// middle, an arm to every rotor, a propeller's disc at its end. Or a cloud of the user's.
struct BodyConfig {
  Eigen::Vector3d hub_half = Eigen::Vector3d::Zero();  ///< half the sides of the box
  std::vector<Eigen::Vector3d> rotors;                 ///< centres of the propellers
  double arm_radius = 0.0;
  double propeller_radius = 0.0;
  double propeller_half_height = 0.0;
  std::string cloud;  ///< .pcd or .ply file in place of these shapes; empty: none

  /// Throws ConfigError.
  void validate(const std::string& where) const;
  /// Radius [m] of the sphere about B's origin that holds the box and the discs; not of a cloud.
  double radius() const;
  /// Area [m^2] of the box, the arms and the discs; not of a cloud.
  double surface() const;
};

/// Side of the body's surfels [m]: fine enough for arms and small craft, coarse enough that large
/// ones have about a thousand surfels.
double bodyResolution(const BodyConfig& config);

/// Points of the body's surface, at most `spacing` [m] apart. Throws ConfigError; FileError for a
/// cloud, whose points are taken as they are.
map::PointCloud bodyCloud(const BodyConfig& config, double spacing);

/// The body as LiDARs see it: surfels of the exact surface (of a cloud: fitted to its points), of
/// resolution `resolution` [m]. Throws as bodyCloud does.
std::shared_ptr<const map::SurfelMap> bodyShape(const BodyConfig& config, double resolution);

/// Radius [m] of the ball about the origin of a shape's frame that holds its surfels.
double radiusOf(const map::SurfelMap& shape);

}  // namespace marsim::scene
