// SPDX-License-Identifier: BSD-3-Clause
#include "scene/places/forest_shapes.hpp"

#include <algorithm>
#include <cmath>

#include "marsim/common/units.hpp"
#include "scene/places/materials.hpp"

namespace marsim::scene {
namespace {

constexpr double kLeafSide = 0.06;  // [m] of a leaf, or of a twig's few leaves

Eigen::Vector3d heading(double azimuth) { return {std::cos(azimuth), std::sin(azimuth), 0.0}; }

// A loose ball of leaves: dense at its skin, open inside, so that light and lasers pass. `cover` is
// the leaf area over the area of the ball's skin.
void leafCluster(const Eigen::Vector3d& centre, double radius, double cover,
                 SurfaceSampler& sampler) {
  sampler.setMaterial(material::kLeaf);
  RandomStream& random = sampler.random();
  const double area = cover * 4.0 * kPi * radius * radius;
  const bool one_point = sampler.spacing() >= kLeafSide;  // each leaf becomes one point
  const double side = one_point ? sampler.spacing() : kLeafSide;
  const int leaves = static_cast<int>(std::lround(area / (side * side)));
  for (int i = 0; i < leaves; ++i) {
    const Eigen::Vector3d direction = randomDirection(random);
    const double reach = std::pow(random.uniform(), 0.45) * (1.0 + 0.15 * random.normal());
    const Eigen::Vector3d flattened(direction.x(), direction.y(), 0.7 * direction.z());
    const Eigen::Vector3d middle = centre + radius * reach * flattened;
    if (one_point) {
      sampler.point(middle, direction);
    } else {
      const Eigen::Vector3d normal = randomDirection(random);
      const Eigen::Vector3d a = side * anyNormalTo(normal), b = normal.cross(a);
      sampler.patch(middle - 0.5 * (a + b), a, b);
    }
  }
}

// Trunk axis: leans and bends a little; s [m] is the height above the foot.
struct TrunkAxis {
  Eigen::Vector3d foot;
  Eigen::Vector3d lean;  // per m
  Eigen::Vector3d bend;  // per m^2
  Eigen::Vector3d operator()(double s) const {
    return foot + s * (Eigen::Vector3d::UnitZ() + lean) + s * s * bend;
  }
};

struct Branch {
  Eigen::Vector3d root;
  Eigen::Vector3d direction;  // unit, at the root
  double length;
  double rise;  // [m] of the tip above the straight line; > 0: curves up
  double radius;

  Eigen::Vector3d at(double s) const {
    const double share = s / length;
    return root + s * direction + rise * share * share * Eigen::Vector3d::UnitZ();
  }
};

void growBranch(const Branch& branch, SurfaceSampler& sampler) {
  sampler.setMaterial(material::kBark);
  sampler.tube(
      branch.length, [&](double s) { return branch.at(s); },
      [&](double s) { return branch.radius * std::max(0.2, 1.0 - 0.8 * s / branch.length); });
}

// Relative width of the crown, 0 to 1, at `share` of its height (0: lowest branch, 1: top).
double crownProfile(double share, bool conifer) {
  if (conifer) return 1.0 - 0.92 * share;
  const double centred = (share - 0.4) / 0.65;
  return std::sqrt(std::max(0.08, 1.0 - centred * centred));
}

void clotheBroadleaf(const Branch& branch, SurfaceSampler& sampler) {
  RandomStream& random = sampler.random();
  const int clusters = std::max(1, static_cast<int>(std::lround(branch.length / 0.9)));
  for (int i = 0; i < clusters; ++i) {
    const double s = branch.length * (1.0 - 0.55 * i / clusters);
    const Eigen::Vector3d off = 0.18 * randomDirection(random);
    const double radius = random.uniform(0.28, 0.5);
    leafCluster(branch.at(s) + off, radius, 0.22, sampler);
  }
}

// Needles lie in a flat, drooping fan along the branch.
void clotheConifer(const Branch& branch, SurfaceSampler& sampler) {
  sampler.setMaterial(material::kNeedle);
  RandomStream& random = sampler.random();
  const Eigen::Vector3d side = branch.direction.cross(Eigen::Vector3d::UnitZ()).normalized();
  const double area = 0.42 * branch.length * branch.length;
  const int needles = static_cast<int>(std::lround(area / (sampler.spacing() * sampler.spacing())));
  for (int i = 0; i < needles; ++i) {
    const double share = 0.15 + 0.85 * std::sqrt(random.uniform());
    const double half_width = branch.length * (0.1 + 0.28 * std::sin(kPi * share));
    const double across = half_width * random.uniform(-1.0, 1.0);
    const double droop = 0.25 * std::abs(across) + 0.06 * std::abs(random.normal());
    const Eigen::Vector3d p =
        branch.at(share * branch.length) + across * side - droop * Eigen::Vector3d::UnitZ();
    sampler.point(p, Eigen::Vector3d::UnitZ());
  }
}

}  // namespace

void growTree(const TreeDimensions& shape, SurfaceSampler& sampler) {
  RandomStream& random = sampler.random();
  const double lean = random.uniform(0.0, 0.05);
  const Eigen::Vector3d lean_to = heading(random.uniform(0.0, 2.0 * kPi));
  const double bend = random.uniform(0.0, 0.25) / (shape.height * shape.height);
  const Eigen::Vector3d bend_to = heading(random.uniform(0.0, 2.0 * kPi));
  const TrunkAxis axis{shape.foot, lean * lean_to, bend * shape.height * bend_to};
  const double trunk_length = 0.93 * shape.height;
  const auto trunk_radius = [&](double s) {
    const double flare = 0.5 * shape.radius * std::exp(-s / 0.25);  // widening at the roots
    return shape.radius * std::max(0.1, 1.0 - 0.9 * (s - 1.3) / (shape.height - 1.3)) + flare;
  };
  sampler.setMaterial(material::kBark);
  sampler.tube(trunk_length, axis, trunk_radius);

  const double lowest = shape.height * (shape.conifer ? 0.24 : random.uniform(0.33, 0.42));
  const double crown_base = std::max(lowest, std::min(2.8, 0.5 * shape.height));
  const double crown_width = shape.height * (shape.conifer ? 0.17 : 0.25);
  const int branches = static_cast<int>(std::lround(shape.height * (shape.conifer ? 3.0 : 1.7)));
  double azimuth = random.uniform(0.0, 2.0 * kPi);
  for (int i = 0; i < branches; ++i) {
    const double share = (i + random.uniform(0.2, 0.8)) / branches;
    azimuth += kGoldenAngle + 0.3 * random.normal();
    const double stretch = random.uniform(0.8, 1.15);
    const double s = crown_base + share * (trunk_length - crown_base);
    const double pitch = shape.conifer ? 0.15 - 0.35 * (1.0 - share) : 0.25 + 0.7 * share;
    Branch branch;
    branch.root = axis(s);
    branch.direction =
        std::cos(pitch) * heading(azimuth) + std::sin(pitch) * Eigen::Vector3d::UnitZ();
    branch.length = std::max(0.3, crown_width * crownProfile(share, shape.conifer) * stretch);
    branch.rise = (shape.conifer ? -0.05 : 0.1) * branch.length;
    branch.radius = std::max(0.012, 0.24 * trunk_radius(s) * std::min(1.0, branch.length / 2.0));
    growBranch(branch, sampler);
    if (shape.conifer) {
      clotheConifer(branch, sampler);
    } else {
      clotheBroadleaf(branch, sampler);
    }
  }
  if (!shape.conifer) leafCluster(axis(trunk_length), 0.5, 0.45, sampler);
}

void growBush(const Eigen::Vector3d& foot, double radius, SurfaceSampler& sampler) {
  RandomStream& random = sampler.random();
  const int stems = 5 + static_cast<int>(random.index(4));
  for (int i = 0; i < stems; ++i) {
    const double azimuth = 2.0 * kPi * (i + random.uniform()) / stems;
    const double pitch = random.uniform(0.6, 1.3);
    const Eigen::Vector3d direction =
        std::cos(pitch) * heading(azimuth) + std::sin(pitch) * Eigen::Vector3d::UnitZ();
    const Branch stem{foot, direction, radius * random.uniform(0.9, 1.3), 0.0, 0.012};
    growBranch(stem, sampler);
    leafCluster(stem.at(stem.length), 0.45 * radius, 0.5, sampler);
  }
}

void placeRock(const Eigen::Vector3d& foot, double radius, SurfaceSampler& sampler) {
  sampler.setMaterial(material::kStone);
  RandomStream& random = sampler.random();
  const double flatness = random.uniform(0.5, 0.8);
  const double stretch = random.uniform(0.7, 1.3);
  const double phase_a = random.uniform(0.0, 2.0 * kPi);
  const double phase_b = random.uniform(0.0, 2.0 * kPi);
  const double area = 2.0 * kPi * radius * radius;  // the half above ground
  const int count = static_cast<int>(std::lround(area / (sampler.spacing() * sampler.spacing())));
  for (int i = 0; i < count; ++i) {
    // Spiral of Fibonacci over the upper half: even, without a grid.
    const double z = (i + random.uniform()) / std::max(count, 1);
    const double azimuth = kGoldenAngle * i;
    const Eigen::Vector3d direction =
        std::sqrt(std::max(0.0, 1.0 - z * z)) * heading(azimuth) + z * Eigen::Vector3d::UnitZ();
    const double bumps = 1.0 + 0.12 * std::sin(3.0 * azimuth + phase_a) * (1.0 - z) +
                         0.1 * std::sin(5.0 * z + 2.0 * azimuth + phase_b) * (1.0 - z);
    const Eigen::Vector3d scaled(direction.x() * stretch, direction.y(), direction.z() * flatness);
    sampler.point(foot + radius * bumps * scaled, direction);
  }
}

}  // namespace marsim::scene
