// SPDX-License-Identifier: BSD-3-Clause
#include "suite/coverage.hpp"

#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "marsim/common/error.hpp"
#include "marsim/common/random.hpp"

namespace marsim::suite {
namespace {

using Eigen::Vector3d;
using Eigen::Vector3f;

constexpr double kVoxel = 0.5;
const Eigen::Vector3i kRoom(20, 10, 6);  // voxels, walls among them
constexpr int kWall = 12;                // column of the wall across it
const Vector3d kStart(2.25, 2.25, 1.25);

enum class Inner { kNone, kClosed, kDoor };

bool isWall(const Eigen::Vector3i& cell, Inner inner) {
  if ((cell.array() == 0).any() || (cell.array() == kRoom.array() - 1).any()) return true;
  const bool in_door = inner == Inner::kDoor && cell.y() == 4 && cell.z() == 2;
  return inner != Inner::kNone && cell.x() == kWall && !in_door;
}

map::SurfelMap room(Inner inner) {
  std::vector<map::Surfel> surfels;
  for (int x = 0; x < kRoom.x(); ++x) {
    for (int y = 0; y < kRoom.y(); ++y) {
      for (int z = 0; z < kRoom.z(); ++z) {
        const Eigen::Vector3i cell(x, y, z);
        if (!isWall(cell, inner)) continue;
        const Vector3f p = (kVoxel * (cell.cast<double>().array() + 0.5)).matrix().cast<float>();
        surfels.push_back({p, Vector3f::UnitZ(), 0.0F});
      }
    }
  }
  return {surfels, map::SurfelMapConfig{}};
}

CoverageConfig config() {
  CoverageConfig config;
  config.voxel = kVoxel;
  return config;
}

std::string complaint(const CoverageConfig& config, const Vector3d& start, double radius = 0.3) {
  try {
    const Coverage coverage(room(Inner::kNone), config, start, radius);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

// Voxels whose box a segment crosses, by trying each of them.
std::size_t crossed(const std::vector<std::pair<Vector3d, Vector3d>>& rays, Inner inner) {
  std::size_t count = 0;
  for (int x = 0; x < kRoom.x(); ++x) {
    for (int y = 0; y < kRoom.y(); ++y) {
      for (int z = 0; z < kRoom.z(); ++z) {
        const Eigen::Vector3i cell(x, y, z);
        if (isWall(cell, inner)) continue;
        bool hit = false;
        for (std::size_t i = 0; i < rays.size() && !hit; ++i) {
          double begin = 0.0, end = 1.0;
          for (int axis = 0; axis < 3; ++axis) {
            const double way = rays[i].second[axis] - rays[i].first[axis];
            const double a = (kVoxel * cell[axis] - rays[i].first[axis]) / way;
            const double b = a + kVoxel / way;
            begin = std::max(begin, std::min(a, b));
            end = std::min(end, std::max(a, b));
          }
          hit = begin < end;
        }
        count += hit ? 1 : 0;
      }
    }
  }
  return count;
}

TEST(Coverage, ReachableIsWhatTheStartIsJoinedTo) {
  const std::size_t row = 8 * 4;
  EXPECT_EQ(Coverage(room(Inner::kNone), config(), kStart, 0.3).reachable(), 18 * row);
  EXPECT_EQ(Coverage(room(Inner::kClosed), config(), kStart, 0.3).reachable(), 11 * row);
  EXPECT_EQ(Coverage(room(Inner::kDoor), config(), kStart, 0.3).reachable(), 17 * row + 1);
  CoverageConfig part = config();
  part.box = {Vector3d(1.0, 1.0, 0.6), Vector3d(2.9, 2.9, 0.9)};  // 4 x 4 voxels, one high
  EXPECT_EQ(Coverage(room(Inner::kNone), part, kStart, 0.6).reachable(), 16U);
}

TEST(Coverage, SeesWhatRaysCross) {
  for (const Inner inner : {Inner::kNone, Inner::kDoor}) {
    RandomStream random(3, "rays");
    Coverage coverage(room(inner), config(), kStart, 0.3);
    std::vector<std::pair<Vector3d, Vector3d>> rays;
    for (int i = 0; i < 60; ++i) {
      // From in and from outside of the room, to anywhere near it.
      const Vector3d from(random.uniform(-3.0, 12.0), random.uniform(-3.0, 8.0),
                          random.uniform(-1.0, 4.0));
      std::vector<Vector3f> points;
      for (int j = 0; j < 5; ++j) {
        points.emplace_back(static_cast<float>(random.uniform(-3.0, 12.0)),
                            static_cast<float>(random.uniform(-3.0, 8.0)),
                            static_cast<float>(random.uniform(-1.0, 4.0)));
        rays.emplace_back(from, points.back().cast<double>());
      }
      coverage.add(from, points);
      ASSERT_EQ(coverage.seen(), crossed(rays, inner)) << i;
      ASSERT_EQ(coverage.unseen().size(), coverage.reachable() - coverage.seen());
    }
    EXPECT_GT(coverage.seen(), coverage.reachable() / 3);
    EXPECT_LT(coverage.seen(), coverage.reachable());
    EXPECT_DOUBLE_EQ(coverage.share(), static_cast<double>(coverage.seen()) /
                                           static_cast<double>(coverage.reachable()));
  }
}

TEST(Coverage, RaysAlongAnAxis) {
  Coverage coverage(room(Inner::kNone), config(), kStart, 0.3);
  coverage.add(kStart, std::vector<Vector3f>{{9.75F, 2.25F, 1.25F}});
  EXPECT_EQ(coverage.seen(), 15U);  // columns 4 to 18
  coverage.add(kStart, std::vector<Vector3f>{{-5.0F, 2.25F, 1.25F}});
  EXPECT_EQ(coverage.seen(), 18U);
  EXPECT_EQ(coverage.unseen().front(), Vector3d(0.75, 0.75, 0.75));
  coverage.add(kStart, std::vector<Vector3f>{{2.25F, 2.25F, 9.0F}, kStart.cast<float>()});
  EXPECT_EQ(coverage.seen(), 18U + 2U);
  const float nan = std::nanf("");
  coverage.add(kStart, std::vector<Vector3f>{{nan, 0.0F, 0.0F}, {INFINITY, 0.0F, 0.0F}});
  coverage.add({0.0, std::nan(""), 0.0}, std::vector<Vector3f>{{9.75F, 2.25F, 1.25F}});
  coverage.add({50.0, 50.0, 1.0}, std::vector<Vector3f>{{40.0F, -9.0F, 1.0F}});
  EXPECT_EQ(coverage.seen(), 20U);
}

// Rays to points 5 cm apart on all walls from the middle of a convex room cross every voxel.
TEST(Coverage, AllOfARoomFromItsMiddle) {
  Coverage coverage(room(Inner::kNone), config(), kStart, 0.3);
  std::vector<Vector3f> points;
  const Vector3f size = 0.5F * kRoom.cast<float>();
  for (int axis = 0; axis < 3; ++axis) {
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (float a = 0.025F; a < size[u]; a += 0.05F) {
      for (float b = 0.025F; b < size[v]; b += 0.05F) {
        for (const float side : {0.25F, size[axis] - 0.25F}) {
          Vector3f p;
          p[axis] = side;
          p[u] = a;
          p[v] = b;
          points.push_back(p);
        }
      }
    }
  }
  coverage.add({5.1, 2.6, 1.6}, points);
  EXPECT_EQ(coverage.share(), 1.0);
}

TEST(Coverage, AVehicleOnTheFloorBeginsAboveIt) {
  EXPECT_EQ(Coverage(room(Inner::kNone), config(), {2.25, 2.25, 0.4}, 0.2).reachable(), 576U);
  EXPECT_EQ(complaint(config(), {2.25, 2.25, 0.25}, 0.1),
            "start of the coverage is (2.25, 2.25, 0.25), allowed: a place within 0.1 m of a free "
            "voxel of 0.5 m in the region");
  EXPECT_NE(complaint(config(), {-50.0, 2.25, 1.0}).find("start of the coverage"),
            std::string::npos);
}

TEST(Coverage, TooManyVoxelsAndNone) {
  CoverageConfig fine = config();
  fine.voxel = 0.01;
  const std::string said = complaint(fine, kStart);
  EXPECT_EQ(said.find("voxel of the coverage is 0.01, allowed: 0.014 m or more in so large a volume"
                      " (108 million voxels are more than 50 million)"),
            0U)
      << said;
  fine.voxel = 0.014;
  EXPECT_EQ(complaint(fine, kStart), "no error");
  fine.voxel = -1.0;
  EXPECT_EQ(complaint(fine, kStart), "voxel is -1, allowed: more than 0 m");
  CoverageConfig apart = config();
  apart.box = {Vector3d(100.0, 0.0, 0.0), Vector3d(101.0, 1.0, 1.0)};
  EXPECT_EQ(complaint(apart, kStart),
            "region of the coverage is (100.00, 0.00, 0.00) to (101.00, 1.00, 1.00), allowed: a "
            "box that meets the map's");
}

}  // namespace
}  // namespace marsim::suite
