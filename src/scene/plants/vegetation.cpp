// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"
#include "marsim/scene/vegetation.hpp"

namespace marsim::scene {
namespace {

// Half the sides of the box about a disc.
Eigen::Vector3f extentOf(const Eigen::Vector3f& normal, float radius) {
  return radius * (1.0F - normal.array().square()).max(0.0F).sqrt();
}

void extend(Eigen::AlignedBox3f& box, const Eigen::Vector3f& centre, const Eigen::Vector3f& half) {
  box.extend(Eigen::AlignedBox3f(centre - half, centre + half));
}

// Adds points along the axis, both ends included; for a thick cylinder also around it.
void addPoints(const PlantCylinder& cylinder, double spacing,
               std::vector<Eigen::Vector3d>& points) {
  const Eigen::Vector3d from = cylinder.from.cast<double>(),
                        along = cylinder.to.cast<double>() - from;
  const auto radius = static_cast<double>(cylinder.radius);
  const int steps = std::max(1, static_cast<int>(std::ceil(along.norm() / spacing)));
  const int around =
      2.0 * radius > spacing ? static_cast<int>(std::ceil(2.0 * kPi * radius / spacing)) : 0;
  const Eigen::Vector3d x = along.unitOrthogonal(), y = along.normalized().cross(x);
  for (int i = 0; i <= steps; ++i) {
    const Eigen::Vector3d middle = from + static_cast<double>(i) / steps * along;
    points.push_back(middle);
    for (int j = 0; j < around; ++j) {
      const double angle = 2.0 * kPi * j / around;
      points.emplace_back(middle + radius * (std::cos(angle) * x + std::sin(angle) * y));
    }
  }
}

}  // namespace

Eigen::AlignedBox3f boxOf(const PlantCylinder& cylinder) {
  const Eigen::Vector3f axis = (cylinder.to - cylinder.from).normalized();
  const Eigen::Vector3f half = extentOf(axis, cylinder.radius);
  Eigen::AlignedBox3f box;
  extend(box, cylinder.from, half);
  extend(box, cylinder.to, half);
  return box;
}

Eigen::AlignedBox3f boxOf(const PlantDisc& disc) {
  Eigen::AlignedBox3f box;
  extend(box, disc.centre, extentOf(disc.normal, disc.radius));
  return box;
}

Eigen::AlignedBox3f Patch::box() const {
  Eigen::AlignedBox3f all;
  for (const PlantCylinder& cylinder : cylinders) all.extend(boxOf(cylinder));
  for (const PlantDisc& disc : discs) all.extend(boxOf(disc));
  return all;
}

void Patch::validate(const std::string& where) const {
  const Validator check(where);
  check.require(size() > 0, "primitives", "none", "at least one");
  for (const PlantCylinder& cylinder : cylinders) {
    check.positive("radius", static_cast<double>(cylinder.radius), "m");
    check.positive("length", static_cast<double>((cylinder.to - cylinder.from).norm()), "m");
  }
  for (const PlantDisc& disc : discs) {
    check.positive("radius", static_cast<double>(disc.radius), "m");
    check.require(disc.centre.allFinite() && std::abs(disc.normal.norm() - 1.0F) < 1e-5F, "disc",
                  "not finite or its normal not of length 1", "a centre and a unit normal");
  }
}

Eigen::Vector2f Sway::most() const {
  return Eigen::Vector2d(std::tan(lean) * std::cos(direction), std::tan(lean) * std::sin(direction))
      .cast<float>();
}

// A polynomial instead of a sine, which differs between machines.
double Sway::shareAt(double seconds, double place) const {
  const double phase = (seconds - place / kGustSpeed) / period;
  const double wave = std::abs(2.0 * (phase - std::floor(phase)) - 1.0);
  return wave * wave * (3.0 - 2.0 * wave);
}

void Sway::declare(Settings& settings) {
  settings.required("lean", lean, "rad", {0.0, radians(60.0)});
  settings.optional("direction", direction, "rad");
  settings.optional("period", period, "s", {0.1, 1000.0});
}

Eigen::Vector3d Vegetation::placed(const PlantInstance& instance, const Eigen::Vector3d& p_M,
                                   const Eigen::Vector2d& lean) const {
  const auto width = static_cast<double>(instance.width);
  const auto cosine = static_cast<double>(instance.yaw_cosine);
  const auto sine = static_cast<double>(instance.yaw_sine);
  Eigen::Vector3d p(width * (cosine * p_M.x() - sine * p_M.y()),
                    width * (sine * p_M.x() + cosine * p_M.y()),
                    static_cast<double>(instance.height) * p_M.z());
  p.head<2>() += p.z() * lean;
  p.z() += instance.slope.cast<double>().dot(p.head<2>());
  return origin + instance.foot.cast<double>() + p;
}

std::vector<Eigen::Vector3d> obstaclePoints(const Vegetation& vegetation, double spacing,
                                            const std::string& where) {
  std::vector<std::vector<Eigen::Vector3d>> of_patches;
  for (const Patch& patch : vegetation.patches) {
    std::vector<Eigen::Vector3d>& points = of_patches.emplace_back();
    if (!patch.is_obstacle) continue;
    for (const PlantCylinder& cylinder : patch.cylinders) addPoints(cylinder, spacing, points);
    for (const PlantDisc& disc : patch.discs) points.push_back(disc.centre.cast<double>());
  }
  std::size_t count = 0;
  for (const PlantInstance& instance : vegetation.instances) {
    count += of_patches[instance.patch].size();
  }
  Validator(where).require(count <= kMaxObstaclePoints, "obstacle",
                           fmt::format("true, of plants of {} points", count),
                           fmt::format("at most {}: fewer plants", kMaxObstaclePoints));
  std::vector<Eigen::Vector3d> points;
  points.reserve(count);
  for (const PlantInstance& instance : vegetation.instances) {
    for (const Eigen::Vector3d& p_M : of_patches[instance.patch]) {
      points.push_back(vegetation.placed(instance, p_M, Eigen::Vector2d::Zero()));
    }
  }
  return points;
}

void Vegetation::validate(const std::string& where) const {
  const Validator check(where);
  sway.validate(where + ": wind");
  for (const Patch& patch : patches) patch.validate(where + ": patch");
  check.require(instances.size() < kFirstThingIdentity - kFirstPlantIdentity, "instances",
                fmt::format("{}", instances.size()), "fewer");
  for (const PlantInstance& instance : instances) {
    check.require(instance.patch < patches.size(), "patch", fmt::format("{}", instance.patch),
                  fmt::format("below {}", patches.size()));
    check.require(instance.foot.allFinite() && instance.slope.allFinite(), "foot", "not finite",
                  "finite foot and slope");
    check.positive("width", static_cast<double>(instance.width));
    check.positive("height", static_cast<double>(instance.height));
  }
}

}  // namespace marsim::scene
