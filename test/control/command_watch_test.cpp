// SPDX-License-Identifier: BSD-3-Clause
#include "control/pilot/command_watch.hpp"

#include <cmath>
#include <limits>
#include <map>

#include <gtest/gtest.h>

#include "marsim/common/units.hpp"
#include "marsim/sim/world.hpp"
#include "vehicle/vehicles.hpp"

namespace marsim::control {
namespace {

using Eigen::Vector3d;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

WarningTime at(double seconds) {
  return WarningTime(std::chrono::duration_cast<WarningTime::duration>(
      std::chrono::duration<double>(1000.0 + seconds)));
}

class CommandWatchTest : public testing::Test {
 protected:
  std::map<std::string, std::string> values(double seconds = 0.0) const {
    const auto report = watch_.report(at(seconds));
    return {report.values.begin(), report.values.end()};
  }
  // The words of the only message.
  void expectSaid(const std::vector<std::string>& words) {
    ASSERT_EQ(said_.size(), 1U);
    for (const std::string& word : words) {
      EXPECT_NE(said_[0].find(word), std::string::npos) << word << " is not in: " << said_[0];
    }
    said_.clear();
  }

  std::vector<std::string> said_;
  KinematicState state_;
  CommandWatch watch_{ControllerConfig{}, sim::vehicleModel(vehicle::hummingbird()),
                      [this](const std::string& text) { said_.push_back(text); }};
};

TEST_F(CommandWatchTest, ACommandWithinTheLimitsIsCountedAndNothingSaid) {
  Reference reference;
  reference.p_WB.x() = 0.5;
  reference.v_WB = {3.0, 1.0, 0.5};
  reference.a_WB = {2.0, 0.0, -1.0};
  watch_.tracked("command/position", reference, state_, at(0));
  watch_.followed(reference, state_, at(0));
  EXPECT_TRUE(said_.empty());
  EXPECT_FALSE(watch_.report(at(0)).warns);
  EXPECT_EQ(values()["commands taken"], "1");
}

// A jump of 15 m, which was flown straight through trees.
TEST_F(CommandWatchTest, AReferenceFarFromTheVehicleIsSaidOnceInAWhileAndCounted) {
  Reference reference;
  reference.p_WB.y() = 15.0;
  for (int i = 0; i < 400; ++i) {
    watch_.tracked("command/position", reference, state_, at(0.01 * i));
  }
  expectSaid({"command/position", "15 m", "2 m", "warn.reference_distance"});
  EXPECT_EQ(values(4.0)["times: distance"], "400");
  EXPECT_TRUE(watch_.report(at(4.0)).warns);
  EXPECT_FALSE(watch_.report(at(20.0)).warns) << "it is past";
  EXPECT_EQ(values(20.0)["times: distance"], "400");
  watch_.tracked("command/position", reference, state_, at(6.0));
  expectSaid({"401 times"});
}

TEST_F(CommandWatchTest, CommandsBeyondControllerOrVehicleAreNamedWithTheLimit) {
  Reference reference;
  reference.v_WB.x() = 25.0;  // SUPER's quick configuration; the default controller goes at 8 m/s
  watch_.tracked("a", reference, state_, at(0));
  ASSERT_GE(said_.size(), 1U);
  EXPECT_NE(said_[0].find("speed of 25 m/s is beyond 8 m/s"), std::string::npos) << said_[0];
  said_.clear();

  reference = {};
  reference.a_WB.z() = 25.0;  // the hummingbird has 33.5 m/s^2, of which the controller uses 9/10
  watch_.tracked("b", reference, state_, at(100));
  expectSaid({"thrust of 34.8 m/s^2", "30.2", "thrust_max_ratio"});

  reference = {};
  reference.a_WB.z() = -9.5;
  watch_.tracked("c", reference, state_, at(200));
  expectSaid({"descent", "thrust_min_ratio"});

  reference = {};
  reference.yaw_rate = -4.0;
  watch_.tracked("d", reference, state_, at(300));
  expectSaid({"yaw rate of 4 rad/s is beyond 3 rad/s"});

  reference = {};
  reference.a_WB = {7.5, 0.0, -3.0};  // below 8 m/s^2, but with the little lift left 48 degrees
  watch_.tracked("e", reference, state_, at(400));
  expectSaid({"tilt of 0.83", "0.7 rad", "tilt_max"});
}

// Drag is part of what the rotors must give: linear drag of 0.26 N/(m/s) at 8 m/s on 0.752 kg.
TEST(Envelope, DragCounts) {
  VehicleModel racer = sim::vehicleModel(vehicle::racer());
  racer.linear_drag = Vector3d::Constant(0.26);  // the same in any attitude
  const Envelope envelope(ControllerConfig{}, racer);
  Reference reference;
  reference.v_WB.x() = 8.0;
  reference.a_WB.x() = 1.0;
  const Vector3d expected(1.0 + 0.26 * 8.0 / 0.752, 0.0, kGravity);
  EXPECT_LT((envelope.specificThrust(reference) - expected).norm(), 1e-9);
  EXPECT_TRUE(envelope.exceededBy(reference).empty());
  reference.a_WB.x() = 6.0;  // with drag 8.77 m/s^2
  ASSERT_EQ(envelope.exceededBy(reference).size(), 2U);
  EXPECT_EQ(envelope.exceededBy(reference)[0].what, "acceleration");
}

TEST_F(CommandWatchTest, TrackingErrorsAreSaidWhileTheyLast) {
  Reference reference;
  reference.p_WB.x() = 13.0;
  for (int i = 0; i < 600; ++i) watch_.followed(reference, state_, at(0.01 * i));
  ASSERT_EQ(said_.size(), 2U) << "at 0 and at 5 s";
  EXPECT_NE(said_[0].find("tracking error of 13.00 m is beyond 1.00 m"), std::string::npos);
  EXPECT_TRUE(watch_.report(at(14.0)).warns);
  watch_.followed({}, state_, at(6.0));
  EXPECT_FALSE(watch_.report(at(30.0)).warns);
  EXPECT_EQ(values(30.0)["tracking error [m]"], "0.0000");
  EXPECT_EQ(values(30.0)["largest tracking error [m]"], "13.0000");
}

TEST_F(CommandWatchTest, GoalsBelowTheGroundAreRefusedCommandsAreSaid) {
  EXPECT_EQ(watch_.goalProblem({0, 0, -50}), "") << "no ground is known";
  watch_.setGround(-0.001);
  watch_.placed("command/state", {0, 0, -3}, at(0));
  expectSaid({"command/state", "z = -3.00 m", "ground_z = 0.00 m"});
  watch_.setGround(0.4);
  EXPECT_EQ(watch_.goalProblem({1, 2, 0.35}), "") << "a landing";
  EXPECT_NE(watch_.goalProblem({1, 2, 0.0}).find("z = 0.00 m is below the ground"),
            std::string::npos);
  EXPECT_NE(watch_.goalProblem({1e30, 0, 1}), "") << "no path leads there";
  EXPECT_NE(watch_.goalProblem({0, kNaN, 1}), "");
  EXPECT_EQ(watch_.goalProblem({500, 0, 1}), "");
  watch_.placed("command/pose", {0, 0, 0}, at(10));
  expectSaid({"command/pose", "z = 0.00 m", "ground_z = 0.40 m"});
}

TEST_F(CommandWatchTest, PlacesOutsideTheMapAreSaid) {
  watch_.placed("goal", {100, 0, 1}, at(0));
  EXPECT_TRUE(said_.empty()) << "no map is known";
  watch_.setMap({Vector3d(-20, -10, 0), Vector3d(20, 10, 8)});
  watch_.placed("goal", {19, -9, 30}, at(0));
  EXPECT_TRUE(said_.empty()) << "above the map";
  watch_.placed("goal", {19, -11, 1}, at(0));
  expectSaid({"goal", "outside the map", "-10.0"});
}

TEST_F(CommandWatchTest, RefusalsAreCountedAndTheLastOneIsNamed) {
  for (int i = 0; i < 1425; ++i)
    watch_.refused("command/position", "velocity is nan", at(0.001 * i));
  expectSaid({"command/position ignored: velocity is nan"});
  auto report = watch_.report(at(2.0));
  EXPECT_TRUE(report.warns);
  EXPECT_NE(report.summary.find("1425 commands refused"), std::string::npos) << report.summary;
  EXPECT_NE(report.summary.find("velocity is nan"), std::string::npos) << report.summary;
  EXPECT_EQ(values(2.0)["commands refused"], "1425");
  EXPECT_FALSE(watch_.report(at(30.0)).warns);
  EXPECT_EQ(values(30.0)["last refused command/position"], "velocity is nan");

  for (int i = 0; i < 3; ++i) watch_.refusedAlways("command/pose", "unknown frame", at(100.0 * i));
  expectSaid({"command/pose ignored: unknown frame"});
  EXPECT_EQ(values()["commands refused"], "1428");
}

TEST_F(CommandWatchTest, FieldsThatAreNotGivenAreSaidOnceAndCounted) {
  for (int i = 0; i < 120; ++i) watch_.notGiven("command/position", "yaw_dot");
  expectSaid({"command/position", "yaw_dot", "/diagnostics"});
  watch_.notGiven("command/position", "jerk");
  expectSaid({"jerk"});
  EXPECT_EQ(values()["not given: command/position yaw_dot"], "120");
  EXPECT_FALSE(watch_.report(at(0)).warns) << "nothing is lost by it";
}

// EGO-Planner-v2 turns towards a yaw and gives that yaw as the rate.
TEST_F(CommandWatchTest, AYawRateThatContradictsTheYawIsDroppedSaidOnceAndCounted) {
  const double target = 1.3;
  int dropped = 0;
  for (int i = 0; i < 500; ++i) {
    Reference reference;
    reference.yaw = std::min(0.005 * i, target);
    reference.yaw_rate = target;
    watch_.checkYawRate("command/position", reference, TimeNs{10'000'000} * i);
    if (i > 150) {
      EXPECT_EQ(reference.yaw_rate, 0.0) << i;
    }
    dropped += reference.yaw_rate == 0.0 ? 1 : 0;
  }
  EXPECT_GT(dropped, 440) << "from the first half second on";
  expectSaid({"command/position", "1.30 rad/s", "contradicts", "/diagnostics"});
  EXPECT_EQ(values()["not given: command/position contradicting yaw rate"],
            std::to_string(dropped));
}

TEST_F(CommandWatchTest, YawRatesThatFitTheYawAreKept) {
  for (const TimeNs period : {10'000'000, 100'000'000}) {
    for (int i = 0; i < 1000; ++i) {
      const TimeNs stamp = period * i;
      const double t = toSeconds(stamp);
      Reference reference;
      reference.yaw = wrapAngle(3.0 * std::sin(t) + (t > 5.0 ? 1.0 : 0.0));  // and a step
      reference.yaw_rate = 3.0 * std::cos(t);
      // Messages come late, several at one state.
      watch_.checkYawRate("command/position", reference, stamp - stamp % (2 * period));
      ASSERT_EQ(reference.yaw_rate, 3.0 * std::cos(t)) << t;
    }
    watch_.reset();
  }
  EXPECT_TRUE(said_.empty());
}

TEST_F(CommandWatchTest, AHeadingErrorIsSaidAfterItHasLastedASecond) {
  Reference reference;
  reference.yaw = -2.0 * kPi + 0.5;
  const auto follow = [&](int from, int to) {
    for (int i = from; i < to; ++i) {
      state_.stamp = TimeNs{10'000'000} * i;
      watch_.followed(reference, state_, at(0.01 * i));
    }
  };
  follow(0, 90);
  reference.yaw = 0.2;
  follow(90, 100);
  reference.yaw = -0.5;
  follow(100, 190);
  EXPECT_TRUE(said_.empty()) << "a turn";
  follow(190, 300);
  expectSaid({"heading error of 0.50 rad", "beyond 0.3 rad"});
  EXPECT_TRUE(watch_.report(at(4.0)).warns);
  EXPECT_EQ(values(4.0)["heading error [rad]"], "0.5000");
  watch_.reset();
  EXPECT_FALSE(watch_.report(at(30.0)).warns);
}

TEST_F(CommandWatchTest, ATrajectoryCountsOnceHoweverManyPointsAreBeyond) {
  std::vector<TrajectoryPoint> points(50);
  for (TrajectoryPoint& point : points) {
    point.moves = true;
    point.reference.v_WB.x() = 20.0;
  }
  points.front().reference.v_WB.setZero();
  watch_.tracked("command/trajectory", points, state_, at(0));
  EXPECT_EQ(values()["commands taken"], "1");
  EXPECT_EQ(values()["times: speed"], "1");
}

TEST(Reference, UnusableOptionalFieldsAreDropped) {
  Reference reference;
  reference.a_WB = {1.0, 2.0, 3.0};
  reference.j_WB.y() = std::numeric_limits<double>::infinity();
  reference.yaw_rate = kNaN;
  const std::vector<std::string> expected{"jerk", "yaw_dot"};
  EXPECT_EQ(dropUnusable(reference, {"acceleration", "jerk", "yaw_dot"}), expected);
  EXPECT_EQ(reference.a_WB, Vector3d(1.0, 2.0, 3.0));
  EXPECT_EQ(reference.j_WB, Vector3d::Zero());
  EXPECT_EQ(reference.yaw_rate, 0.0);
  reference.a_WB.x() = kNaN;
  EXPECT_EQ(dropUnusable(reference), std::vector<std::string>{"acceleration"});
  EXPECT_EQ(reference.a_WB, Vector3d::Zero());
}

// Below 8 m/s, the default controller's, drag of the Hummingbird stays within its limits.
TEST_F(CommandWatchTest, VelocitiesAreHeldToTheControllersLimits) {
  watch_.moved("command/velocity", {{3.0, 0.0, 1.0}, 1.0, false}, state_, at(0));
  EXPECT_TRUE(said_.empty());
  watch_.moved("command/velocity", {{0.0, 0.0, 9.0}, 0.0, false}, state_, at(1));
  expectSaid({"command/velocity: speed of 9 m/s is beyond 8 m/s"});
  watch_.moved("cmd_vel", {{0.0, 0.0, 0.0}, 4.0, true}, state_, at(2));
  expectSaid({"cmd_vel: yaw rate of 4 rad/s is beyond 3 rad/s"});
}

// The Hummingbird's four rotors give 4 x 8.54858e-6 x 838^2 = 24.01 N.
TEST_F(CommandWatchTest, SetPointsAreHeldToWhatTheRotorsCan) {
  watch_.setInner("command/attitude", AttitudeSetpoint{Eigen::Quaterniond::Identity(), 0.0, 24.0},
                  at(0));
  watch_.setInner("command/rates", RateSetpoint{Vector3d::Zero(), 24.0}, at(0));
  watch_.setInner("command/motor_speeds", MotorSetpoint{RotorArray::Constant(4, 838.0)}, at(0));
  EXPECT_TRUE(said_.empty());
  EXPECT_EQ(values()["commands taken"], "3");
  watch_.setInner("command/rates", RateSetpoint{Vector3d::Zero(), 24.1}, at(1));
  expectSaid({"command/rates: thrust of 24.1 N is beyond 24 N"});
  watch_.setInner("command/motor_speeds", MotorSetpoint{RotorArray::Constant(4, 900.0)}, at(1));
  expectSaid({"command/motor_speeds: motor speed of 900 rad/s is beyond 838 rad/s"});
}

TEST_F(CommandWatchTest, EndedStreamsAreSaidButThoseOfVelocities) {
  watch_.ended(Commander::Stream::kVelocity, at(0));
  EXPECT_TRUE(said_.empty());
  watch_.ended(Commander::Stream::kAttitude, at(0));
  expectSaid({"no attitudes came any more", "0.5 s"});
}

TEST_F(CommandWatchTest, TwoTopicsThatTakeTurnsAreSaidOnceInAWhile) {
  const auto take = [&](const char* topic, double seconds) {
    watch_.taken(topic, toNs(seconds), at(seconds));
  };
  for (int i = 0; i < 10; ++i) take("command/rates", 0.1 * i);
  take("goal", 0.95);  // takes over
  take("goal", 1.0);
  EXPECT_TRUE(said_.empty());
  take("command/rates", 1.7);  // long after its last one
  EXPECT_TRUE(said_.empty());
  take("command/velocity", 1.75);
  take("command/rates", 1.8);
  expectSaid({"command/rates and command/velocity both command the vehicle"});
  for (double t = 1.85; t < 6.7; t += 0.1) {
    take("command/velocity", t);
    take("command/rates", t + 0.05);
  }
  EXPECT_TRUE(said_.empty());
  take("command/velocity", 6.9);
  expectSaid({"command/rates and command/velocity", "newest"});
}

}  // namespace
}  // namespace marsim::control
