// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include <Eigen/Geometry>

#include "marsim/common/random.hpp"
#include "marsim/map/point_cloud.hpp"
#include "scene/places/materials.hpp"

namespace marsim::scene {

/// Scatters points over surfaces like a scanner after merging many scans: one point in every square
/// of side `spacing`, off its centre, moved along the normal by Gaussian noise. Every draw is a
/// separate statement, so that the order of evaluation, and with it the result, is the same with
/// every compiler.
class SurfaceSampler {
 public:
  /// `spacing` and `range_noise` in m. `keep` selects the points for the cloud.
  SurfaceSampler(RandomStream random, double spacing, double range_noise,
                 std::function<bool(const Eigen::Vector3d&)> keep = {});

  /// A rectangle in its own coordinates: u along the first side, v along the second [m].
  struct Hole {
    double u_min, u_max, v_min, v_max;
  };

  /// Parallelogram corner + a u + b v with u, v in [0, 1]. Holes are in metres along a and b.
  void patch(const Eigen::Vector3d& corner, const Eigen::Vector3d& a, const Eigen::Vector3d& b,
             const std::vector<Hole>& holes = {});

  /// The six faces of an axis-parallel box.
  void box(const Eigen::AlignedBox3d& box);

  /// Side of a tube round an axis given by its position at s in [0, length] and its radius there.
  void tube(double length, const std::function<Eigen::Vector3d(double)>& axis,
            const std::function<double(double)>& radius);

  /// Sets the material of the following points: each carries the reflectivity as an intensity of 0
  /// to 255, the colour and the class. Call it before the first point or never: points then carry
  /// nothing.
  void setMaterial(const Material& material) { material_ = material; }
  const std::optional<Material>& material() const { return material_; }
  /// Makes the following points, until endThing(), those of one more thing: a piece of furniture, a
  /// car, a tree. Beyond 65,535 things they have no number. Only points with a material have one.
  void beginThing() { thing_ = things_ < kMostThings ? ++things_ : std::uint16_t{0}; }
  void endThing() { thing_ = 0; }

  /// Makes shades and, by a share of 0 to 0.9, the density of points vary smoothly over the place.
  /// Remaining points keep their positions.
  void vary(std::uint64_t seed, double density_variation);

  /// Moves the following points from a part's coordinates into W. At first both are the same.
  void setFrame(const Eigen::Isometry3d& X_WP) { X_WP_ = X_WP; }
  Eigen::Isometry3d frame() const { return X_WP_.value_or(Eigen::Isometry3d::Identity()); }

  /// Adds one point; noise acts along the unit normal.
  void point(const Eigen::Vector3d& p, const Eigen::Vector3d& normal);

  std::size_t size() const { return cloud_.size(); }
  double spacing() const { return spacing_; }
  RandomStream& random() { return random_; }
  map::PointCloud takeCloud() { return std::move(cloud_); }

 private:
  /// A colour with the shade at a place [m] in W.
  map::Colour shaded(const map::Colour& colour, const Eigen::Vector3d& p_W);

  RandomStream random_;
  double spacing_;
  double range_noise_;
  std::function<bool(const Eigen::Vector3d&)> keep_;
  std::optional<Material> material_;
  static constexpr std::uint16_t kMostThings = 0xffff;
  std::uint16_t things_ = 0, thing_ = 0;  ///< begun so far; the present one, 0: none
  std::optional<Eigen::Isometry3d> X_WP_;
  double density_variation_ = 0.0;
  std::optional<RandomStream> variation_;  // for variations, separate from the points' places
  std::uint64_t seed_ = 0;
  map::PointCloud cloud_;
};

/// Any unit vector at a right angle to `direction`.
Eigen::Vector3d anyNormalTo(const Eigen::Vector3d& direction);
/// A unit vector of any direction, all alike.
Eigen::Vector3d randomDirection(RandomStream& random);

}  // namespace marsim::scene
