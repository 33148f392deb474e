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

/// As fast as all who grant time can follow; while nobody does, in real time.
constexpr double kPaceMax = std::numeric_limits<double>::infinity();

/// Simulated seconds a second of wall time: "max" or a number. Throws ConfigError with `where`.
double parsePace(std::string_view text, std::string_view where);
/// The same as text.
std::string paceText(double pace);

struct SimClockConfig {
  TimeNs period = kNsPerSecond / 500;     ///< between two readings
  double pace = 1.0;                      ///< simulated seconds a wall second; kPaceMax
  bool paused = false;                    ///< from the start, until pause() lets it go on
  double patience = 5.0;                  ///< [s] wall time for who granted time and is silent
  double answer_patience = 10.0;          ///< [s] wall time for who owes an answer
  std::vector<std::string> participants;  ///< time begins when they have granted some; lockstep
  std::vector<AnswerRule> answers;        ///< that time waits for
};

/// The simulated clock: says when its next period may begin, by pace, grants (who grants time is
/// waited for), rules on answers (AnswerWait), pause, and a time to stop at. In lockstep, where
/// nodes are named that take part, it stands at 0 until all of them have granted some. A client
/// that owes an answer may sleep in simulated time: for each answer up to kMostNudges further
/// periods are given, one each kNudgeAfter of wall time. Wall time is handed in; calls come from
/// one thread at a time.
class SimClock {
 public:
  using WallClock = std::chrono::steady_clock;
  using WallTime = WallClock::time_point;
  /// What became of a request.
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

  /// Goes on by one period where it is due and may; whether it did.
  bool advance(WallTime now);
  /// When advance() may go on, or give somebody up, unless something is heard before.
  WallTime wakeAt(WallTime now) const;
  /// Sentences on who is waited for no longer, since the last call.
  std::vector<std::string> takeWarnings();

  /// Time may go so far as to `who`; 0: `who` holds it no more.
  void grant(const std::string& who, TimeNs until);
  std::vector<AnswerWait>& answers() { return answers_; }
  /// Whether somebody holds the next period.
  bool isHeld() const { return isHeldByGrants() || isHeldByAnswers(); }
  /// Who does, for people, in alphabetical order; empty: nobody.
  std::string holders() const;
  std::size_t granting() const { return grants_.size(); }
  /// [s] of wall time for which it has been due and held; 0 where it is not.
  double heldFor(WallTime now) const;

  /// Each ends what stepBy() and runUntil() asked for.
  Reply pause(bool paused, WallTime now);
  /// One period, now, while it is paused.
  Reply step(WallTime now);
  /// Goes on by `duration`, in whole periods, then pauses again; while it is paused.
  Reply stepBy(TimeNs duration, WallTime now);
  /// Goes on until `time`, then pauses.
  Reply runUntil(TimeNs time, WallTime now);
  /// "max" or a number.
  Reply setPace(double pace, WallTime now);
  /// Where it will pause by itself.
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
  std::map<std::string, TimeNs> grants_;  ///< how far time may go, by who says so
  std::map<std::string, TimeNs> let_go_;  ///< the same, of those that were waited for in vain
  std::vector<AnswerWait> answers_;
  std::optional<WallTime> held_since_;         ///< by anybody
  std::optional<WallTime> grants_held_since_;  ///< by those that grant
  /// What a rule alone, without grants, waits for, and since when.
  struct AnswerHold {
    AnswerWait::Awaited what;
    WallTime since;
  };
  std::vector<std::optional<AnswerHold>> answer_holds_;  ///< of each rule
  std::vector<std::string> warnings_;
};

}  // namespace marsim
