// SPDX-License-Identifier: BSD-3-Clause
#include "scene/sparse_place.hpp"

#include <cmath>
#include <map>

#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <Eigen/Geometry>

#include "cloud_checks.hpp"

namespace marsim::scene {
namespace {

using Eigen::Vector3d;

HandheldScan small(bool exact = false) {
  HandheldScan config;
  config.beams_per_pass = 20'000;
  if (exact) config.range_noise = config.pass_offset = 0.0;
  return config;
}

const SparseSolid& solidOf(const SparsePlace& place, int part) {
  return place.parts()[static_cast<std::size_t>(part)];
}

TEST(SparsePlace, EachSolidKeepsItsShareOfPoints) {
  const SparsePlace place;
  const KnownScan all = knownScan(place, small());
  const SparseScan thinned = sparseScan(place, small());
  std::map<int, int> before, after;
  for (const int part : all.parts) ++before[part];
  for (const int part : thinned.parts) ++after[part];
  for (int part = 0; part < static_cast<int>(place.parts().size()); ++part) {
    const SparseSolid& solid = solidOf(place, part);
    const double share = keptShare(solid.density);
    const double count = before[part];
    EXPECT_GT(count, 20.0) << part;
    const double spread = std::sqrt(count * share * (1.0 - share));
    EXPECT_NEAR(after[part], share * count, 4.5 * spread) << part;
    if (const auto* board = std::get_if<Rectangle>(&solid.shape)) {
      const double area = board->a.cross(board->b).norm();
      EXPECT_NEAR(thinned.density[static_cast<std::size_t>(part)], after[part] / area, 1e-6);
    }
  }
}

TEST(SparsePlace, ARoomWithBoardsOfEachDensity) {
  const SparsePlace place;
  std::map<Density, int> boards;
  for (const SparseSolid& solid : place.parts()) {
    if (solid.kind == SparseKind::kBoard) ++boards[solid.density];
  }
  for (const Density density : {Density::kDense, Density::kQuarter, Density::kSixteenth}) {
    EXPECT_GE(boards[density], 2);
  }
  RandomStream random(4);
  for (int i = 0; i < 2000; ++i) {  // closed
    const Vector3d origin = stationOn(place, 30, random.uniform());
    const Vector3d direction = evenDirection(random);
    const KnownPlace::Hit hit = place.cast(origin, direction);
    ASSERT_GE(hit.part, 0);
    EXPECT_LT(place.clearance(origin + hit.range * direction), 1e-9);
  }
}

/// A point's place across and up an opening, 0 to 1, and its distance [m] from the plane.
Vector3d inOpening(const Rectangle& opening, const Vector3d& point) {
  const Vector3d offset = point - opening.corner;
  return {offset.dot(opening.a) / opening.a.squaredNorm(),
          offset.dot(opening.b) / opening.b.squaredNorm(),
          std::abs(offset.dot(opening.a.cross(opening.b).normalized()))};
}

TEST(SparsePlace, SlotsAreEmptyBetweenTheirBoards) {
  const SparsePlace place;
  const SparseScan scan = sparseScan(place, small(true));
  std::map<Density, std::map<int, int>> widths;  // [cm]
  for (const Slot& slot : place.slots()) {
    const SparseSolid& left = solidOf(place, slot.left);
    const SparseSolid& right = solidOf(place, slot.right);
    EXPECT_EQ(left.density, right.density);
    ++widths[left.density][static_cast<int>(std::lround(100.0 * slot.opening.a.norm()))];
    const auto& [corner, a, b] = slot.opening;
    EXPECT_LT(distanceTo(left.shape, corner + 0.5 * b), 1e-9);
    EXPECT_LT(distanceTo(right.shape, corner + a + 0.5 * b), 1e-9);
    EXPECT_GT(place.clearance(corner + 0.5 * (a + b)), 0.499 * a.norm());
    for (std::size_t i = 0; i < scan.parts.size(); ++i) {
      const Vector3d at = inOpening(slot.opening, scan.cloud.points[i].cast<double>());
      const bool inside = at.x() > 1e-4 && at.x() < 1.0 - 1e-4 && at.y() > 0.0 && at.y() < 1.0;
      if (inside && at.z() < 0.5) {
        EXPECT_EQ(scan.parts[i], -1);
      }
    }
  }
  const std::map<int, int> each{{10, 1}, {20, 1}, {50, 1}, {100, 1}};
  EXPECT_EQ(widths.size(), 3U);
  for (const auto& [density, found] : widths) EXPECT_EQ(found, each);
}

TEST(SparsePlace, StraysAreFewAndInFreeAir) {
  const SparsePlace place;
  const SparseScan scan = sparseScan(place, small());
  double strays = 0.0;
  for (std::size_t i = 0; i < scan.parts.size(); ++i) {
    if (scan.parts[i] >= 0) continue;
    ++strays;
    EXPECT_GT(place.clearance(scan.cloud.points[i].cast<double>()), kStrayClearance - 1e-5);
  }
  const double others = static_cast<double>(scan.cloud.size()) - strays;
  EXPECT_NEAR(strays / others, 0.0005, 0.00001);
}

TEST(SparsePlace, LayersLieThreeCentimetresApartAboutTheWall) {
  const SparsePlace place;
  const SparseScan scan = sparseScan(place, small(true));
  int sides[2] = {0, 0};
  for (std::size_t i = 0; i < scan.parts.size(); ++i) {
    if (scan.parts[i] < 0) continue;
    const double off = scan.cloud.points[i].x() - kRoomHalfLength;
    if (solidOf(place, scan.parts[i]).kind == SparseKind::kLayers) {
      EXPECT_NEAR(std::abs(off), 0.015, 1e-5);
      ++sides[off > 0.0 ? 1 : 0];
    } else {
      EXPECT_LT(off, 1e-5);
    }
  }
  EXPECT_GT(sides[0], 1000);
  EXPECT_NEAR(sides[0], sides[1], 0.4 * sides[0]);  // each pass goes another way
}

TEST(SparsePlace, SameBytesForAnyNumberOfThreads) {
  const SparsePlace place;
  const SparseScan one = [&] {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 1);
    return sparseScan(place, small());
  }();
  const SparseScan many = sparseScan(place, small());
  EXPECT_TRUE(sameBytes(one.cloud, many.cloud));
  EXPECT_EQ(one.parts, many.parts);
}

}  // namespace
}  // namespace marsim::scene
