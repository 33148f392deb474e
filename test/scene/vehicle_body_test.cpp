// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/scene/vehicle_body.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>
#include <Eigen/Geometry>

#include "marsim/common/error.hpp"
#include "marsim/geometry/kd_tree.hpp"
#include "scene/shapes.hpp"

namespace marsim::scene {
namespace {

using Eigen::Vector3d;

BodyConfig cross() {
  BodyConfig body;
  body.hub_half = {0.05, 0.06, 0.02};
  body.rotors = {{0.2, 0.0, 0.03}, {0.0, 0.2, 0.03}, {-0.2, 0.0, 0.03}, {0.0, -0.2, 0.03}};
  body.arm_radius = 0.01;
  body.propeller_radius = 0.1;
  body.propeller_half_height = 0.008;
  return body;
}

// The body as solids of closed form.
std::vector<Shape> solids(const BodyConfig& body) {
  std::vector<Shape> shapes = {Box{Vector3d::Zero(), Eigen::Matrix3d::Identity(), body.hub_half}};
  for (const Vector3d& rotor : body.rotors) {
    const Vector3d up = body.propeller_half_height * Vector3d::UnitZ();
    shapes.emplace_back(Cylinder{Vector3d::Zero(), rotor, body.arm_radius});
    shapes.emplace_back(Cylinder{rotor - up, rotor + up, body.propeller_radius});
  }
  return shapes;
}

double distanceTo(const std::vector<Shape>& shapes, const Vector3d& p) {
  double least = kNoRange;
  for (const Shape& shape : shapes) least = std::min(least, scene::distanceTo(shape, p));
  return least;
}

TEST(VehicleBody, PointsLieOnTheSolidsAndCoverThem) {
  const BodyConfig body = cross();
  const std::vector<Shape> shapes = solids(body);
  const map::PointCloud cloud = bodyCloud(body, 0.01);
  for (const Eigen::Vector3f& p : cloud.points) {
    EXPECT_LT(distanceTo(shapes, p.cast<double>()), 1e-6);
    EXPECT_LE(p.cast<double>().norm(), body.radius() + 1e-6);
  }
  // From anywhere outside, the nearest point is about as near as the solids are.
  const KdTree tree(cloud.points);
  for (int i = 0; i < 2000; ++i) {
    const double azimuth = 0.7 * i, height = std::cos(0.31 * i);
    const Vector3d p = 0.35 * Vector3d(std::cos(azimuth), std::sin(azimuth), height);
    const double nearest = static_cast<double>(tree.nearest(p.cast<float>()).distance);
    EXPECT_NEAR(nearest, distanceTo(shapes, p), 0.01) << p.transpose();
  }
}

TEST(VehicleBody, SurfelsHaveTheNormalsOfTheSurface) {
  const BodyConfig body = cross();
  const auto shape = bodyShape(body, 0.01);
  EXPECT_DOUBLE_EQ(shape->planarShare(), 1.0);
  const std::vector<Shape> shapes = solids(body);
  // A step outwards leaves the surface by as much, but where another part begins.
  std::size_t straight = 0;
  for (const map::Surfel& surfel : shape->surfels()) {
    // A normal's sign means nothing.
    double away = 0.0;
    for (const float step : {0.002F, -0.002F}) {
      const Vector3d p = (surfel.position + step * surfel.normal).cast<double>();
      away = std::max(away, distanceTo(shapes, p));
    }
    if (std::abs(away - 0.002) < 2e-4) ++straight;
  }
  EXPECT_GT(straight, shape->size() * 8 / 10);
}

TEST(VehicleBody, SpacingDecidesHowManyPoints) {
  const BodyConfig body = cross();
  EXPECT_GT(bodyCloud(body, 0.005).size(), 3 * bodyCloud(body, 0.01).size());
}

TEST(VehicleBody, RefusesWhatIsNone) {
  BodyConfig body = cross();
  body.hub_half.y() = 0.0;
  EXPECT_THROW(bodyCloud(body, 0.01), ConfigError);
  body = cross();
  EXPECT_THROW(bodyCloud(body, 0.0), ConfigError);
  body.cloud = "missing.pcd";
  EXPECT_THROW(bodyCloud(body, 0.01), FileError);
  // Whoever tells it, a body must not take all memory.
  const auto messageOf = [](const BodyConfig& told) -> std::string {
    try {
      bodyShape(told, 0.02);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "";
  };
  body = cross();
  body.hub_half = {1e4, 0.1, 0.1};
  EXPECT_EQ(messageOf(body), "body: radius is 10000 m, allowed: at most 10 m");
  body = cross();
  body.rotors.resize(1000, Vector3d::Zero());
  EXPECT_EQ(messageOf(body), "body: rotors is 1000, allowed: at most 64");
  body = cross();
  body.arm_radius = 1e300;
  EXPECT_EQ(messageOf(body), "body: arm_radius is 1e+300, allowed: 0 to 10 m");
  body = cross();
  body.rotors.resize(64, Vector3d::Zero());
  body.propeller_radius = 9.0;
  EXPECT_EQ(messageOf(body).substr(0, 18), "body: surface is 3");
}

}  // namespace
}  // namespace marsim::scene
