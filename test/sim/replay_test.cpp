// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "collision_worlds.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"
#include "marsim/sim/vehicle.hpp"

namespace marsim::sim {
namespace {

constexpr double kRadius = 2.0, kRate = 1.5;  // [m], [rad/s]
constexpr TimeNs kBegin = 77 * kNsPerSecond;  // of the track's own time

Pose circleAt(double t) {
  const double angle = kRate * t;
  return {fromRollPitchYaw(0.0, 0.2, angle),
          {kRadius * std::cos(angle), kRadius * std::sin(angle), 3.0}};
}

std::shared_ptr<const PoseTrack> circle(double seconds, double period = 0.02) {
  std::vector<StampedPose> poses;
  for (int i = 0; i * period <= seconds; ++i) {
    poses.push_back({kBegin + toNs(i * period), circleAt(i * period)});
  }
  return std::make_shared<const PoseTrack>(poses);
}

std::shared_ptr<const PoseTrack> line(const Vector3d& from, const Vector3d& to, double seconds) {
  return std::make_shared<const PoseTrack>(
      std::vector<StampedPose>{{0, {Eigen::Quaterniond::Identity(), from}},
                               {toNs(seconds), {Eigen::Quaterniond::Identity(), to}}});
}

VehicleSetup replaying(std::shared_ptr<const PoseTrack> track, TimeNs lead_in = 0) {
  VehicleSetup setup;
  setup.vehicle = vehicle::hummingbird();
  setup.replay = Replay{std::move(track), lead_in};
  return setup;
}

TEST(Replay, StateIsThatOfTheTrack) {
  const auto track = circle(2.0);
  constexpr TimeNs kLeadIn = kNsPerSecond / 4;
  Vehicle vehicle(replaying(track, kLeadIn), 0.0, nullptr, 0);
  vehicle.place({50.0, 50.0, 0.0}, 1.0, 0);
  EXPECT_EQ(vehicle.state().X_WB.p, circleAt(0.0).p);
  while (vehicle.state().stamp < 3 * kNsPerSecond) {
    vehicle.command(vehicle::RotorArray::Constant(4, 1000.0));
    vehicle.step();
    const KinematicState &state = vehicle.state(),
                         expected = track->at(state.stamp - kLeadIn + kBegin);
    ASSERT_EQ(state.X_WB.p, expected.X_WB.p);
    ASSERT_EQ(state.X_WB.q.coeffs(), expected.X_WB.q.coeffs());
    ASSERT_EQ(state.v_WB, expected.v_WB);
    ASSERT_EQ(state.dw_WB_B, expected.dw_WB_B);
    ASSERT_FALSE(vehicle.report().on_ground);
  }
  EXPECT_EQ(vehicle.setup().replay->end(), kLeadIn + 2 * kNsPerSecond);
  EXPECT_TRUE(vehicle.state().v_WB.isZero());
}

// In the air's frame the circle's acceleration is towards its middle and gravity upwards.
TEST(Replay, ImuFeelsTheTrack) {
  VehicleSetup setup = replaying(circle(2.0));
  setup.vehicle.imu = vehicle::ImuConfig();
  setup.vehicle.imu.X_BI.p = {0.1, 0.0, 0.05};
  setup.vehicle.imu.gyroscope = setup.vehicle.imu.accelerometer = vehicle::InertialErrors();
  Vehicle vehicle(setup, 0.0, nullptr, 0);
  vehicle.place(Vector3d::Zero(), 0.0, 0);
  int samples = 0;
  while (vehicle.state().stamp < 17 * kNsPerSecond / 10) {
    const VehicleStep& step = vehicle.step();
    if (!step.imu || step.imu->stamp < 3 * kNsPerSecond / 10) continue;
    ++samples;
    const Pose X_WB = circleAt(toSeconds(step.imu->stamp));
    const Vector3d arm_W = X_WB.q * setup.vehicle.imu.X_BI.p;
    const Vector3d out(X_WB.p.x() + arm_W.x(), X_WB.p.y() + arm_W.y(), 0.0);
    const Vector3d f_W = -kRate * kRate * out + Vector3d(0.0, 0.0, kGravity);
    EXPECT_LT((step.imu->specific_force - X_WB.q.conjugate() * f_W).norm(), 2e-3);
    const Vector3d w_B = X_WB.q.conjugate() * Vector3d(0.0, 0.0, kRate);
    EXPECT_LT((step.imu->angular_velocity - w_B).norm(), 1e-4);
  }
  EXPECT_EQ(samples, 281);  // 200 a second, from 0.3 to 1.7 s
}

TEST(Replay, PassesThroughAWallAndTellsOfIt) {
  MapMaker maker;
  maker.sheet({2.0, -2.0, 0.5}, {0.0, 4.0, 0.0}, {0.0, 0.0, 4.0});
  const auto track = line({0.0, 0.0, 2.0}, {4.0, 0.0, 2.0}, 4.0);
  Vehicle vehicle(replaying(track), 0.0, collision::makeNeighbours(maker.make()), 0);
  vehicle.place(Vector3d::Zero(), 0.0, 0);
  std::vector<std::string> notes;
  while (vehicle.state().stamp < 5 * kNsPerSecond) {
    for (const ContactEvent& event : vehicle.step().contacts) notes.push_back(text(event));
    ASSERT_EQ(vehicle.state().X_WB.p, track->at(vehicle.state().stamp).X_WB.p);
  }
  EXPECT_EQ(notes, (std::vector<std::string>{"+map", "-map"}));
}

TEST(Replay, TheGroundDoesNotHoldIt) {
  const auto track = line({0.0, 0.0, 1.0}, {0.0, 0.0, -1.0}, 4.0);
  Vehicle vehicle(replaying(track), 0.0, nullptr, 0);
  vehicle.place(Vector3d::Zero(), 0.0, 0);
  while (vehicle.state().stamp < 5 * kNsPerSecond) vehicle.step();
  EXPECT_EQ(vehicle.state().X_WB.p.z(), -1.0);
  EXPECT_FALSE(vehicle.report().on_ground);
}

TEST(Replay, OthersOfTheWorldMeetIt) {
  World world(MapMaker().make(), {}, 0.0);
  UavConfig still = uavAt({2.0, 0.0, 2.0});
  still.collision.response = CollisionResponse::kBounce;
  Uav& hit = world.addUav(still);
  UavConfig moving = uavAt({0.0, 0.0, 0.0});
  const auto track = line({0.0, 0.0, 2.0}, {4.0, 0.0, 2.0}, 4.0);
  moving.replay = Replay{track};
  Uav& replayed = world.addUav(moving);
  std::vector<std::string> notes, notes_of_hit;
  noteContacts(replayed, notes);
  noteContacts(hit, notes_of_hit);
  while (replayed.state().stamp < 4 * kNsPerSecond) world.step();
  EXPECT_EQ(replayed.state().X_WB.p, track->at(4 * kNsPerSecond).X_WB.p);
  ASSERT_FALSE(notes.empty());
  EXPECT_EQ(notes.front(), "+uav 0");
  ASSERT_FALSE(notes_of_hit.empty());
  EXPECT_EQ(notes_of_hit.front(), "+uav 1");
}

TEST(Replay, ResponsesAreRefused) {
  VehicleSetup setup = replaying(circle(1.0));
  setup.collision.response = CollisionResponse::kBounce;
  try {
    setup.validate("quadrotor");
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(),
                 "quadrotor: collision_response is bounce, allowed: report, since its motion is "
                 "replayed");
  }
}

}  // namespace
}  // namespace marsim::sim
