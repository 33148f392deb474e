// SPDX-License-Identifier: BSD-3-Clause
#include "clock/control_wait.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace marsim {
namespace {

constexpr TimeNs kPeriod = kNsPerSecond / 500;

class ControlWaitTest : public testing::Test {
 protected:
  ControlWait::WallClock::time_point after(double wall_seconds) const {
    return begin_ + std::chrono::duration_cast<ControlWait::WallClock::duration>(
                        std::chrono::duration<double>(wall_seconds));
  }
  void answer(TimeNs first, TimeNs last, TimeNs step) {
    for (TimeNs stamp = first; stamp <= last; stamp += step) wait_.onCommand(stamp);
  }

  ControlWait wait_{kPeriod, 1};
  ControlWait::WallClock::time_point begin_ = ControlWait::WallClock::now();
};

TEST_F(ControlWaitTest, WaitsForOneThatAnswersEveryState) {
  EXPECT_FALSE(wait_.mustWait(kNsPerSecond, begin_)) << "nobody has commanded anything";
  answer(kPeriod, 5 * kPeriod, kPeriod);
  EXPECT_FALSE(wait_.mustWait(7 * kPeriod - 1, begin_));
  EXPECT_TRUE(wait_.mustWait(7 * kPeriod, begin_));
  answer(6 * kPeriod, 6 * kPeriod, kPeriod);
  EXPECT_FALSE(wait_.mustWait(7 * kPeriod, begin_));
  EXPECT_TRUE(wait_.mustWait(8 * kPeriod, begin_));
  wait_.reset(8 * kPeriod);
  EXPECT_FALSE(wait_.mustWait(8 * kPeriod, begin_));
}

// At the first state itself, whatever it did before: one that starts late would never be told of it
// if the vehicle had gone on. The answer to a state acts one state later.
TEST_F(ControlWaitTest, InLockstepWaitsForTheFirstAnswerToo) {
  constexpr double kForEver = std::numeric_limits<double>::infinity();
  for (const TimeNs placed : {TimeNs{0}, 5 * kPeriod, 5 * kPeriod - 1, 4 * kPeriod + 1}) {
    wait_ = ControlWait(kPeriod, 1, kForEver, true);
    wait_.reset(placed);
    const TimeNs first = placed == 0 ? 0 : 5 * kPeriod;
    EXPECT_FALSE(wait_.mustWait(first - 1, begin_));
    EXPECT_TRUE(wait_.mustWait(first, begin_));
    EXPECT_TRUE(wait_.mustWait(first, after(1e6))) << "for ever";
    wait_.onCommand(first);
    EXPECT_FALSE(wait_.mustWait(first + kPeriod, begin_));
    EXPECT_TRUE(wait_.mustWait(first + 2 * kPeriod, begin_));
    wait_.onCommand(first + 5 * kPeriod);
    EXPECT_TRUE(wait_.mustWait(first + 7 * kPeriod, begin_)) << "also one with its own rate";
  }
}

TEST_F(ControlWaitTest, WaitsWhereTheAnswerActs) {
  for (const int latency : {0, 1, 4}) {
    wait_ = ControlWait(kPeriod, latency);
    answer(kPeriod, 5 * kPeriod, kPeriod);
    EXPECT_FALSE(wait_.mustWait((6 + latency) * kPeriod - 1, begin_));
    EXPECT_TRUE(wait_.mustWait((6 + latency) * kPeriod, begin_));
  }
}

TEST_F(ControlWaitTest, LeavesAloneOneWithItsOwnRate) {
  answer(kPeriod, 21 * kPeriod, 5 * kPeriod);
  EXPECT_FALSE(wait_.mustWait(40 * kPeriod, begin_));
}

TEST_F(ControlWaitTest, GivesUpOnOneThatDied) {
  answer(kPeriod, 5 * kPeriod, kPeriod);
  EXPECT_TRUE(wait_.mustWait(7 * kPeriod, begin_));
  EXPECT_TRUE(wait_.mustWait(7 * kPeriod, after(0.9 * ControlWait::kPatience)));
  EXPECT_FALSE(wait_.gaveUp());
  EXPECT_FALSE(wait_.mustWait(7 * kPeriod, after(1.1 * ControlWait::kPatience)));
  EXPECT_TRUE(wait_.gaveUp());
  EXPECT_FALSE(wait_.gaveUp()) << "said once";
  EXPECT_FALSE(wait_.mustWait(9 * kPeriod, after(1.2 * ControlWait::kPatience)));
  answer(9 * kPeriod, 10 * kPeriod, kPeriod);
  EXPECT_TRUE(wait_.mustWait(12 * kPeriod, after(3.0))) << "it answers again";
}

// It hears the last state only, is followed from there at once, and may answer that twice.
TEST_F(ControlWaitTest, GoesOnWithANewControllerStepByStep) {
  wait_ = ControlWait(kPeriod, 1, 3.0);
  answer(kPeriod, 5 * kPeriod, kPeriod);
  EXPECT_TRUE(wait_.mustWait(7 * kPeriod, begin_));
  EXPECT_TRUE(wait_.mustWait(7 * kPeriod, after(2.9))) << "its own patience";
  EXPECT_NEAR(wait_.waited(after(2.9)), 2.9, 1e-9);
  for (int i = 0; i < 3; ++i) wait_.onCommand(7 * kPeriod);
  EXPECT_EQ(wait_.waited(after(2.9)), 0.0);
  EXPECT_FALSE(wait_.mustWait(8 * kPeriod, after(2.9)));
  EXPECT_TRUE(wait_.mustWait(9 * kPeriod, after(2.9))) << "no rush without an answer";
  wait_.onCommand(8 * kPeriod);
  EXPECT_FALSE(wait_.mustWait(9 * kPeriod, after(2.9)));
  wait_.reset(9 * kPeriod);
  EXPECT_EQ(wait_.patience(), 3.0);
}

}  // namespace
}  // namespace marsim
