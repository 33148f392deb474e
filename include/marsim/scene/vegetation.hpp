// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <Eigen/Geometry>

#include "marsim/common/settings.hpp"
#include "marsim/map/semantic_class.hpp"

namespace marsim::scene {

/// Identities of plants are their numbers among Vegetation::instances from here on.
constexpr std::uint32_t kFirstPlantIdentity = 1U << 24U;
/// Identity of a thing of the map in images: its instance's number from here on.
constexpr std::uint32_t kFirstThingIdentity = 1U << 30U;
constexpr bool isThing(std::uint32_t identity) {
  return identity >= kFirstThingIdentity && identity != std::numeric_limits<std::uint32_t>::max();
}
constexpr bool isPlant(std::uint32_t identity) {
  return identity >= kFirstPlantIdentity && identity < kFirstThingIdentity;
}

/// A stem, twig or piece of a blade: a solid cylinder closed by flat caps.
struct PlantCylinder {
  Eigen::Vector3f from, to;     ///< [m] ends of the axis, in M; not equal
  float radius = 0.0F;          ///< [m]
  std::uint8_t reflectivity{};  ///< 255 for 100 %
  std::uint8_t semantic_class = map::semantic::kVegetation;
};

/// A leaf: a flat disc, seen from both sides.
struct PlantDisc {
  Eigen::Vector3f centre;       ///< [m] in M
  Eigen::Vector3f normal;       ///< unit
  float radius = 0.0F;          ///< [m]
  std::uint8_t reflectivity{};  ///< 255 for 100 %
  std::uint8_t semantic_class = map::semantic::kVegetation;
};

/// Bounding box in M.
Eigen::AlignedBox3f boxOf(const PlantCylinder& cylinder);
Eigen::AlignedBox3f boxOf(const PlantDisc& disc);

/// A shape that is placed many times: one shrub, or some square metres of grass. M: z up, z = 0 the
/// ground.
struct Patch {
  std::vector<PlantCylinder> cylinders;
  std::vector<PlantDisc> discs;
  bool is_obstacle = false;  ///< UAVs touch it

  std::size_t size() const { return cylinders.size() + discs.size(); }
  /// Bounding box in M; empty without primitives.
  Eigen::AlignedBox3f box() const;
  /// Throws ConfigError for a primitive that is not finite or has no extent.
  void validate(const std::string& where) const;
};

/// A patch as it stands in the world. A point x of the patch is stretched, turned about z by yaw,
/// leant by the wind, moved with the ground's slope, and put at the foot:
///
///   x' = Rz(yaw) diag(width, width, height) x
///   x'' = x' + x'.z (lean.x, lean.y, 0)
///   x_W = origin + foot + x'' + (0, 0, slope . x''.xy)
struct PlantInstance {
  Eigen::Vector3f foot = Eigen::Vector3f::Zero();   ///< [m] from Vegetation::origin
  float yaw_cosine = 1.0F, yaw_sine = 0;            ///< of one angle, to float
  float width = 1.0F, height = 1.0F;                ///< factors, > 0
  Eigen::Vector2f slope = Eigen::Vector2f::Zero();  ///< rise of the ground per metre along x, y
  std::uint32_t patch = 0;
};

/// A wind that plants lean in, a simple function of time and place: gusts go by, and under each the
/// plants lean from upright to `lean` and back.
struct Sway {
  double lean = 0.0;       ///< [rad] the largest; 0: none
  double direction = 0.0;  ///< [rad] azimuth that it blows towards
  double period = 2.0;     ///< [s] from gust to gust

  bool on() const { return lean > 0.0; }
  /// Tangent of the largest lean along x and y.
  Eigen::Vector2f most() const;
  /// Share of the largest lean, 0 to 1, at a time and `place` [m] in W along the wind: gusts
  /// travel at kGustSpeed.
  double shareAt(double seconds, double place) const;
  static constexpr double kGustSpeed = 5.0;  ///< [m/s]
  void declare(Settings& settings);
  void validate(const std::string& where) const { checkSettings(where, *this); }
};

/// Plants that stand in a world: few shapes, many poses.
struct Vegetation {
  Eigen::Vector3d origin = Eigen::Vector3d::Zero();  ///< [m] in W, of the instances' feet
  std::vector<Patch> patches;
  std::vector<PlantInstance> instances;
  Sway sway;

  /// Where a point of an instance's patch is, leaning by `lean` (tangents along x and y).
  Eigen::Vector3d placed(const PlantInstance& instance, const Eigen::Vector3d& p_M,
                         const Eigen::Vector2d& lean) const;
  /// Throws ConfigError.
  void validate(const std::string& where) const;
};

/// Points [m] in W on the axes of the cylinders and in the leaves of all instances that are
/// obstacles, upright, no farther apart than `spacing` [m]. Throws ConfigError where there are more
/// than kMaxObstaclePoints.
std::vector<Eigen::Vector3d> obstaclePoints(const Vegetation& vegetation, double spacing,
                                            const std::string& where);
constexpr std::size_t kMaxObstaclePoints = 20'000'000;

}  // namespace marsim::scene
