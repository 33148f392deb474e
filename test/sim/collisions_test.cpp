// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/sim/collisions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "collision/flat_tree.hpp"
#include "collision_worlds.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/random.hpp"

namespace marsim::sim {
namespace {

/// A ball that goes up and down about a place.
class Ball : public scene::ObjectSource {
 public:
  Ball(const Vector3d& place, double radius) : place_(place) {
    std::vector<map::Surfel> surfels;
    for (int i = 0; i < 300; ++i) {  // Fibonacci's lattice
      const double z = 1.0 - (2.0 * i + 1.0) / 300.0, azimuth = 2.399963 * i;
      const double across = std::sqrt(1.0 - z * z);
      const Vector3d n(across * std::cos(azimuth), across * std::sin(azimuth), z);
      surfels.push_back({(radius * n).cast<float>(), n.cast<float>(), 0.0F});
    }
    map::SurfelMapConfig config;
    config.resolution = 0.05;
    shape_ = std::make_shared<const map::SurfelMap>(surfels, config);
  }
  void appendObjects(TimeNs begin, TimeNs end,
                     std::vector<scene::MovingObject>& objects) const override {
    objects.push_back(
        scene::movingObject(shape_, scene::kFirstObstacleIdentity + 4, begin, end, [&](TimeNs t) {
          return Pose{Eigen::Quaterniond::Identity(),
                      place_ + Vector3d(0.0, 0.0, 0.05 * std::sin(6.0 * toSeconds(t)))};
        }));
  }

 private:
  Vector3d place_;
  std::shared_ptr<const map::SurfelMap> shape_;
};

TEST(Collisions, AScriptedFlightBeginsAndEndsEveryContactOnce) {
  MapMaker maker;
  maker.sheet({-2.0, -2.0, 0.0}, {13.0, 0.0, 0.0}, {0.0, 4.0, 0.0}, 0.02);
  maker.pole(2.0, 0.12, 3.0);
  maker.sheet({4.0, -1.0, 0.2}, {0.0, 2.0, 0.0}, {0.0, 0.0, 2.5});
  World world(maker.make(), {});
  world.addObjects(std::make_shared<Ball>(Vector3d(6.0, 0.0, 1.5), 0.3));
  Uav& uav = world.addUav(uavAt({0.0, 0.0, 1.5}));
  Uav& peer = world.addUav(uavAt({8.0, 0.1, 1.55}));
  std::vector<ContactEvent> events;
  uav.on_contact = [&](const ContactEvent& event) { events.push_back(event); };
  std::vector<std::string> peers;
  noteContacts(peer, peers);
  uav.setGoal({10.0, 0.0, 1.5}, 0.0);
  for (int i = 0; i < 9000; ++i) world.step();
  ASSERT_GT(uav.state().X_WB.p.x(), 9.9);

  const std::vector<std::string> expected{"+map",        "-map",        "+map",   "-map",
                                          "+obstacle 4", "-obstacle 4", "+uav 1", "-uav 1"};
  std::vector<std::string> words;
  for (const ContactEvent& event : events) words.push_back(text(event));
  ASSERT_EQ(words, expected);
  EXPECT_EQ(peers, (std::vector<std::string>{"+uav 0", "-uav 0"}));
  const std::vector<double> places{2.0, 4.0, 6.0, 8.0};  // x of what is hit
  for (std::size_t i = 0; i < places.size(); ++i) {
    const ContactEvent& begin = events[2 * i];
    EXPECT_NEAR(begin.hit.p_W.x(), places[i], 0.35);
    // Flat propellers may meet with their faces.
    EXPECT_TRUE(begin.hit.normal_W.x() < -0.3 || begin.hit.identity == 1U) << "towards the UAV";
    EXPECT_GT(begin.hit.v_rel_W.norm(), 0.5);
    EXPECT_LT(begin.hit.v_rel_W.norm(), 3.0);
    EXPECT_LE(begin.hit.p_BV.norm(), 0.5) << "a cell of the body";
    EXPECT_GT(events[2 * i + 1].stamp, begin.stamp);
  }
  EXPECT_EQ(uav.collisions()->contacts().begun(), 4U);
  EXPECT_EQ(uav.collisions()->contacts().touching(), 0U);
}

TEST(Collisions, ContactsAreTheSameInEveryRun) {
  const auto flown = [] {
    MapMaker maker;
    maker.pole(1.0, 0.1, 3.0);
    World world(maker.make(), {}, 0.0);
    world.addObjects(std::make_shared<Ball>(Vector3d(2.0, 0.2, 1.5), 0.3));
    UavConfig config = uavAt({0.0, 0.0, 1.5});
    config.collision.response = CollisionResponse::kBounce;
    Uav& uav = world.addUav(config);
    world.addUav(uavAt({1.5, 0.3, 1.5}));
    std::vector<double> numbers;
    uav.on_contact = [&](const ContactEvent& event) {
      numbers.insert(numbers.end(), {toSeconds(event.stamp), event.hit.p_W.x(), event.hit.p_W.y(),
                                     event.hit.normal_W.z(), event.hit.v_rel_W.norm()});
    };
    uav.setGoal({3.0, 0.0, 1.5}, 0.5);
    for (int i = 0; i < 2500; ++i) world.step();
    numbers.push_back(uav.state().X_WB.p.x());
    return numbers;
  };
  const std::vector<double> first = flown();
  EXPECT_GT(first.size(), 5U);
  EXPECT_EQ(first, flown());
}

TEST(Collisions, StandingTakingOffAndLandingOnTheGroundAreNone) {
  MapMaker maker;
  maker.sheet({-2.0, -2.0, 0.03}, {4.0, 0.0, 0.0}, {0.0, 4.0, 0.0}, 0.03);
  World world(maker.make(), {}, 0.0);
  Uav& uav = world.addUav(uavAt({0.0, 0.0, 0.1}));
  std::vector<std::string> notes;
  noteContacts(uav, notes);
  for (int i = 0; i < 500; ++i) world.step();
  EXPECT_TRUE(uav.platform().onGround());
  uav.setGoal({0.3, 0.0, 1.0}, 0.0);
  for (int i = 0; i < 3000; ++i) world.step();
  EXPECT_GT(uav.state().X_WB.p.z(), 0.9);
  control::Reference reference;
  reference.p_WB = {0.3, 0.0, 1.0};
  reference.v_WB = {0.0, 0.0, -0.5};
  for (int i = 0; i < 3000; ++i) {
    reference.p_WB.z() = std::max(1.0 - 0.0005 * i, 0.0);
    uav.setReference(reference);
    world.step();
  }
  EXPECT_TRUE(uav.platform().onGround());
  EXPECT_EQ(notes, std::vector<std::string>{});
}

TEST(Collisions, ACrashIntoTheGroundIsOneAlsoWithoutPointsThere) {
  MapMaker maker;
  maker.sheet({-2.0, -2.0, 0.0}, {4.0, 0.0, 0.0}, {0.0, 4.0, 0.0}, 0.02);
  for (const bool has_map : {true, false}) {
    for (const CollisionResponse response :
         {CollisionResponse::kReport, CollisionResponse::kStopMotors, CollisionResponse::kBounce}) {
      CollisionConfig config;
      config.response = response;
      const vehicle::VehicleConfig craft = vehicle::hummingbird();
      Collisions collisions(config, craft,
                            has_map ? collision::makeNeighbours(maker.make()) : nullptr, 0.0);
      vehicle::Quadrotor quadrotor(craft);
      quadrotor.setGround(0.0);
      quadrotor.reset({0.0, 0.0, 3.0}, 0.0);
      quadrotor.stopMotors();
      std::vector<ContactEvent> events;
      for (int i = 0; i < 2500; ++i) step(collisions, quadrotor, {}, events);
      EXPECT_TRUE(quadrotor.onGround());
      // It bounces once, and comes down a second time at more than the speed of a landing.
      const std::size_t contacts = response == CollisionResponse::kReport ? 1 : 2;
      ASSERT_EQ(events.size(), 2 * contacts) << has_map << nameOf(response);
      EXPECT_EQ(text(events[0]), "+map");
      EXPECT_EQ(text(events[1]), "-map");
      EXPECT_NEAR(events[0].hit.v_rel_W.norm(), std::sqrt(2.0 * kGravity * 2.9), 0.5);
      EXPECT_GT(events[0].hit.normal_W.z(), 0.9);
    }
  }
}

// A plane that rises along x, 1.5 m above the ground in the middle.
std::shared_ptr<const map::SurfelMap> hillside(double slope) {
  MapMaker maker;
  const double half = 1.5;
  maker.sheet({-half, -half, 1.5 - half * std::tan(slope)},
              {2 * half, 0, 2 * half * std::tan(slope)}, {0, 2 * half, 0});
  return maker.make();
}

// Goes straight down at a speed [m/s] until `z`, as a planner would tell it.
void descend(World& world, Uav& uav, double z, double speed) {
  control::Reference reference;
  reference.p_WB = uav.state().X_WB.p;
  reference.v_WB = {0.0, 0.0, -speed};
  while (reference.p_WB.z() > z) {
    reference.p_WB.z() -= 1e-3 * speed;
    uav.setReference(reference);
    world.step();
  }
}

TEST(Collisions, LandsOnAHillStandsThereAndTakesOffAgain) {
  for (const double degrees : {0.0, 10.0}) {
    for (const CollisionResponse response :
         {CollisionResponse::kReport, CollisionResponse::kStopMotors, CollisionResponse::kBounce}) {
      World world(hillside(radians(degrees)), {}, 0.0);
      UavConfig config = uavAt({0.0, 0.0, 2.2});
      config.collision.response = response;
      Uav& uav = world.addUav(config);
      std::vector<std::string> notes;
      noteContacts(uav, notes);
      uav.setGoal({0.0, 0.0, 2.2}, 0.0);
      descend(world, uav, 1.0, 0.5);
      ASSERT_TRUE(uav.platform().onGround()) << degrees << nameOf(response);
      const Vector3d stood = uav.state().X_WB.p;
      EXPECT_NEAR(stood.z(), 1.55, 0.15) << "as fine as the cells";
      for (int i = 0; i < 500; ++i) world.step();
      EXPECT_EQ(uav.state().X_WB.p, stood);
      EXPECT_FALSE(uav.platform().motorsStopped());

      // Off the hill there is the ground below it.
      uav.setGoal({0.0, 0.0, 2.4}, 0.0);
      for (int i = 0; i < 5000; ++i) world.step();
      EXPECT_NEAR(uav.state().X_WB.p.z(), 2.4, 0.15);
      uav.setGoal({-2.5, 0.0, 2.4}, 0.0);
      for (int i = 0; i < 4000; ++i) world.step();
      descend(world, uav, -0.5, 0.8);  // until its thrust is below its weight
      EXPECT_TRUE(uav.platform().onGround());
      EXPECT_NEAR(uav.state().X_WB.p.z(), config.vehicle.ground_clearance, 1e-9);
      EXPECT_EQ(notes, std::vector<std::string>{}) << degrees << nameOf(response);
    }
  }
}

TEST(Collisions, ComingDownFastOrOnSomethingSteepIsNoLanding) {
  struct Fall {
    double slope, speed;
  };
  for (const Fall& fall : {Fall{0.0, 3.0}, Fall{radians(60.0), 0.5}}) {
    const vehicle::VehicleConfig craft = vehicle::hummingbird();
    CollisionConfig config;
    config.response = CollisionResponse::kBounce;
    Collisions collisions(config, craft, collision::makeNeighbours(hillside(fall.slope)), 0.0);
    vehicle::Quadrotor quadrotor(craft);
    quadrotor.setGround(0.0);
    quadrotor.reset({0.0, 0.0, 2.5}, 0.0);
    quadrotor.setMotion(Eigen::Quaterniond::Identity(), {0.0, 0.0, -fall.speed}, Vector3d::Zero());
    std::vector<ContactEvent> events;
    for (int i = 0; i < 3000 && events.empty(); ++i) step(collisions, quadrotor, {}, events);
    ASSERT_EQ(events.size(), 1U) << fall.slope;
    EXPECT_EQ(text(events[0]), "+map");
    EXPECT_FALSE(quadrotor.onGround());
    EXPECT_NEAR(events[0].hit.v_rel_W.norm(), fall.speed, 0.3);
  }
}

TEST(Collisions, PutElsewhereItIsNotCarriedByTheHillItStoodOn) {
  const vehicle::VehicleConfig craft = vehicle::hummingbird();
  Collisions collisions({}, craft, collision::makeNeighbours(hillside(0.0)), 0.0);
  vehicle::Quadrotor quadrotor(craft);
  quadrotor.setGround(0.0);
  quadrotor.reset({0.0, 0.0, 1.7}, 0.0);
  quadrotor.setMotion(Eigen::Quaterniond::Identity(), {0.0, 0.0, -0.5}, Vector3d::Zero());
  std::vector<ContactEvent> events;
  quadrotor.command(0.9 * craft.hoverSpeeds());
  for (int i = 0; i < 1000; ++i) step(collisions, quadrotor, {}, events);
  ASSERT_TRUE(quadrotor.onGround());
  collisions.endContacts(events);
  quadrotor.reset({5.0, 0.0, 1.0}, 0.0);
  EXPECT_FALSE(quadrotor.onGround());
  EXPECT_EQ(events.size(), 0U);
}

// A closed room of one layer of points, its floor well above the ground.
std::shared_ptr<const map::SurfelMap> closedRoom() {
  MapMaker maker;
  const Vector3d x(4.0, 0.0, 0.0), y(0.0, 4.0, 0.0), z(0.0, 0.0, 3.0);
  const Vector3d low(-2.0, -2.0, 0.0), high(2.0, 2.0, 3.0);
  maker.sheet(low, x, y);
  maker.sheet(low, x, z);
  maker.sheet(low, y, z);
  maker.sheet(high, -x, -y);
  maker.sheet(high, -x, -z);
  maker.sheet(high, -y, -z);
  return maker.make();
}

TEST(Collisions, ThrownAtWallsItBouncesWithoutSinkingInAndWithoutGainingEnergy) {
  const auto map = closedRoom();
  // An independent look at where it is.
  collision::CollisionChecker judge(collision::BodyVoxels(bodyOf(vehicle::hummingbird()), kCell),
                                    std::make_shared<const collision::FlatTree>(*map));
  const collision::BodyHull hull(scene::bodyCloud(bodyOf(vehicle::hummingbird()), 0.01), {});
  const collision::Plane floor;
  RandomStream random(1, "throws");
  for (int i = 0; i < 12; ++i) {
    CollisionConfig config;
    config.response = CollisionResponse::kBounce;
    config.impact.restitution = i % 3 == 0 ? 1.0 : random.uniform();
    config.impact.friction = random.uniform(0.0, 1.0);
    const vehicle::VehicleConfig craft = vehicle::hummingbird();
    Collisions collisions(config, craft, collision::makeNeighbours(map), -10.0);
    vehicle::Quadrotor quadrotor(craft);
    quadrotor.reset({0.0, 0.0, 1.5}, 0.0);
    quadrotor.stopMotors();
    const Vector3d direction =
        Vector3d(random.normal(), random.normal(), random.normal()).normalized();
    quadrotor.setMotion(
        Eigen::Quaterniond(random.normal(), random.normal(), random.normal(), random.normal()),
        10.0 * direction,
        10.0 * Vector3d(random.normal(), random.normal(), random.normal()).normalized());
    std::vector<ContactEvent> events;
    double energy = std::numeric_limits<double>::infinity();
    const int steps = 1500;
    for (int k = 0; k < steps; ++k) {
      step(collisions, quadrotor, {}, events);
      const KinematicState& state = quadrotor.state();
      // The floor carries it as a plane, on the body itself, which is smaller than its cells.
      for (const collision::Touch& touch : judge.checkMap(state.X_WB)) {
        ASSERT_LT(touch.p_W.z(), 0.15) << "throw " << i << ", step " << k;
      }
      ASSERT_GE(hull.lowest(floor, state.X_WB), -5e-3) << "throw " << i << ", step " << k;
      ASSERT_LT(state.X_WB.p.cwiseAbs().maxCoeff(), 3.1);
      if (quadrotor.motorSpeeds().maxCoeff() > 0.01) continue;  // its rotors still lift
      const double now = 0.5 * craft.mass * state.v_WB.squaredNorm() +
                         0.5 * craft.inertia.dot(state.w_WB_B.cwiseAbs2()) +
                         craft.mass * kGravity * state.X_WB.p.z();
      ASSERT_LE(now, energy + 1e-6) << "throw " << i << ", step " << k;
      energy = now;
    }
    EXPECT_GE(events.size(), 1U);
  }
}

TEST(Collisions, PressedAgainstAWallItStaysInFrontOfIt) {
  MapMaker maker;
  // Down to the ground: it may slide down the wall.
  maker.sheet({2.0, -3.0, -2.0}, {0.0, 6.0, 0.0}, {0.0, 0.0, 6.0});
  World world(maker.make(), {}, -2.0);
  UavConfig config = uavAt({0.0, 0.0, 1.5});
  config.collision.response = CollisionResponse::kBounce;
  Uav& uav = world.addUav(config);
  int begun = 0;
  uav.on_contact = [&](const ContactEvent& event) { begun += event.begins ? 1 : 0; };
  uav.setGoal({4.0, 0.0, 1.5}, 0.0);
  for (int i = 0; i < 8000; ++i) {
    world.step();
    ASSERT_LT(uav.state().X_WB.p.x(), 2.0);
  }
  EXPECT_GE(begun, 1);
}

TEST(Collisions, StoppedMotorsLetItFallToTheGroundUntilReset) {
  MapMaker maker;
  maker.sheet({-3.0, -3.0, 0.0}, {6.0, 0.0, 0.0}, {0.0, 6.0, 0.0});
  maker.sheet({2.0, -3.0, 0.0}, {0.0, 6.0, 0.0}, {0.0, 0.0, 4.0});
  World world(maker.make(), {});
  UavConfig config = uavAt({0.0, 0.0, 1.5});
  config.collision.response = CollisionResponse::kStopMotors;
  Uav& uav = world.addUav(config);
  uav.setGoal({4.0, 0.0, 1.5}, 0.0);
  for (int i = 0; i < 5000; ++i) world.step();
  EXPECT_TRUE(uav.platform().motorsStopped());
  EXPECT_TRUE(uav.platform().onGround());
  EXPECT_EQ(uav.platform().motorCommands().maxCoeff(), 0.0);
  EXPECT_LT(uav.platform().motorSpeeds().maxCoeff(), 1e-3);
  EXPECT_LT(uav.state().X_WB.p.x(), 2.0) << "it does not fall through the wall";

  vehicle::Quadrotor quadrotor(vehicle::hummingbird());
  quadrotor.stopMotors();
  quadrotor.command(vehicle::RotorArray::Constant(4, 300.0));
  EXPECT_EQ(quadrotor.motorCommands().maxCoeff(), 0.0);
  quadrotor.reset({0.0, 0.0, 2.0}, 0.0);
  EXPECT_FALSE(quadrotor.motorsStopped());
  quadrotor.command(vehicle::RotorArray::Constant(4, 300.0));
  EXPECT_EQ(quadrotor.motorCommands().maxCoeff(), 300.0);
}

TEST(Collisions, OffIsOff) {
  MapMaker maker;
  maker.pole(0.0, 0.0, 3.0);
  World world(maker.make(), {}, 0.0);
  UavConfig config = uavAt({0.0, 0.0, 1.5});
  config.collision.on = false;
  Uav& uav = world.addUav(config);
  uav.on_contact = [](const ContactEvent&) { ADD_FAILURE(); };
  for (int i = 0; i < 10; ++i) world.step();
  EXPECT_EQ(uav.collisions(), nullptr);
}

TEST(Collisions, RefuseWhatCannotBe) {
  const auto messageOf = [](auto make) -> std::string {
    try {
      make();
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  CollisionConfig config;
  config.landing.speed = -1.0;
  EXPECT_NE(messageOf([&] { config.validate("uav0"); }).find("uav0: landing_speed is -1,"),
            std::string::npos);
  config = {};
  config.release = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(messageOf([&] { config.validate("uav0"); }).find("uav0: release is nan"),
            std::string::npos);
  EXPECT_EQ(collisionResponseOf("bounce"), CollisionResponse::kBounce);
  EXPECT_EQ(messageOf([] { collisionResponseOf("bounse"); }),
            "unknown collision_response 'bounse' (did you mean 'bounce'?), known: report, "
            "stop_motors, bounce");
}

}  // namespace
}  // namespace marsim::sim
