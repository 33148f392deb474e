// SPDX-License-Identifier: BSD-3-Clause
#include "control/pilot/offboard.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "contains.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"

namespace marsim::control::offboard {
namespace {

using Eigen::Vector3d;
using test::contains;
using P = PositionTarget;
using A = AttitudeTarget;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::uint16_t kPositionOnly =
    P::kNoVelocity | P::kNoAcceleration | P::kNoYaw | P::kNoYawRate;
constexpr std::uint16_t kVelocityOnly =
    P::kNoPosition | P::kNoAcceleration | P::kNoYaw | P::kNoYawRate;
constexpr std::uint16_t kAccelerationOnly =
    P::kNoPosition | P::kNoVelocity | P::kNoYaw | P::kNoYawRate;

// At (10, 20, 5), turned to the left by a quarter: forward is +y of W, left is -x.
KinematicState turnedState(TimeNs stamp = kNsPerSecond) {
  KinematicState state;
  state.stamp = stamp;
  state.X_WB = {fromRollPitchYaw(0.1, -0.2, kPi / 2), Vector3d(10, 20, 5)};
  return state;
}

P target(std::uint8_t frame, std::uint16_t mask) {
  P target;
  target.frame = frame;
  target.mask = mask;
  target.position = {1, 2, 3};
  target.velocity = {0.4, 0.5, 0.6};
  target.acceleration = {0.7, 0.8, 0.9};
  target.yaw = 0.3;
  target.yaw_rate = 0.2;
  return target;
}

/// The text of a list of one; a line that says how many there are otherwise.
std::string onlyOne(const std::vector<std::string>& lines) {
  return lines.size() == 1 ? lines.front() : std::to_string(lines.size()) + " lines";
}

class Offboard : public testing::Test {
 protected:
  template <class Wanted>
  Wanted as(const P& given, const KinematicState& state = turnedState()) {
    const Command command = decoder_.decode(given, state);
    EXPECT_TRUE(std::holds_alternative<Wanted>(command)) << "kind " << command.index();
    return std::holds_alternative<Wanted>(command) ? std::get<Wanted>(command) : Wanted{};
  }
  std::string reason(const P& given) {
    try {
      decoder_.decode(given, turnedState());
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  std::string reason(const A& given) {
    try {
      decoder_.decode(given);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  Decoder decoder_{Body{2.0, 60.0}};
};

TEST_F(Offboard, MaskLeavesPositionVelocityOrBoth) {
  const auto pose = as<PoseCommand>(target(P::kLocal, kPositionOnly));
  EXPECT_EQ(pose.p_WB, Vector3d(1, 2, 3));
  EXPECT_FALSE(pose.yaw) << "kept";
  const auto velocity = as<VelocitySetpoint>(target(P::kLocal, kVelocityOnly));
  EXPECT_EQ(velocity.v_WB, Vector3d(0.4, 0.5, 0.6));
  EXPECT_EQ(velocity.yaw_rate, 0.0);
  const auto reference = as<Reference>(target(P::kLocal, 0));
  EXPECT_EQ(reference.p_WB, Vector3d(1, 2, 3));
  EXPECT_EQ(reference.v_WB, Vector3d(0.4, 0.5, 0.6));
  EXPECT_EQ(reference.a_WB, Vector3d(0.7, 0.8, 0.9));
  EXPECT_EQ(reference.yaw, 0.3);
  EXPECT_EQ(reference.yaw_rate, 0.2);
  const auto without = as<Reference>(target(P::kLocal, P::kNoAcceleration | P::kNoYaw));
  EXPECT_EQ(without.a_WB, Vector3d::Zero()) << "what the mask leaves out is zero";
}

TEST_F(Offboard, FramesTurnAndOffset) {
  // MAVLink's definitions of the frames, worked out by hand for a vehicle that looks along +y.
  EXPECT_TRUE(
      as<PoseCommand>(target(P::kLocalOffset, kPositionOnly)).p_WB.isApprox(Vector3d(11, 22, 8)));
  EXPECT_TRUE(
      as<PoseCommand>(target(P::kHeadingOffset, kPositionOnly)).p_WB.isApprox(Vector3d(8, 21, 8)));
  EXPECT_TRUE(as<VelocitySetpoint>(target(P::kLocalOffset, kVelocityOnly))
                  .v_WB.isApprox(Vector3d(0.4, 0.5, 0.6)));
  for (const std::uint8_t frame : {P::kHeading, P::kHeadingOffset}) {
    EXPECT_TRUE(
        as<VelocitySetpoint>(target(frame, kVelocityOnly)).v_WB.isApprox(Vector3d(-0.5, 0.4, 0.6)))
        << "tilt does not count";
  }
  const auto turned = as<PoseCommand>(target(P::kHeadingOffset, kPositionOnly & ~P::kNoYaw));
  EXPECT_NEAR(*turned.yaw, kPi / 2 + 0.3, 1e-12) << "from the present heading";
  const auto fixed = as<PoseCommand>(target(P::kLocalOffset, kPositionOnly & ~P::kNoYaw));
  EXPECT_NEAR(*fixed.yaw, 0.3, 1e-12);
}

TEST_F(Offboard, PositionsBesideVelocitiesAreApproached) {
  // Horizontal velocity at a height: PX4's mixed set point.
  constexpr std::uint16_t kMixed = 1 | 2 | 32 | P::kNoAcceleration | P::kNoYaw | P::kNoYawRate;
  P given = target(P::kLocal, kMixed);
  given.position.z() = 5.25;
  EXPECT_TRUE(as<VelocitySetpoint>(given).v_WB.isApprox(Vector3d(0.4, 0.5, 0.25)));
  given.position.z() = -50.0;
  EXPECT_TRUE(as<VelocitySetpoint>(given).v_WB.isApprox(Vector3d(0.4, 0.5, -2.0))) << "bounded";
  // A climb at a place.
  constexpr std::uint16_t kClimb = 4 | 8 | 16 | P::kNoAcceleration | P::kNoYaw | P::kNoYawRate;
  given = target(P::kLocal, kClimb);
  given.position = {10.5, 19.0, kNaN};
  EXPECT_TRUE(as<VelocitySetpoint>(given).v_WB.isApprox(Vector3d(0.5, -1.0, 0.6)))
      << "a value that the mask leaves out may be anything";
}

TEST_F(Offboard, YawBesideAVelocityBecomesARate) {
  P given = target(P::kLocal, kVelocityOnly & ~P::kNoYaw);
  given.yaw = kPi / 2 + 0.1;
  EXPECT_NEAR(as<VelocitySetpoint>(given).yaw_rate, 0.2, 1e-9);
  given.yaw = -kPi / 2 - 0.1;  // the short way round is to the left
  EXPECT_NEAR(as<VelocitySetpoint>(given).yaw_rate, 1.0, 1e-9);
  given.mask = kVelocityOnly & ~P::kNoYawRate;
  EXPECT_EQ(as<VelocitySetpoint>(given).yaw_rate, 0.2);
}

TEST_F(Offboard, YawRateTurnsPosesFromTheLastYaw) {
  const P given = target(P::kLocal, kPositionOnly & ~P::kNoYawRate);
  for (int i = 0; i < 10; ++i) {
    const auto pose = as<PoseCommand>(given, turnedState(kNsPerSecond + i * 100'000'000LL));
    EXPECT_NEAR(*pose.yaw, kPi / 2 + 0.2 * 0.1 * i, 1e-9);
  }
  EXPECT_NEAR(*as<PoseCommand>(given, turnedState(60 * kNsPerSecond)).yaw, kPi / 2, 1e-9)
      << "after a pause it begins with the vehicle's";
}

TEST_F(Offboard, AccelerationsBecomeAttitudeAndThrust) {
  // In still air a body of that attitude and thrust accelerates as asked (Newton).
  const auto setpoint = as<AttitudeSetpoint>(target(P::kLocal, kAccelerationOnly));
  const Vector3d a =
      setpoint.q_WB * Vector3d(0, 0, setpoint.thrust) / 2.0 - Vector3d(0, 0, kGravity);
  EXPECT_TRUE(a.isApprox(Vector3d(0.7, 0.8, 0.9)));
  const auto level = [&] {
    P given = target(P::kHeading, kAccelerationOnly & ~P::kNoYaw);
    given.acceleration.setZero();
    return as<AttitudeSetpoint>(given);
  }();
  EXPECT_NEAR(level.thrust, 2.0 * kGravity, 1e-9);
  EXPECT_LT(level.q_WB.angularDistance(fromRollPitchYaw(0, 0, kPi / 2 + 0.3)), 1e-9);
  P strong = target(P::kLocal, kAccelerationOnly);
  strong.acceleration.z() = 100.0;
  EXPECT_EQ(as<AttitudeSetpoint>(strong).thrust, 60.0);
  EXPECT_TRUE(contains(onlyOne(decoder_.notes()), "largest thrust"));
}

TEST_F(Offboard, AccelerationBesideVelocityIsNotUsedAndSaid) {
  as<VelocitySetpoint>(target(P::kLocal, kVelocityOnly & ~P::kNoAcceleration));
  EXPECT_TRUE(contains(onlyOne(decoder_.notes()), "acceleration"));
  as<VelocitySetpoint>(target(P::kLocal, kVelocityOnly));
  EXPECT_TRUE(decoder_.notes().empty());
}

TEST_F(Offboard, MasksWithoutASetPointAreRefused) {
  for (const std::uint16_t mask : {511, 511 | 1024, 511 | 2048, 511 | 1024 | 2048}) {
    EXPECT_TRUE(contains(reason(target(P::kLocal, mask)), "nothing is left")) << mask;
  }
  EXPECT_TRUE(contains(reason(target(P::kLocal, kVelocityOnly | 32)), "an axis is left"));
  EXPECT_TRUE(contains(reason(target(P::kLocal, kPositionOnly | 1)), "x and y differ"));
  EXPECT_TRUE(contains(reason(target(P::kLocal, 16)), "x and y differ"));
  EXPECT_TRUE(contains(reason(target(P::kLocal, 1 | 2 | 8 | 16)), "acceleration of some axes"));
  EXPECT_TRUE(contains(reason(target(P::kLocal, P::kForce)), "FORCE (512)"));
  EXPECT_TRUE(contains(reason(target(P::kLocal, 4096)), "type_mask is 4096 (unknown bits)"));
}

// Every mask either gives a command of the kind that the axes say, or is refused; none is both.
TEST_F(Offboard, EveryMaskIsDecidedByTheSameRule) {
  int followed = 0;
  for (unsigned mask = 0; mask < 512; ++mask) {
    const bool position[] = {(mask & 1) == 0, (mask & 2) == 0, (mask & 4) == 0};
    const bool velocity[] = {(mask & 8) == 0, (mask & 16) == 0, (mask & 32) == 0};
    const bool acceleration[] = {(mask & 64) == 0, (mask & 128) == 0, (mask & 256) == 0};
    const bool pairs = velocity[0] == velocity[1] && position[0] == position[1] &&
                       (position[0] || velocity[0] || acceleration[0] == acceleration[1]);
    const bool xy = position[0] || velocity[0], z = position[2] || velocity[2];
    const bool by_motion = pairs && xy && z;
    const bool by_force = pairs && !xy && !z && acceleration[0] && acceleration[2];
    const std::string why =
        reason(target(P::kLocal, static_cast<std::uint16_t>(mask | 1024 | 2048)));
    EXPECT_EQ(why.empty(), by_motion || by_force) << mask << ": " << why;
    followed += why.empty() ? 1 : 0;
  }
  EXPECT_GT(followed, 50);
}

TEST_F(Offboard, BadFramesAndValuesAreRefused) {
  for (const std::uint8_t frame : {0, 2, 5, 12, 255}) {
    EXPECT_TRUE(contains(reason(target(frame, kVelocityOnly)),
                         "coordinate_frame is " + std::to_string(frame) + ", allowed: 1"));
  }
  EXPECT_TRUE(contains(reason(target(P::kHeading, kPositionOnly)), "8 (BODY_NED) with a position"));
  P given = target(P::kLocal, kVelocityOnly);
  given.velocity.y() = kNaN;
  EXPECT_TRUE(contains(reason(given), "velocity.y is nan"));
  given = target(P::kLocal, kPositionOnly & ~P::kNoYaw);
  given.yaw = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(contains(reason(given), "yaw is inf"));
  given = target(P::kLocal, kAccelerationOnly);
  given.acceleration = {0, 0, -kGravity};
  EXPECT_TRUE(contains(reason(given), "free fall"));
}

TEST_F(Offboard, AttitudesAndRatesScaleThrust) {
  A given;
  given.q_WB = fromRollPitchYaw(0.1, 0.2, 0.3);
  given.body_rate = {0.1, 0.2, 0.3};
  given.thrust = 0.5;
  given.mask = A::kNoRollRate | A::kNoPitchRate;
  const auto attitude = std::get<AttitudeSetpoint>(decoder_.decode(given));
  EXPECT_EQ(attitude.thrust, 30.0);
  EXPECT_EQ(attitude.yaw_rate, 0.3);
  EXPECT_LT(attitude.q_WB.angularDistance(given.q_WB), 1e-9);
  given.mask = A::kNoRollRate | A::kNoPitchRate | A::kNoYawRate;
  EXPECT_EQ(std::get<AttitudeSetpoint>(decoder_.decode(given)).yaw_rate, 0.0);
  given.mask = A::kNoAttitude | A::kNoPitchRate;
  given.q_WB.coeffs().setConstant(kNaN);
  const auto rates = std::get<RateSetpoint>(decoder_.decode(given));
  EXPECT_EQ(rates.w_WB_B, Vector3d(0.1, 0.0, 0.3));
  EXPECT_EQ(rates.thrust, 30.0);
  given.thrust = 40.0;  // newtons, by mistake
  EXPECT_EQ(std::get<RateSetpoint>(decoder_.decode(given)).thrust, 60.0);
  EXPECT_TRUE(contains(onlyOne(decoder_.notes()), "thrust is beyond"));
}

TEST_F(Offboard, BadAttitudeTargetsAreRefused) {
  A given;
  given.thrust = 0.5;
  given.mask = A::kNoThrust;
  EXPECT_TRUE(contains(reason(given), "no thrust"));
  given.mask = A::kNoAttitude | 7;
  EXPECT_TRUE(contains(reason(given), "nothing is left but the thrust"));
  given.mask = 8;
  EXPECT_TRUE(contains(reason(given), "unknown bits"));
  given.mask = 7;
  given.q_WB.coeffs().setZero();
  EXPECT_TRUE(contains(reason(given), "orientation has the length 0"));
  given.q_WB.setIdentity();
  given.thrust = kNaN;
  EXPECT_TRUE(contains(reason(given), "thrust is nan"));
}

}  // namespace
}  // namespace marsim::control::offboard
