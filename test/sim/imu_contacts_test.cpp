// SPDX-License-Identifier: BSD-3-Clause
// An IMU during contacts: its summed readings are the true changes of velocity and attitude,
// whatever is hit.
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "collision_worlds.hpp"

namespace marsim::sim {
namespace {

/// Dead reckoning from ideal readings beside the truth, twice: every reading for the time since the
/// one before, and by the trapezoidal rule. Velocities are turned by the true attitude, so that the
/// errors of both stay apart.
class DeadReckoning {
 public:
  explicit DeadReckoning(Pose X_BI) : X_BI_(std::move(X_BI)) {}

  void add(const vehicle::ImuSample& sample, const KinematicState& state) {
    const Eigen::Quaterniond q_WI = state.X_WB.q * X_BI_.q;
    v_WI_ = state.v_WB + state.X_WB.q * state.w_WB_B.cross(X_BI_.p);
    if (!last_) v_ = {v_WI_, v_WI_};
    if (!last_) q_ = {q_WI, q_WI};
    if (last_) {
      const double dt = toSeconds(sample.stamp - last_->stamp);
      const Vector3d force = q_WI * sample.specific_force;
      const Vector3d forces[] = {force, 0.5 * (q_WI_ * last_->specific_force + force)};
      const Vector3d rates[] = {sample.angular_velocity,
                                0.5 * (last_->angular_velocity + sample.angular_velocity)};
      for (int rule = 0; rule < 2; ++rule) {
        v_[rule] += dt * (forces[rule] - Vector3d(0.0, 0.0, kGravity));
        q_[rule] = q_[rule] * expMap(dt * rates[rule]);
      }
      largest_ = std::max(largest_, sample.specific_force.norm());
    }
    last_ = sample;
    q_WI_ = q_WI;
  }

  // [m/s] and [rad], now.
  double velocityError(int rule = 0) const { return (v_[rule] - v_WI_).norm(); }
  double attitudeError(int rule = 0) const { return logMap(q_[rule].conjugate() * q_WI_).norm(); }
  double largest() const { return largest_; }  // specific force [m/s^2]
  std::string text() const {
    return fmt::format("{:.4f} {:.4f} m/s, {:.5f} {:.5f} rad, at most {:.0f} m/s^2",
                       velocityError(0), velocityError(1), attitudeError(0), attitudeError(1),
                       largest_);
  }

 private:
  Pose X_BI_;
  std::optional<vehicle::ImuSample> last_;
  Eigen::Quaterniond q_WI_ = Eigen::Quaterniond::Identity();
  Vector3d v_WI_ = Vector3d::Zero();
  std::array<Vector3d, 2> v_{Vector3d::Zero(), Vector3d::Zero()};
  std::array<Eigen::Quaterniond, 2> q_;
  double largest_ = 0.0;
};

UavConfig offCentre(const Vector3d& p_WB, CollisionResponse response) {
  UavConfig config = uavAt(p_WB);
  config.vehicle.imu.X_BI.p = {0.05, -0.03, 0.02};
  config.vehicle.imu.X_BI.q = fromRollPitchYaw(0.2, -0.3, 0.5);
  config.collision.response = response;
  return config;
}

DeadReckoning& listen(Uav& uav, DeadReckoning& reckoning) {
  uav.on_imu = [&](const vehicle::ImuSample& sample) { reckoning.add(sample, uav.state()); };
  return reckoning;
}

std::shared_ptr<const map::SurfelMap> floorAndWall() {
  MapMaker maker;
  maker.sheet({-3.0, -3.0, 0.0}, {6.0, 0.0, 0.0}, {0.0, 6.0, 0.0});
  maker.sheet({2.0, -3.0, 0.0}, {0.0, 6.0, 0.0}, {0.0, 0.0, 5.0});
  return maker.make();
}

constexpr CollisionResponse kResponses[] = {
    CollisionResponse::kReport, CollisionResponse::kStopMotors, CollisionResponse::kBounce};

TEST(ImuContacts, LandsAndStands) {
  for (const CollisionResponse response : kResponses) {
    World world(floorAndWall(), {});
    const UavConfig config = offCentre({0.0, 0.0, 1.5}, response);
    Uav& uav = world.addUav(config);
    DeadReckoning reckoning(config.vehicle.imu.X_BI);
    listen(uav, reckoning);
    uav.setGoal({0.3, 0.0, -0.5}, 0.4);
    for (int i = 0; i < 8000; ++i) {
      world.step();
      ASSERT_LT(reckoning.velocityError(), 0.04) << nameOf(response) << " " << i;
    }
    EXPECT_TRUE(uav.platform().onGround());
    RecordProperty(nameOf(response), reckoning.text());
    EXPECT_LT(reckoning.attitudeError(), 0.002);
    EXPECT_GT(reckoning.largest(), 50.0) << "an impact";
  }
}

TEST(ImuContacts, IsPressedAgainstAWall) {
  World world(floorAndWall(), {}, -2.0);
  const UavConfig config = offCentre({0.0, 0.0, 1.5}, CollisionResponse::kBounce);
  Uav& uav = world.addUav(config);
  DeadReckoning reckoning(config.vehicle.imu.X_BI);
  listen(uav, reckoning);
  std::vector<std::string> notes;
  noteContacts(uav, notes);
  uav.setGoal({4.0, 0.0, 1.5}, 0.0);
  for (int i = 0; i < 5000; ++i) {
    world.step();
    ASSERT_LT(reckoning.velocityError(), 0.15) << i;
    ASSERT_LT(uav.state().v_WB.norm(), 10.0) << "as fast as its place says";
  }
  EXPECT_FALSE(notes.empty());
  RecordProperty("wall", reckoning.text());
  EXPECT_LT(reckoning.velocityError(1), 0.15);
  EXPECT_LT(reckoning.attitudeError(1), 0.01);
}

TEST(ImuContacts, FallsAndTumbles) {
  for (const CollisionResponse response : kResponses) {
    const UavConfig config = offCentre({0.0, 0.0, 3.0}, response);
    Collisions collisions(config.collision, config.vehicle,
                          collision::makeNeighbours(floorAndWall()), 0.0);
    vehicle::Quadrotor quadrotor(config.vehicle);
    quadrotor.reset(config.start_p_WB, 0.0);
    quadrotor.setMotion(fromRollPitchYaw(1.0, 0.7, 0.0), {2.0, 1.0, 0.0}, {5.0, 2.0, 3.0});
    quadrotor.stopMotors();
    vehicle::Imu imu(config.vehicle.imu, 1);
    DeadReckoning reckoning(config.vehicle.imu.X_BI);
    std::vector<ContactEvent> events;
    for (int i = 1; i <= 5000; ++i) {
      step(collisions, quadrotor, {}, events);
      if (i % 5 != 0) continue;
      reckoning.add(imu.sample(quadrotor.state(), quadrotor.breaks()), quadrotor.state());
      ASSERT_LT(reckoning.velocityError(), 0.25) << nameOf(response) << " " << i;
    }
    EXPECT_LT(reckoning.velocityError(1), 0.01) << nameOf(response);
    EXPECT_LT(reckoning.attitudeError(1), 0.01) << nameOf(response);
    EXPECT_FALSE(events.empty());
    RecordProperty(nameOf(response), reckoning.text());
  }
}

TEST(ImuContacts, IsStruckByAnotherUav) {
  MapMaker maker;
  maker.sheet({-1.0, -1.0, 0.0}, {2.0, 0.0, 0.0}, {0.0, 2.0, 0.0});
  World world(maker.make(), {});
  std::vector<DeadReckoning> reckonings;
  std::vector<Uav*> uavs;
  double gained = 0.0;
  for (int k = 0; k < 2; ++k) {
    const double x = k == 0 ? -1.0 : 1.0;
    const UavConfig config = offCentre({x, 0.02 * x, 10.0}, CollisionResponse::kBounce);
    uavs.push_back(&world.addUav(config));
    reckonings.emplace_back(config.vehicle.imu.X_BI);
    uavs.back()->setGoal({-2.0 * x, 0.0, 10.0}, 0.0);
  }
  for (int k = 0; k < 2; ++k) listen(*uavs[k], reckonings[k]);
  for (int i = 0; i < 2500; ++i) {
    const Vector3d before = uavs[0]->state().v_WB;
    world.step();
    gained = std::max(gained, (uavs[0]->state().v_WB - before).norm());
    for (const DeadReckoning& reckoning : reckonings)
      ASSERT_LT(reckoning.velocityError(), 0.2) << i;
  }
  EXPECT_GT(gained, 0.5) << "they met";
  for (const DeadReckoning& reckoning : reckonings) EXPECT_LT(reckoning.attitudeError(), 0.02);
}

// In closed form: a blow between two samples is read as its mean, at the IMU's own place.
TEST(ImuContacts, ReadsABlowAsItsMean) {
  vehicle::ImuConfig config;
  config.X_BI.p = {0.3, 0.0, 0.0};
  vehicle::Imu imu(config, 1);
  vehicle::Quadrotor quadrotor(vehicle::hummingbird());
  quadrotor.reset({0.0, 0.0, 5.0}, 0.0);
  imu.sample(quadrotor.state(), quadrotor.breaks());
  KinematicState state = quadrotor.state();
  state.stamp += 5 * kStep;
  state.v_WB.x() = 1.0;
  state.w_WB_B.z() = 2.0;  // the IMU's place moves at 0.6 m/s along y
  vehicle::MotionBreaks breaks = quadrotor.breaks();
  ++breaks.contacts;
  const vehicle::ImuSample sample = imu.sample(state, breaks);
  // Centripetal acceleration at the end: half of it is in the reading of the next sample.
  EXPECT_NEAR(sample.specific_force.x(), 1.0 / 0.005 - 0.5 * 1.2, 1e-9);
  EXPECT_NEAR(sample.specific_force.y(), 0.6 / 0.005, 1e-9);
  EXPECT_NEAR(sample.specific_force.z(), kGravity, 1e-9);
  EXPECT_NEAR(sample.angular_velocity.z(), 1.0, 1e-9) << "it has not turned yet";

  // The contact lets go after a sample: the following sample still has its force, no later one.
  for (const double force : {0.5 / 0.005, -1.2}) {
    state.stamp += 5 * kStep;
    state.v_WB.x() += 0.5;
    EXPECT_NEAR(imu.sample(state, breaks).specific_force.x(), force, 1e-9);
  }

  // Put somewhere else it feels nothing.
  ++breaks.placements;
  ++breaks.contacts;
  state.stamp += 5 * kStep;
  state.v_WB.x() = -5.0;
  state.w_WB_B.setZero();
  EXPECT_NEAR(imu.sample(state, breaks).specific_force.norm(), kGravity, 1e-9);
}

}  // namespace
}  // namespace marsim::sim
