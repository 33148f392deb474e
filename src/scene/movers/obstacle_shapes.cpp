// SPDX-License-Identifier: BSD-3-Clause
#include "scene/movers/obstacle_shapes.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "marsim/common/units.hpp"

namespace marsim::scene {
namespace {

using map::Surfel;

// A disc of radius sqrt(3)/2 r covers a square of this side, in r, about its middle.
constexpr double kSquare = 1.2;

std::shared_ptr<const map::SurfelMap> shapeOf(const std::vector<Surfel>& surfels,
                                              double resolution) {
  map::SurfelMapConfig config;
  config.resolution = resolution;
  return std::make_shared<const map::SurfelMap>(surfels, config);
}

void addSurfel(const Eigen::Vector3d& p, const Eigen::Vector3d& n, std::vector<Surfel>& surfels) {
  surfels.push_back({p.cast<float>(), n.cast<float>().normalized(), 0.0F});
}

// Adds the part of a sphere's surface with z from `low` to `high`, in radii, about `centre`: points
// on a spiral of equal areas, each turned by the golden section of a turn (Swinbank and Purser, Q.
// J. R. Meteorol. Soc. 132, 2006).
void addZone(const Eigen::Vector3d& centre, double radius, double low, double high,
             double resolution, std::vector<Surfel>& surfels) {
  const double area = 2.0 * kPi * radius * radius * (high - low);
  // The spiral's squares are skewed and therefore smaller.
  const double of_each = 0.75 * resolution * resolution;
  const int count = std::max(12, static_cast<int>(std::ceil(area / of_each)));
  for (int i = 0; i < count; ++i) {
    const double z = low + (high - low) * (i + 0.5) / count;
    const double across = std::sqrt(1.0 - z * z);
    const Eigen::Vector3d n(across * std::cos(kGoldenAngle * i),
                            across * std::sin(kGoldenAngle * i), z);
    addSurfel(centre + radius * n, n, surfels);
  }
}

// Adds a rectangle with the sides a and b.
void addRectangle(const Eigen::Vector3d& middle, const Eigen::Vector3d& n, const Eigen::Vector3d& a,
                  const Eigen::Vector3d& b, double resolution, std::vector<Surfel>& surfels) {
  const auto cellsAlong = [&](const Eigen::Vector3d& side) {
    return std::max(1, static_cast<int>(std::ceil(side.norm() / (kSquare * resolution))));
  };
  const int rows = cellsAlong(a), columns = cellsAlong(b);
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      addSurfel(middle + ((i + 0.5) / rows - 0.5) * a + ((j + 0.5) / columns - 0.5) * b, n,
                surfels);
    }
  }
}

}  // namespace

std::shared_ptr<const map::SurfelMap> sphereShape(double diameter, double resolution) {
  std::vector<Surfel> surfels;
  addZone(Eigen::Vector3d::Zero(), 0.5 * diameter, -1.0, 1.0, resolution, surfels);
  return shapeOf(surfels, resolution);
}

std::shared_ptr<const map::SurfelMap> cubeShape(double side, double resolution) {
  std::vector<Surfel> surfels;
  for (int axis = 0; axis < 3; ++axis) {
    for (const double sign : {-1.0, 1.0}) {
      const Eigen::Vector3d n = sign * Eigen::Vector3d::Unit(axis);
      addRectangle(0.5 * side * n, n, side * Eigen::Vector3d::Unit((axis + 1) % 3),
                   side * Eigen::Vector3d::Unit((axis + 2) % 3), resolution, surfels);
    }
  }
  return shapeOf(surfels, resolution);
}

std::shared_ptr<const map::SurfelMap> plateShape(double width, double height, double resolution) {
  std::vector<Surfel> surfels;
  addRectangle(Eigen::Vector3d::Zero(), Eigen::Vector3d::UnitX(), width * Eigen::Vector3d::UnitY(),
               height * Eigen::Vector3d::UnitZ(), resolution, surfels);
  return shapeOf(surfels, resolution);
}

std::shared_ptr<const map::SurfelMap> capsuleShape(double height, double width, double resolution) {
  std::vector<Surfel> surfels;
  const double radius = 0.5 * width, middle = height - width;
  addZone({0.0, 0.0, 0.5 * middle}, radius, 0.0, 1.0, resolution, surfels);
  addZone({0.0, 0.0, -0.5 * middle}, radius, -1.0, 0.0, resolution, surfels);
  const double step = kSquare * resolution;
  const int rows = static_cast<int>(std::ceil(middle / step));
  const int columns = std::max(8, static_cast<int>(std::ceil(2.0 * kPi * radius / step)));
  for (int row = 0; row < rows; ++row) {
    const double z = middle * ((row + 0.5) / rows - 0.5);
    for (int column = 0; column < columns; ++column) {
      const double angle = 2.0 * kPi * (column + 0.5 * (row % 2)) / columns;
      const Eigen::Vector3d n(std::cos(angle), std::sin(angle), 0.0);
      addSurfel(radius * n + Eigen::Vector3d(0.0, 0.0, z), n, surfels);
    }
  }
  return shapeOf(surfels, resolution);
}

}  // namespace marsim::scene
