// SPDX-License-Identifier: BSD-3-Clause
#include "clock/clock_follower.hpp"

#include <algorithm>
#include <cmath>
#include <queue>
#include <vector>

#include <gtest/gtest.h>

#include "marsim/common/error.hpp"
#include "marsim/common/random.hpp"

namespace marsim {
namespace {

/// A leader, a follower whose oscillator runs differently, and a network of delay and jitter
/// between them. All in steps of 1 ms of true time.
struct Network {
  double delay = 0.0, jitter = 0.0, loss = 0.0;  ///< [s] each way, [s] mean, share
  double drift = 0.0;                            ///< of the follower's oscillator
  double rate = 10.0;                            ///< [Hz] of questions
  double pace = 1.0;
  double business = 0.0;       ///< share of true time for which the leader's clock waits for others
  double longest_wait = 0.01;  ///< [s]
  bool is_paused = false;
  bool is_cut = false;
  std::uint32_t run = 1;

  double true_time = 0.0, leader = 100.0;  // [s]
  double waits_until = 0.0, works_until = 0.0;
  RandomStream random{7};
  ClockFollower follower{};
  struct Question {
    double arrives, returns;
    bool is_answered;
    ClockSample sample;
  };
  std::vector<Question> under_way;

  double oneWay() { return delay - jitter * std::log(1.0 - random.uniform()); }
  TimeNs wall(double t) const { return toNs((1.0 + drift) * t) + 5 * kNsPerSecond; }
  double leaderRate() {
    if (is_paused) return 0.0;
    if (true_time >= works_until) {
      const double wait = longest_wait * random.uniform();
      waits_until = true_time + (business > 0.0 ? wait : 0.0);
      works_until = true_time + wait / std::max(business, 1e-9);
    }
    return true_time < waits_until ? 0.0 : pace;
  }

  void endWaits() { business = waits_until = works_until = 0.0; }

  /// One step; the follower's time.
  double step(double dt = 1e-3) {
    const double next = true_time + dt;
    if (std::floor(next * rate) != std::floor(true_time * rate) && !is_cut) {
      const double there = next + oneWay(), back = there + oneWay();
      if (random.uniform() >= loss) {
        under_way.push_back({there, back, false, {wall(next), wall(back), toNs(there)}});
      }
    }
    const double leader_rate = leaderRate();
    leader += leader_rate * dt;
    true_time = next;
    for (Question& question : under_way) {
      if (question.is_answered || question.arrives > true_time) continue;
      question.is_answered = true;
      question.sample.leader = toNs(leader - leader_rate * (true_time - question.arrives));
      question.sample.pace = is_paused ? 0.0 : pace;
      question.sample.run = run;
    }
    std::stable_sort(under_way.begin(), under_way.end(),
                     [](const Question& a, const Question& b) { return a.returns < b.returns; });
    while (!under_way.empty() && under_way.front().returns <= true_time) {
      follower.observe(under_way.front().sample);
      under_way.erase(under_way.begin());
    }
    return toSeconds(follower.at(wall(true_time)));
  }

  double worst(double seconds) {
    double error = 0.0;
    for (const double end = true_time + seconds; true_time < end;) {
      const double time = step();
      error = std::max(error, std::abs(time - leader));
    }
    return error;
  }
};

TEST(ClockFollower, KnowsNothingBeforeTheFirstAnswer) {
  ClockFollower follower;
  EXPECT_FALSE(follower.synchronised());
  EXPECT_EQ(follower.at(kNsPerSecond), 0);
  EXPECT_TRUE(follower.observe({1'000'000, 3'000'000, 7, 50'000'000, 1.0, 1}));
  EXPECT_TRUE(follower.synchronised());
  EXPECT_EQ(follower.at(3'000'000), 51'000'000);
  EXPECT_NEAR(follower.uncertainty(3'000'000), 1e-3, 1e-9);
}

TEST(ClockFollower, OnAQuietNetworkItIsRightWithinMicroseconds) {
  Network network;
  network.delay = 2e-4;
  network.drift = 5e-5;
  network.worst(2.0);
  EXPECT_LT(network.worst(60.0), 1e-4);
}

// Half the least round trip bounds the error, since the jitter is the same both ways.
TEST(ClockFollower, DelayJitterAndLossLeaveMilliseconds) {
  Network network;
  network.delay = 0.05;
  network.jitter = 0.01;
  network.loss = 0.05;
  network.drift = -1e-4;
  network.worst(20.0);
  EXPECT_LT(network.worst(100.0), 8e-3);
  EXPECT_LT(network.follower.uncertainty(network.wall(network.true_time)), 0.06);
}

TEST(ClockFollower, PaceIsTheLeaders) {
  for (const double pace : {0.25, 3.0}) {
    Network network;
    network.delay = 2e-3;
    network.pace = pace;
    network.worst(5.0);
    EXPECT_LT(network.worst(30.0), 2e-3 * std::max(1.0, pace));
  }
}

TEST(ClockFollower, IsMonotonicAndSmoothWhateverTheNetworkDoes) {
  Network network;
  network.delay = 0.02;
  network.jitter = 0.05;
  network.loss = 0.3;
  double last = 0.0;
  for (int i = 0; i < 3000; ++i) last = network.step();
  for (int i = 0; i < 60'000; ++i) {
    const double time = network.step();
    ASSERT_GE(time, last);
    ASSERT_LE(time - last, 1.6e-3) << "at most half as fast again";
    last = time;
  }
}

TEST(ClockFollower, RunsOnAloneWhileTheNetworkIsCut) {
  Network network;
  network.delay = 1e-3;
  network.drift = 5e-5;
  network.worst(10.0);
  network.is_cut = true;
  EXPECT_LT(network.worst(60.0), 5e-3) << "the oscillators' drift";
  EXPECT_GT(network.follower.uncertainty(network.wall(network.true_time)), 5e-3);
  network.is_cut = false;
  network.worst(3.0);
  EXPECT_LT(network.worst(10.0), 2e-4);
}

TEST(ClockFollower, WaitsWhileTheLeaderIsPaused) {
  Network network;
  network.delay = 5e-3;
  network.worst(5.0);
  network.is_paused = true;
  double last = 0.0;
  for (int i = 0; i < 500; ++i) last = network.step();
  EXPECT_LT(last - network.leader, 0.12) << "it cannot know before the next answer";
  EXPECT_EQ(network.step(), last);
  EXPECT_EQ(network.follower.pace(), 0.0);
  network.leader += 2.0;  // single steps
  for (int i = 0; i < 300; ++i) last = network.step();
  EXPECT_NEAR(last, network.leader, 1e-9);
  network.is_paused = false;
  for (int i = 0; i < 5000; ++i) {
    const double time = network.step();
    ASSERT_GE(time, last);
    last = time;
  }
  EXPECT_LT(network.worst(5.0), 1e-3);
}

// The leader's machine was suspended: what it answers no longer fits what it answered before.
TEST(ClockFollower, FollowsALeaderThatStalledOrLeapt) {
  for (const double leap : {-2.0, 0.2, 20.0}) {
    Network network;
    network.delay = 1e-3;
    network.worst(20.0);
    network.leader += leap;
    double last = 0.0;
    for (int i = 0; i < 6000; ++i) {
      const double time = network.step();
      ASSERT_GE(time, last);
      last = time;
    }
    EXPECT_LT(network.worst(5.0), 2e-3) << leap;
  }
}

// A busy leader falls behind its pace, evenly or all at once; its answers say so whatever their
// round trips are.
TEST(ClockFollower, FollowsALeaderThatIsTooBusyForItsPace) {
  Network network;
  network.delay = 0.05;
  network.loss = 0.05;
  network.rate = 5.0;
  network.drift = 5e-5;
  network.business = 0.4;
  network.worst(20.0);
  EXPECT_LT(network.worst(60.0), 0.015) << "of waits of at most 10 ms";
  network.business = 0.0;
  network.worst(20.0);
  network.leader -= 0.04;  // a single wait
  network.worst(3.0);
  EXPECT_LT(network.worst(2.0), 2e-3);
}

TEST(ClockFollower, FollowsABusyLeaderThatIsSeldomAsked) {
  Network network;
  network.delay = 1e-3;
  network.rate = 1.0;
  network.business = 0.4;
  network.worst(20.0);
  EXPECT_LT(network.worst(60.0), 0.02);
}

TEST(ClockFollower, GoesOnAtItsPaceWhereABusyLeaderFallsSilent) {
  Network network;
  network.delay = 1e-3;
  network.rate = 5.0;
  network.business = 0.8;
  network.worst(20.0);
  network.is_cut = true;
  network.step();
  network.endWaits();
  EXPECT_LT(network.worst(60.0), 1.3) << "what it lost while the rate before was trusted";
}

TEST(ClockFollower, IsSoonRightAfterAPauseOrAStall) {
  Network network;
  network.delay = 1e-3;
  network.rate = 5.0;
  network.worst(5.0);
  network.is_paused = true;
  network.worst(0.6);
  network.is_paused = false;
  network.worst(2.0);
  EXPECT_LT(network.worst(5.0), 0.02);
  network.business = 1.0;
  network.longest_wait = 1e6;
  network.works_until = 0.0;
  network.worst(3.0);
  network.endWaits();
  network.worst(3.0);
  EXPECT_LT(network.worst(5.0), 0.02);
}

TEST(ClockFollower, GoesBackOnlyWhereTheLeaderBeganAnew) {
  Network network;
  network.delay = 1e-3;
  network.worst(5.0);
  network.leader = 0.0;
  network.run = 2;
  network.worst(0.5);
  EXPECT_LT(network.worst(5.0), 2e-3);
}

TEST(ClockFollower, NonsenseIsIgnored) {
  ClockFollower follower;
  EXPECT_FALSE(follower.observe({2, 1, 0, 0, 1.0, 1}));
  EXPECT_FALSE(follower.observe({1, 2, 0, 0, std::nan(""), 1}));
  EXPECT_FALSE(follower.observe({1, 2, 0, 0, -1.0, 1}));
  EXPECT_FALSE(follower.observe({1, 2, 0, 0, 1e308, 1}));
  EXPECT_FALSE(follower.synchronised());
  ClockFollowerConfig config;
  config.window = 0.0;
  EXPECT_THROW(ClockFollower{config}, ConfigError);
}

}  // namespace
}  // namespace marsim
