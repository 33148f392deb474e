// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/scene/vehicle_body.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <Eigen/Geometry>

#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"
#include "marsim/map/cloud_io.hpp"
#include "scene/places/surface_sampler.hpp"

namespace marsim::scene {
namespace {

using Eigen::Vector3d;

// A body from another machine must not take up all memory.
constexpr double kLargestRadius = 10.0;  // [m]
constexpr std::size_t kMostRotors = 64;
constexpr double kLargestSurface = 100.0;  // [m^2]

/// Surfels side by side on surfaces, at most a spacing apart.
class SurfaceTiler {
 public:
  explicit SurfaceTiler(double spacing) : spacing_(spacing) {}

  void box(const Vector3d& half) {
    for (int axis = 0; axis < 3; ++axis) {
      const int u = (axis + 1) % 3, v = (axis + 2) % 3;
      for (const double side : {-1.0, 1.0}) {
        tile(half[u], half[v], [&](double a, double b) {
          Vector3d p;
          p[axis] = side * half[axis];
          p[u] = a;
          p[v] = b;
          add(p, side * Vector3d::Unit(axis));
        });
      }
    }
  }

  /// The side of a cylinder.
  void tube(const Vector3d& from, const Vector3d& to, double radius) {
    const double length = (to - from).norm();
    if (!(length > 0.0) || !(radius > 0.0)) return;
    const Vector3d axis = (to - from) / length;
    const Vector3d x = anyNormalTo(axis), y = axis.cross(x);
    const int rings = cells(length);
    for (int ring = 0; ring < rings; ++ring) {
      const Vector3d centre = from + axis * (length * (ring + 0.5) / rings);
      around(radius,
             [&](double c, double s) { add(centre + radius * (c * x + s * y), c * x + s * y); });
    }
  }

  /// Both faces and the rim of a flat cylinder about z.
  void disc(const Vector3d& centre, double radius, double half_height) {
    const int rings = cells(radius);
    for (const double side : {-1.0, 1.0}) {
      const Vector3d middle = centre + side * half_height * Vector3d::UnitZ();
      for (int ring = 0; ring < rings; ++ring) {
        const double r = radius * (ring + 0.5) / rings;
        around(r, [&](double c, double s) {
          add(middle + r * Vector3d(c, s, 0.0), side * Vector3d::UnitZ());
        });
      }
    }
    tube(centre - half_height * Vector3d::UnitZ(), centre + half_height * Vector3d::UnitZ(),
         radius);
  }

  std::vector<map::Surfel> take() { return std::move(surfels_); }

 private:
  int cells(double length) const {
    return std::max(1, static_cast<int>(std::ceil(length / spacing_ - 1e-9)));
  }

  template <class Put>
  void tile(double half_u, double half_v, const Put& put) const {
    const int columns = cells(2.0 * half_u), rows = cells(2.0 * half_v);
    for (int row = 0; row < rows; ++row) {
      for (int column = 0; column < columns; ++column) {
        put(half_u * ((2.0 * column + 1.0) / columns - 1.0),
            half_v * ((2.0 * row + 1.0) / rows - 1.0));
      }
    }
  }

  template <class Put>
  void around(double radius, const Put& put) const {
    const int count = std::max(3, cells(2.0 * kPi * radius));
    for (int i = 0; i < count; ++i) {
      const double angle = 2.0 * kPi * i / count;
      put(std::cos(angle), std::sin(angle));
    }
  }

  void add(const Vector3d& p, const Vector3d& normal) {
    surfels_.push_back({p.cast<float>(), normal.cast<float>(), 0.0F});
  }

  double spacing_;
  std::vector<map::Surfel> surfels_;
};

std::vector<map::Surfel> bodySurfels(const BodyConfig& config, double spacing) {
  config.validate("body");
  Validator("body").positive("spacing", spacing, "m");
  SurfaceTiler tiler(spacing);
  tiler.box(config.hub_half);
  for (const Vector3d& rotor : config.rotors) {
    tiler.tube(Vector3d::Zero(), rotor, config.arm_radius);
    tiler.disc(rotor, config.propeller_radius, config.propeller_half_height);
  }
  return tiler.take();
}

map::PointCloud readBody(const BodyConfig& config) { return map::loadCloud(config.cloud).cloud; }

}  // namespace

void BodyConfig::validate(const std::string& where) const {
  const Validator check(where);
  for (int axis = 0; axis < 3; ++axis) {
    check.positive(fmt::format("hub_half[{}]", axis), hub_half[axis], "m");
  }
  if (!rotors.empty()) check.positive("propeller_radius", propeller_radius, "m");
  check.notNegative("propeller_half_height", propeller_half_height, "m");
  for (std::size_t i = 0; i < rotors.size(); ++i) {
    check.require(rotors[i].allFinite(), fmt::format("rotors[{}]", i), "not finite", "a place [m]");
  }
  check.require(rotors.size() <= kMostRotors, "rotors", fmt::format("{}", rotors.size()),
                fmt::format("at most {}", kMostRotors));
  check.within("arm_radius", arm_radius, 0.0, kLargestRadius, "m");
  check.require(radius() <= kLargestRadius, "radius", fmt::format("{:.6g} m", radius()),
                fmt::format("at most {} m", kLargestRadius));
  check.require(surface() <= kLargestSurface, "surface", fmt::format("{:.6g} m^2", surface()),
                fmt::format("at most {} m^2", kLargestSurface));
}

double BodyConfig::surface() const {
  const Vector3d& h = hub_half;
  double surface = 8.0 * (h.x() * h.y() + h.y() * h.z() + h.z() * h.x());
  for (const Vector3d& rotor : rotors) {
    surface += 2.0 * kPi * arm_radius * rotor.norm();
    surface += 2.0 * kPi * propeller_radius * (propeller_radius + 2.0 * propeller_half_height);
  }
  return surface;
}

double BodyConfig::radius() const {
  double radius = hub_half.norm();
  for (const Vector3d& rotor : rotors) {
    radius = std::max(radius, std::hypot(rotor.head<2>().norm() + propeller_radius,
                                         std::abs(rotor.z()) + propeller_half_height));
  }
  return radius;
}

double bodyResolution(const BodyConfig& config) {
  return std::clamp(config.radius() / 15.0, 0.003, 0.02);
}

map::PointCloud bodyCloud(const BodyConfig& config, double spacing) {
  if (!config.cloud.empty()) return readBody(config);
  map::PointCloud cloud;
  for (const map::Surfel& surfel : bodySurfels(config, spacing)) {
    cloud.points.push_back(surfel.position);
  }
  return cloud;
}

std::shared_ptr<const map::SurfelMap> bodyShape(const BodyConfig& config, double resolution) {
  map::SurfelMapConfig map_config;
  map_config.resolution = resolution;
  map_config.surface = map::Surface::kPaper;
  map_config.validate("body");
  if (config.cloud.empty()) {
    return std::make_shared<const map::SurfelMap>(bodySurfels(config, resolution), map_config);
  }
  return std::make_shared<const map::SurfelMap>(
      map::SurfelMap::build(readBody(config), map_config));
}

double radiusOf(const map::SurfelMap& shape) {
  constexpr double kRounding = 1e-6;  // for single precision
  double radius = 0.0;
  for (const map::Surfel& surfel : map::decodeSurfels(shape.tree())) {
    const Eigen::Vector3f p = (surfel.position.cast<double>() + shape.origin()).cast<float>();
    radius = std::max(radius, static_cast<double>(p.norm()) * (1.0 + kRounding));
  }
  return radius;
}

}  // namespace marsim::scene
