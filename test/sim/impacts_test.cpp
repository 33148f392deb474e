// SPDX-License-Identifier: BSD-3-Clause
// UAVs that run into each other: one impulse for both.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "collision_worlds.hpp"
#include "marsim/common/random.hpp"

namespace marsim::sim {
namespace {

// Two UAVs run into each other, turned anyhow, off centre. Their common momentum changes by what
// weight, thrust and drag give, and by nothing else, when who noticed has told the other.
TEST(Collisions, UavsThatRunIntoEachOtherKeepTheirMomentum) {
  MapMaker maker;
  maker.sheet({-1.0, -1.0, 0.0}, {2.0, 0.0, 0.0}, {0.0, 2.0, 0.0});
  const auto map = maker.make();
  RandomStream random(3, "pairs");
  int both = 0;
  for (int pair = 0; pair < 10; ++pair) {
    World world(map, {});
    std::vector<Uav*> uavs;
    std::vector<std::string> notes[2];
    for (int k = 0; k < 2; ++k) {
      const double x = k == 0 ? -1.0 : 1.0, side = random.uniform(-0.1, 0.1);
      UavConfig config = uavAt({x, side, 20.0 + random.uniform(-0.03, 0.03)});
      config.collision.response = CollisionResponse::kBounce;
      config.start_yaw = random.uniform(-kPi, kPi);
      uavs.push_back(&world.addUav(config));
      noteContacts(*uavs.back(), notes[k]);
      uavs.back()->setGoal({-2.0 * x, side, 20.0}, config.start_yaw);
    }
    const auto momentum = [](const Uav& uav) {
      return Vector3d(uav.platform().config().mass * uav.state().v_WB);
    };
    // Momentum added by a step without an impact: half each by the accelerations before and after.
    const auto half = [](const Uav& uav) {
      return Vector3d(0.5e-3 * uav.platform().config().mass * uav.state().a_WB);
    };
    double largest = 0.0;               // [N s] that one of them took in a step
    Vector3d given = Vector3d::Zero();  // [N s] by one of them and not yet taken by the other
    int told = -1000;                   // step of the last impulse
    for (int i = 0; i < 2500; ++i) {
      const Vector3d first = momentum(*uavs[0]);
      Vector3d expected = first + half(*uavs[0]) + momentum(*uavs[1]) + half(*uavs[1]);
      world.step();
      expected += half(*uavs[0]) + half(*uavs[1]);
      const Vector3d change = momentum(*uavs[0]) + momentum(*uavs[1]) - expected;
      if (change.norm() > 0.005) {
        given += change;
        told = i;
      }
      if (i - told > 20) {
        ASSERT_LT(given.norm(), 0.01) << "pair " << pair << ", step " << i;
      }
      largest = std::max(largest, (momentum(*uavs[0]) - first).norm());
    }
    ASSERT_GT(largest, 0.3) << "pair " << pair;
    for (const std::vector<std::string>& said : notes) {
      ASSERT_FALSE(said.empty());
      both += said.front().substr(0, 4) == "+uav" ? 1 : 0;
    }
  }
  EXPECT_EQ(both, 20) << "both have a contact, whoever noticed it";
}

// As on two machines: neither has heard of the other's impact when it notices by itself.
TEST(Collisions, TheLowerNumbersImpactHoldsIfBothNotice) {
  const vehicle::VehicleConfig craft = vehicle::hummingbird();
  const auto shape = bodyShapeOf(craft);
  CollisionConfig config;
  config.response = CollisionResponse::kBounce;
  std::vector<vehicle::Quadrotor> uavs(2, vehicle::Quadrotor(craft));
  std::vector<Collisions> collisions;
  for (std::uint32_t k = 0; k < 2; ++k) {
    const double x = k == 0 ? -0.4 : 0.4;
    uavs[k].reset({x, 0.1 * x, 5.0}, 0.4 * k);
    uavs[k].setMotion(uavs[k].state().X_WB.q, {-5.0 * x, 0.0, 0.0}, Vector3d::Zero());
    collisions.emplace_back(config, craft, nullptr, -10.0, k);
  }
  std::vector<ContactEvent> events;
  bool struck[2] = {false, false};
  Vector3d gained[2];  // momentum [N s]
  for (int i = 0; i < 300 && !(struck[0] && struck[1]); ++i) {
    for (std::uint32_t k = 0; k < 2; ++k) {
      const vehicle::Quadrotor& other = uavs[1 - k];
      const auto objectsNear = [&](TimeNs begin, TimeNs end) {
        return std::vector<scene::MovingObject>{scene::movingObject(
            shape, 1 - k, begin, end, [&](TimeNs) { return other.state().X_WB; })};
      };
      // The other UAV's announced motion is from before it was struck.
      const auto rigidBodyOf = [&](std::uint32_t) -> std::optional<collision::RigidBody> {
        return collision::RigidBody{craft.mass,
                                    craft.inertia,
                                    other.state().X_WB,
                                    {k == 0 ? -2.0 : 2.0, 0.0, 0.0},
                                    Vector3d::Zero()};
      };
      if (struck[k]) continue;
      const Vector3d v = uavs[k].state().v_WB;
      step(collisions[k], uavs[k], objectsNear, events, rigidBodyOf);
      struck[k] = !collisions[k].impacts().empty();
      if (struck[k]) gained[k] = v;
    }
  }
  ASSERT_TRUE(struck[0] && struck[1]);
  std::vector<Impact> impacts{collisions[0].impacts().front(), collisions[1].impacts().front()};
  for (std::uint32_t k = 0; k < 2; ++k) {
    impacts[k].identity = k;
    collisions[1 - k].takeImpact(impacts[k], uavs[1 - k]);
  }
  for (int k = 0; k < 2; ++k) gained[k] = craft.mass * (uavs[k].state().v_WB - gained[k]);
  EXPECT_GT(gained[1].x(), 0.3);
  EXPECT_LT((gained[0] + gained[1]).norm(), 0.03) << "but for a step's drag and thrust";
  EXPECT_LT((gained[1] - impacts[0].impulse_W).norm(), 0.02);
}

// One is placed in another one's way and feels it at once; the other cannot know for 20 ms.
TEST(Collisions, AStruckUavFeelsTheAnnouncedImpact) {
  MapMaker maker;
  maker.sheet({-1.0, -1.0, 0.0}, {2.0, 0.0, 0.0}, {0.0, 2.0, 0.0});
  World world(maker.make(), {});
  std::vector<Uav*> uavs;
  for (const double x : {-5.0, 0.0}) {
    UavConfig config = uavAt({x, 0.0, 20.0});
    config.collision.response = CollisionResponse::kBounce;
    uavs.push_back(&world.addUav(config));
  }
  uavs[1]->setGoal({9.0, 0.0, 20.0}, 0.0);
  for (int i = 0; i < 1501; ++i) world.step();
  uavs[0]->teleport(uavs[1]->state().X_WB.p + Vector3d(0.3, 0.02, 0.0), 0.3);
  std::vector<int> felt(2, -1);  // [ms] after that
  for (int i = 1; i <= 100; ++i) {
    const Vector3d before[] = {uavs[0]->state().v_WB, uavs[1]->state().v_WB};
    world.step();
    for (std::size_t k = 0; k < 2; ++k) {
      const double change = (uavs[k]->state().v_WB - before[k]).norm();
      if (felt[k] < 0 && change > 0.05) felt[k] = i;
    }
  }
  EXPECT_EQ(felt, (std::vector<int>{1, 20}));
}

TEST(Collisions, AImpactMovesWhoRespondsAndCountsOnce) {
  Impact impact;
  impact.identity = 3;
  impact.impulse_W = {1.4, 0.0, 0.0};
  impact.moment_W = {0.0, 0.0, 0.012};
  impact.p_W = {-0.1, 0.0, 2.0};
  impact.v_rel_W = {-3.0, 0.0, 0.0};
  const vehicle::VehicleConfig craft = vehicle::hummingbird();
  for (const CollisionResponse response :
       {CollisionResponse::kReport, CollisionResponse::kStopMotors, CollisionResponse::kBounce}) {
    CollisionConfig config;
    config.response = response;
    Collisions collisions(config, craft, nullptr, -10.0);
    vehicle::Quadrotor quadrotor(craft);
    quadrotor.reset({0.0, 0.0, 2.0}, 0.0);
    const bool responds = response != CollisionResponse::kReport;
    collisions.takeImpact(impact, quadrotor);
    EXPECT_NEAR(quadrotor.state().v_WB.x(), responds ? 1.4 / craft.mass : 0.0, 1e-12);
    EXPECT_NEAR(quadrotor.state().w_WB_B.z(), responds ? 0.012 / craft.inertia.z() : 0.0, 1e-12);
    const Vector3d v = quadrotor.state().v_WB;
    collisions.takeImpact(impact, quadrotor);  // again
    Impact nonsense = impact;
    nonsense.stamp = kNsPerSecond;
    nonsense.impulse_W.x() = 1e30;
    collisions.takeImpact(nonsense, quadrotor);
    nonsense.impulse_W.x() = std::numeric_limits<double>::quiet_NaN();
    collisions.takeImpact(nonsense, quadrotor);
    EXPECT_EQ(quadrotor.state().v_WB, v);
    std::vector<ContactEvent> events;
    for (int i = 0; i < 500; ++i) step(collisions, quadrotor, {}, events);
    ASSERT_EQ(events.size(), responds ? 2U : 0U);
    EXPECT_EQ(quadrotor.motorsStopped(), response == CollisionResponse::kStopMotors);
    if (responds) {
      EXPECT_EQ(text(events[0]), "+uav 3");
      EXPECT_EQ(events[0].hit.v_rel_W, impact.v_rel_W);
    }
  }
}

}  // namespace
}  // namespace marsim::sim
