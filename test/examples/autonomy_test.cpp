// SPDX-License-Identifier: BSD-3-Clause
// The parts of examples/autonomy against brute force.
#include <cmath>
#include <functional>
#include <queue>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>
#include <Eigen/Geometry>

#include "astar.hpp"
#include "bspline.hpp"
#include "costs.hpp"
#include "local_map.hpp"
#include "optimizer.hpp"
#include "planner.hpp"
#include "post.hpp"

namespace autonomy {
namespace {

using Eigen::Vector3d;

Points randomPoints(int seed, int count = 25, double step = 0.2) {
  std::mt19937 random(static_cast<std::uint32_t>(seed));
  std::normal_distribution<double> normal(0.0, step);
  Points points(3, count);
  Vector3d p(1.0, -2.0, 1.5);
  for (int i = 0; i < count; ++i) {
    points.col(i) = p;
    p += Vector3d(0.2 + normal(random), normal(random), normal(random));
  }
  return points;
}

// Cox and de Boor's recursion for knots at whole numbers, the first at -3.
double basis(int i, int k, double u) {
  const double first = i - 3.0;
  if (k == 0) return first <= u && u < first + 1.0 ? 1.0 : 0.0;
  return (u - first) / k * basis(i, k - 1, u) + (first + k + 1.0 - u) / k * basis(i + 1, k - 1, u);
}

TEST(Bspline, IsTheSumOfCoxAndDeBoorsBasis) {
  const Bspline spline{randomPoints(1), 0.07};
  for (double time = 0.0; time < spline.duration(); time += 0.0093) {
    Vector3d sum = Vector3d::Zero();
    for (int i = 0; i < spline.points.cols(); ++i) {
      sum += basis(i, 3, time / spline.dt) * spline.points.col(i);
    }
    EXPECT_LT((spline.at(time).p - sum).norm(), 1e-9) << time;
  }
}

TEST(Bspline, DerivativesAreThoseOfDifferences) {
  const Bspline spline{randomPoints(2), 0.07};
  const double h = 1e-5;
  for (double time = 0.01; time < spline.duration() - 0.01; time += 0.0137) {
    const State before = spline.at(time - h), at = spline.at(time), after = spline.at(time + h);
    EXPECT_LT(((after.p - before.p) / (2 * h) - at.v).norm(), 1e-5) << time;
    EXPECT_LT(((after.v - before.v) / (2 * h) - at.a).norm(), 1e-3) << time;
    if (std::fmod(time, spline.dt) < 2 * h || std::fmod(time, spline.dt) > spline.dt - 2 * h)
      continue;
    EXPECT_LT(((after.a - before.a) / (2 * h) - at.j).norm(), 1e-2) << time;
  }
}

TEST(Bspline, BeginsAndEndsInGivenStates) {
  const State first{{1, 2, 3}, {0.5, -1, 2}, {3, 0, -1}}, last{{2, 2, 2}, {1, 1, 0}, {0, 1, 0}};
  Bspline spline{randomPoints(3), 0.09};
  spline.points.leftCols<3>() = controlPointsOf(first, spline.dt);
  spline.points.rightCols<3>() = controlPointsOf(last, spline.dt);
  for (const auto& [time, state] : {std::pair{0.0, first}, std::pair{spline.duration(), last}}) {
    EXPECT_LT((spline.at(time).p - state.p).norm(), 1e-9);
    EXPECT_LT((spline.at(time).v - state.v).norm(), 1e-9);
    EXPECT_LT((spline.at(time).a - state.a).norm(), 1e-9);
  }
}

TEST(Bspline, DifferencesBoundItsDerivatives) {
  const Bspline spline{randomPoints(4), 0.08};
  const Points v = differences(spline.points, spline.dt), a = differences(v, spline.dt);
  for (double time = 0.0; time <= spline.duration(); time += 0.01) {
    EXPECT_LE(spline.at(time).v.norm(), v.colwise().norm().maxCoeff() + 1e-9);
    EXPECT_LE(spline.at(time).a.norm(), a.colwise().norm().maxCoeff() + 1e-9);
  }
}

// A gradient against central differences of its cost.
void expectGradient(const std::function<double(const Bspline&, double, Points&)>& cost,
                    Bspline spline) {
  Points gradient = Points::Zero(3, spline.points.cols()), ignored = gradient;
  const double value = cost(spline, 2.0, gradient);
  EXPECT_GT(value, 0.0);
  const double h = 1e-6;
  for (Eigen::Index i = 0; i < spline.points.size(); ++i) {
    double& x = spline.points.data()[i];
    const double middle = x;
    x = middle + h;
    const double above = cost(spline, 1.0, ignored);
    x = middle - h;
    const double below = cost(spline, 1.0, ignored);
    x = middle;
    const double slope = (above - below) / (2 * h);
    EXPECT_NEAR(gradient.data()[i], 2.0 * slope, 1e-4 * (std::abs(slope) + 1.0)) << i;
  }
}

TEST(Costs, GradientOfSmoothness) { expectGradient(smoothness, {randomPoints(5), 0.4}); }

TEST(Costs, GradientOfFeasibility) {
  const auto cost = [](const Bspline& spline, double weight, Points& gradient) {
    return feasibility(spline, {1.0, 2.0, 5.0}, weight, gradient);
  };
  expectGradient(cost, {randomPoints(6), 0.3});
  Points gradient = Points::Zero(3, 25);
  const Bspline slow{randomPoints(6), 10.0};
  EXPECT_EQ(feasibility(slow, {1.0, 2.0, 5.0}, 1.0, gradient), 0.0);
  EXPECT_EQ(gradient.norm(), 0.0);
}

TEST(Costs, GradientOfCollisionOutsideNearAndInside) {
  const Bspline spline{randomPoints(7), 0.3};
  std::vector<Plane> planes;
  for (const double depth : {-0.5, -0.25, 0.02, 0.2, 0.9}) {  // behind the surface
    const Eigen::Index point = 4 + static_cast<Eigen::Index>(planes.size());
    const Vector3d direction = Vector3d(1, 2, -0.5).normalized();
    planes.push_back({point, spline.points.col(point) + depth * direction, direction});
    EXPECT_NEAR(planes.back().distanceTo(spline.points.col(point)), -depth, 1e-12);
  }
  expectGradient([&](const Bspline& s, double weight,
                     Points& gradient) { return collision(s, planes, 0.3, weight, gradient); },
                 spline);
  // The pieces of the cost meet: at the clearance, and at the surface with d_c^3.
  Points gradient = Points::Zero(3, 25);
  const auto at = [&](double d) {
    const std::vector<Plane> plane{
        {8, spline.points.col(8) - d * Vector3d::UnitX(), Vector3d::UnitX()}};
    return collision(spline, plane, 0.3, 1.0, gradient);
  };
  EXPECT_EQ(at(0.3001), 0.0);
  EXPECT_NEAR(at(1e-9), 0.027, 1e-6);
  EXPECT_NEAR(at(-1e-9), 0.027, 1e-6);
}

TEST(Costs, GradientOfMovers) {
  const Bspline spline{randomPoints(8), 0.1};
  const std::vector<Mover> movers{{spline.at(1.0).p + Vector3d(-0.9, 0.3, 0.1), {1, 0, 0}, 0.8}};
  expectGradient([&](const Bspline& s, double weight,
                     Points& gradient) { return moving(s, movers, weight, gradient); },
                 spline);
}

TEST(Optimizer, FindsTheMinimumOfAQuadratic) {
  Bspline spline{randomPoints(9), 0.1};
  const Points wanted = randomPoints(10), before = spline.points;
  minimise(
      [&](const Bspline& s, Points& gradient) {
        gradient = 2.0 * (s.points - wanted);
        return (s.points - wanted).squaredNorm();
      },
      spline);
  EXPECT_LT((spline.points - wanted).middleCols(3, 19).norm(), 1e-3);
  EXPECT_EQ((spline.points - before).leftCols<3>().norm(), 0.0);
  EXPECT_EQ((spline.points - before).rightCols<3>().norm(), 0.0);
}

LocalMapConfig smallMap() {
  LocalMapConfig config;
  config.half_size = {2.0, 2.0, 1.0};
  config.inflation = 0.25;
  return config;
}

TEST(LocalMap, AddsLogOddsWithinBounds) {
  LocalMap map(smallMap());
  const Vector3d sensor(0.05, 0.05, 0.05), wall(1.05, 0.05, 0.05);
  const double hit = std::log(0.85 / 0.15), miss = std::log(0.4 / 0.6);
  map.addScan(sensor, {wall, wall});  // one observation a scan
  EXPECT_NEAR(map.logOdds(map.cellOf(wall)), hit, 1e-6);
  EXPECT_NEAR(map.logOdds(map.cellOf({0.55, 0.05, 0.05})), miss, 1e-6);
  EXPECT_EQ(map.logOdds(map.cellOf({1.15, 0.05, 0.05})), 0.0);
  EXPECT_TRUE(map.isOccupied(map.cellOf(wall)));
  for (int i = 0; i < 20; ++i) map.addScan(sensor, {wall});
  EXPECT_NEAR(map.logOdds(map.cellOf(wall)), std::log(0.97 / 0.03), 1e-5);
  // The wall moves away: rays pass its old cell until this is free.
  int scans = 0;
  for (; map.isOccupied(map.cellOf(wall)); ++scans) map.addScan(sensor, {{1.55, 0.05, 0.05}});
  EXPECT_EQ(scans, static_cast<int>(std::ceil((std::log(0.97 / 0.03) - std::log(4.0)) / -miss)));
  EXPECT_FALSE(map.isBlocked(wall));
}

TEST(LocalMap, ClearsTheCellsThatRaysCross) {
  LocalMap map(smallMap());
  std::mt19937 random(11);
  std::uniform_real_distribution<double> place(-0.9, 0.9);
  const Vector3d from(0.03, -0.02, 0.04), to(place(random), place(random), place(random));
  map.addScan(from, {to});
  for (double share = 0.0; share < 1.0; share += 1e-3) {
    const Cell cell = map.cellOf(from + share * (to - from));
    if (cell == map.cellOf(to)) continue;
    EXPECT_LT(map.logOdds(cell), 0.0) << share;
  }
}

TEST(LocalMap, BlocksWhatIsNearTheReturnsWhileItMoves) {
  LocalMap map(smallMap());
  std::mt19937 random(12);
  std::uniform_real_distribution<double> noise(-2.0, 2.0);
  std::set<std::vector<int>> occupied;  // cells
  Vector3d middle = Vector3d::Zero();
  const auto isInside = [&](const Cell& cell) { return map.contains(cell); };
  for (int step = 0; step < 12; ++step) {
    middle += Vector3d(0.23, -0.11, 0.07) * noise(random);
    map.moveTo(middle);
    for (auto it = occupied.begin(); it != occupied.end();) {
      it = isInside({(*it)[0], (*it)[1], (*it)[2]}) ? std::next(it) : occupied.erase(it);
    }
    std::vector<Vector3d> points;
    for (int i = 0; i < 4; ++i) {
      points.push_back(middle + Vector3d(noise(random), noise(random), noise(random) / 2.0));
      const Cell cell = map.cellOf(points.back());
      if (isInside(cell)) occupied.insert({cell.x(), cell.y(), cell.z()});
    }
    map.addScan(middle + Vector3d(50, 0, 0), points);  // from outside: clears nothing
    for (int i = 0; i < 300; ++i) {
      const Cell cell =
          map.cellOf(middle + Vector3d(noise(random), noise(random), noise(random) / 2));
      if (!isInside(cell)) continue;
      bool blocked = false;
      for (const auto& other : occupied) {
        const Cell apart = Cell(other[0], other[1], other[2]) - cell;
        blocked = blocked || 0.1 * apart.cast<double>().norm() <= 0.25 + 1e-9;
      }
      ASSERT_EQ(map.isBlocked(cell), blocked) << step;
    }
  }
}

// Lengths of the shortest ways from a cell, by Dijkstra's algorithm over all cells of the box.
double shortest(const LocalMap& map, const Cell& from, const Cell& to) {
  std::vector<double> way(map.cells(), 1e9);
  using Entry = std::pair<double, std::array<int, 3>>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
  way[map.indexOf(from)] = 0.0;
  open.push({0.0, {from.x(), from.y(), from.z()}});
  while (!open.empty()) {
    const auto [length, at] = open.top();
    open.pop();
    const Cell cell(at[0], at[1], at[2]);
    if (length > way[map.indexOf(cell)]) continue;
    for (int x = -1; x <= 1; ++x) {
      for (int y = -1; y <= 1; ++y) {
        for (int z = -1; z <= 1; ++z) {
          const Cell next = cell + Cell(x, y, z);
          if (!map.contains(next) || map.isBlocked(next)) continue;
          const double longer = length + std::sqrt(x * x + y * y + z * z);
          if (longer >= way[map.indexOf(next)] - 1e-12) continue;
          way[map.indexOf(next)] = longer;
          open.push({longer, {next.x(), next.y(), next.z()}});
        }
      }
    }
  }
  return way[map.indexOf(to)];
}

TEST(AStar, FindsShortestWays) {
  std::mt19937 random(13);
  std::uniform_real_distribution<double> place(-1.9, 1.9);
  for (int trial = 0; trial < 6; ++trial) {
    LocalMap map(smallMap());
    std::vector<Vector3d> points;
    // A wall that leaves a passage at one side.
    for (double y = -1.95; y < 1.2; y += 0.1) {
      for (double z = -0.95; z < 1.0; z += 0.1) points.emplace_back(0.05, y, z);
    }
    for (int i = 0; i < 100; ++i)
      points.emplace_back(place(random), place(random), place(random) / 2);
    map.addScan({50, 0, 0}, points);
    const auto from = map.nearestFree({-1.8, -1.8, 0.0}, 1.0),
               to = map.nearestFree({1.8, 1.5, 0.2}, 1.0);
    ASSERT_TRUE(from && to);
    const auto path = findPath(map, *from, *to, map.cells());
    ASSERT_FALSE(path.empty());
    double length = 0.0;
    for (std::size_t i = 1; i < path.size(); ++i) {
      const double step = (path[i] - path[i - 1]).norm() / 0.1;
      EXPECT_LT(step, 1.8);
      EXPECT_FALSE(map.isBlocked(path[i]));
      length += step;
    }
    EXPECT_NEAR(length, shortest(map, map.cellOf(*from), map.cellOf(*to)), 1e-6);
  }
}

TEST(AStar, NoWayThroughAWall) {
  LocalMap map(smallMap());
  std::vector<Vector3d> wall;
  for (double y = -1.95; y < 2.0; y += 0.1) {
    for (double z = -0.95; z < 1.0; z += 0.1) wall.emplace_back(0.05, y, z);
  }
  map.addScan({50, 0, 0}, wall);
  EXPECT_TRUE(findPath(map, {-1.5, 0, 0}, {1.5, 0, 0}, map.cells()).empty());
}

TEST(Planner, PassesAPostWithinTheLimits) {
  LocalMap map({});
  map.moveTo({0, 0, 1});
  map.addScan({0, 0, 1}, post());
  PlannerConfig config;
  config.limits = {3.0, 3.0, 30.0};
  const Planner planner(config, map);
  const State start{{0, 0, 1}, {1, 0, 0}};
  const auto spline = planner.plan(start, {4.5, 0, 1});
  ASSERT_TRUE(spline);
  EXPECT_EQ(spline->points.cols(), 25);
  EXPECT_LT((spline->at(0).v - start.v).norm(), 1e-9);
  EXPECT_LT((spline->at(spline->duration()).p - Vector3d(4.5, 0, 1)).norm(), 1e-9);
  for (double time = 0.0; time < spline->duration(); time += 0.01) {
    const State state = spline->at(time);
    EXPECT_GT((state.p - Vector3d(2.5, 0, state.p.z())).norm(), 0.2 + 0.2) << time;
    EXPECT_LE(state.v.norm(), 3.0);
    EXPECT_LE(state.a.norm(), 3.0);
  }
}

TEST(Planner, KeepsAwayFromAMover) {
  LocalMap map({});
  map.moveTo({0, 0, 1});
  PlannerConfig config;
  config.limits = {2.0, 6.0, 30.0};
  const State start{{0, 0, 1}, {1.5, 0, 0}};
  // It meets the straight way after about 1.3 s.
  const Mover mover{{2.4, 1.3, 1}, {0, -1, 0}, 0.6};
  const auto nearest = [&](const Bspline& spline) {
    double distance = 1e9;
    for (double time = 0.0; time < spline.duration(); time += 0.01) {
      distance = std::min(distance, (spline.at(time).p - mover.p - time * mover.v).norm());
    }
    return distance;
  };
  const Planner planner(config, map);
  const auto blind = planner.plan(start, {4.5, 0, 1}),
             seeing = planner.plan(start, {4.5, 0, 1}, {mover});
  ASSERT_TRUE(blind && seeing);
  EXPECT_LT(nearest(*blind), 0.4);
  EXPECT_GT(nearest(*seeing), 0.6);
}

TEST(Planner, LeavesTheNeighbourhoodOfAPost) {
  LocalMap map({});
  map.moveTo({0, 0, 1});
  map.addScan({0, 0, 1}, post());
  const Planner planner({}, map);
  const State start{{2.1, 0, 1}};  // at rest, 0.2 m from the post
  ASSERT_TRUE(map.isBlocked(start.p));
  for (const Vector3d& goal : {Vector3d(0, 0, 1), Vector3d(2.1, 3, 1)}) {
    const auto spline = planner.plan(start, goal);
    ASSERT_TRUE(spline) << goal.transpose();
    for (double time = 0.0; time < spline->duration(); time += 0.01) {
      EXPECT_GT((spline->at(time).p - Vector3d(2.5, 0, spline->at(time).p.z())).norm(), 0.37);
    }
  }
  Bspline into{start.p.replicate(1, 12), 0.1};
  for (int i = 0; i < 9; ++i) into.points.col(3 + i).x() += 0.04 * (i + 1);
  EXPECT_TRUE(planner.firstCollision(into, 0.0));
}

TEST(Planner, LeavesAMoverThatHasStoppedBesideIt) {
  LocalMap map({});
  map.moveTo({0, 0, 1});
  const Planner planner({}, map);
  const Mover mover{{0.4, 0, 1}, {0, 0, 0}, 0.5};
  const auto spline = planner.plan(State{{0, 0, 1}}, {-1, 3, 1}, {mover});
  ASSERT_TRUE(spline);
  for (double time = 0.0; time < spline->duration(); time += 0.01) {
    EXPECT_GT((spline->at(time).p - mover.p).norm(), 0.37) << time;
  }
}

}  // namespace
}  // namespace autonomy
