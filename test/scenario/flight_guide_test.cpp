// SPDX-License-Identifier: BSD-3-Clause
#include "scenario/flight_guide.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "scenario/figure_eight.hpp"

namespace marsim::scenario {
namespace {

using Eigen::Vector3d;

MotionSample at(double seconds, const Vector3d& p_WB, double speed = 0.0, double yaw = 0.0) {
  MotionSample sample;
  sample.stamp = toNs(seconds);
  sample.X_WB = {fromRollPitchYaw(0.0, 0.0, yaw), p_WB};
  sample.v_WB.x() = speed;
  return sample;
}

MotionSample restingAt(TimeNs stamp, const Vector3d& p_WB) {
  MotionSample sample = at(0.0, p_WB);
  sample.stamp = stamp;
  return sample;
}

/// A guide to goals whose flight begins at 0.5 s.
FlightGuide guideTo(const std::vector<Goal>& goals, double start_yaw = 0.0) {
  FlightGuide guide(stagesOf({goals, "", {}}, Pose()), 0.1, start_yaw);
  guide.beginAfter(0);
  return guide;
}

const Vector3d kFirst(1.0, 0.0, 2.0);
const Vector3d kSecond(3.0, 0.0, 2.0);

TEST(FlightGuide, SendsNothingBeforeTheFlightBegins) {
  FlightGuide guide(stagesOf({{{{Vector3d(3.0, 3.0, 1.0)}}}, "", {}}, Pose()), 0.1, 0.0);
  EXPECT_FALSE(guide.answer(at(1.0, {0, 0, 1})).goal);
  guide.beginAfter(kNsPerSecond);
  EXPECT_FALSE(guide.answer(restingAt(kNsPerSecond + 2'000'000, {0, 0, 1})).goal);
  const auto goal = guide.answer(restingAt(3 * kNsPerSecond / 2, {0, 0, 1})).goal;
  ASSERT_TRUE(goal);
  EXPECT_EQ(goal->stamp, 3 * kNsPerSecond / 2 + FlightGuide::kLead);
  EXPECT_NEAR(yawOf(goal->X_WB.q), std::atan2(3.0, 3.0), 1e-12);  // it looks where it flies
}

TEST(FlightGuide, KeepsTheYawOnTheWayToANearGoal) {
  FlightGuide guide = guideTo({{{Vector3d(0.0, 0.1, 2.0)}}}, 0.4);
  const auto goal = guide.answer(at(1.0, {0, 0, 1})).goal;
  ASSERT_TRUE(goal);
  EXPECT_NEAR(yawOf(goal->X_WB.q), 0.4, 1e-12);
}

TEST(FlightGuide, SendsEveryStateOfAPathOnceAheadOfTime) {
  FigureEight eight;
  eight.middle = {0, 0, 5};
  FlightGuide guide(stagesOf({{}, "", eight}, Pose()), 0.1, 0.0);
  const FigureEightPath path(eight, 0.0);
  guide.beginAfter(0);
  TimeNs expected = FlightGuide::kBegin + FlightGuide::kLead;
  const TimeNs end = FlightGuide::kBegin + path.duration();
  for (TimeNs t = 0; t <= end; t += 2'000'000) {
    for (const KinematicState& state : guide.answer(restingAt(t, {0, 0, 5})).references) {
      EXPECT_EQ(state.stamp, expected);
      EXPECT_EQ(state.X_WB.p, path.at(expected - FlightGuide::kBegin).X_WB.p);
      expected += 10'000'000;
    }
    if (t + 2'000'000 < end) {
      EXPECT_FALSE(guide.flownAt());
    }
  }
  EXPECT_GT(expected, end);
  EXPECT_TRUE(guide.flownAt() || path.duration() % 2'000'000 != 0);
}

TEST(FlightGuide, WithoutStagesAllIsFlownAtOnce) {
  FlightGuide guide = guideTo({});
  EXPECT_FALSE(guide.answer(at(0.0, Vector3d::Zero())).goal);
  EXPECT_EQ(guide.flownAt(), TimeNs{0});
  EXPECT_TRUE(guide.hasSentGoals());
}

TEST(FlightGuide, SendsTheNextGoalWhenTheUavHasRestedAtTheLast) {
  FlightGuide guide = guideTo({{{kFirst}}, {{kSecond}}});
  EXPECT_EQ(guide.goalCount(), 2U);
  EXPECT_EQ(guide.answer(at(0.5, Vector3d::Zero())).goal->X_WB.p, kFirst);
  EXPECT_FALSE(guide.answer(at(1.0, {0.5, 0.0, 2.0}, 1.0)).goal);  // on the way
  EXPECT_FALSE(guide.answer(at(2.0, {0.95, 0.0, 2.0}, 0.05)).goal);
  EXPECT_FALSE(guide.answer(at(2.4, {0.95, 0.0, 2.0}, 0.05)).goal);  // not long enough
  EXPECT_FALSE(guide.hasSentGoals());
  const auto goal = guide.answer(at(2.5, {0.95, 0.0, 2.0}, 0.05)).goal;
  ASSERT_TRUE(goal);
  EXPECT_EQ(goal->X_WB.p, kSecond);
  EXPECT_TRUE(guide.hasSentGoals());
  EXPECT_EQ(guide.goals()[0].reached, toNs(2.0));
  EXPECT_EQ(guide.goals()[0].sent, toNs(0.5));
  EXPECT_FALSE(guide.flownAt());
}

TEST(FlightGuide, PassingThroughAGoalDoesNotReachIt) {
  FlightGuide guide = guideTo({{{kFirst}}});
  guide.answer(at(0.5, Vector3d::Zero()));
  guide.answer(at(1.0, kFirst, 2.0));
  guide.answer(at(2.0, kFirst));
  guide.answer(at(2.3, {1.2, 0.0, 2.0}));  // blown away
  guide.answer(at(2.4, kFirst));
  guide.answer(at(2.8, kFirst));
  EXPECT_FALSE(guide.flownAt());
  guide.answer(at(2.9, kFirst));
  EXPECT_EQ(guide.flownAt(), toNs(2.9));
  EXPECT_EQ(guide.goals()[0].reached, toNs(2.4));
}

TEST(FlightGuide, PassesThePlacesBeforeAGoalWithoutStopping) {
  FlightGuide guide = guideTo({{{kFirst, kSecond}}});
  EXPECT_EQ(guide.goalCount(), 1U);
  EXPECT_EQ(guide.answer(at(0.5, Vector3d::Zero())).goal->X_WB.p, kFirst);
  EXPECT_FALSE(guide.answer(at(1.0, {0.69, 0.0, 2.0}, 2.0)).goal);
  EXPECT_FALSE(guide.hasSentGoals());
  EXPECT_EQ(guide.answer(at(1.1, {0.71, 0.0, 2.0}, 2.0)).goal->X_WB.p, kSecond);
  EXPECT_FALSE(guide.answer(at(1.2, kFirst, 0.0)).goal);
  EXPECT_FALSE(guide.answer(at(3.0, kSecond)).goal);
  EXPECT_FALSE(guide.answer(at(3.5, kSecond)).goal);
  EXPECT_TRUE(guide.hasSentGoals());
  ASSERT_EQ(guide.goals().size(), 1U);
  EXPECT_EQ(guide.goals()[0].position, kSecond);
  EXPECT_EQ(guide.goals()[0].sent, toNs(0.5));
  EXPECT_EQ(guide.goals()[0].reached, toNs(3.0));
  EXPECT_EQ(guide.flownAt(), toNs(3.5));
}

TEST(FlightGuide, KeepsTheYawOfAGoal) {
  FlightGuide guide = guideTo({{{kFirst}, 1.2}, {{kSecond}}});
  EXPECT_NEAR(yawOf(guide.answer(at(0.5, Vector3d::Zero())).goal->X_WB.q), 1.2, 1e-12);
  guide.answer(at(2.0, kFirst, 0.0, 1.2));
  const auto goal = guide.answer(at(2.5, kFirst, 0.0, 1.2)).goal;
  ASSERT_TRUE(goal);
  EXPECT_NEAR(yawOf(goal->X_WB.q), 0.0, 1e-12) << "towards the second one";
}

// The climb's derivatives are those of its positions; it begins and ends at rest, with 4 m/s^2.
TEST(FlightGuide, Climbs) {
  const Stage stage = climb({fromRollPitchYaw(0.0, 0.0, 0.3), {1.0, 2.0, 0.1}}, 1.5);
  constexpr double kStep = 1e-3;
  double hardest = 0.0;
  for (double t = kStep; t < toSeconds(stage.duration); t += 0.01) {
    const KinematicState before = stage.path(toNs(t - kStep)), now = stage.path(toNs(t)),
                         after = stage.path(toNs(t + kStep));
    const Vector3d v = (after.X_WB.p - before.X_WB.p) / (2.0 * kStep);
    EXPECT_LT((v - now.v_WB).norm(), 1e-3) << t;
    EXPECT_LT(((after.v_WB - before.v_WB) / (2.0 * kStep) - now.a_WB).norm(), 0.02) << t;
    hardest = std::max(hardest, now.a_WB.norm());
    EXPECT_NEAR(yawOf(now.X_WB.q), 0.3, 1e-12);
  }
  EXPECT_NEAR(hardest, 4.0, 0.01);
  EXPECT_EQ(stage.path(0).X_WB.p, Vector3d(1.0, 2.0, 0.1));
  EXPECT_LT((stage.path(stage.duration).X_WB.p - Vector3d(1.0, 2.0, 1.6)).norm(), 1e-9);
  EXPECT_EQ(stage.path(stage.duration).v_WB.norm(), 0.0);
}

TEST(FlightGuide, RestsTakesOffExcitesAndLands) {
  Scenario scenario;
  Flight& flight = scenario.flights["uav0"];
  flight.rest = 2.0;
  flight.take_off = 1.0;
  flight.excitation = 0.2;
  flight.goals = {{{kFirst}}};
  flight.land = true;
  scenario.yaw = 0.7;
  FlightGuide guide(scenario, "uav0");
  EXPECT_TRUE(guide.hasPath());
  EXPECT_EQ(guide.goalCount(), 2U) << "the ground is the last one";
  guide.beginAfter(0);
  const Vector3d ground(5.0, 6.0, 0.1);  // where the UAV stands, whatever the scenario says
  double highest = 0.0, farthest = 0.0;
  TimeNs first = -1, goal_at = -1;
  for (TimeNs t = 0; goal_at < 0 && t < 30 * kNsPerSecond; t += 10'000'000) {
    const FlightGuide::Commands commands = guide.answer([&] {
      MotionSample sample = restingAt(t, ground);
      sample.X_WB.q = fromRollPitchYaw(0.0, 0.0, 0.7);
      return sample;
    }());
    for (const KinematicState& state : commands.references) {
      if (first < 0) first = state.stamp;
      highest = std::max(highest, state.X_WB.p.z());
      farthest = std::max(farthest, (state.X_WB.p - ground).head<2>().norm());
    }
    if (commands.goal) goal_at = t;
  }
  EXPECT_EQ(first, FlightGuide::kBegin + 2 * kNsPerSecond + FlightGuide::kLead);
  EXPECT_GT(highest, 1.1);
  EXPECT_LT(highest, 1.1 + 0.2);
  EXPECT_GT(farthest, 0.1);
  EXPECT_LE(farthest, 0.2);
  const double begin = toSeconds(goal_at);
  guide.answer(at(begin + 1.0, kFirst));
  const auto flare = guide.answer(at(begin + 1.5, kFirst)).goal;
  ASSERT_TRUE(flare);
  EXPECT_LT((flare->X_WB.p - Vector3d(kFirst.x(), kFirst.y(), 0.5)).norm(), 1e-9);
  const auto down = guide.answer(at(begin + 2.0, {kFirst.x(), kFirst.y(), 0.6}, 0.5)).goal;
  ASSERT_TRUE(down);
  EXPECT_LT(down->X_WB.p.z(), 0.1);
  guide.answer(at(begin + 3.0, {kFirst.x(), kFirst.y(), 0.1}));
  guide.answer(at(begin + 3.5, {kFirst.x(), kFirst.y(), 0.1}));
  EXPECT_TRUE(guide.flownAt());
}

TEST(FlightGuide, FliesStagesOneAfterAnother) {
  const auto path = [](TimeNs t) {
    KinematicState state;
    state.X_WB.p.x() = toSeconds(t);
    return state;
  };
  FlightGuide guide({{{}, {}, kNsPerSecond, {}},  // a rest
                     {{kFirst}, 1.0, 0, {}},      // a turn
                     {{}, {}, kNsPerSecond, path}},
                    0.1, 0.0);
  guide.beginAfter(0);
  EXPECT_FALSE(guide.answer(at(0.5, kFirst)).goal);
  EXPECT_FALSE(guide.answer(at(1.498, kFirst)).goal);
  const auto goal = guide.answer(at(1.5, kFirst)).goal;
  ASSERT_TRUE(goal);
  EXPECT_NEAR(yawOf(goal->X_WB.q), 1.0, 1e-12);
  guide.answer(at(2.5, kFirst, 0.0, 0.9));  // rests there, but has not turned yet
  guide.answer(at(3.5, kFirst, 0.0, 0.9));
  EXPECT_FALSE(guide.goals()[0].reached);
  guide.answer(at(4.0, kFirst, 0.0, 1.0));
  const auto references = guide.answer(at(4.5, kFirst, 0.0, 1.0)).references;
  ASSERT_EQ(references.size(), 1U);
  EXPECT_EQ(references[0].stamp, toNs(4.5) + FlightGuide::kLead);
  EXPECT_NEAR(references[0].X_WB.p.x(), 0.15, 1e-12);
  EXPECT_EQ(guide.answer(at(5.498, kFirst)).references.back().stamp, toNs(5.5));
  EXPECT_FALSE(guide.flownAt());
  guide.answer(at(5.5, kFirst));
  EXPECT_EQ(guide.flownAt(), toNs(5.5));
}

}  // namespace
}  // namespace marsim::scenario
