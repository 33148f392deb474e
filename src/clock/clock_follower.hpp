// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "marsim/common/time.hpp"

namespace marsim {

/// One question to the leading clock and its answer. Wall times are of a steady clock each of
/// follower and leader, with any zeros.
struct ClockSample {
  TimeNs sent = 0;         ///< wall time of the question
  TimeNs received = 0;     ///< wall time of the answer
  TimeNs leader_wall = 0;  ///< leader's wall time of the answer
  TimeNs leader = 0;       ///< leader's simulated time of the answer
  double pace = 1.0;       ///< wanted simulated seconds per second of wall time; 0: paused
  std::uint32_t run = 0;   ///< changes when the leader's simulation starts over
};

struct ClockFollowerConfig {
  double window = 10.0;        ///< [s] of wall time for which answers are kept
  double drift = 1e-4;         ///< largest relative difference of two machines' oscillators
  double time_constant = 0.5;  ///< [s] in which an error is corrected
  double largest_slew = 0.5;   ///< largest relative change of the pace for that
  double leap = 0.5;           ///< [s] behind the leader from which the clock jumps

  /// Throws ConfigError.
  void validate(const std::string& where) const;
};

/// A simulated clock that follows another machine's over a network of unknown delay. An answer was
/// given at some moment between `sent` and `received`; the middle is taken (Cristian, Distributed
/// Computing 3, 1989), so the error is at most half the round trip. Among recent answers that do
/// not contradict the newest, the one with the shortest round trip gives the offset of the two wall
/// clocks, which run evenly. Simulated time does not (a busy leader waits for its nodes): the
/// newest answers give its value and rate; without new answers it goes on at the leader's pace. The
/// clock never runs backwards, unless the leader starts over, and corrects errors smoothly.
class ClockFollower {
 public:
  explicit ClockFollower(ClockFollowerConfig config = {});

  /// Takes an answer. Returns true if the leader's simulation started over or this is the first
  /// answer; the clock is then set, perhaps backwards. Ignores answers with a negative round trip,
  /// or a pace that is NaN, negative or above 1e6.
  bool observe(const ClockSample& sample);

  /// Whether there was an answer yet.
  bool synchronised() const { return !samples_.empty(); }
  /// The simulated time at a wall time; wall times must not decrease. 0 before the first answer.
  TimeNs at(TimeNs wall);
  /// Half the round trip in use, and the possible drift of the clocks since then [s].
  double uncertainty(TimeNs wall) const;
  /// How far the leader is ahead of this clock [s] at the last at(), by the answers so far.
  double error() const { return error_; }
  /// Wall time of the newest answer.
  TimeNs newest() const { return newest_; }
  double pace() const { return readings_.empty() ? 0.0 : readings_.back().pace; }

 private:
  // The leader's wall and simulated time, independent of the network.
  struct Reading {
    TimeNs wall, time;
    double pace;
  };

  double leaderAt(TimeNs wall) const;  // Leader's time [s] since base_.
  void keepReading(const ClockSample& sample);
  void measureRate();
  const ClockSample& best() const;
  bool agree(const ClockSample& a, const ClockSample& b) const;

  ClockFollowerConfig config_;
  std::deque<ClockSample> samples_;  ///< of one run, oldest first
  std::deque<Reading> readings_;     ///< of that run, in the order of the leader's time
  TimeNs newest_ = 0;
  TimeNs offset_ = 0;     ///< from this wall clock to the leader's
  double rate_ = 1.0;     ///< recent simulated seconds per second of wall time
  TimeNs rate_span_ = 0;  ///< span of its measurement, and for which it is trusted
  TimeNs base_ = 0;       ///< simulated time of the run's first answer
  TimeNs wall_ = 0;       ///< at the last at()
  double now_ = 0.0;      ///< [s] since base_
  double error_ = 0.0;
};

}  // namespace marsim
