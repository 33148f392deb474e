// SPDX-License-Identifier: BSD-3-Clause
// Bodies that fall among points of a map, at random.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "collision/flat_tree.hpp"
#include "collision_worlds.hpp"

namespace marsim::sim {
namespace {

constexpr int kDrops = 1000;
constexpr int kSteps = 1600;      // of a drop at most
constexpr int kRest = 300;        // steps without motion: at rest
constexpr double kHighest = 1.6;  // [m] of the obstacles
constexpr double kStill = 2e-3;   // [m] within which a resting body stays
constexpr double kBelow = -50.0;  // [m] ground, never reached

constexpr double kRough = 0.02;  // [m] of the boards

struct Board {
  Vector3d corner, a, b;  // unit vectors along its sides
  double u, v;            // [m] their lengths
  int side = 0;           ///< of a body before it, beyond its roughness; 0: not before it

  /// Whether a body has come to the other side through it, not at its edges.
  bool isPassed(const Vector3d& p_WB) {
    constexpr double kEdge = 0.5 * kCell;
    const Vector3d p = p_WB - corner;
    const double height = a.cross(b).dot(p);
    const bool is_before = a.dot(p) > kEdge && a.dot(p) < u - kEdge && b.dot(p) > kEdge &&
                           b.dot(p) < v - kEdge && std::abs(height) < kCell;
    const int was = std::exchange(side, is_before ? side : 0);
    if (!is_before || std::abs(height) <= kRough) return false;
    side = height > 0.0 ? 1 : -1;
    return side * was < 0;
  }
};

/// Boards of any attitude and poles about the origin.
std::shared_ptr<const map::SurfelMap> clutter(RandomStream& random, std::vector<Board>& boards) {
  MapMaker maker;
  boards.clear();
  const auto around = [&](double reach) { return random.uniform(-reach, reach); };
  for (int i = 0; i < 4; ++i) {
    const Vector3d a = Vector3d(around(1.0), around(1.0), around(1.0)).normalized();
    const Vector3d b = a.cross(Vector3d(around(1.0), around(1.0), around(1.0))).normalized();
    const Vector3d middle(around(0.8), around(0.8), random.uniform(0.3, kHighest - 0.3));
    const double u = random.uniform(0.1, 0.8), v = random.uniform(0.1, 0.8);
    boards.push_back({middle - 0.5 * u * a - 0.5 * v * b, a, b, u, v, 0});
    maker.sheet(boards.back().corner, u * a, v * b, kRough);
  }
  for (int i = 0; i < 3; ++i) maker.pole(around(0.6), around(0.6), random.uniform(0.5, kHighest));
  return maker.make();
}

double energyOf(const vehicle::Quadrotor& quadrotor) {
  const KinematicState& state = quadrotor.state();
  return 0.5 * quadrotor.config().mass * state.v_WB.squaredNorm() +
         0.5 * quadrotor.config().inertia.dot(state.w_WB_B.cwiseAbs2()) +
         quadrotor.config().mass * kGravity * state.X_WB.p.z();
}

/// Whether a body that sinks a little meets points in a cone below its centre.
bool isSupported(collision::CollisionChecker& judge, Pose X_WB) {
  const Vector3d centre = X_WB.p;
  for (const double depth : {1e-5, 1e-3, 5e-3, 0.02}) {
    X_WB.p.z() = centre.z() - depth;
    for (const collision::Touch& touch : judge.checkMap(X_WB)) {
      const double below = (centre - touch.p_W).normalized().z();
      if (below > 0.4 || touch.normal_W.z() > 0.4) return true;
    }
  }
  return false;
}

// Any vehicle, thrown down from above with its motors off. It comes to rest on something, or falls
// past everything.
TEST(Drops, NoneHangsGainsEnergyOrPassesThrough) {
  const std::vector<vehicle::VehicleConfig> crafts{vehicle::hummingbird(), vehicle::iris(),
                                                   vehicle::racer(), vehicle::crazyflie(),
                                                   vehicle::firefly()};
  RandomStream random(1, "drops");
  std::shared_ptr<const map::SurfelMap> map;
  std::vector<Board> boards;
  int rested = 0, passed = 0;
  std::set<int> gained, crossed, hang;  // numbers of drops
  for (int i = 0; i < kDrops; ++i) {
    if (i % 10 == 0) map = clutter(random, boards);
    const vehicle::VehicleConfig& craft = crafts[static_cast<std::size_t>(i) % crafts.size()];
    collision::CollisionChecker judge(collision::BodyVoxels(bodyOf(craft), kCell),
                                      std::make_shared<const collision::FlatTree>(*map));
    CollisionConfig config;
    config.response = i % 2 == 0 ? CollisionResponse::kBounce : CollisionResponse::kStopMotors;
    Collisions collisions(config, craft, collision::makeNeighbours(map), kBelow);
    vehicle::Quadrotor quadrotor(craft);
    quadrotor.setGround(0.0);
    quadrotor.reset({0.0, 0.0, 0.0}, 0.0);  // on the ground, where the motors stand still
    quadrotor.setGround(kBelow);
    quadrotor.stopMotors();
    const auto any = [&](double size) {
      return Vector3d(size * random.normal(), size * random.normal(), size * random.normal());
    };
    const Eigen::Quaterniond q(random.normal(), random.normal(), random.normal(), random.normal());
    quadrotor.leaveContact({q.normalized(), {0.5 * random.normal(), 0.5 * random.normal(), 2.2}},
                           any(0.7), any(3.0));
    double energy = std::numeric_limits<double>::infinity();
    Vector3d rests_at = quadrotor.state().X_WB.p;
    for (Board& board : boards) board.side = 0;
    int still = 0;
    std::vector<ContactEvent> events;
    for (int k = 0; k < kSteps && still < kRest; ++k) {
      step(collisions, quadrotor, {}, events);
      const KinematicState& state = quadrotor.state();
      const double now = energyOf(quadrotor);
      if (now > energy + 1e-6) gained.insert(i);
      energy = now;
      if (state.X_WB.p.z() < -1.0) break;
      for (Board& board : boards) {
        if (board.isPassed(state.X_WB.p)) crossed.insert(i);
      }
      ++still;
      if ((state.X_WB.p - rests_at).norm() < kStill) continue;
      rests_at = state.X_WB.p;
      still = 0;
    }
    if (quadrotor.state().X_WB.p.z() < -1.0) {
      ++passed;
      continue;
    }
    if (still < kRest) continue;
    ++rested;
    if (!isSupported(judge, quadrotor.state().X_WB)) hang.insert(i);
  }
  EXPECT_EQ(gained, std::set<int>());
  EXPECT_EQ(crossed, std::set<int>());
  EXPECT_EQ(hang, std::set<int>());
  EXPECT_GT(rested, 10);
  EXPECT_GT(passed, 500);
}

TEST(Drops, AFunnelOfSteepBoardsHolds) {
  const double steep = radians(70.0);
  MapMaker maker;
  for (const double side : {0.0, 90.0, 180.0, 270.0}) {
    const Eigen::AngleAxisd turn(radians(side), Vector3d::UnitZ());
    const Vector3d up(std::cos(steep), 0.0, std::sin(steep));
    maker.sheet(turn * Vector3d(0.0, -1.0, 0.0), turn * Vector3d(1.5 * up),
                turn * Vector3d(0.0, 2.0, 0.0));
  }
  CollisionConfig config;
  config.response = CollisionResponse::kStopMotors;
  const vehicle::VehicleConfig craft = vehicle::hummingbird();
  Collisions collisions(config, craft, collision::makeNeighbours(maker.make()), kBelow);
  vehicle::Quadrotor quadrotor(craft);
  quadrotor.setGround(0.0);
  quadrotor.reset({0.0, 0.0, 0.0}, 0.0);
  quadrotor.setGround(kBelow);
  quadrotor.stopMotors();
  quadrotor.leaveContact({Eigen::Quaterniond::Identity(), {0.0, 0.0, 1.6}}, Vector3d::Zero(),
                         Vector3d::Zero());
  std::vector<ContactEvent> events;
  for (int k = 0; k < 2000; ++k) step(collisions, quadrotor, {}, events);
  const double rests_at = quadrotor.state().X_WB.p.z();
  EXPECT_GT(rests_at, 0.2);
  for (int k = 0; k < 1000; ++k) step(collisions, quadrotor, {}, events);
  EXPECT_NEAR(quadrotor.state().X_WB.p.z(), rests_at, kStill);
}

}  // namespace
}  // namespace marsim::sim
