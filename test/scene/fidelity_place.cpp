// SPDX-License-Identifier: BSD-3-Clause
#include "scene/fidelity_place.hpp"

#include <cmath>
#include <tuple>
#include <vector>

#include <Eigen/Geometry>

#include "marsim/common/random.hpp"
#include "marsim/common/units.hpp"

namespace marsim::scene {
namespace {

using Eigen::Vector3d;
using Kind = FidelityPlace::Kind;
using Solids = std::vector<FidelityPlace::Solid>;

/// Rotation about z, then about the turned y axis.
Eigen::Matrix3d turned(double yaw, double pitch = 0.0) {
  return (Eigen::AngleAxisd(yaw, Vector3d::UnitZ()) * Eigen::AngleAxisd(pitch, Vector3d::UnitY()))
      .toRotationMatrix();
}

void addWalls(Solids& parts) {
  const Vector3d low(-kRoomHalfLength, -kRoomHalfWidth, 0.0);
  const Vector3d x(2.0 * kRoomHalfLength, 0.0, 0.0), y(0.0, 2.0 * kRoomHalfWidth, 0.0),
      z(0.0, 0.0, kRoomHeight);
  for (const auto& [a, b, through] : {std::tuple(x, y, z), {y, z, x}, {z, x, y}}) {
    parts.push_back({Kind::kWall, Rectangle{low, a, b}});
    parts.push_back({Kind::kWall, Rectangle{low + through, a, b}});
  }
}

void addFlatObjects(Solids& parts) {
  const auto add = [&](Kind kind, const Vector3d& centre, const Eigen::Matrix3d& axes,
                       const Vector3d& size) {
    parts.push_back({kind, Box{centre, axes, 0.5 * size}});
  };
  // Boards at 20, 45 and 70 degrees to the floor.
  const Vector3d board(1.2, 0.8, 0.12);
  add(Kind::kBoard, {3.6, 2.6, 0.7}, turned(radians(10.0), radians(20.0)), board);
  add(Kind::kBoard, {3.8, 0.6, 0.8}, turned(radians(-50.0), radians(45.0)), board);
  add(Kind::kBoard, {-1.2, 2.8, 1.0}, turned(radians(75.0), radians(70.0)), board);
  add(Kind::kBox, {-4.3, 3.4, 0.7}, turned(0.0), {1.0, 0.6, 1.4});
  add(Kind::kBox, {3.6, -2.7, 0.4}, turned(radians(30.0)), {0.8, 0.8, 0.8});
  add(Kind::kBox, {-0.4, -3.3, 0.9}, turned(radians(-12.0)), {0.3, 0.5, 1.8});
  add(Kind::kPlate, {1.6, -1.9, 1.2}, turned(radians(65.0)), {1.2, 0.002, 1.0});
  add(Kind::kDoor, {-4.3, 0.5, 1.0}, turned(radians(35.0)), {0.9, 0.04, 2.0});
}

void addRods(Solids& parts) {
  const auto add = [&](double diameter, const Vector3d& from, const Vector3d& to) {
    parts.push_back({Kind::kRod, Cylinder{from, to, 0.5 * diameter}});
  };
  const auto upright = [&](double diameter, double x, double y) {
    add(diameter, {x, y, 0.0}, {x, y, kRoomHeight});
  };
  upright(0.02, -2.2, 1.2);
  upright(0.02, 1.4, 0.7);
  upright(0.03, -1.5, -0.9);
  upright(0.05, 0.7, 2.3);
  upright(0.10, 2.6, -0.6);
  upright(0.20, -2.6, -1.4);
  upright(0.30, 1.9, 2.9);
  add(0.02, {-1.6, -2.2, 1.5}, {0.9, -2.6, 1.5});
  add(0.05, {-3.6, 2.1, 2.1}, {-1.4, 2.3, 2.1});
  add(0.10, {2.6, 1.7, 2.4}, {4.6, 1.3, 2.4});
  add(0.02, {2.4, -3.4, 0.6}, {0.9, -3.0, 2.4});
  add(0.03, {-3.2, -0.4, 0.4}, {-4.2, -1.3, 2.6});
  add(0.10, {0.2, 3.4, 0.3}, {1.0, 2.9, 2.8});
}

Foliage bush(std::uint64_t seed) {
  constexpr int kLeaves = 450;
  Foliage result;
  result.ball = {{-3.7, -2.9, 0.85}, 0.6};
  RandomStream random(seed, "bush");
  for (int i = 0; i < kLeaves; ++i) {
    const double radius = random.uniform(0.02, 0.04);
    const double out = (result.ball.radius - radius) * std::cbrt(random.uniform());
    const Vector3d at = result.ball.centre + out * evenDirection(random);
    const Vector3d normal = evenDirection(random);
    result.leaves.push_back({at, normal, radius});
  }
  return result;
}

}  // namespace

FidelityPlace::FidelityPlace(std::uint64_t seed) {
  addWalls(parts_);
  addFlatObjects(parts_);
  addRods(parts_);
  parts_.push_back({Kind::kBall, Sphere{{0.2, 0.4, 0.35}, 0.35}});
  parts_.push_back({Kind::kBush, bush(seed)});
}

}  // namespace marsim::scene
