#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "marsim/common/time.hpp"

namespace marsim {

/// One question to the leading clock and its answer. Wall times are of one steady clock each of the
/// follower's and the leader's, whatever their zeros.
struct ClockSample {
  TimeNs sent = 0;         ///< wall time of the question
  TimeNs received = 0;     ///< wall time of the answer
  TimeNs leader_wall = 0;  ///< wall time at the leader when it answered
  TimeNs leader = 0;       ///< simulated time there at that moment
  double pace = 1.0;       ///< simulated seconds a second of wall time asked for; 0: paused
  std::uint32_t run = 0;   ///< another number: the leader's simulation began anew
};

struct ClockFollowerConfig {
  double window = 10.0;        ///< [s] of wall time that answers are kept
  double drift = 1e-4;         ///< that two machines' oscillators may differ by
  double time_constant = 0.5;  ///< [s] in which an error is made up
  double largest_slew = 0.5;   ///< share of the pace that the clock may run fast or slow by
  double leap = 0.5;           ///< [s] behind the leader from which on the clock leaps there

  /// Throws ConfigError.
  void validate(const std::string& where) const;
};

/// A simulated clock that follows another machine's over a network of unknown delay. An answer was
/// given at some moment between `sent` and `received`; the middle is taken (Cristian, Distributed
/// Computing 3, 1989), so the error is at most half the round trip. Of the answers of the last
/// moments that do not contradict the newest, the one of the shortest round trip says how the two
/// wall clocks lie: they run evenly. Simulated time does not (a busy leader's waits for its nodes):
/// where it was and how fast it went is the newest answers' to say; where none come any more it
/// goes on at the leader's pace. The clock never goes backwards but when the leader began anew, and
/// it makes up errors smoothly.
class ClockFollower {
 public:
  explicit ClockFollower(ClockFollowerConfig config = {});

  /// Takes an answer. True: the leader's simulation began anew, or this is the first answer; the
  /// clock is set, perhaps backwards. Answers with a negative round trip, or a
  /// pace that is NaN, negative or above 1e6, are ignored.
  bool observe(const ClockSample& sample);

  /// Whether there was an answer yet.
  bool synchronised() const { return !samples_.empty(); }
  /// The simulated time at a wall time; wall times must not decrease. 0 before the first answer.
  TimeNs at(TimeNs wall);
  /// Half the round trip that counts, and what the clocks may have drifted apart since [s].
  double uncertainty(TimeNs wall) const;
  /// How far the leader is ahead of this clock by the answers so far, as of the last at() [s].
  double error() const { return error_; }
  /// Wall time of the newest answer.
  TimeNs newest() const { return newest_; }
  double pace() const { return readings_.empty() ? 0.0 : readings_.back().pace; }

 private:
  // What the leader said, whatever the network made of it.
  struct Reading {
    TimeNs wall, time;
    double pace;
  };

  double leaderAt(TimeNs wall) const;  // [s] since base_
  void keepReading(const ClockSample& sample);
  void measureRate();
  const ClockSample& best() const;
  bool agree(const ClockSample& a, const ClockSample& b) const;

  ClockFollowerConfig config_;
  std::deque<ClockSample> samples_;  ///< of one run, oldest first
  std::deque<Reading> readings_;     ///< of that run, in the order in which they were made
  TimeNs newest_ = 0;
  TimeNs offset_ = 0;     ///< of the leader's wall clock
  double rate_ = 1.0;     ///< simulated seconds a second of wall time lately
  TimeNs rate_span_ = 0;  ///< over which it was measured, and for which it is trusted
  TimeNs base_ = 0;       ///< simulated time of the first answer of the run
  TimeNs wall_ = 0;       ///< of the last at()
  double now_ = 0.0;      ///< [s] since base_
  double error_ = 0.0;
};

}  // namespace marsim
