// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/vehicle/differential_drive.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"
#include "vehicle/vehicles.hpp"

namespace marsim::vehicle {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr TimeNs kStep = 1'000'000;
const double kUnknown = std::nan("");

using Height = std::function<double(const Vector2d& p)>;

// Solid ground: below its height there is some at any height.
GroundIn groundOf(const Height& height) {
  return [height](const Vector3d& p_W, const Vector2d&, double from, double to) {
    const double over = height(p_W.head<2>()) - p_W.z();
    return over >= from ? p_W.z() + std::min(over, to) : kUnknown;
  };
}

DifferentialDrive driveOn(const Height& height, double yaw = 0.0) {
  DifferentialDrive drive(rover(), groundOf(height));
  drive.reset({0.0, 0.0, 5.0}, yaw);
  return drive;
}

// Wheel speeds of a forward speed [m/s] and a yaw rate [rad/s].
void command(DifferentialDrive& drive, double speed, double turn) {
  const DifferentialDriveConfig& wheels = *drive.config().differential_drive;
  RotorArray speeds(2);
  speeds << speed - 0.5 * wheels.track * turn, speed + 0.5 * wheels.track * turn;
  drive.command(speeds / wheels.wheel_radius);
}

void advance(DifferentialDrive& drive, double seconds) {
  const TimeNs end = drive.state().stamp + toNs(seconds);
  while (drive.state().stamp < end) drive.step(kStep);
}

double level(const Vector2d&) { return 0.0; }

TEST(DifferentialDrive, DrivesStraightWithinItsAcceleration) {
  DifferentialDrive drive = driveOn(level);
  command(drive, 1.5, 0.0);
  advance(drive, 3.0);
  const double a = drive.config().differential_drive->acceleration;
  const Vector3d expected(1.5 * 3.0 - 1.5 * 1.5 / (2.0 * a), 0.0, drive.config().ground_clearance);
  EXPECT_LT((drive.state().X_WB.p - expected).norm(), 1e-9);
  EXPECT_LT((drive.state().v_WB - Vector3d(1.5, 0.0, 0.0)).norm(), 1e-12);
  command(drive, 0.0, 0.0);
  advance(drive, 2.0);
  EXPECT_NEAR(drive.state().X_WB.p.x(), 4.5, 1e-9) << "braking takes the way back";
  EXPECT_EQ(drive.state().v_WB, Vector3d::Zero());
}

TEST(DifferentialDrive, TurnsAboutTheCentreOfRotation) {
  DifferentialDrive drive = driveOn(level, 0.3);
  const double v = 1.2, w = 0.8;
  command(drive, v, w);
  advance(drive, 1.0);
  const auto centre = [&] {
    const KinematicState& state = drive.state();
    return Vector3d(state.X_WB.p + v / w * (state.X_WB.q * Vector3d::UnitY()));
  };
  const Vector3d before = centre(), start = drive.state().X_WB.p;
  for (int i = 0; i < 7000; ++i) {
    drive.step(kStep);
    ASSERT_LT((centre() - before).norm(), 1e-5);
    ASSERT_LT((drive.state().w_WB_B - Vector3d(0.0, 0.0, w)).norm(), 1e-9);
    ASSERT_NEAR(drive.state().a_WB.norm(), v * w, 1e-9);
  }
  command(drive, v, w);
  advance(drive, 2.0 * kPi / w - 7.0);
  EXPECT_LT((drive.state().X_WB.p - start).norm(), 2e-3) << "a full turn, to a step";
}

TEST(DifferentialDrive, TooFastSpeedsKeepTheCurvature) {
  DifferentialDrive drive = driveOn(level);
  command(drive, 20.0, 10.0);
  advance(drive, 3.0);
  EXPECT_NEAR(drive.state().v_WB.norm() / drive.state().w_WB_B.z(), 2.0, 1e-9);
  EXPECT_NEAR(drive.motorSpeeds()[1] * drive.config().differential_drive->wheel_radius,
              drive.config().differential_drive->speed_max, 1e-12);
  EXPECT_THROW(drive.command(RotorArray::Zero(4)), ConfigError);
}

TEST(DifferentialDrive, TakesThePitchAndRollOfASlope) {
  const Vector2d gradient(0.3, -0.15);
  const Vector3d normal = Vector3d(-gradient.x(), -gradient.y(), 1.0).normalized();
  for (const double yaw : {0.0, 1.0, 2.5, -2.0}) {
    DifferentialDrive drive = driveOn([&](const Vector2d& p) { return gradient.dot(p); }, yaw);
    const auto expectOnSlope = [&] {
      const KinematicState& state = drive.state();
      EXPECT_LT((state.X_WB.q * Vector3d::UnitZ() - normal).norm(), 1e-6);
      EXPECT_NEAR(normal.dot(state.X_WB.p), drive.config().ground_clearance, 1e-6);
    };
    expectOnSlope();
    Imu imu(ImuConfig{}, 1);
    const Vector3d up_B = drive.state().X_WB.q.conjugate() * Vector3d(0.0, 0.0, kGravity);
    EXPECT_LT((imu.sample(drive.state(), drive.breaks()).specific_force - up_B).norm(), 1e-9);
    command(drive, 1.0, 0.0);
    advance(drive, 4.0);
    expectOnSlope();
    EXPECT_NEAR(drive.state().v_WB.norm(), 1.0, 1e-6) << "along the slope";
    EXPECT_NEAR(yawOf(drive.state().X_WB.q), yaw, 1e-9);
    const double along = gradient.dot(Vector2d(std::cos(yaw), std::sin(yaw)));
    EXPECT_NEAR(toRollPitchYaw(drive.state().X_WB.q).y(), -std::atan(along), 1e-6);
    command(drive, 1.0, 0.5);
    advance(drive, 4.0);
    expectOnSlope();
  }
}

TEST(DifferentialDrive, VelocitiesAndAccelerationsAreDerivativesOnRoughGround) {
  DifferentialDrive drive = driveOn(
      [](const Vector2d& p) { return 0.05 * std::sin(3.0 * p.x()) * std::cos(2.0 * p.y()); });
  const double dt = toSeconds(kStep);
  command(drive, 1.5, 0.4);
  advance(drive, 1.0);
  double shaken = 0.0;
  for (int i = 0; i < 3000; ++i) {
    const KinematicState a = drive.state();
    drive.step(kStep);
    const KinematicState b = drive.state();
    ASSERT_LT(((b.X_WB.p - a.X_WB.p) / dt - 0.5 * (a.v_WB + b.v_WB)).norm(), 2e-3);
    ASSERT_LT(((b.v_WB - a.v_WB) / dt - 0.5 * (a.a_WB + b.a_WB)).norm(), 0.1);
    const Vector3d turned = logMap(a.X_WB.q.conjugate() * b.X_WB.q) / dt;
    ASSERT_LT((turned - 0.5 * (a.w_WB_B + b.w_WB_B)).norm(), 2e-3);
    ASSERT_LT(((b.w_WB_B - a.w_WB_B) / dt - 0.5 * (a.dw_WB_B + b.dw_WB_B)).norm(), 0.3);
    shaken = std::max(shaken, std::abs(b.a_WB.z()));
  }
  EXPECT_GT(shaken, 0.5) << "the ground moves it";
}

// Where it gets within 6 s, and what it does on its way.
struct Way {
  double farthest;
  bool was_blocked;
};
Way driveAcross(const Height& height) {
  DifferentialDrive drive = driveOn(height);
  Way way{0.0, false};
  command(drive, 1.0, 0.0);
  for (int i = 0; i < 6000; ++i) {
    drive.step(kStep);
    way.was_blocked = way.was_blocked || drive.isBlocked();
    way.farthest = std::max(way.farthest, drive.state().X_WB.p.x());
  }
  if (!way.was_blocked) return way;
  EXPECT_EQ(drive.state().v_WB.x(), 0.0);
  command(drive, -1.0, 0.0);
  advance(drive, 1.5);
  EXPECT_LT(drive.state().X_WB.p.x(), way.farthest - 1.0) << "it backs off";
  return way;
}

TEST(DifferentialDrive, StopsAtWhatItCannotPass) {
  const double step = rover().differential_drive->step_max;
  const double front = 2.0 - 0.5 * rover().differential_drive->wheelbase;
  const auto stepOf = [](double rise) {
    return [rise](const Vector2d& p) { return p.x() < 2.0 ? 0.0 : rise; };
  };
  const auto rampOf = [](double angle) {
    return [angle](const Vector2d& p) { return std::tan(angle) * std::max(p.x() - 2.0, 0.0); };
  };
  for (const double rise : {0.9 * step, -0.9 * step}) {
    const Way way = driveAcross(stepOf(rise));
    EXPECT_FALSE(way.was_blocked);
    EXPECT_GT(way.farthest, 5.0);
  }
  for (const double rise : {1.1 * step, -1.1 * step, 0.4, -2.0}) {
    const Way way = driveAcross(stepOf(rise));
    EXPECT_TRUE(way.was_blocked) << rise;
    EXPECT_NEAR(way.farthest, front, 2e-3) << rise << ": its front wheels stand before it";
  }
  EXPECT_GT(driveAcross(rampOf(radians(25.0))).farthest, 4.5);
  const Way steep = driveAcross(rampOf(radians(35.0)));
  EXPECT_TRUE(steep.was_blocked);
  EXPECT_LT(steep.farthest, 2.3);
  EXPECT_GT(driveAcross([](const Vector2d& p) {
              return p.x() > 2.0 && p.x() < 3.0 ? kUnknown : 0.0;
            }).farthest,
            5.0)
      << "unknown ground goes on";
}

// A stop on the spot is felt: the mean change of velocity since the last reading.
TEST(DifferentialDrive, ImuFeelsTheStop) {
  DifferentialDrive drive = driveOn([](const Vector2d& p) { return p.x() < 1.0 ? 0.0 : 1.0; });
  Imu imu(ImuConfig{}, 1);
  command(drive, 1.0, 0.0);
  double change = 0.0;
  while (drive.state().stamp < 3 * kNsPerSecond) {
    for (int i = 0; i < 5; ++i) drive.step(kStep);
    change += 5e-3 * imu.sample(drive.state(), drive.breaks()).specific_force.x();
  }
  EXPECT_NEAR(change, 0.0, 0.02) << "from rest to rest";
}

TEST(DifferentialDrive, StandsOnTheUppermostGroundBelow) {
  const auto storeys = [](const Vector3d& p_W, const Vector2d&, double from, double to) {
    for (const double z : {4.0, 1.0}) {
      if (z - p_W.z() >= from && z - p_W.z() <= to) return z;
    }
    return kUnknown;
  };
  DifferentialDrive drive(rover(), storeys);
  const double clearance = drive.config().ground_clearance;
  for (const auto& [from, to] : {std::pair{3.0, 1.0}, {9.0, 4.0}, {4.0 + clearance, 4.0}}) {
    drive.reset({1.0, 2.0, from}, 0.5, 7 * kStep);
    EXPECT_LT((drive.state().X_WB.p - Vector3d(1.0, 2.0, to + clearance)).norm(), 1e-12);
    EXPECT_TRUE(drive.onGround());
    EXPECT_EQ(drive.state().stamp, 7 * kStep);
    EXPECT_NEAR(yawOf(drive.state().X_WB.q), 0.5, 1e-12);
  }
}

TEST(DifferentialDrive, WeakAndStoppedWheels) {
  DifferentialDrive drive = driveOn(level);
  drive.setEffectiveness(0, 0.0);
  command(drive, 1.0, 0.0);
  advance(drive, 2.0);
  EXPECT_NEAR(drive.state().w_WB_B.z(), 1.0 / drive.config().differential_drive->track, 1e-9);
  drive.stopMotors();
  command(drive, 1.0, 0.0);
  advance(drive, 2.0);
  EXPECT_EQ(drive.state().w_WB_B, Vector3d::Zero());
  drive.reset({0.0, 0.0, 1.0}, 0.0);
  EXPECT_FALSE(drive.motorsStopped());
}

}  // namespace
}  // namespace marsim::vehicle
