// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clock/answer_wait.hpp"
#include "marsim/common/time.hpp"

namespace marsim {

/// As fast as all nodes that grant time can follow; without any, in real time.
constexpr double kPaceMax = std::numeric_limits<double>::infinity();

/// Simulated seconds per second of wall time: "max" or a number. Throws ConfigError with `where`.
double parsePace(std::string_view text, std::string_view where);
/// A pace as text.
std::string paceText(double pace);

struct SimClockConfig {
  TimeNs period = kNsPerSecond / 500;     ///< between two readings
  double pace = 1.0;                      ///< simulated seconds a wall second; kPaceMax
  bool paused = false;                    ///< at the start, until pause() resumes it
  double patience = 5.0;                  ///< [s] wall time for a silent node that granted time
  double answer_patience = 10.0;          ///< [s] wall time for a client that owes an answer
  std::vector<std::string> participants;  ///< lockstep: time begins when these have granted some
  std::vector<AnswerRule> answers;        ///< rules that time waits for
};

/// The simulated clock: decides when its next period may begin, from pace, grants (nodes that grant
/// time are waited for), rules on answers (AnswerWait), pause, and a time to stop at. In lockstep,
/// with named participants, it stands at 0 until all of them have granted some. A client that owes
/// an answer may sleep in simulated time: for each answer up to kMostNudges further periods are
/// given, one each kNudgeAfter of wall time. The caller gives wall time; calls come from one thread
/// at a time.
class SimClock {
 public:
  using WallClock = std::chrono::steady_clock;
  using WallTime = WallClock::time_point;
  /// Result of a request.
  struct Reply {
    bool done;
    std::string text;
  };

  static constexpr double kNudgeAfter = 0.02;  ///< [s]

  SimClock(SimClockConfig config, WallTime now);

  TimeNs now() const { return now_; }
  TimeNs period() const { return config_.period; }
  double pace() const { return config_.pace; }
  bool paused() const { return is_paused_; }
  bool inLockstep() const { return !config_.participants.empty(); }

  /// Advances by one period if it is due and allowed; returns whether it did.
  bool advance(WallTime now);
  /// When advance() may go on, or give a node up, if nothing is heard before.
  WallTime wakeAt(WallTime now) const;
  /// Sentences on nodes given up since the last call.
  std::vector<std::string> takeWarnings();

  /// `who` grants time up to `until`; 0: `who` holds it no more.
  void grant(const std::string& who, TimeNs until);
  std::vector<AnswerWait>& answers() { return answers_; }
  /// Whether any node holds the next period.
  bool isHeld() const { return isHeldByGrants() || isHeldByAnswers(); }
  /// Names for the user of the nodes that hold it, sorted; empty: none.
  std::string holders() const;
  std::size_t granting() const { return grants_.size(); }
  /// [s] of wall time for which the next period has been due and held; 0 if it is not.
  double heldFor(WallTime now) const;

  /// Each of these ends a stepBy() or runUntil().
  Reply pause(bool paused, WallTime now);
  /// Makes one period at once, while paused.
  Reply step(WallTime now);
  /// Goes on by `duration`, in whole periods, and pauses again; while paused.
  Reply stepBy(TimeNs duration, WallTime now);
  /// Goes on until `time`, then pauses.
  Reply runUntil(TimeNs time, WallTime now);
  /// Sets the pace: kPaceMax or a number.
  Reply setPace(double pace, WallTime now);
  /// Time at which it will pause by itself.
  std::optional<TimeNs> until() const { return until_; }

 private:
  bool isHeldByGrants() const;
  bool isHeldByAnswers() const;
  void noteHold(WallTime now);
  void forgetHolds();
  void giveUp(WallTime now);
  void letGo(double held);
  WallTime nudgeAt() const;
  void go(WallTime now);
  void runFrom(WallTime now);
  WallClock::duration wallPeriod() const;

  SimClockConfig config_;
  TimeNs now_ = 0;
  WallTime due_;  ///< when the next period begins
  bool is_paused_;
  std::optional<TimeNs> until_;           ///< it pauses there
  std::map<std::string, TimeNs> grants_;  ///< limit of time, by granting node
  std::map<std::string, TimeNs> let_go_;  ///< likewise, of nodes that were given up
  std::vector<AnswerWait> answers_;
  std::optional<WallTime> held_since_;         ///< by any node
  std::optional<WallTime> grants_held_since_;  ///< by nodes that grant
  /// The message that a rule alone, without grants, waits for, and the beginning of the wait.
  struct AnswerHold {
    AnswerWait::Awaited what;
    WallTime since;
  };
  std::vector<std::optional<AnswerHold>> answer_holds_;  ///< for each rule
  std::vector<std::string> warnings_;
};

}  // namespace marsim
