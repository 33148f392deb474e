// SPDX-License-Identifier: BSD-3-Clause
#include "clock/answer_wait.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "marsim/common/error.hpp"

namespace marsim {
namespace {

constexpr TimeNs kMs = kNsPerSecond / 1000;
constexpr double kPatience = 10.0;  // [s]

TEST(AnswerRules, AreReadAndWritten) {
  const auto rules =
      parseAnswerRules(" /points > /odom + 100ms, a>b+0.05:500ms", "clock", "wait_for");
  ASSERT_EQ(rules.size(), 2u);
  EXPECT_EQ(rules[0].input, "/points");
  EXPECT_EQ(rules[0].output, "/odom");
  EXPECT_EQ(rules[0].ahead, 100 * kMs);
  EXPECT_EQ(rules[0].start, 5000 * kMs);
  EXPECT_EQ(rules[1].start, 500 * kMs);
  EXPECT_EQ(rules[0].text(), "/points>/odom+0.1:5");
  EXPECT_EQ(rules[1].text(), "a>b+0.05:0.5");
  EXPECT_TRUE(parseAnswerRules("none", "clock", "wait_for").empty());
  EXPECT_TRUE(parseAnswerRules("", "clock", "wait_for").empty());
}

TEST(AnswerRules, InvalidRulesAreNamed) {
  for (const char* text : {"/a", "/a>/b", "/a+0.1", ">/b+0.1", "/a>+0.1", "/a>/b+", "/a>/b+-0.1",
                           "/a>/b+0", "/a>/b+nan", "/a>/b+0.1m", "/a>/b>/c+0.1", "/a>/b+0.1,",
                           "/a>/b+0.1:-1", "/a>/b+0.1:3601", "/a>/b+0.1:", "/a>/b+0.1:1:1"}) {
    try {
      parseAnswerRules(text, "clock", "wait_for");
      FAIL() << text;
    } catch (const ConfigError& error) {
      EXPECT_NE(std::string(error.what()).find("clock: wait_for is '"), std::string::npos) << text;
      EXPECT_NE(std::string(error.what()).find("INPUT>OUTPUT+SECONDS"), std::string::npos);
    }
  }
}

class AnswerWaitTest : public testing::Test {
 protected:
  AnswerWaitTest() { wait_.setOffered(true); }
  /// An input that is answered at once.
  void round(TimeNs stamp) {
    wait_.onInput(stamp);
    wait_.onOutput(stamp);
  }
  /// The latest time that is allowed, to the millisecond; none where that is beyond a minute.
  TimeNs farthest() const {
    TimeNs time = kMs;
    while (time < 60'000 * kMs && wait_.allows(kMs, time + kMs)) time += kMs;
    return time < 60'000 * kMs ? time : std::numeric_limits<TimeNs>::max();
  }
  static constexpr TimeNs kFree = std::numeric_limits<TimeNs>::max();

  AnswerWait wait_{{"/points", "/odom", 50 * kMs, 0, 0}, kPatience};
};

TEST_F(AnswerWaitTest, TimeBeginsWhenSomebodyOffersTheOutput) {
  AnswerWait wait({"/points", "/odom", 50 * kMs}, kPatience);
  EXPECT_FALSE(wait.allows(0, 2 * kMs));
  EXPECT_EQ(wait.waitsFor(0), "/odom (nobody publishes it)");
  EXPECT_EQ(wait.patienceLeft(0, 4.0), 6.0);
  wait.setOffered(true);
  EXPECT_TRUE(wait.allows(0, 2 * kMs));
}

TEST_F(AnswerWaitTest, GoesAsFarAsPromisedPastTheOldestWithoutAnAnswer) {
  EXPECT_EQ(farthest(), kFree) << "nothing has come";
  wait_.onInput(100 * kMs);
  EXPECT_EQ(farthest(), 150 * kMs);
  EXPECT_EQ(wait_.waitsFor(150 * kMs), "/odom (answer to /points of 0.100 s)");
  wait_.onInput(200 * kMs);
  wait_.onInput(300 * kMs);
  EXPECT_EQ(farthest(), 150 * kMs);
  wait_.onOutput(100 * kMs);
  EXPECT_EQ(farthest(), 250 * kMs);
  wait_.onOutput(99 * kMs);  // answers nothing
  EXPECT_EQ(farthest(), 250 * kMs);
  wait_.onOutput(300 * kMs);  // answers two
  EXPECT_EQ(farthest(), 450 * kMs) << "one period past the last input, and as far again";
}

TEST_F(AnswerWaitTest, ExpectsTheNextInputAfterAPeriod) {
  round(100 * kMs);
  EXPECT_EQ(farthest(), kFree) << "one input has no period";
  round(200 * kMs);
  EXPECT_EQ(farthest(), 350 * kMs);
  EXPECT_EQ(wait_.waitsFor(350 * kMs), "/points (of 0.300 s)");
  wait_.onInput(300 * kMs);
  EXPECT_EQ(farthest(), 350 * kMs);
  wait_.onOutput(300 * kMs);
  EXPECT_EQ(farthest(), 450 * kMs);
}

// As with a spinning sensor, whose scans begin with the first column of an interval.
TEST_F(AnswerWaitTest, StampsMayJitter) {
  TimeNs stamp = 0;
  for (int i = 1; i <= 20; ++i) round(stamp = 100 * kMs * i + (i * 7) % 3 * kMs);  // 0 to 2 ms late
  EXPECT_GE(farthest(), stamp + 100 * kMs + 50 * kMs);
  EXPECT_LE(farthest(), stamp + 102 * kMs + 50 * kMs);
}

TEST_F(AnswerWaitTest, AnInputLeftOutDoesNotLengthenThePeriod) {
  for (const TimeNs stamp : {100, 200, 300, 500}) round(stamp * kMs);
  EXPECT_EQ(farthest(), 650 * kMs);
}

TEST_F(AnswerWaitTest, StampsThroughDoublesCount) {
  wait_.onInput(100 * kMs);
  wait_.onOutput(100 * kMs - AnswerWait::kRounding);
  wait_.onInput(200 * kMs);
  EXPECT_EQ(farthest(), 250 * kMs);
  wait_.onOutput(200 * kMs - AnswerWait::kRounding - 1);
  EXPECT_EQ(farthest(), 250 * kMs);
}

// The two topics come by two connections.
TEST_F(AnswerWaitTest, AnAnswerMayBeHeardBeforeItsInput) {
  round(100 * kMs);
  wait_.onOutput(200 * kMs);
  wait_.onInput(200 * kMs);
  EXPECT_EQ(farthest(), 350 * kMs);
  wait_.onInput(300 * kMs);
  EXPECT_EQ(farthest(), 350 * kMs) << "that answer counts once";
}

// As SLAM programs stamp that work with the end of a scan, when the next one begins.
TEST_F(AnswerWaitTest, AnAnswerCountsForWhatCameBeforeItOnly) {
  round(100 * kMs);
  wait_.onInput(200 * kMs);
  wait_.onOutput(300 * kMs);
  wait_.onInput(300 * kMs);
  EXPECT_EQ(farthest(), 350 * kMs);
}

TEST_F(AnswerWaitTest, ASilentClientIsGivenUpUntilItAnswers) {
  round(100 * kMs);
  round(200 * kMs);
  wait_.onInput(300 * kMs);
  EXPECT_EQ(wait_.patienceLeft(350 * kMs, 4.0), 6.0);
  EXPECT_EQ(wait_.giveUp(350 * kMs, 10.0),
            "/odom has not answered /points of 0.300 s for 10.0 s: waited for no longer until it "
            "answers again");
  wait_.onInput(400 * kMs);
  EXPECT_EQ(farthest(), kFree);
  EXPECT_EQ(wait_.waitsFor(350 * kMs), "");
  EXPECT_TRUE(wait_.isLost());
  wait_.onOutput(300 * kMs);
  EXPECT_FALSE(wait_.isLost());
  EXPECT_EQ(farthest(), 450 * kMs);
}

// One that must be initialised answers none of the first; patience is for all of them.
TEST_F(AnswerWaitTest, FirstInputsShareThePatience) {
  const double each = AnswerWait::kFirstShare * kPatience;
  int inputs = 0;
  TimeNs stamp = 0;
  for (double left = kPatience; left > 1e-9; left -= each, ++inputs) {
    wait_.onInput(stamp += 100 * kMs);
    ASSERT_EQ(farthest(), stamp + 50 * kMs);
    ASSERT_NEAR(wait_.patienceLeft(stamp + 50 * kMs, 0.0), each, 1e-9);
    const std::string said = wait_.giveUp(stamp + 50 * kMs, each);
    ASSERT_EQ(said.empty(), left > each + 1e-9) << inputs << ' ' << said;
  }
  EXPECT_EQ(inputs, 20);
  wait_.onInput(stamp += 100 * kMs);
  EXPECT_EQ(farthest(), kFree);
  wait_.onOutput(stamp);
  wait_.onInput(stamp += 100 * kMs);
  EXPECT_EQ(farthest(), stamp + 50 * kMs);
  EXPECT_EQ(wait_.patienceLeft(stamp + 50 * kMs, 1.0), kPatience - 1.0);
}

// One that calibrates for three seconds at 10 Hz answers none of 30 inputs.
TEST_F(AnswerWaitTest, InputsOfTheStartTakeNothingFromThePatience) {
  const double each = AnswerWait::kFirstShare * kPatience;
  AnswerWait wait({"/points", "/odom", 50 * kMs, 0, 3000 * kMs}, kPatience);
  wait.setOffered(true);
  const TimeNs first = 700 * kMs;
  for (int i = 0; i < 49; ++i) {  // 30 of the start, 19 that share the patience
    const TimeNs stamp = first + i * 100 * kMs;
    wait.onInput(stamp);
    ASSERT_FALSE(wait.allows(kMs, stamp + 51 * kMs)) << i;
    ASSERT_NEAR(wait.patienceLeft(stamp + 50 * kMs, 0.0), each, 1e-9);
    ASSERT_EQ(wait.giveUp(stamp + 50 * kMs, each), "") << i;
  }
  wait.onInput(first + 4900 * kMs);
  EXPECT_NE(wait.giveUp(first + 4950 * kMs, each), "");
  EXPECT_TRUE(wait.isLost());
}

TEST_F(AnswerWaitTest, AnInputThatStaysAwayIsExpectedAgainOnceItCame) {
  round(100 * kMs);
  round(200 * kMs);
  const std::string said = wait_.giveUp(350 * kMs, 10.0);
  EXPECT_NE(said.find("/points of 0.300 s has not come for 10.0 s"), std::string::npos) << said;
  EXPECT_EQ(farthest(), kFree);
  round(900 * kMs);
  EXPECT_EQ(farthest(), 1050 * kMs);
}

// A scan that comes 0.1 s after its stamp cannot be expected 0.05 s after it.
TEST_F(AnswerWaitTest, AnInputThatIsOnlyLateIsExpectedNoMore) {
  round(100 * kMs);
  round(200 * kMs);
  wait_.giveUp(350 * kMs, 10.0);
  wait_.onInput(300 * kMs);
  EXPECT_EQ(farthest(), 350 * kMs);
  wait_.onOutput(300 * kMs);
  EXPECT_EQ(farthest(), kFree);
}

TEST_F(AnswerWaitTest, APublisherMayBeginAnew) {
  round(100 * kMs);
  round(5000 * kMs);
  wait_.onInput(20 * kMs);
  EXPECT_EQ(farthest(), 70 * kMs);
  wait_.onOutput(20 * kMs);
  EXPECT_EQ(farthest(), kFree);
}

TEST_F(AnswerWaitTest, ARuleThatIsOverHoldsNothing) {
  wait_.onInput(100 * kMs);
  wait_.end();
  EXPECT_EQ(farthest(), kFree);
}

}  // namespace
}  // namespace marsim
