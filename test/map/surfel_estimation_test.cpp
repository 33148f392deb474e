// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <Eigen/Eigenvalues>

#include "marsim/common/error.hpp"
#include "marsim/common/random.hpp"
#include "marsim/map/surfel_map.hpp"

namespace marsim::map {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::Vector3f;

std::vector<Surfel> estimate(const PointCloud& cloud, double radius) {
  return estimateSurfels(cloud, radius);
}

PointCloud randomBox(std::size_t count, const Vector3d& half_sides, const Vector3d& centre) {
  RandomStream random(23);
  PointCloud cloud;
  for (std::size_t i = 0; i < count; ++i) {
    const Vector3d unit(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
    cloud.points.push_back((centre + unit.cwiseProduct(half_sides)).cast<float>());
  }
  return cloud;
}

struct Expected {
  std::size_t neighbours = 0;
  Vector3d variances = Vector3d::Zero();
  Vector3d normal = Vector3d::Zero();
};

/// Two passes over all points and an iterative solver.
Expected bruteForce(const PointCloud& cloud, const Vector3f& query, double radius) {
  std::vector<Vector3d> near;
  for (const Vector3f& point : cloud.points) {
    const Vector3d p = point.cast<double>();
    if ((p - query.cast<double>()).norm() <= radius) near.push_back(p);
  }
  Vector3d mean = Vector3d::Zero();
  for (const Vector3d& p : near) mean += p / static_cast<double>(near.size());
  Matrix3d covariance = Matrix3d::Zero();
  for (const Vector3d& p : near) {
    covariance += (p - mean) * (p - mean).transpose() / static_cast<double>(near.size());
  }
  const Eigen::SelfAdjointEigenSolver<Matrix3d> solver(covariance);
  return {near.size(), solver.eigenvalues(), solver.eigenvectors().col(0)};
}

void expectBruteForce(const PointCloud& cloud, double radius) {
  const std::vector<Surfel> surfels = estimate(cloud, radius);
  ASSERT_EQ(surfels.size(), cloud.size());
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    ASSERT_EQ(surfels[i].position, cloud.points[i]);
    const Expected expected = bruteForce(cloud, cloud.points[i], radius);
    if (expected.neighbours < 3) {
      EXPECT_EQ(surfels[i].thickness, static_cast<float>(radius));
      EXPECT_EQ(surfels[i].normal, Vector3f::UnitZ());
      continue;
    }
    EXPECT_NEAR(surfels[i].thickness, std::sqrt(std::max(0.0, expected.variances[0])),
                1e-6 * radius);
    EXPECT_NEAR(surfels[i].normal.norm(), 1.0F, 1e-6F);
    if (expected.variances[1] > 1.05 * expected.variances[0]) {
      EXPECT_NEAR(std::abs(surfels[i].normal.cast<double>().dot(expected.normal)), 1.0, 1e-6);
    }
  }
}

TEST(EstimateSurfels, EqualsBruteForceInAVolume) {
  expectBruteForce(randomBox(2000, {1.0, 1.0, 1.0}, {0.0, 0.0, 0.0}), 0.3);
}

TEST(EstimateSurfels, EqualsBruteForceInASparseLayer) {
  expectBruteForce(randomBox(1500, {5.0, 4.0, 0.02}, {-3.0, 7.0, 2.0}), 0.3);
}

TEST(EstimateSurfels, EqualsBruteForceWhereFewCellsSplitAll) {
  expectBruteForce(randomBox(300, {1.0, 1.0, 1.0}, {0.5, 0.5, 0.5}), 1.5);
  expectBruteForce(randomBox(300, {1.0, 1.0, 1.0}, {0.5, 0.5, 0.5}), 50.0);
}

TEST(EstimateSurfels, EqualsBruteForceKilometresFromTheOrigin) {
  PointCloud cloud = randomBox(700, {1.0, 1.0, 0.1}, {4000.0, -3000.0, 100.0});
  const PointCloud other = randomBox(700, {1.0, 0.1, 1.0}, {-50000.0, 2.0, 0.0});
  cloud.points.insert(cloud.points.end(), other.points.begin(), other.points.end());
  expectBruteForce(cloud, 0.3);
}

/// Share of the surfels that `good` holds for.
template <class Condition>
double share(const std::vector<Surfel>& surfels, const Condition& good) {
  return static_cast<double>(std::count_if(surfels.begin(), surfels.end(), good)) /
         static_cast<double>(surfels.size());
}

TEST(EstimateSurfels, NoisyPlaneHasItsNormalAndItsNoise) {
  RandomStream random(31);
  const Vector3d normal = Vector3d(0.3, -0.5, 0.8).normalized();
  const Vector3d u = normal.unitOrthogonal();
  const Vector3d v = normal.cross(u);
  constexpr double kSigma = 0.01;
  PointCloud cloud;
  for (int i = 0; i < 20000; ++i) {
    cloud.points.push_back(
        (random.uniform(-2, 2) * u + random.uniform(-2, 2) * v + kSigma * random.normal() * normal)
            .cast<float>());
  }
  const std::vector<Surfel> surfels = estimate(cloud, 0.3);  // some 350 neighbours
  double mean_square = 0.0;
  for (const Surfel& surfel : surfels) {
    mean_square +=
        std::pow(static_cast<double>(surfel.thickness), 2) / static_cast<double>(surfels.size());
  }
  // A plane fitted to n points takes 3/n of their variance.
  EXPECT_NEAR(std::sqrt(mean_square), kSigma, 0.02 * kSigma);
  EXPECT_GT(share(surfels,
                  [&](const Surfel& s) {
                    return std::abs(s.normal.cast<double>().dot(normal)) > std::cos(0.02);
                  }),
            0.98);
}

TEST(EstimateSurfels, ExactPlaneHasNoThickness) {
  PointCloud cloud;
  for (int x = 0; x < 40; ++x) {
    for (int y = 0; y < 40; ++y) cloud.points.emplace_back(0.125F * x, 0.125F * y, 1.0F);
  }
  for (const Surfel& surfel : estimate(cloud, 0.375)) {
    EXPECT_LT(surfel.thickness, 1e-7F);
    EXPECT_NEAR(std::abs(surfel.normal.z()), 1.0F, 1e-6F);
  }
}

TEST(EstimateSurfels, SphereHasRadialNormalsAndTheThicknessOfItsCap) {
  constexpr double kSphere = 2.0;
  constexpr double kRadius = 0.3;
  constexpr int kCount = 20000;
  PointCloud cloud;
  const double golden = M_PI * (3.0 - std::sqrt(5.0));
  for (int i = 0; i < kCount; ++i) {  // Fibonacci lattice
    const double z = 1.0 - (2.0 * i + 1.0) / kCount;
    const double ring = std::sqrt(1.0 - z * z);
    cloud.points.push_back(
        (kSphere * Vector3d(ring * std::cos(golden * i), ring * std::sin(golden * i), z))
            .cast<float>());
  }
  // Heights of a cap of chord a are uniform in [0, a^2 / (2 R)] (Archimedes).
  const double height = kRadius * kRadius / (2.0 * kSphere);
  for (const Surfel& surfel : estimate(cloud, kRadius)) {
    EXPECT_NEAR(surfel.thickness, height / std::sqrt(12.0), 0.05 * height);
    EXPECT_GT(std::abs(surfel.normal.dot(surfel.position.normalized())), std::cos(0.01F));
  }
}

void expectNotPlanar(const PointCloud& cloud, float radius) {
  for (const Surfel& surfel : estimate(cloud, static_cast<double>(radius))) {
    EXPECT_EQ(surfel.thickness, radius);
    EXPECT_EQ(surfel.normal, Vector3f::UnitZ());
  }
}

TEST(EstimateSurfels, LinesAreNotPlanar) {
  for (const Vector3d& origin : {Vector3d(0.0, 0.0, 0.0), Vector3d(-4321.0, 1234.0, 99.0)}) {
    for (const Vector3d& step : {Vector3d(0.1, 0.0, 0.0), Vector3d(0.05, -0.07, 0.03)}) {
      PointCloud cloud;
      for (int i = 0; i < 50; ++i) cloud.points.push_back((origin + i * step).cast<float>());
      expectNotPlanar(cloud, 0.3F);
    }
  }
}

TEST(EstimateSurfels, LonelyPairedAndCoincidentPointsAreNotPlanar) {
  PointCloud cloud;
  cloud.points = {{0.0F, 0.0F, 0.0F}, {5.0F, 0.0F, 0.0F}, {5.1F, 0.0F, 0.0F},
                  {9.0F, 9.0F, 9.0F}, {9.0F, 9.0F, 9.0F}, {9.0F, 9.0F, 9.0F}};
  expectNotPlanar(cloud, 0.3F);
}

TEST(EstimateSurfels, DoesNotDependOnTheNumberOfThreads) {
  const PointCloud cloud = randomBox(20000, {2.0, 2.0, 0.5}, {0.0, 0.0, 0.0});
  const auto run = [&](std::size_t threads) {
    const tbb::global_control control(tbb::global_control::max_allowed_parallelism, threads);
    return estimate(cloud, 0.1);
  };
  const std::vector<Surfel> one = run(1);
  const std::vector<Surfel> many = run(7);
  ASSERT_EQ(one.size(), many.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].normal, many[i].normal);
    EXPECT_EQ(one[i].thickness, many[i].thickness);
  }
}

TEST(EstimateSurfels, RefusesImpossibleRadii) {
  const PointCloud cloud = randomBox(10, {1.0, 1.0, 1.0}, {0.0, 0.0, 0.0});
  EXPECT_THROW(estimate(cloud, 0.0), ConfigError);
  EXPECT_THROW(estimate(cloud, std::nan("")), ConfigError);
  EXPECT_THROW(estimate(cloud, 1e-9), Error);
  EXPECT_TRUE(estimate({}, 0.3).empty());
}

}  // namespace
}  // namespace marsim::map
