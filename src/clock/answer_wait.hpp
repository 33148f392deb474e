// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "marsim/common/time.hpp"

namespace marsim {

/// A client's promise, by the stamps of two topics: the reader of `input` answers each message on
/// `output`, and until then time goes at most `ahead` past the message.
struct AnswerRule {
  std::string input, output;  ///< topics
  TimeNs ahead = 0;
  /// The last part of `ahead`: given period by period while an answer is awaited, to wake a client
  /// that sleeps in simulated time.
  TimeNs reserve = 0;
  /// Simulated time from the first input on in which a client that was never heard may leave inputs
  /// unanswered: it may calibrate.
  TimeNs start = 5 * kNsPerSecond;
  static constexpr TimeNs kLongestReserve = kNsPerSecond / 50;
  static constexpr double kLongestStart = 3600.0;  ///< [s]

  /// "INPUT>OUTPUT+SECONDS:START".
  std::string text() const;
};

/// Reads rules "INPUT>OUTPUT+SECONDS" or "INPUT>OUTPUT+SECONDS:START", comma-separated; "" and
/// "none" are none. Throws ConfigError with `where` and `field`.
std::vector<AnswerRule> parseAnswerRules(std::string_view text, std::string_view where,
                                         std::string_view field);

/// How far time may go by an AnswerRule: at most `ahead`, less its reserve, past
/// - the oldest input without an answer: an output answers all inputs that came before it and are
///   no newer than its stamp; one that answers none counts for the next input;
/// - the next input, expected one period after the last, until it has come. The period is the
///   longest of the last gaps between inputs, apart from gaps with skipped inputs.
/// A client that was never heard gets a short while for each input, and after `start` the patience
/// in all: it may answer nothing until it is initialised. A client that does not answer is given up
/// until it answers.
class AnswerWait {
 public:
  /// An output may have a stamp this much older than its input's: stamps go through doubles.
  static constexpr TimeNs kRounding = kNsPerSecond / 2000;
  /// Share of the patience for each input before the first answer.
  static constexpr double kFirstShare = 0.05;

  /// `patience` [s] of wall time for an answer or an input.
  AnswerWait(AnswerRule rule, double patience) : rule_(std::move(rule)), patience_(patience) {}

  const AnswerRule& rule() const { return rule_; }
  void onInput(TimeNs stamp);
  void onOutput(TimeNs stamp);
  /// Whether a publisher offers the output; time does not begin before.
  void setOffered(bool offered) { is_offered_ = offered; }
  /// Ends the rule: it holds time no more.
  void end() { is_over_ = true; }
  bool isOver() const { return is_over_; }
  /// Whether time goes on without answers.
  bool isLost() const { return is_over_ || is_given_up_; }

  /// Whether time may go on from `now` to `next`.
  bool allows(TimeNs now, TimeNs next) const;
  /// Whether time may go on out of the reserve, while an answer is awaited.
  bool allowsNudge(TimeNs now, TimeNs next) const;
  enum class Cause { kNone, kNotOffered, kNoAnswer, kNoInput };
  /// An awaited answer or input of a stamp.
  struct Awaited {
    Cause cause = Cause::kNone;
    TimeNs stamp = 0;

    bool operator==(const Awaited& other) const {
      return cause == other.cause && stamp == other.stamp;
    }
  };
  Awaited awaited(TimeNs now) const;
  /// The awaited message for the user.
  std::string waitsFor(TimeNs now) const;
  /// How much longer the awaited message may hold time at `now`, after it alone, and no grant, has
  /// held it for so long [s] of wall time.
  double patienceLeft(TimeNs now, double held) const;
  /// Call when the patience has run out. Returns what is given up, for the user; may be empty.
  std::string giveUp(TimeNs now, double held);

 private:
  Cause cause(TimeNs now, TimeNs next) const;
  bool mayStart() const { return unanswered_.front() < *first_input_ + rule_.start; }
  bool expectsInput() const { return period_ > 0 && !misses_input_ && !comes_late_; }
  void learnPeriod(TimeNs gap);

  AnswerRule rule_;
  double patience_;
  std::deque<TimeNs> unanswered_;  ///< inputs, oldest first
  TimeNs last_input_ = -1;         ///< < 0: none
  std::optional<TimeNs> first_input_;
  TimeNs early_output_ = -1;  ///< stamp of an output without an input yet; < 0: none
  std::deque<TimeNs> gaps_;   ///< between the last inputs
  TimeNs period_ = 0;         ///< of inputs; 0: not known
  double first_waits_ = 0.0;  ///< [s] waited for inputs after `start`, before the first answer
  bool is_offered_ = false;
  bool was_answered_ = false;  ///< at any time
  bool is_given_up_ = false;   ///< until the next output
  bool misses_input_ = false;  ///< the expected one is missing: until the next input
  bool comes_late_ = false;    ///< inputs come later than `ahead` after their stamps
  bool is_over_ = false;
};

}  // namespace marsim
