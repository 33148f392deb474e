// SPDX-License-Identifier: BSD-3-Clause
// The ground and what lands on it, falls on it and lies on it.
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "collision_worlds.hpp"

namespace marsim::sim {
namespace {

constexpr CollisionResponse kResponses[] = {
    CollisionResponse::kReport, CollisionResponse::kStopMotors, CollisionResponse::kBounce};

double tiltOf(const KinematicState& state) {
  return std::acos(std::clamp((state.X_WB.q * Vector3d::UnitZ()).z(), -1.0, 1.0));
}

// A table, its top 1 m above the ground plane.
std::shared_ptr<const map::SurfelMap> table(double half = 1.0) {
  MapMaker maker;
  maker.sheet({-half, -half, 1.0}, {2.0 * half, 0.0, 0.0}, {0.0, 2.0 * half, 0.0});
  return maker.make();
}

/// Leads a UAV along a straight line at a speed and says how far it ever was off its reference.
double lead(World& world, Uav& uav, const Vector3d& from, const Vector3d& v, double seconds) {
  double worst = 0.0;
  control::Reference reference;
  reference.v_WB = v;
  for (int i = 0; i < static_cast<int>(1000.0 * seconds); ++i) {
    reference.p_WB = from + 1e-3 * i * v;
    uav.setReference(reference);
    world.step();
    worst = std::max(worst, (uav.state().X_WB.p - reference.p_WB).norm());
  }
  return worst;
}

/// Sheets of twigs: single points, unplanar, as of a bush.
std::shared_ptr<const map::SurfelMap> twigs() {
  MapMaker maker;
  for (double x = -1.0; x <= 1.0; x += 0.1) maker.pole(x, 0.0, 1.0);
  for (double x = -1.0; x <= 1.0; x += 0.1) maker.pole(x, 0.13, 1.0);
  return maker.make();
}

// With `report` the body flies as if nothing were there, and what it touches is told.
TEST(Landing, ReportDoesNotHoldWhoFliesAcross) {
  struct Place {
    std::shared_ptr<const map::SurfelMap> map;
    double z;
  };
  for (const Place& place : {Place{table(), 0.98}, Place{table(), 1.02}, Place{twigs(), 0.98}}) {
    std::vector<Vector3d> ways[2];
    std::vector<std::string> notes;
    for (const bool hits : {true, false}) {
      World world(place.map, {}, -1.0);
      UavConfig config = uavAt({-2.0, 0.0, place.z});
      config.collision.on = hits;
      Uav& uav = world.addUav(config);
      noteContacts(uav, notes);
      EXPECT_LT(lead(world, uav, {-2.0, 0.0, place.z}, {0.8, 0.0, 0.0}, 5.0), 0.25);
      EXPECT_FALSE(uav.platform().onGround());
      ways[hits ? 0 : 1].push_back(uav.state().X_WB.p);
    }
    EXPECT_EQ(ways[0], ways[1]) << "to the last bit";
    EXPECT_EQ(notes, (std::vector<std::string>{"+map", "-map"}));
  }
}

// Sinking through a table top is a landing only where it comes down rather than across, and gently.
TEST(Landing, ReportDoesNotHoldWhoSinksThroughOnTheWayOrFast) {
  for (const Vector3d& v : {Vector3d(0.5, 0.0, -0.3), Vector3d(0.0, 0.0, -2.0)}) {
    std::vector<Vector3d> ways;
    std::vector<std::string> notes;
    for (const bool hits : {true, false}) {
      World world(table(), {}, -3.0);
      const Vector3d from(-0.6, 0.0, 1.3);
      UavConfig config = uavAt(from);
      config.collision.on = hits;
      Uav& uav = world.addUav(config);
      noteContacts(uav, notes);
      lead(world, uav, from, v, 1.6);
      EXPECT_FALSE(uav.platform().onGround());
      EXPECT_LT((uav.state().X_WB.p - from - 1.6 * v).norm(), 0.5);
      ways.push_back(uav.state().X_WB.p);
    }
    EXPECT_EQ(ways[0], ways[1]) << "to the last bit";
    EXPECT_FALSE(notes.empty());
  }
}

TEST(Landing, ReportDoesNotLandOnWhatDoesNotCarry) {
  MapMaker shelf;  // too narrow for the feet
  shelf.sheet({-1.0, -0.05, 1.0}, {2.0, 0.0, 0.0}, {0.0, 0.11, 0.0});
  MapMaker steep;
  steep.sheet({-1.0, -1.0, 0.0}, {1.0, 0.0, 2.0}, {0.0, 2.0, 0.0});
  for (const auto& map : {shelf.make(), twigs(), steep.make()}) {
    World world(map, {}, -1.0);
    UavConfig config = uavAt({-0.5, 0.0, 2.0});
    Uav& uav = world.addUav(config);
    lead(world, uav, {-0.5, 0.0, 2.0}, {0.0, 0.0, 0.0}, 0.5);
    EXPECT_LT(lead(world, uav, {-0.5, 0.0, 2.0}, {0.0, 0.0, -0.4}, 4.0), 0.1);
    EXPECT_FALSE(uav.platform().onGround());
    EXPECT_LT(uav.state().X_WB.p.z(), 0.5) << "through it";
  }
}

TEST(Landing, OnATableItStandsOnItsFeet) {
  for (const CollisionResponse response : kResponses) {
    World world(table(), {}, 0.0);
    UavConfig config = uavAt({0.1, 0.05, 1.6});
    config.collision.response = response;
    Uav& uav = world.addUav(config);
    std::vector<std::string> notes;
    noteContacts(uav, notes);
    lead(world, uav, {0.1, 0.05, 1.6}, {0.0, 0.0, 0.0}, 0.5);
    lead(world, uav, {0.1, 0.05, 1.6}, {0.05, 0.0, -0.4}, 2.5);
    EXPECT_TRUE(uav.platform().onGround()) << nameOf(response);
    EXPECT_NEAR(uav.state().X_WB.p.z(), 1.0 + config.vehicle.ground_clearance, 1e-3);
    EXPECT_LT(tiltOf(uav.state()), 1e-3);
    EXPECT_FALSE(uav.platform().motorsStopped());
    EXPECT_TRUE(notes.empty()) << notes.front();
  }
}

// Thrown at the plane or a table in any attitude, its motors off.
struct Thrown {
  vehicle::Quadrotor quadrotor{vehicle::hummingbird()};
  std::vector<ContactEvent> events;
  double highest = 0.0;  // [m] above its lowest place, after the first impact

  Thrown(CollisionResponse response, std::shared_ptr<const map::SurfelMap> map, double ground_z,
         const Eigen::Quaterniond& q_WB, const Vector3d& v_WB, double seconds,
         bool with_motors = false) {
    CollisionConfig config;
    config.response = response;
    Collisions collisions(config, quadrotor.config(),
                          map ? collision::makeNeighbours(map) : nullptr, ground_z);
    quadrotor.reset({0.0, 0.0, 2.0}, 0.0);
    if (!with_motors) quadrotor.stopMotors();
    quadrotor.setMotion(q_WB, v_WB, Vector3d::Zero());
    double lowest = 10.0;
    for (int i = 0; i < static_cast<int>(1000.0 * seconds); ++i) {
      step(collisions, quadrotor, {}, events);
      const double z = quadrotor.state().X_WB.p.z();
      lowest = std::min(lowest, z);
      if (!events.empty()) highest = std::max(highest, z - lowest);
    }
  }
};

TEST(Landing, OnItsBackItStaysThereAndIsNotReadyToTakeOff) {
  const Eigen::Quaterniond back = fromRollPitchYaw(kPi, 0.0, 0.3);
  for (const bool on_table : {false, true}) {
    for (const CollisionResponse response : kResponses) {
      if (on_table && response == CollisionResponse::kReport) continue;  // flies through
      const Thrown thrown(response, on_table ? table(2.0) : nullptr, on_table ? 0.0 : 1.0, back,
                          {0.0, 0.0, -10.0}, 6.0);
      const KinematicState& state = thrown.quadrotor.state();
      const std::string what = std::string(nameOf(response)) + (on_table ? " table" : " plane");
      ASSERT_FALSE(thrown.events.empty()) << what;
      EXPECT_EQ(text(thrown.events[0]), "+map");
      EXPECT_NEAR(thrown.events[0].hit.v_rel_W.norm(), 10.7, 0.5) << what;
      EXPECT_GT(thrown.events[0].hit.normal_W.z(), 0.99);
      EXPECT_FALSE(thrown.quadrotor.onGround()) << what;
      EXPECT_GT(tiltOf(state), radians(150.0)) << what;
      EXPECT_LT(state.v_WB.norm(), 0.01) << what;
      EXPECT_LT(state.w_WB_B.norm(), 0.05) << what;
      EXPECT_LT(state.a_WB.norm(), 1.0) << what << ": carried";
      EXPECT_GT(state.X_WB.p.z(), 1.0) << what;
      EXPECT_LT(state.X_WB.p.z(), 1.1) << what;
      const bool bounces = response != CollisionResponse::kReport;
      EXPECT_EQ(thrown.highest > 0.05, bounces) << what << thrown.highest;
    }
  }
}

// Its motors at hover speed press it down: it stays on its back.
TEST(Landing, OnItsBackItsMotorsDoNotTurnItOver) {
  const Thrown thrown(CollisionResponse::kReport, nullptr, 1.0, fromRollPitchYaw(2.8, 0.1, 0.0),
                      {0.5, 0.0, -2.0}, 5.0, true);
  EXPECT_GT(tiltOf(thrown.quadrotor.state()), radians(150.0));
  EXPECT_FALSE(thrown.quadrotor.onGround());
  EXPECT_LT(thrown.quadrotor.state().v_WB.norm(), 0.05);
}

TEST(Landing, ATiltedOneFallsOntoItsFeetByItself) {
  for (const CollisionResponse response : kResponses) {
    const Thrown thrown(response, nullptr, 1.0, fromRollPitchYaw(0.4, -0.3, 1.0), {0.3, -0.2, 0.0},
                        4.0);
    const KinematicState& state = thrown.quadrotor.state();
    EXPECT_TRUE(thrown.quadrotor.onGround()) << nameOf(response);
    EXPECT_LT(tiltOf(state), 1e-9);
    EXPECT_NEAR(state.X_WB.p.z(), 1.0 + thrown.quadrotor.config().ground_clearance, 1e-9);
    EXPECT_EQ(state.v_WB, Vector3d::Zero());
  }
}

// A block that slides on a plane stops after v^2 / (2 mu g).
TEST(Landing, SlidesAsFarAsFrictionLetsIt) {
  CollisionConfig config;
  const vehicle::VehicleConfig craft = vehicle::hummingbird();
  Collisions collisions(config, craft, nullptr, 1.0);
  vehicle::Quadrotor quadrotor(craft);
  quadrotor.reset({0.0, 0.0, 1.0 + craft.ground_clearance + 0.02}, 0.0);
  quadrotor.stopMotors();
  std::vector<ContactEvent> events;
  for (int i = 0; i < 1000; ++i) step(collisions, quadrotor, {}, events);
  ASSERT_TRUE(quadrotor.onGround());
  const double speed = 1.5;
  const double from = quadrotor.state().X_WB.p.x();
  quadrotor.setMotion(quadrotor.state().X_WB.q, {speed, 0.0, 0.0}, Vector3d::Zero());
  for (int i = 0; i < 2000; ++i) step(collisions, quadrotor, {}, events);
  EXPECT_TRUE(quadrotor.onGround());
  const double way = speed * speed / (2.0 * config.impact.friction * kGravity);
  EXPECT_NEAR(quadrotor.state().X_WB.p.x() - from, way, 0.1 * way);
}

TEST(Landing, WithoutCollisionsThePlaneCarriesAndSaysNothing) {
  MapMaker maker;
  maker.sheet({-2.0, -2.0, 1.0}, {4.0, 0.0, 0.0}, {0.0, 4.0, 0.0});
  World world(maker.make(), {}, 0.0);
  UavConfig config = uavAt({0.0, 0.0, 2.0});
  config.collision.on = false;
  Uav& uav = world.addUav(config);
  uav.on_contact = [](const ContactEvent&) { ADD_FAILURE(); };
  uav.setGoal({0.0, 0.0, -0.3}, 0.0);
  for (int i = 0; i < 8000; ++i) world.step();
  EXPECT_TRUE(uav.platform().onGround());
  EXPECT_NEAR(uav.state().X_WB.p.z(), config.vehicle.ground_clearance, 1e-9);
}

}  // namespace
}  // namespace marsim::sim
