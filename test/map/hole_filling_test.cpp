// SPDX-License-Identifier: BSD-3-Clause
#include "map/make/hole_filling.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <Eigen/Dense>

#include "map/make/voronoi_cell.hpp"
#include "marsim/common/random.hpp"

namespace marsim::map {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;
using Eigen::Vector3f;

/// A circle through three points.
struct Circle {
  Vector2d middle;
  double radius;
};

Circle circleThrough(const Vector2d& a, const Vector2d& b, const Vector2d& c) {
  Eigen::Matrix2d sides;
  sides << (b - a).transpose(), (c - a).transpose();
  const Vector2d halves(0.5 * (b - a).squaredNorm(), 0.5 * (c - a).squaredNorm());
  const Vector2d offset = sides.inverse() * halves;
  return {a + offset, offset.norm()};
}

std::vector<Vector2d> scattered(double width, double height, int count, std::uint64_t seed) {
  RandomStream random(seed, "holes");
  std::vector<Vector2d> points;
  for (int i = 0; i < count; ++i) {
    const double x = random.uniform(0.0, width);
    points.emplace_back(x, random.uniform(0.0, height));
  }
  return points;
}

/// A sheet's surfels in the plane z = 0, placed by a pose.
void addSheet(const std::vector<Vector2d>& points, const Eigen::Isometry3d& pose,
              MergedPoints& merged) {
  for (const Vector2d& p : points) {
    const Vector3d at = pose * Vector3d(p.x(), p.y(), 0.0);
    merged.surfels.push_back(
        {at.cast<float>(), Vector3d(pose.linear().col(2)).cast<float>(), 0.01F});
    merged.kinds.push_back(FitKind::kSheet);
    merged.weights.push_back(1.0F);
  }
}

MergedPoints sheetOf(const std::vector<Vector2d>& points) {
  MergedPoints merged;
  addSheet(points, Eigen::Isometry3d::Identity(), merged);
  return merged;
}

HoleSettings settings(float disc, float largest) {
  HoleSettings result;
  result.disc = disc;
  result.largest = largest;
  result.offset = 0.02F;
  return result;
}

MovedPoints filled(const MergedPoints& merged, const HoleSettings& settings) {
  return fillHoles(merged, settings);
}

/// Distance from a place in the plane to the nearest point.
template <class Points, class Place>
double distanceTo(const Points& points, const Place& place) {
  double least = 1e9;
  for (const auto& p : points) least = std::min(least, static_cast<double>((p - place).norm()));
  return least;
}

// The corners of a cell are the middles of the empty circles through the point and two others.
TEST(VoronoiCell, CornersAreThoseOfBruteForce) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::vector<Vector2d> others = scattered(2.0, 2.0, 30, seed);
    for (Vector2d& other : others) other -= Vector2d(1.0, 1.0);
    std::vector<Vector2d> expected;
    for (std::size_t i = 0; i < others.size(); ++i) {
      for (std::size_t j = i + 1; j < others.size(); ++j) {
        const Circle circle = circleThrough(Vector2d::Zero(), others[i], others[j]);
        if (circle.middle.cwiseAbs().maxCoeff() > 0.5) continue;
        if (distanceTo(others, circle.middle) > circle.radius - 1e-9) {
          expected.push_back(circle.middle);
        }
      }
    }
    VoronoiCell cell;
    cell.reset(0.5F);
    for (std::size_t i = 0; i < others.size(); ++i) {
      const Eigen::Vector2f at = others[i].cast<float>();
      cell.cut(at.x(), at.y(), static_cast<int>(i));
    }
    std::size_t found = 0;
    for (const VoronoiCell::Corner& corner : cell.corners()) {
      if (!corner.hasNeighbours()) continue;
      ++found;
      const Vector2d at(static_cast<double>(corner.x), static_cast<double>(corner.y));
      EXPECT_LT(distanceTo(expected, at), 1e-4) << "seed " << seed;
    }
    EXPECT_EQ(found, expected.size()) << "seed " << seed;
  }
}

// By brute force over all triples: what lies in a triangle whose circle is empty and no larger than
// allowed is covered by a disc, and nothing is put elsewhere.
TEST(HoleFilling, CoversTheTrianglesOfBruteForceAndNothingElse) {
  constexpr double kDisc = 0.05, kLargest = 0.12;
  const std::vector<Vector2d> points = scattered(1.0, 1.0, 120, 3);
  const MovedPoints made = filled(sheetOf(points), settings(0.05F, 0.12F));
  ASSERT_GT(made.positions.size(), 20U);
  std::vector<Vector2d> discs = points;
  for (const Vector3f& p : made.positions) {
    EXPECT_NEAR(p.z(), 0.0F, 1e-6F);
    discs.emplace_back(static_cast<double>(p.x()), static_cast<double>(p.y()));
  }
  const auto inTriangle = [](const Vector2d& a, const Vector2d& b, const Vector2d& c,
                             const Vector2d& p) {
    const auto side = [&p](const Vector2d& from, const Vector2d& to) {
      return (to - from).x() * (p - from).y() - (to - from).y() * (p - from).x();
    };
    const double x = side(a, b), y = side(b, c), z = side(c, a);
    return (x > -1e-6 && y > -1e-6 && z > -1e-6) || (x < 1e-6 && y < 1e-6 && z < 1e-6);
  };
  // The spacing is 0.09 m: what is as large as that is filled for certain.
  std::vector<std::array<Vector2d, 3>> sure, possible;
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = i + 1; j < points.size(); ++j) {
      for (std::size_t k = j + 1; k < points.size(); ++k) {
        const Circle circle = circleThrough(points[i], points[j], points[k]);
        if (circle.radius > 1.001 * kLargest || circle.radius < 0.999 * kDisc) continue;
        if (distanceTo(points, circle.middle) < circle.radius - 1e-7) continue;
        possible.push_back({points[i], points[j], points[k]});
        if (circle.radius < 0.09) sure.push_back(possible.back());
      }
    }
  }
  ASSERT_GT(sure.size(), 20U);
  RandomStream random(9, "places");
  for (const auto& [a, b, c] : sure) {
    for (int i = 0; i < 50; ++i) {
      double u = random.uniform(), v = random.uniform();
      if (u + v > 1.0) u = 1.0 - u, v = 1.0 - v;
      EXPECT_LT(distanceTo(discs, Vector2d(a + u * (b - a) + v * (c - a))), kDisc);
    }
  }
  for (std::size_t i = points.size(); i < discs.size(); ++i) {
    EXPECT_TRUE(std::any_of(possible.begin(), possible.end(), [&](const auto& t) {
      return inTriangle(t[0], t[1], t[2], discs[i]);
    })) << discs[i].transpose();
  }
}

/// The share of a rectangle, `margin` from its sides, that no disc covers.
double shareOpen(const MergedPoints& merged, const MovedPoints& made, double disc, double width,
                 double height, double margin) {
  std::vector<Vector3f> at;
  for (const Surfel& surfel : merged.surfels) at.push_back(surfel.position);
  at.insert(at.end(), made.positions.begin(), made.positions.end());
  RandomStream random(5, "open");
  int open = 0;
  constexpr int kPlaces = 4000;
  for (int i = 0; i < kPlaces; ++i) {
    const double x = random.uniform(margin, width - margin);
    const Vector3f place = Vector3d(x, random.uniform(margin, height - margin), 0.0).cast<float>();
    open += distanceTo(at, place) > disc ? 1 : 0;
  }
  return static_cast<double>(open) / kPlaces;
}

// 400 points a m2 lie 0.05 m apart; discs of 0.017 m cover three tenths of the sheet.
TEST(HoleFilling, ASparseSheetHasHardlyAHole) {
  const MergedPoints merged = sheetOf(scattered(2.0, 2.0, 1600, 1));
  const double disc = 0.0173;
  EXPECT_GT(shareOpen(merged, {}, disc, 2.0, 2.0, 0.15), 0.6);
  const MovedPoints made = filled(merged, settings(0.0173F, 0.15F));
  EXPECT_LT(shareOpen(merged, made, disc, 2.0, 2.0, 0.15), 0.02);
}

TEST(HoleFilling, GapsOfFourSpacingsAndOutlinesStay) {
  std::vector<Vector2d> points = scattered(2.0, 2.0, 1600, 2);
  const auto inGap = [](double x) { return x > 0.9 && x < 1.1; };
  points.erase(
      std::remove_if(points.begin(), points.end(), [&](const Vector2d& p) { return inGap(p.x()); }),
      points.end());
  const MovedPoints made = filled(sheetOf(points), settings(0.0173F, 0.3F));
  ASSERT_GT(made.positions.size(), 1000U);
  int in_gap = 0;
  for (const Vector3f& p : made.positions) {
    in_gap += inGap(static_cast<double>(p.x())) ? 1 : 0;
    EXPECT_GT(p.head<2>().minCoeff(), 0.0F);
    EXPECT_LT(p.head<2>().maxCoeff(), 2.0F);
  }
  // A disc a spacing apart each way would close it.
  EXPECT_LT(in_gap, 0.01 * 0.2 * 2.0 / (0.026 * 0.026));
}

// A floor and a wall that meet, and a sheet 0.1 m above the floor.
TEST(HoleFilling, StaysOnItsSheet) {
  MergedPoints merged;
  const std::vector<Vector2d> points = scattered(1.0, 1.0, 400, 4);
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  addSheet(points, pose, merged);
  pose.translation().z() = 0.1;
  addSheet(scattered(1.0, 1.0, 400, 5), pose, merged);
  pose.translation().z() = 0.0;
  pose.linear() = Eigen::AngleAxisd(-0.5 * M_PI, Vector3d::UnitY()).toRotationMatrix();
  addSheet(points, pose, merged);  // in the plane x = 0
  const MovedPoints made = filled(merged, settings(0.0173F, 0.15F));
  ASSERT_GT(made.positions.size(), 500U);
  for (std::size_t i = 0; i < made.positions.size(); ++i) {
    const Vector3f& p = made.positions[i];
    const bool is_wall = std::abs(made.directions[i].x()) > 0.99F;
    const float off = is_wall ? std::abs(p.x()) : std::min(std::abs(p.z()), std::abs(p.z() - 0.1F));
    EXPECT_LT(off, 1e-6F) << p.transpose();
    EXPECT_TRUE(is_wall || made.directions[i].z() > 0.99F) << made.directions[i].transpose();
  }
}

// Leaves that face anywhere lie on no sheet, however near they are.
TEST(HoleFilling, FoliageStaysOpen) {
  RandomStream random(10, "leaves");
  MergedPoints merged;
  for (int i = 0; i < 3000; ++i) {
    const double x = random.uniform(), y = random.uniform(), z = random.uniform();
    const double a = random.normal(), b = random.normal();
    const Vector3d normal = Vector3d(a, b, random.normal()).normalized();
    merged.surfels.push_back({Vector3d(x, y, z).cast<float>(), normal.cast<float>(), 0.01F});
    merged.kinds.push_back(FitKind::kSheet);
    merged.weights.push_back(1.0F);
  }
  EXPECT_LT(filled(merged, settings(0.0173F, 0.15F)).positions.size(), 30U);
}

// Single points that noise has moved off an edge do not carry it outwards.
TEST(HoleFilling, LightSurfelsBesideHeavyOnesAreNoCorners) {
  std::vector<Vector2d> points;
  for (int i = 0; i < 20; ++i) {
    for (int k = 0; k < 10; ++k) points.emplace_back(0.05 * i, 0.05 * k);
  }
  MergedPoints merged = sheetOf(points);
  std::fill(merged.weights.begin(), merged.weights.end(), 30.0F);
  const std::size_t heavy = points.size();
  for (int i = 0; i < 20; ++i) points.emplace_back(0.05 * i, 0.52);
  addSheet({points.begin() + static_cast<std::ptrdiff_t>(heavy), points.end()},
           Eigen::Isometry3d::Identity(), merged);
  for (const Vector3f& p : filled(merged, settings(0.0173F, 0.1F)).positions) {
    EXPECT_LT(p.y(), 0.4501F);
  }
}

TEST(HoleFilling, CarriesWhatTheSurfelsAroundDo) {
  const std::vector<Vector2d> points = scattered(1.0, 1.0, 400, 6);
  MergedPoints merged = sheetOf(points);
  for (const Vector2d& p : points) {
    merged.intensity.push_back(static_cast<float>(100.0 * p.x()));
    merged.classes.push_back(p.y() < 0.5 ? 40 : 70);
  }
  const MovedPoints made = filled(merged, settings(0.0173F, 0.15F));
  ASSERT_EQ(made.intensity.size(), made.positions.size());
  ASSERT_EQ(made.classes.size(), made.positions.size());
  for (std::size_t i = 0; i < made.positions.size(); ++i) {
    EXPECT_NEAR(made.intensity[i], 100.0F * made.positions[i].x(), 1e-3F);
    if (std::abs(made.positions[i].y() - 0.5F) < 0.12F) continue;
    EXPECT_EQ(made.classes[i], made.positions[i].y() < 0.5F ? 40 : 70);
  }
}

TEST(HoleFilling, NothingWhereItIsTurnedOffOrNobodyIsNear) {
  const MergedPoints merged = sheetOf(scattered(1.0, 1.0, 400, 7));
  EXPECT_TRUE(filled(merged, settings(0.0173F, 0.0F)).positions.empty());
  EXPECT_TRUE(filled({}, settings(0.0173F, 0.15F)).positions.empty());
  EXPECT_TRUE(
      filled(sheetOf(scattered(100.0, 100.0, 50, 8)), settings(0.0173F, 0.15F)).positions.empty());
}

TEST(HoleFilling, SameBytesForAnyNumberOfThreads) {
  const MergedPoints merged = sheetOf(scattered(3.0, 3.0, 4000, 9));
  const MovedPoints many = filled(merged, settings(0.0173F, 0.15F));
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 1);
  const MovedPoints one = filled(merged, settings(0.0173F, 0.15F));
  EXPECT_EQ(one.positions, many.positions);
  EXPECT_EQ(one.directions, many.directions);
}

}  // namespace
}  // namespace marsim::map
