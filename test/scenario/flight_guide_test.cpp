// SPDX-License-Identifier: BSD-3-Clause
#include "scenario/flight_guide.hpp"

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
FlightGuide guideTo(const std::vector<Way>& goals, double start_yaw = 0.0) {
  FlightGuide guide(stagesOf({goals, "", {}}, start_yaw), 0.1, start_yaw);
  guide.beginAfter(0);
  return guide;
}

const Vector3d kFirst(1.0, 0.0, 2.0);
const Vector3d kSecond(3.0, 0.0, 2.0);

TEST(FlightGuide, SendsNothingBeforeTheFlightBegins) {
  FlightGuide guide(stagesOf({{{Vector3d(3.0, 3.0, 1.0)}}, "", {}}, 0.0), 0.1, 0.0);
  EXPECT_FALSE(guide.answer(at(1.0, {0, 0, 1})).goal);
  guide.beginAfter(kNsPerSecond);
  EXPECT_FALSE(guide.answer(restingAt(kNsPerSecond + 2'000'000, {0, 0, 1})).goal);
  const auto goal = guide.answer(restingAt(3 * kNsPerSecond / 2, {0, 0, 1})).goal;
  ASSERT_TRUE(goal);
  EXPECT_EQ(goal->stamp, 3 * kNsPerSecond / 2 + FlightGuide::kLead);
  EXPECT_NEAR(yawOf(goal->X_WB.q), std::atan2(3.0, 3.0), 1e-12);  // it looks where it flies
}

TEST(FlightGuide, KeepsTheYawOnTheWayToANearGoal) {
  FlightGuide guide = guideTo({{Vector3d(0.0, 0.1, 2.0)}}, 0.4);
  const auto goal = guide.answer(at(1.0, {0, 0, 1})).goal;
  ASSERT_TRUE(goal);
  EXPECT_NEAR(yawOf(goal->X_WB.q), 0.4, 1e-12);
}

TEST(FlightGuide, SendsEveryStateOfAPathOnceAheadOfTime) {
  FigureEight eight;
  eight.middle = {0, 0, 5};
  FlightGuide guide(stagesOf({{}, "", eight}, 0.0), 0.1, 0.0);
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
}

TEST(FlightGuide, SendsTheNextGoalWhenTheUavHasRestedAtTheLast) {
  FlightGuide guide = guideTo({{kFirst}, {kSecond}});
  EXPECT_EQ(guide.goalCount(), 2U);
  EXPECT_EQ(guide.answer(at(0.5, Vector3d::Zero())).goal->X_WB.p, kFirst);
  EXPECT_FALSE(guide.answer(at(1.0, {0.5, 0.0, 2.0}, 1.0)).goal);  // on the way
  EXPECT_FALSE(guide.answer(at(2.0, {0.95, 0.0, 2.0}, 0.05)).goal);
  EXPECT_FALSE(guide.answer(at(2.4, {0.95, 0.0, 2.0}, 0.05)).goal);  // not long enough
  const auto goal = guide.answer(at(2.5, {0.95, 0.0, 2.0}, 0.05)).goal;
  ASSERT_TRUE(goal);
  EXPECT_EQ(goal->X_WB.p, kSecond);
  EXPECT_EQ(guide.goals()[0].reached, toNs(2.0));
  EXPECT_EQ(guide.goals()[0].sent, toNs(0.5));
  EXPECT_FALSE(guide.flownAt());
}

TEST(FlightGuide, PassingThroughAGoalDoesNotReachIt) {
  FlightGuide guide = guideTo({{kFirst}});
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
  FlightGuide guide = guideTo({{kFirst, kSecond}});
  EXPECT_EQ(guide.goalCount(), 1U);
  EXPECT_EQ(guide.answer(at(0.5, Vector3d::Zero())).goal->X_WB.p, kFirst);
  EXPECT_FALSE(guide.answer(at(1.0, {0.69, 0.0, 2.0}, 2.0)).goal);
  EXPECT_EQ(guide.answer(at(1.1, {0.71, 0.0, 2.0}, 2.0)).goal->X_WB.p, kSecond);
  EXPECT_FALSE(guide.answer(at(1.2, kFirst, 0.0)).goal);
  EXPECT_FALSE(guide.answer(at(3.0, kSecond)).goal);
  EXPECT_FALSE(guide.answer(at(3.5, kSecond)).goal);
  ASSERT_EQ(guide.goals().size(), 1U);
  EXPECT_EQ(guide.goals()[0].position, kSecond);
  EXPECT_EQ(guide.goals()[0].sent, toNs(0.5));
  EXPECT_EQ(guide.goals()[0].reached, toNs(3.0));
  EXPECT_EQ(guide.flownAt(), toNs(3.5));
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
