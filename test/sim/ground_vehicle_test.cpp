// SPDX-License-Identifier: BSD-3-Clause
// A vehicle on wheels in a world: commands, terrain, collisions, other vehicles.
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "collision_worlds.hpp"
#include "marsim/common/error.hpp"
#include "marsim/config/load.hpp"
#include "sim/command_input.hpp"

namespace marsim::sim {
namespace {

const double kClearance = vehicle::rover().ground_clearance;

UavConfig roverAt(const Vector3d& p_WB, double yaw = 0.0) {
  UavConfig config = uavAt(p_WB);
  config.vehicle = vehicle::rover();
  config.start_yaw = yaw;
  return config;
}

// A square of ground around the origin with a gradient.
MapMaker slope(double half, double along_x, double along_y) {
  MapMaker maker;
  maker.sheet({-half, -half, -half * (along_x + along_y)}, {2.0 * half, 0.0, 2.0 * half * along_x},
              {0.0, 2.0 * half, 2.0 * half * along_y});
  return maker;
}

void drive(World& world, Uav& uav, double speed, double turn, double seconds) {
  for (const TimeNs end = world.time() + toNs(seconds); world.time() < end;) {
    uav.pilot().commander().setVelocity({Vector3d(speed, 0.0, 0.0), turn, true}, world.time());
    world.runFor(0.1);
  }
}

TEST(GroundVehicle, DrivesCirclesByCmdVel) {
  World world(slope(6.0, 0.0, 0.0).make(), {});
  Uav& uav = world.addUav(roverAt({0.0, -2.0, 1.0}));
  EXPECT_NEAR(uav.state().X_WB.p.z(), kClearance, 1e-6) << "it starts on the ground below";
  const double v = 1.6, w = 1.4;
  drive(world, uav, v, w, 4.0);
  const auto centre = [&] {
    return Vector3d(uav.state().X_WB.p + v / w * (uav.state().X_WB.q * Vector3d::UnitY()));
  };
  const Vector3d before = centre();
  for (int i = 0; i < 10; ++i) {
    drive(world, uav, v, w, 1.0);
    EXPECT_LT((centre() - before).norm(), 1e-4);
    EXPECT_NEAR(uav.state().w_WB_B.z(), w, 1e-6);
    EXPECT_EQ(uav.reference().p_WB, uav.state().X_WB.p);
  }
  world.runFor(2.0);
  EXPECT_EQ(uav.state().v_WB, Vector3d::Zero()) << "half a second after the last command";
  EXPECT_TRUE(uav.platform().onGround());
}

TEST(GroundVehicle, TakesThePitchOfAMapsSlope) {
  const double along_x = 0.3, along_y = 0.1;
  const Vector3d normal = Vector3d(-along_x, -along_y, 1.0).normalized();
  World world(slope(6.0, along_x, along_y).make(), {}, -10.0);
  UavConfig config = roverAt({-3.0, -1.0, 2.0});
  config.vehicle.imu = {};
  Uav& uav = world.addUav(config);
  std::vector<std::string> notes;
  noteContacts(uav, notes);
  vehicle::ImuSample sample;
  uav.on_imu = [&](const vehicle::ImuSample& latest) { sample = latest; };
  world.runFor(0.1);
  EXPECT_LT(
      (sample.specific_force - kGravity * (uav.state().X_WB.q.conjugate() * Vector3d::UnitZ()))
          .norm(),
      1e-6);
  EXPECT_NEAR(sample.specific_force.x(),
              -kGravity * std::sin(toRollPitchYaw(uav.state().X_WB.q).y()), 1e-6);
  drive(world, uav, 1.0, 0.3, 4.0);
  EXPECT_LT((uav.state().X_WB.q * Vector3d::UnitZ() - normal).norm(), 1e-4);
  EXPECT_NEAR(normal.dot(uav.state().X_WB.p), kClearance, 1e-4);
  EXPECT_NEAR(uav.state().v_WB.norm(), 1.0, 1e-3);
  EXPECT_TRUE(notes.empty()) << "ground under the wheels makes no contact";
}

TEST(GroundVehicle, AWallStopsItAndIsAContact) {
  MapMaker maker = slope(4.0, 0.0, 0.0);
  maker.sheet({2.0, -2.0, 0.0}, {0.0, 4.0, 0.0}, {0.0, 0.0, 2.0});
  for (const CollisionResponse response :
       {CollisionResponse::kReport, CollisionResponse::kStopMotors, CollisionResponse::kBounce}) {
    World world(maker.make(), {});
    UavConfig config = roverAt({0.0, 0.0, 1.0});
    config.collision.response = response;
    Uav& uav = world.addUav(config);
    std::vector<std::string> notes;
    noteContacts(uav, notes);
    drive(world, uav, 1.0, 0.0, 4.0);
    ASSERT_FALSE(notes.empty()) << nameOf(response);
    EXPECT_EQ(notes[0], "+map");
    EXPECT_LT(uav.state().X_WB.p.x(), 2.0) << nameOf(response);
    EXPECT_GT(uav.state().X_WB.p.x(), 1.2) << nameOf(response);
    EXPECT_NEAR(uav.state().X_WB.p.z(), kClearance, 1e-3);
    EXPECT_EQ(uav.platform().motorsStopped(), response == CollisionResponse::kStopMotors);
    uav.teleport({-1.0, 1.0, 1.0}, 1.0);
    EXPECT_LT((uav.state().X_WB.p - Vector3d(-1.0, 1.0, kClearance)).norm(), 1e-3);
    EXPECT_NEAR(yawOf(uav.state().X_WB.q), 1.0, 1e-6);
    EXPECT_EQ(notes.back(), "-map");
    drive(world, uav, 0.5, 0.0, 1.0);
    EXPECT_GT(uav.state().v_WB.norm(), 0.45) << "it drives again";
  }
}

TEST(GroundVehicle, IsSeenAndStruckByUavs) {
  World world(slope(6.0, 0.0, 0.0).make(), {});
  UavConfig config = uavAt({-2.0, 0.0, 0.3});
  config.lidar = config::loadLidar("mid360");
  config.controller = config::loadController("default");
  config.collision.response = CollisionResponse::kBounce;
  Uav& viewer = world.addUav(config);
  Uav& rover = world.addUav(roverAt({0.0, -1.0, 1.0}, 1.57));
  const Vector3d half = 0.5 * rover.platform().config().differential_drive->size;
  int on_body = 0, beside = 0;
  viewer.on_scan = [&](const lidar::Scan& scan) {
    for (const lidar::ScanPoint& point : scan.points) {
      if (point.identity != 1U) continue;
      const Vector3d p_B = rover.state().X_WB.inverse() * point.p_W.cast<double>();
      ((p_B.cwiseAbs() - half).maxCoeff() < 0.15 ? on_body : beside) += 1;
    }
  };
  drive(world, rover, 0.5, 0.0, 2.0);
  EXPECT_GT(on_body, 50);
  EXPECT_EQ(beside, 0);
  std::vector<std::string> notes;
  noteContacts(viewer, notes);
  const Vector3d place = rover.state().X_WB.p;
  for (int i = 0; i < 3000; ++i) {
    viewer.setGoal({place.x(), place.y(), 0.2}, 0.0);
    world.runFor(1e-3);
    if (!notes.empty()) break;
  }
  ASSERT_FALSE(notes.empty());
  EXPECT_EQ(notes[0], "+uav 1");
}

TEST(GroundVehicle, OtherCommandsAreRefused) {
  Uav uav(roverAt({0.0, 0.0, 1.0}), {}, 0.0);
  std::vector<std::string> said;
  control::CommandWatch watch({}, vehicleModel(vehicle::rover()),
                              [&](const std::string& text) { said.push_back(text); });
  CommandInput input(uav.pilot(), watch, "world", "uav0/base_link", {});
  const auto answerTo = [&](const std::function<void()>& command) {
    said.clear();
    command();
    return said.empty() ? std::string("followed") : said.back();
  };
  const std::string refusal =
      "a vehicle on wheels follows velocities and motor speeds only (cmd_vel)";
  EXPECT_EQ(answerTo([&] { input.flyTo("goal", {"", {}}, false); }), "goal ignored: " + refusal);
  EXPECT_EQ(answerTo([&] { input.hold("pose", {"", {}}); }), "pose ignored: " + refusal);
  EXPECT_EQ(answerTo([&] { input.setInner("rates", control::RateSetpoint{}); }),
            "rates ignored: " + refusal);
  const Vector3d forward = Vector3d::UnitX(), none = Vector3d::Zero();
  EXPECT_EQ(answerTo([&] {
              input.move("velocity", {"world", forward, none}, false);
            }),
            "velocity ignored: a vehicle on wheels moves along its heading: header.frame_id is "
            "'world', allowed: 'uav0/base_link'");
  EXPECT_EQ(answerTo([&] { input.move("cmd_vel", {"", forward, none}, true); }), "followed");
  EXPECT_NE(answerTo([&] {
              input.move("cmd_vel", {"", Vector3d::Ones(), none}, true);
            }).find("linear.y and linear.z"),
            std::string::npos);
  EXPECT_NE(answerTo([&] {
              input.move("cmd_vel", {"", 3.0 * forward, none}, true);
            }).find("speed of 3 m/s is beyond 2 m/s (the wheels' speed_max)"),
            std::string::npos);
  const Pilot::Outcome climb = uav.pilot().takeOff(1.0);
  EXPECT_FALSE(climb.done);
  EXPECT_EQ(climb.text, "it drives on wheels");
  UavConfig ideal = roverAt({0.0, 0.0, 1.0});
  ideal.dynamics = Dynamics::kIdeal;
  EXPECT_THROW(Uav(ideal, {}, 0.0), ConfigError);
}

}  // namespace
}  // namespace marsim::sim
