// SPDX-License-Identifier: BSD-3-Clause
#include "clock/sim_clock.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "marsim/common/error.hpp"

namespace marsim {
namespace {

constexpr TimeNs kMs = kNsPerSecond / 1000;
constexpr TimeNs kPeriod = 2 * kMs;
constexpr double kForEver = std::numeric_limits<double>::infinity();

/// A clock and a wall that stands until the test moves it.
class SimClockTest : public testing::Test {
 protected:
  SimClock make(double pace) const {
    SimClockConfig config;
    config.pace = pace;
    return SimClock(config, wall_);
  }
  SimClock makeWith(std::vector<std::string> participants, std::vector<AnswerRule> answers) const {
    SimClockConfig config;
    config.pace = kPaceMax;
    config.patience = participants.empty() ? 5.0 : kForEver;
    config.participants = std::move(participants);
    config.answers = std::move(answers);
    return SimClock(config, wall_);
  }
  static SimClock::WallClock::duration wallSeconds(double seconds) {
    return std::chrono::duration_cast<SimClock::WallClock::duration>(
        std::chrono::duration<double>(seconds));
  }
  /// Goes on as its thread does, waking when it wants to, for a wall time or until a simulated one.
  TimeNs run(SimClock& clock, double wall_seconds, TimeNs until = kNsPerSecond * 1000) {
    const SimClock::WallTime end = wall_ + wallSeconds(wall_seconds);
    while (clock.now() < until) {
      if (clock.advance(wall_)) continue;
      const SimClock::WallTime wake = clock.wakeAt(wall_);
      if (wake > end) break;
      EXPECT_GE(wake, wall_);
      if (wake == wall_ && !clock.paused() && ++idle_ > 3) {
        ADD_FAILURE() << "wakes for nothing";
        break;
      }
      if (wake > wall_) idle_ = 0;
      wall_ = wake;
    }
    if (clock.now() < until) wall_ = end;
    return clock.now();
  }

  SimClock::WallTime wall_ = SimClock::WallTime() + std::chrono::hours(1);
  int idle_ = 0;
};

TEST(Pace, IsANumberOrMax) {
  EXPECT_EQ(parsePace("0.5", "clock"), 0.5);
  EXPECT_EQ(parsePace(" 20 ", "clock"), 20.0);
  EXPECT_EQ(parsePace("max", "clock"), kPaceMax);
  EXPECT_EQ(paceText(kPaceMax), "max");
  EXPECT_EQ(paceText(0.5), "0.5");
  for (const char* text : {"0", "-1", "nan", "inf", "1e-5", "1e7", "", "fast", "2 Hz"}) {
    EXPECT_THROW(parsePace(text, "clock"), ConfigError) << text;
  }
}

TEST_F(SimClockTest, KeepsItsPace) {
  for (const double pace : {0.25, 1.0, 20.0}) {
    SimClock clock = make(pace);
    EXPECT_NEAR(toSeconds(run(clock, 3.0)), 3.0 * pace, toSeconds(kPeriod) * 1.001 + pace * 1e-6);
  }
}

TEST_F(SimClockTest, MakesUpForAtMostATenthOfASecond) {
  SimClock clock = make(1.0);
  run(clock, 1.0);
  const TimeNs before = clock.now();
  wall_ += wallSeconds(3.0);
  TimeNs made_up = 0;
  while (clock.advance(wall_)) made_up = clock.now() - before;
  EXPECT_GT(made_up, 0);
  EXPECT_LE(made_up, 100 * kMs + 2 * kPeriod);
}

TEST_F(SimClockTest, WithPaceMaxGoesAsFarAsGrantedInNoTime) {
  SimClock clock = makeWith({"/a", "/b"}, {});
  EXPECT_EQ(run(clock, 100.0), 0) << "time has not begun";
  EXPECT_EQ(clock.holders(), "/a, /b");
  clock.grant("/a", 500 * kMs);
  EXPECT_EQ(run(clock, 100.0), 0);
  EXPECT_NEAR(clock.heldFor(wall_), 200.0, 1e-6);
  const SimClock::WallTime before = wall_;
  clock.grant("/b", 301 * kMs);
  while (clock.advance(wall_)) {
  }
  EXPECT_EQ(clock.now(), 300 * kMs) << "whole periods";
  EXPECT_EQ(wall_, before);
  EXPECT_EQ(clock.wakeAt(wall_), SimClock::WallTime::max()) << "no busy waiting";
  EXPECT_EQ(clock.holders(), "/b");
  clock.grant("/b", 0);
  EXPECT_EQ(run(clock, 0.0), 500 * kMs);
}

TEST_F(SimClockTest, WithPaceMaxAndNobodyToFollowGoesInRealTime) {
  SimClock clock = makeWith({}, {});
  EXPECT_NEAR(toSeconds(run(clock, 2.0)), 2.0, 0.003);
  clock.grant("/a", 100 * kNsPerSecond);
  EXPECT_EQ(run(clock, 0.003), 100 * kNsPerSecond);
}

TEST_F(SimClockTest, LetsGoWhoIsSilentOutsideOfLockstep) {
  SimClock clock = makeWith({}, {});
  clock.grant("/a", 100 * kMs);
  EXPECT_EQ(run(clock, 4.9), 100 * kMs);
  EXPECT_TRUE(clock.takeWarnings().empty());
  EXPECT_GT(run(clock, 0.2, 200 * kMs), 100 * kMs);
  const auto warnings = clock.takeWarnings();
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0], "/a held the clock at 0.100 s for 5.0 s and is waited for no longer");
  clock.grant("/a", 100 * kMs);  // the same again is no news
  EXPECT_FALSE(clock.isHeld());
  clock.grant("/a", 102 * kMs);
  EXPECT_TRUE(clock.isHeld());
}

TEST_F(SimClockTest, PausesAndStepsOnePeriod) {
  SimClock clock = make(1.0);
  run(clock, 1.0);
  EXPECT_FALSE(clock.step(wall_).done);
  EXPECT_TRUE(clock.pause(true, wall_).done);
  const TimeNs paused = clock.now();
  EXPECT_EQ(run(clock, 10.0), paused);
  EXPECT_TRUE(clock.step(wall_).done);
  EXPECT_EQ(clock.now(), paused + kPeriod);
  EXPECT_EQ(run(clock, 10.0), paused + kPeriod);
  clock.grant("/a", clock.now());
  const SimClock::Reply refused = clock.step(wall_);
  EXPECT_FALSE(refused.done);
  EXPECT_EQ(refused.text, "time waits for /a");
  clock.grant("/a", 0);
  clock.pause(false, wall_);
  EXPECT_NEAR(toSeconds(run(clock, 1.0) - paused), 1.0, 0.01) << "nothing is made up";
}

TEST_F(SimClockTest, MayBePausedFromTheStart) {
  SimClockConfig config;
  config.paused = true;
  SimClock clock(config, wall_);
  clock.grant("dynamics", 10 * kPeriod);
  EXPECT_EQ(run(clock, 3.0), 0);
  clock.pause(false, wall_);
  EXPECT_EQ(run(clock, 3.0, 10 * kPeriod), 10 * kPeriod);
}

TEST_F(SimClockTest, StepsByADurationAsGrantsCome) {
  SimClock clock = makeWith({"/a"}, {});
  EXPECT_FALSE(clock.stepBy(100 * kMs, wall_).done) << "not paused";
  clock.pause(true, wall_);
  for (const TimeNs bad : {TimeNs{0}, -kMs, std::numeric_limits<TimeNs>::max()}) {
    const SimClock::Reply reply = clock.stepBy(bad, wall_);
    EXPECT_FALSE(reply.done);
    EXPECT_NE(reply.text.find("allowed: more than 0"), std::string::npos) << reply.text;
  }
  EXPECT_TRUE(clock.paused());
  EXPECT_TRUE(clock.stepBy(99 * kMs, wall_).done);
  EXPECT_EQ(run(clock, 10.0), 0);
  clock.grant("/a", 30 * kMs);
  EXPECT_EQ(run(clock, 10.0), 30 * kMs);
  EXPECT_FALSE(clock.paused());
  clock.grant("/a", kNsPerSecond);
  EXPECT_EQ(run(clock, 10.0), 100 * kMs) << "whole periods, at least as long";
  EXPECT_TRUE(clock.paused());
  EXPECT_FALSE(clock.until());
}

TEST_F(SimClockTest, RunsUntilATime) {
  SimClock clock = make(2.0);
  clock.pause(true, wall_);
  EXPECT_TRUE(clock.runUntil(1500 * kMs, wall_).done);
  EXPECT_NEAR(toSeconds(run(clock, 0.7)), 1.4, 0.0021);
  EXPECT_EQ(clock.until(), 1500 * kMs);
  EXPECT_EQ(run(clock, 10.0), 1500 * kMs);
  EXPECT_TRUE(clock.paused());
  for (const TimeNs past : {TimeNs{0}, TimeNs{-1}, 1500 * kMs}) {
    const SimClock::Reply reply = clock.runUntil(past, wall_);
    EXPECT_FALSE(reply.done);
    EXPECT_NE(reply.text.find("allowed: past the present 1.500 s"), std::string::npos);
  }
  EXPECT_TRUE(clock.paused());
  clock.runUntil(2000 * kMs, wall_);
  clock.pause(true, wall_);
  clock.pause(false, wall_);
  EXPECT_GT(run(clock, 10.0), 10'000 * kMs) << "a pause ends it";
}

TEST_F(SimClockTest, ChangesItsPace) {
  SimClock clock = make(1e-3);
  run(clock, 1.0);
  const TimeNs before = clock.now();
  EXPECT_TRUE(clock.setPace(10.0, wall_).done);
  EXPECT_NEAR(toSeconds(run(clock, 1.0) - before), 10.0, 0.01);
  for (const double bad : {0.0, std::nan(""), -2.0, -kPaceMax}) {
    const SimClock::Reply reply = clock.setPace(bad, wall_);
    EXPECT_FALSE(reply.done);
    EXPECT_NE(reply.text.find("allowed: inf (max) or"), std::string::npos) << reply.text;
  }
  EXPECT_EQ(clock.pace(), 10.0);
  clock.grant("/a", 100 * kNsPerSecond);
  EXPECT_TRUE(clock.setPace(kPaceMax, wall_).done);
  EXPECT_EQ(run(clock, 0.0), 100 * kNsPerSecond);
}

TEST_F(SimClockTest, WaitsForAnswers) {
  SimClock clock = makeWith({}, {{"/points", "/odom", 50 * kMs}});
  clock.grant("/dynamics", 1000 * kNsPerSecond);
  AnswerWait& answer = clock.answers().front();
  EXPECT_EQ(run(clock, 1.0), 0);
  EXPECT_EQ(clock.holders(), "/odom (nobody publishes it)");
  answer.setOffered(true);
  answer.onInput(0);
  EXPECT_EQ(run(clock, 0.0), 50 * kMs);
  answer.onOutput(0);
  answer.onInput(100 * kMs);
  EXPECT_EQ(run(clock, 0.0), 150 * kMs);
  EXPECT_EQ(clock.holders(), "/odom (answer to /points of 0.100 s)");
  // Its patience is its own: what others hold does not count.
  clock.grant("/a", clock.now());
  EXPECT_EQ(run(clock, 4.0), 150 * kMs);
  clock.grant("/a", 0);
  EXPECT_EQ(run(clock, 9.8), 150 * kMs);
  EXPECT_GT(run(clock, 0.5, 300 * kMs), 150 * kMs);
  const auto warnings = clock.takeWarnings();
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("/odom has not answered /points of 0.100 s for 10.0 s"),
            std::string::npos)
      << warnings[0];
}

// A scan that takes long to be rendered leaves no less time to who answers it.
TEST_F(SimClockTest, PatienceIsForEachInputAndEachAnswer) {
  SimClock clock = makeWith({}, {{"/points", "/odom", 50 * kMs}});
  clock.grant("/dynamics", 1000 * kNsPerSecond);
  AnswerWait& answer = clock.answers().front();
  answer.setOffered(true);
  for (const TimeNs stamp : {0, 100}) {
    answer.onInput(stamp * kMs);
    answer.onOutput(stamp * kMs);
  }
  EXPECT_EQ(run(clock, 8.0), 250 * kMs);
  EXPECT_EQ(clock.holders(), "/points (of 0.200 s)");
  answer.onInput(200 * kMs);
  EXPECT_EQ(run(clock, 9.8), 250 * kMs);
  EXPECT_EQ(clock.holders(), "/odom (answer to /points of 0.200 s)");
  EXPECT_TRUE(clock.takeWarnings().empty());
  EXPECT_GT(run(clock, 0.5, 300 * kMs), 250 * kMs);
  EXPECT_EQ(clock.takeWarnings().size(), 1u);
}

// One that sleeps in simulated time when time comes to stand cannot wake by itself.
TEST_F(SimClockTest, NudgesWhoOwesAnAnswer) {
  SimClock clock = makeWith({}, {{"/points", "/odom", 50 * kMs, 20 * kMs}});
  clock.grant("/dynamics", 1000 * kNsPerSecond);
  AnswerWait& answer = clock.answers().front();
  answer.setOffered(true);
  for (const TimeNs stamp : {0, 100, 200}) {
    answer.onInput(stamp * kMs);
    EXPECT_EQ(run(clock, 0.0), (stamp + 30) * kMs);
    EXPECT_EQ(run(clock, 0.019), (stamp + 30) * kMs);
    EXPECT_EQ(run(clock, 0.002), (stamp + 32) * kMs);
    EXPECT_EQ(run(clock, 0.04), (stamp + 36) * kMs);
    answer.onOutput(stamp * kMs);
  }
  EXPECT_EQ(run(clock, 5.0), 330 * kMs);  // an input that is under way is no debt
  answer.onInput(300 * kMs);
  EXPECT_EQ(run(clock, 0.06), 336 * kMs);
  clock.grant("/a", clock.now());
  EXPECT_EQ(run(clock, 1.0), 336 * kMs);
  clock.grant("/a", 0);
  EXPECT_EQ(run(clock, 5.0), 350 * kMs);
  EXPECT_TRUE(clock.takeWarnings().empty());
}

// A pause is no silence of anybody.
TEST_F(SimClockTest, PatienceBeginsAnewAfterAPause) {
  SimClock clock = makeWith({}, {});
  clock.grant("/a", 100 * kMs);
  run(clock, 4.0);
  clock.pause(true, wall_);
  run(clock, 60.0);
  EXPECT_EQ(clock.heldFor(wall_), 0.0);
  clock.pause(false, wall_);
  EXPECT_EQ(run(clock, 4.0), 100 * kMs);
}

}  // namespace
}  // namespace marsim
