// SPDX-License-Identifier: BSD-3-Clause
// From which state on commands and placements with a stamp act.
#include "marsim/sim/time_of_effect.hpp"

#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "collision_worlds.hpp"

namespace marsim::sim {
namespace {

constexpr TimeNs kMs = 1'000'000;
constexpr TimeNs kPeriod = 2 * kMs;  // of states
constexpr double kNoGround = -std::numeric_limits<double>::infinity();

Pilot makePilot() { return {control::ControllerConfig(), vehicleModel(vehicle::hummingbird())}; }

VehicleReport reportAt(TimeNs stamp, std::uint32_t placements = 1) {
  VehicleReport report;
  report.motion.stamp = stamp;
  report.motion.X_WB.p.x() = 10.0 * placements;
  report.placements = placements;
  return report;
}

TEST(Pilot, CommandsActAtTheFirstReportAtOrAfterTheirStamp) {
  struct Case {
    TimeNs last;  // report before the command is given; < 0: none
    TimeNs stamp;
    bool is_near;
    TimeNs acts;
  };
  constexpr TimeNs kEnd = std::numeric_limits<TimeNs>::max();
  const std::vector<Case> cases = {{10 * kMs, 0, true, 12 * kMs},
                                   {10 * kMs, 5 * kMs, true, 12 * kMs},
                                   {10 * kMs, 10 * kMs, true, 12 * kMs},
                                   {10 * kMs, 10 * kMs + 1, true, 12 * kMs},
                                   {10 * kMs, 12 * kMs, true, 12 * kMs},
                                   {10 * kMs, 12 * kMs + 1, true, 14 * kMs},
                                   {10 * kMs, 210 * kMs, true, 210 * kMs},
                                   {10 * kMs, 210 * kMs + 1, false, 12 * kMs},
                                   {10 * kMs, kEnd, false, 12 * kMs},
                                   {-1, 0, true, 0},
                                   {-1, 1, true, 2 * kMs},
                                   {-1, 200 * kMs, true, 200 * kMs},
                                   {-1, 200 * kMs + 1, false, 0}};
  for (const Case& now : cases) {
    SCOPED_TRACE(now.stamp);
    Pilot pilot = makePilot();
    if (now.last >= 0) pilot.answer(reportAt(now.last));
    std::vector<TimeNs> acted;
    const auto note = [&acted](control::Commander&, TimeNs at) { acted.push_back(at); };
    EXPECT_EQ(pilot.commandAt(now.stamp, CommandKind::kGoal, note), now.is_near);
    const TimeNs next = now.last < 0 ? 0 : now.last + kPeriod;
    for (TimeNs t = next; t <= 220 * kMs; t += kPeriod) pilot.answer(reportAt(t));
    EXPECT_EQ(acted, std::vector<TimeNs>{now.acts});
  }
}

TEST(Pilot, CommandsOfOneReportActByStampThenKindThenCall) {
  Pilot pilot = makePilot();
  pilot.answer(reportAt(10 * kMs));
  std::string acted;
  const auto give = [&](char name, TimeNs stamp, CommandKind kind) {
    pilot.commandAt(stamp, kind, [&acted, name](control::Commander&, TimeNs) { acted += name; });
  };
  give('f', 900 * kMs, CommandKind::kGoal2d);  // too far ahead: as if of the last report
  give('g', 12 * kMs, CommandKind::kGoal);
  give('c', 11 * kMs, CommandKind::kState);
  give('d', 11 * kMs, CommandKind::kPosition);
  give('e', 11 * kMs, CommandKind::kPosition);
  give('b', 10 * kMs, CommandKind::kGoal);
  give('a', 0, CommandKind::kPose);
  pilot.answer(reportAt(12 * kMs));
  EXPECT_EQ(acted, "abfcdeg");
}

Pilot::Command track(double x) {
  return [x](control::Commander& commander, TimeNs now) {
    control::Reference reference;
    reference.p_WB.x() = x;
    commander.setReference(reference, now);
  };
}

TEST(Pilot, APlacementVoidsWhatActedBeforeAndNothingElse) {
  Pilot pilot = makePilot();
  const auto tracked = [&pilot](const VehicleReport& report) {
    pilot.answer(report);
    return pilot.reference().p_WB.x();
  };
  EXPECT_EQ(tracked(reportAt(10 * kMs)), 10.0) << "where it is";
  pilot.commandAt(12 * kMs, CommandKind::kGoal, track(1.0));
  pilot.commandAt(16 * kMs, CommandKind::kGoal, track(2.0));
  pilot.commandAt(17 * kMs, CommandKind::kGoal, track(3.0));
  EXPECT_EQ(tracked(reportAt(12 * kMs)), 1.0) << "before that report is answered";
  EXPECT_EQ(tracked(reportAt(14 * kMs, 2)), 20.0) << "where it was placed";
  EXPECT_FALSE(pilot.commander().commanded());
  EXPECT_EQ(tracked(reportAt(16 * kMs, 2)), 2.0);
  EXPECT_EQ(tracked(reportAt(18 * kMs, 3)), 3.0) << "the placement comes first";
}

TEST(Pilot, WaitingCommandsAreDroppedWhenTimeIsSetBack) {
  Pilot pilot = makePilot();
  std::vector<TimeNs> acted;
  const auto note = [&acted](control::Commander&, TimeNs at) { acted.push_back(at); };
  pilot.answer(reportAt(1000 * kMs));
  pilot.commandAt(1100 * kMs, CommandKind::kGoal, note);
  pilot.commandAt(50 * kMs, CommandKind::kGoal, note);  // of the new time already
  for (TimeNs t = 0; t <= 1200 * kMs; t += 50 * kMs) pilot.answer(reportAt(t));
  EXPECT_EQ(acted, std::vector<TimeNs>{50 * kMs});
}

VehicleSetup setupOf(CollisionResponse response = CollisionResponse::kReport) {
  VehicleSetup setup;
  setup.vehicle = vehicle::hummingbird();
  setup.vehicle.imu.rate = 500.0;
  setup.collision.response = response;
  return setup;
}

// Hovers 5 m up at a stamp, placed once.
struct Hovering : Vehicle {
  explicit Hovering(TimeNs stamp, const VehicleSetup& setup = setupOf())
      : Vehicle(setup, kNoGround, nullptr, 0) {
    place({0.0, 0.0, 5.0}, 0.0, stamp);
  }
  // The stamps at whose ends it is placed.
  std::vector<TimeNs> placedUntil(TimeNs end) {
    std::vector<TimeNs> stamps;
    while (state().stamp < end) {
      if (step().placed) stamps.push_back(state().stamp);
    }
    return stamps;
  }
};

TEST(Vehicle, IsPlacedAtTheFirstStateStepAtOrAfterTheStamp) {
  struct Case {
    TimeNs now, stamp;
    bool is_near;
    TimeNs acts;
  };
  const std::vector<Case> cases = {
      {11 * kMs, 0, true, 12 * kMs},          {11 * kMs, 11 * kMs, true, 12 * kMs},
      {11 * kMs, 12 * kMs, true, 12 * kMs},   {11 * kMs, 12 * kMs + 1, true, 14 * kMs},
      {11 * kMs, 211 * kMs, true, 212 * kMs}, {11 * kMs, 211 * kMs + 1, false, 12 * kMs},
      {12 * kMs, 12 * kMs, true, 14 * kMs},   {12 * kMs, 0, true, 14 * kMs}};
  const Vector3d there(3.0, -1.0, 4.0);
  for (const Case& now : cases) {
    SCOPED_TRACE(now.stamp);
    Hovering craft(now.now);
    EXPECT_EQ(craft.placeAt(there, 0.5, now.stamp), now.is_near);
    while (craft.state().stamp < 230 * kMs) {
      const VehicleStep& due = craft.step();
      const TimeNs stamp = craft.state().stamp;
      ASSERT_EQ(due.placed, stamp == now.acts) << stamp;
      ASSERT_EQ(due.report, stamp % kPeriod == 0) << stamp;
      ASSERT_EQ(craft.report().placements, stamp < now.acts ? 1U : 2U) << stamp;
      if (!due.placed) continue;
      EXPECT_EQ(craft.state().X_WB.p, there);
      EXPECT_NEAR(yawOf(craft.state().X_WB.q), 0.5, 1e-12);
      EXPECT_EQ(craft.state().v_WB, Vector3d::Zero());
      EXPECT_EQ(craft.placedAt(), now.acts);
    }
  }
}

// At the step of a placement the IMU measures the motion before it, as does a twin that is not
// placed.
TEST(Vehicle, TheImuSampleOfAPlacementsStepIsOfBefore) {
  Hovering craft(0), twin(0);
  for (Vehicle* falling : {static_cast<Vehicle*>(&craft), static_cast<Vehicle*>(&twin)}) {
    falling->command(0.5 * falling->platform().motorCommands());
  }
  craft.placeAt({3.0, 0.0, 5.0}, 1.0, 100 * kMs);
  for (int i = 1; i <= 102; ++i) {
    const VehicleStep &due = craft.step(), &expected = twin.step();
    ASSERT_EQ(due.imu.has_value(), i % 2 == 0);
    EXPECT_EQ(due.placed, i == 100);
    if (!due.imu) continue;
    EXPECT_EQ(due.imu->stamp, i * kMs);
    EXPECT_EQ(due.imu->specific_force == expected.imu->specific_force, i <= 100) << i;
    EXPECT_EQ(due.imu->q_WI.coeffs() == expected.imu->q_WI.coeffs(), i <= 100) << i;
  }
}

TEST(Vehicle, TheLastOfSeveralPlacementsAtOneStateHolds) {
  Hovering craft(10 * kMs);
  const auto placeAt = [&craft](double x, TimeNs stamp) {
    craft.placeAt({x, 0.0, 5.0}, 0.0, stamp);
  };
  placeAt(1.0, 13 * kMs);
  placeAt(2.0, 14 * kMs);
  placeAt(3.0, 13 * kMs);
  placeAt(4.0, 16 * kMs);
  placeAt(5.0, 16 * kMs);
  placeAt(6.0, 20 * kMs);
  EXPECT_EQ(craft.placedUntil(15 * kMs), std::vector<TimeNs>{14 * kMs});
  EXPECT_NEAR(craft.state().X_WB.p.x(), 2.0, 1e-6) << "the last stamp";
  EXPECT_EQ(craft.placedUntil(17 * kMs), std::vector<TimeNs>{16 * kMs});
  EXPECT_NEAR(craft.state().X_WB.p.x(), 5.0, 1e-6) << "of equal ones what was said last";
  EXPECT_EQ(craft.placedUntil(60 * kMs), std::vector<TimeNs>{20 * kMs});
  EXPECT_EQ(craft.placements(), 4U);
}

TEST(Vehicle, PlacementsThatWaitAreDroppedWhenTimeIsSetBack) {
  Hovering craft(1000 * kMs);
  craft.placeAt({3.0, 0.0, 5.0}, 0.0, 1100 * kMs);
  craft.placeAt({4.0, 0.0, 5.0}, 0.0, 50 * kMs);  // of the new time already
  craft.place({0.0, 0.0, 5.0}, 0.0, 0);
  EXPECT_EQ(craft.placedUntil(1200 * kMs), std::vector<TimeNs>{50 * kMs});
}

TEST(Vehicle, APlacementEndsContacts) {
  Hovering craft(0);
  const auto shape = bodyShapeOf(vehicle::hummingbird());
  const auto objectsNear = [&](TimeNs begin, TimeNs end) {
    return std::vector<scene::MovingObject>{scene::movingObject(shape, 7, begin, end, [](TimeNs) {
      return Pose{Eigen::Quaterniond::Identity(), {0.0, 0.0, 5.0}};
    })};
  };
  craft.placeAt({9.0, 0.0, 5.0}, 0.0, 10 * kMs);
  std::vector<std::string> events;
  for (int i = 0; i < 20; ++i) {
    for (const ContactEvent& event : craft.step(objectsNear).contacts) {
      events.push_back(text(event) + " at " + std::to_string(craft.state().stamp / kMs));
    }
  }
  EXPECT_EQ(events, (std::vector<std::string>{"+uav 7 at 1", "-uav 7 at 10"}));
}

TEST(Vehicle, ImpactsAndMotorSpeedsFromBeforeAPlacementAreIgnored) {
  Hovering craft(0, setupOf(CollisionResponse::kBounce));
  const vehicle::RotorArray hover = craft.platform().motorCommands(), more = 1.1 * hover;
  craft.placeAt({3.0, 0.0, 5.0}, 0.0, 10 * kMs);
  for (int i = 0; i < 8; ++i) craft.step();
  EXPECT_TRUE(craft.command({more, 8 * kMs, 1})) << "acts at 10 ms";
  ASSERT_EQ(craft.placedUntil(12 * kMs), std::vector<TimeNs>{10 * kMs});
  EXPECT_TRUE((craft.platform().motorCommands() == hover).all());
  EXPECT_FALSE(craft.command({more, 10 * kMs, 1}));
  EXPECT_FALSE(craft.command({more, 10 * kMs, 0})) << "perhaps from before it";
  EXPECT_TRUE(craft.command({more, 10 * kMs, 2}));

  Impact impact;
  impact.stamp = 10 * kMs;
  impact.identity = 3;
  impact.impulse_W.x() = 0.5;
  const Vector3d v = craft.state().v_WB;
  craft.takeImpact(impact);
  EXPECT_EQ(craft.state().v_WB, v);
  impact.stamp += 1;
  craft.takeImpact(impact);
  EXPECT_GT((craft.state().v_WB - v).x(), 0.5);
}

// All of it in one UAV: its listeners hear of one state a stamp, and the others of the placement.
TEST(Uav, APlacementAtAStampIsReportedOnceAndVoidsTheGoal) {
  Uav uav(uavAt({0.0, 0.0, 5.0}), {}, kNoGround);
  const Vector3d there(0.1, 0.7, 5.3);
  std::vector<TimeNs> stamps, expected;
  for (TimeNs t = kPeriod; t <= 500 * kMs; t += kPeriod) expected.push_back(t);
  uav.on_report = [&](const VehicleReport& report) {
    stamps.push_back(report.motion.stamp);
    ASSERT_EQ(report.placements, report.motion.stamp < 102 * kMs ? 1U : 2U);
    const bool is_there = (report.motion.X_WB.p - there).norm() < 1e-3;
    ASSERT_EQ(is_there, report.placements == 2U) << report.motion.stamp;
  };
  uav.setGoal({9.0, 0.0, 5.0}, 0.0);
  EXPECT_TRUE(uav.teleport(there, 0.3, 101 * kMs));
  uav.takeAnnouncements();
  for (int i = 0; i < 500; ++i) uav.step();
  EXPECT_EQ(stamps, expected);
  std::vector<TimeNs> told;
  for (const Announcement& news : uav.takeAnnouncements()) {
    const bool is_there = news.state.placements == 2;
    EXPECT_EQ(is_there, news.state.motion.stamp >= 102 * kMs);
    EXPECT_EQ((news.state.motion.X_WB.p - there).norm() < 1e-3, is_there);
    told.push_back(news.state.motion.stamp / kMs);
  }
  const std::vector<TimeNs> first(told.begin(), told.begin() + 7);
  EXPECT_EQ(first, (std::vector<TimeNs>{20, 40, 60, 80, 100, 102, 120}));
}

}  // namespace
}  // namespace marsim::sim
