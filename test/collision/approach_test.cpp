// SPDX-License-Identifier: BSD-3-Clause
// A body flies at a wall, a pole and a box in random directions. At the first touch its distance to
// the nearest source point is measured, to its own shape in closed form.
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "marsim/collision/checker.hpp"
#include "marsim/common/random.hpp"
#include "marsim/common/units.hpp"
#include "marsim/geometry/kd_tree.hpp"

namespace marsim::collision {
namespace {

using Eigen::Vector3d;

constexpr std::size_t kApproaches = 500;
constexpr double kNoise = 0.005;      // [m]
constexpr double kStep = 0.001;       // [m] of an approach
constexpr double kWay = 1.2;          // [m] before its target
constexpr double kPoleRadius = 0.03;  // [m]

scene::BodyConfig quadrotor() {
  scene::BodyConfig body;
  body.hub_half = {0.08, 0.06, 0.05};
  body.rotors = {
      {0.15, 0.15, 0.03}, {-0.15, 0.15, 0.03}, {-0.15, -0.15, 0.03}, {0.15, -0.15, 0.03}};
  body.arm_radius = 0.01;
  body.propeller_radius = 0.1;
  body.propeller_half_height = 0.01;
  return body;
}

/// Signed distance [m] to a cylinder about z.
double distanceToCylinder(const Vector3d& p, double radius, double half_height) {
  const Eigen::Array2d out(p.head<2>().norm() - radius, std::abs(p.z()) - half_height);
  return out.max(0.0).matrix().norm() + std::min(out.maxCoeff(), 0.0);
}

/// Signed distance [m] from a point in B to the body.
double distanceTo(const scene::BodyConfig& body, const Vector3d& p_B) {
  const Vector3d out = p_B.cwiseAbs() - body.hub_half;
  double least = out.cwiseMax(0.0).norm() + std::min(out.maxCoeff(), 0.0);
  for (const Vector3d& rotor : body.rotors) {
    least = std::min(
        least, distanceToCylinder(p_B - rotor, body.propeller_radius, body.propeller_half_height));
    const double along = std::clamp(p_B.dot(rotor) / rotor.squaredNorm(), 0.0, 1.0);
    least = std::min(least, (p_B - along * rotor).norm() - body.arm_radius);
  }
  return least;
}

/// A wall with an edge, a pole and a box, with points about 1 cm apart.
map::PointCloud sourceCloud(RandomStream& random) {
  map::PointCloud cloud;
  const auto addPatch = [&](const Vector3d& corner, const Vector3d& a, const Vector3d& b) {
    const Vector3d n = a.cross(b).normalized();
    const auto count = static_cast<int>(a.norm() * b.norm() / 1e-4);
    for (int i = 0; i < count; ++i) {
      const Vector3d p = corner + random.uniform() * a + random.uniform() * b;
      cloud.points.push_back((p + kNoise * random.normal() * n).cast<float>());
    }
  };
  addPatch({0.0, -1.0, -1.0}, {0.0, 2.0, 0.0}, {0.0, 0.0, 2.0});
  const Vector3d low(-0.3, 3.0, -0.3);
  for (int axis = 0; axis < 3; ++axis) {
    const Vector3d a = 0.6 * Vector3d::Unit((axis + 1) % 3),
                   b = 0.6 * Vector3d::Unit((axis + 2) % 3);
    addPatch(low, a, b);
    addPatch(low + 0.6 * Vector3d::Unit(axis), a, b);
  }
  for (int i = 0; i < 6000; ++i) {
    const double angle = random.uniform(0.0, 2.0 * kPi);
    const double radius = kPoleRadius + kNoise * random.normal();
    cloud.points.push_back(Vector3d(radius * std::cos(angle), -3.0 + radius * std::sin(angle),
                                    random.uniform(-1.0, 1.0))
                               .cast<float>());
  }
  return cloud;
}

Vector3d randomWay(RandomStream& random) {
  return Vector3d(random.normal(), random.normal(), random.normal()).normalized();
}

/// Distances [m] of the body from the nearest source point at its first touches.
std::vector<double> distancesAtContact(double resolution) {
  RandomStream random(7, "approaches");
  const scene::BodyConfig body = quadrotor();
  const map::PointCloud cloud = sourceCloud(random);
  map::SurfelMapConfig config;
  config.resolution = resolution;
  config.surface = map::Surface::kSized;
  config.noise = kNoise;
  const auto map = std::make_shared<const map::SurfelMap>(map::SurfelMap::build(cloud, config));
  const auto neighbours = makeNeighbours(map);
  CollisionChecker checker(BodyVoxels(body, resolution, true), neighbours);
  const KdTree tree(cloud.points);
  const auto distanceAt = [&](const Pose& X_WB) {
    double least = 1e3;
    const auto reach = static_cast<float>(body.radius() + 0.3);
    for (const KdTree::Neighbour& point : tree.within(X_WB.p.cast<float>(), reach)) {
      const Vector3d p_W = cloud.points[point.index].cast<double>();
      least = std::min(least, distanceTo(body, X_WB.inverse() * p_W));
    }
    return least;
  };
  std::vector<double> distances;
  while (distances.size() < kApproaches) {
    const Vector3d way = randomWay(random);
    const Vector3d target = cloud.points[random.index(cloud.size())].cast<double>() +
                            random.uniform(0.0, 0.2) * randomWay(random);
    Pose X_WB;
    X_WB.p = target - kWay * way;
    X_WB.q = Eigen::Quaterniond(random.normal(), random.normal(), random.normal(), random.normal())
                 .normalized();
    if (distanceAt(X_WB) < 0.3) continue;
    for (double gone = 0.0; gone < 2.0 * kWay; gone += kStep, X_WB.p += kStep * way) {
      if (checker.check(X_WB, 0).empty()) continue;
      distances.push_back(distanceAt(X_WB));
      break;
    }
  }
  return distances;
}

TEST(Approaches, TouchWhereTheSourcePointsAre) {
  for (const double resolution : {0.1, 0.05}) {
    const std::vector<double> distances = distancesAtContact(resolution);
    const auto count = std::count_if(distances.begin(), distances.end(),
                                     [](double distance) { return std::abs(distance) <= 0.01; });
    EXPECT_GE(static_cast<double>(count) / static_cast<double>(kApproaches), 0.95) << resolution;
  }
}

}  // namespace
}  // namespace marsim::collision
