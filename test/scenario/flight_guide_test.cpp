#include "scenario/flight_guide.hpp"

#include <gtest/gtest.h>

#include "scenario/figure_eight.hpp"

namespace marsim::scenario {
namespace {

MotionSample restingAt(TimeNs stamp, const Eigen::Vector3d& p_WB) {
  MotionSample sample;
  sample.stamp = stamp;
  sample.X_WB.p = p_WB;
  return sample;
}

TEST(FlightGuide, SendsNothingBeforeTheFlightBegins) {
  FlightGuide guide({{{3.0, 3.0, 1.0}}, "", {}}, 0.1, 0.0);
  EXPECT_FALSE(guide.answer(restingAt(kNsPerSecond, {0, 0, 1})).goal);
  guide.beginAfter(kNsPerSecond);
  EXPECT_FALSE(guide.answer(restingAt(kNsPerSecond + 2'000'000, {0, 0, 1})).goal);
  const auto goal = guide.answer(restingAt(3 * kNsPerSecond / 2, {0, 0, 1})).goal;
  ASSERT_TRUE(goal);
  EXPECT_EQ(goal->stamp, 3 * kNsPerSecond / 2 + FlightGuide::kLead);
  EXPECT_NEAR(yawOf(goal->X_WB.q), std::atan2(3.0, 3.0), 1e-12);  // it looks where it flies
}

TEST(FlightGuide, KeepsTheYawOnTheWayToANearGoal) {
  FlightGuide guide({{{0.0, 0.1, 2.0}}, "", {}}, 0.1, 0.4);
  guide.beginAfter(0);
  const auto goal = guide.answer(restingAt(kNsPerSecond, {0, 0, 1})).goal;
  ASSERT_TRUE(goal);
  EXPECT_NEAR(yawOf(goal->X_WB.q), 0.4, 1e-12);
}

TEST(FlightGuide, SendsEveryStateOfAPathOnceAheadOfTime) {
  FigureEight eight;
  eight.middle = {0, 0, 5};
  FlightGuide guide({{}, "", eight}, 0.1, 0.0);
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

}  // namespace
}  // namespace marsim::scenario
