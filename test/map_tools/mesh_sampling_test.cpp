// SPDX-License-Identifier: BSD-3-Clause
#include "map_tools/mesh_sampling.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include "marsim/common/error.hpp"
#include "marsim/common/random.hpp"
#include "marsim/common/units.hpp"
#include "marsim/geometry/kd_tree.hpp"

namespace marsim::map_tools {
namespace {

std::vector<Eigen::Vector3d> sampled(const Mesh& mesh, const SamplingConfig& config) {
  std::vector<Eigen::Vector3d> samples;
  sampleMesh(mesh, config, Progress::none(), [&](const map::PointBlock& block) {
    samples.insert(samples.end(), block.points.begin(), block.points.end());
  });
  return samples;
}

KdTree treeOf(const std::vector<Eigen::Vector3d>& samples) {
  std::vector<Eigen::Vector3f> points;
  for (const Eigen::Vector3d& p : samples) points.push_back(p.cast<float>());
  return KdTree(std::move(points));
}

/// A tilted rectangle of `u` by `v` metres, in `columns` x `rows` x 2 triangles.
Mesh rectangle(double u, double v, int columns, int rows, const Eigen::Quaterniond& q) {
  Mesh mesh;
  for (int j = 0; j <= rows; ++j) {
    for (int i = 0; i <= columns; ++i) {
      mesh.vertices.emplace_back(q * Eigen::Vector3d(u * i / columns, v * j / rows, 0.0));
    }
  }
  const auto at = [&](int i, int j) { return static_cast<std::uint32_t>(j * (columns + 1) + i); };
  for (int j = 0; j < rows; ++j) {
    for (int i = 0; i < columns; ++i) {
      mesh.triangles.push_back({at(i, j), at(i + 1, j), at(i, j + 1)});
      mesh.triangles.push_back({at(i + 1, j + 1), at(i, j + 1), at(i + 1, j)});
    }
  }
  return mesh;
}

const Eigen::Quaterniond kTilt(Eigen::AngleAxisd(0.7, Eigen::Vector3d(1, 2, 0.5).normalized()));

class SampledRectangle : public testing::TestWithParam<std::pair<int, int>> {
 protected:
  Mesh mesh_ = rectangle(8.0, 5.0, GetParam().first, GetParam().second, kTilt);
};

TEST_P(SampledRectangle, HasNoHoleLargerThanTheResolution) {
  const KdTree tree = treeOf(sampled(mesh_, {0.1, 1}));
  RandomStream random(5);
  std::vector<Eigen::Vector3d> probes{{0, 0, 0}, {8, 0, 0}, {0, 5, 0}, {8, 5, 0}};
  for (int i = 0; i < 100000; ++i) {
    probes.emplace_back(random.uniform(0, 8), random.uniform(0, 5), 0);
  }
  double farthest = 0.0;
  for (const Eigen::Vector3d& probe : probes) {
    farthest = std::max<double>(farthest, tree.nearest((kTilt * probe).cast<float>()).distance);
  }
  EXPECT_LT(farthest, 0.1);
  RecordProperty("farthest_mm", static_cast<int>(1e3 * farthest));
}

TEST_P(SampledRectangle, IsEvenOverEqualAreas) {
  const std::vector<Eigen::Vector3d> samples = sampled(mesh_, {0.1, 1});
  std::array<int, 40> counts{};  // cells of 1 m2
  for (const Eigen::Vector3d& sample : samples) {
    const Eigen::Vector3d p = kTilt.conjugate() * sample;
    EXPECT_NEAR(p.z(), 0.0, 1e-6);  // block by block in float32
    const int x = std::clamp(static_cast<int>(p.x()), 0, 7);
    const int y = std::clamp(static_cast<int>(p.y()), 0, 4);
    ++counts[static_cast<std::size_t>(5 * x + y)];
  }
  const double expected = static_cast<double>(samples.size()) / 40.0;
  double chi_square = 0.0;
  for (const int count : counts) chi_square += (count - expected) * (count - expected) / expected;
  EXPECT_LT(chi_square, 62.4);  // 39 degrees of freedom, 1 % of random placements are above
  EXPECT_NEAR(expected, 0.65 / (0.06 * 0.06), 0.06 * 0.65 / (0.06 * 0.06));
}

TEST_P(SampledRectangle, SamplesKeepTheirDistance) {
  const std::vector<Eigen::Vector3d> samples = sampled(mesh_, {0.1, 1});
  const KdTree tree = treeOf(samples);
  for (const Eigen::Vector3d& sample : samples) {
    EXPECT_EQ(tree.within(sample.cast<float>(), 0.0599F).size(), 1U);
  }
}

TEST_P(SampledRectangle, IsTheSameForASeedOnly) {
  const auto samples = sampled(mesh_, {0.2, 3});
  EXPECT_EQ(samples, sampled(mesh_, {0.2, 3}));
  EXPECT_NE(samples, sampled(mesh_, {0.2, 4}));
}

TEST_P(SampledRectangle, IsTheSameForAnyNumberOfThreads) {
  std::vector<Eigen::Vector3d> one;
  tbb::task_arena(1).execute([&] { one = sampled(mesh_, {0.03, 1}); });
  EXPECT_GT(one.size(), 50000U);
  for (const int threads : {2, 5}) {
    tbb::task_arena(threads).execute([&] { EXPECT_EQ(sampled(mesh_, {0.03, 1}), one); });
  }
}

// Two large triangles, triangles smaller than the samples' distance, and slivers.
INSTANTIATE_TEST_SUITE_P(Triangles, SampledRectangle,
                         testing::Values(std::pair(1, 1), std::pair(200, 130), std::pair(1, 160)));

TEST(MeshSampling, IsEvenOverASphere) {
  // Bands of equal height have equal areas (Archimedes); the triangles' areas differ widely.
  Mesh mesh;
  constexpr int kRings = 60, kSides = 90;
  for (int i = 0; i <= kRings; ++i) {
    for (int j = 0; j < kSides; ++j) {
      const double theta = kPi * i / kRings, phi = 2.0 * kPi * j / kSides;
      mesh.vertices.emplace_back(2.0 * std::sin(theta) * std::cos(phi),
                                 2.0 * std::sin(theta) * std::sin(phi), 2.0 * std::cos(theta));
    }
  }
  for (std::uint32_t i = 0; i < kRings; ++i) {
    for (std::uint32_t j = 0; j < kSides; ++j) {
      const std::uint32_t a = i * kSides + j, b = i * kSides + (j + 1) % kSides;
      mesh.triangles.push_back({a, a + kSides, b});
      mesh.triangles.push_back({b, a + kSides, b + kSides});
    }
  }
  EXPECT_NEAR(areaOf(mesh), 16.0 * kPi, 0.1);
  const auto samples = sampled(mesh, {0.1, 1});
  std::array<int, 20> counts{};
  for (const Eigen::Vector3d& p : samples) {
    ++counts[static_cast<std::size_t>(std::clamp(static_cast<int>(5.0 * (p.z() + 2.0)), 0, 19))];
  }
  const double expected = static_cast<double>(samples.size()) / 20.0;
  double chi_square = 0.0;
  for (const int count : counts) chi_square += (count - expected) * (count - expected) / expected;
  EXPECT_LT(chi_square, 36.2);  // 19 degrees of freedom, 1 %
}

// Strips along the borders of blocks, a twentieth of a block wide, hold as many samples as others.
TEST(MeshSampling, BlocksLeaveNoSeams) {
  constexpr double kBlock = 40 * 0.06;
  for (const int parts : {1, 400}) {
    const auto samples =
        sampled(rectangle(10 * kBlock, 10 * kBlock, parts, parts, Eigen::Quaterniond::Identity()),
                {0.1, 1});
    std::array<std::array<double, 20>, 2> counts{};
    double expected = 0.0;
    for (const Eigen::Vector3d& p : samples) {
      const Eigen::Vector3d in_blocks = p / kBlock;
      // The rims of the mesh, where samples have neighbours on one side only, are left out.
      if ((in_blocks.head<2>().array() - 5.0).abs().maxCoeff() > 4.0) continue;
      expected += 0.05;
      for (std::size_t axis = 0; axis < 2; ++axis) {
        const double at = 20.0 * std::fmod(in_blocks[static_cast<int>(axis)], 1.0);
        ++counts.at(axis).at(std::min<std::size_t>(static_cast<std::size_t>(at), 19));
      }
    }
    for (const auto& axis : counts) {
      for (const double count : axis) EXPECT_NEAR(count, expected, 0.03 * expected);
    }
  }
}

TEST(MeshSampling, LargeTrianglesAreAsDenseAsSmallOnes) {
  const auto large = sampled(rectangle(20.0, 10.0, 1, 1, kTilt), {0.1, 1}).size();
  const auto small = sampled(rectangle(20.0, 10.0, 600, 300, kTilt), {0.1, 1}).size();
  EXPECT_NEAR(static_cast<double>(small), static_cast<double>(large),
              0.05 * static_cast<double>(large));
}

TEST(MeshSampling, BothSidesOfAWallAreSampled) {
  Mesh mesh = rectangle(2.0, 2.0, 1, 1, Eigen::Quaterniond::Identity());
  const Mesh other = mesh;
  for (const Eigen::Vector3d& p : other.vertices) mesh.vertices.emplace_back(p.x(), p.y(), 0.04);
  for (const auto& t : other.triangles) mesh.triangles.push_back({t[0] + 4, t[1] + 4, t[2] + 4});
  std::size_t below = 0;
  const auto samples = sampled(mesh, {0.1, 1});
  for (const Eigen::Vector3d& p : samples) below += p.z() < 0.02 ? 1U : 0U;
  EXPECT_NEAR(static_cast<double>(below), 0.5 * static_cast<double>(samples.size()),
              0.05 * static_cast<double>(samples.size()));
}

TEST(MeshSampling, WrongUnitsAreRefused) {
  const Mesh mesh = rectangle(40000.0, 20000.0, 2, 2, kTilt);
  try {
    sampled(mesh, {0.1, 1});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("--scale 0.001 for millimetres"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace marsim::map_tools
