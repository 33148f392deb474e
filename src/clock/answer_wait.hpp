#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "marsim/common/time.hpp"

namespace marsim {

/// A client's promise, by the stamps of two topics: who reads `input` answers each message on
/// `output`, and time goes no farther than `ahead` past the message until then.
struct AnswerRule {
  std::string input, output;  ///< topics
  TimeNs ahead = 0;
  /// The last part of `ahead`: given period by period while an answer is awaited, to wake a client
  /// that sleeps in simulated time.
  TimeNs reserve = 0;
  static constexpr TimeNs kLongestReserve = kNsPerSecond / 50;

  /// "INPUT>OUTPUT+SECONDS".
  std::string text() const;
};

/// Reads rules "INPUT>OUTPUT+SECONDS", comma-separated; "" and "none" are none. Throws ConfigError
/// with `where` and `field`.
std::vector<AnswerRule> parseAnswerRules(std::string_view text, std::string_view where,
                                         std::string_view field);

/// How far time may go by an AnswerRule. It goes no farther than `ahead`, less its reserve, past
/// - the oldest input without an answer: an output answers all inputs that came before it and are
///   no newer than its stamp, one that answers none counts for the next input;
/// - the next input, expected one period after the last, until it has come. The period is the
///   longest of the last gaps between inputs; gaps of inputs that were left out do not count.
/// A client that was never heard is given a short while for each input, patience in all: it may
/// answer nothing until it is initialised. One that does not answer is given up until it answers.
class AnswerWait {
 public:
  /// Outputs may be this much older than the input that they answer: stamps go through doubles.
  static constexpr TimeNs kRounding = kNsPerSecond / 2000;
  /// Of the patience, for each input before the first answer.
  static constexpr double kFirstShare = 0.05;

  /// `patience` [s] of wall time for an answer or an input.
  AnswerWait(AnswerRule rule, double patience) : rule_(std::move(rule)), patience_(patience) {}

  const AnswerRule& rule() const { return rule_; }
  void onInput(TimeNs stamp);
  void onOutput(TimeNs stamp);
  /// Whether somebody offers the output; time does not begin before.
  void setOffered(bool offered) { is_offered_ = offered; }
  /// The rule holds time no more.
  void end() { is_over_ = true; }
  bool isOver() const { return is_over_; }
  /// Whether time goes on without the answers.
  bool isLost() const { return is_over_ || is_given_up_; }

  /// Whether time may go on from `now` to `next`.
  bool allows(TimeNs now, TimeNs next) const;
  /// Whether it may out of the reserve, while an answer is awaited.
  bool allowsNudge(TimeNs now, TimeNs next) const;
  enum class Cause { kNone, kNotOffered, kNoAnswer, kNoInput };
  /// What it waits for: an answer or an input of a stamp.
  struct Awaited {
    Cause cause = Cause::kNone;
    TimeNs stamp = 0;

    bool operator==(const Awaited& other) const {
      return cause == other.cause && stamp == other.stamp;
    }
  };
  Awaited awaited(TimeNs now) const;
  /// The same for people.
  std::string waitsFor(TimeNs now) const;
  /// What it waits for at `now` has held time for so long [s] of wall time, and no grant has; how
  /// much longer it may do so.
  double patienceLeft(TimeNs now, double held) const;
  /// Call when that has run out. Returns what is given up, for people; empty: nothing worth saying.
  std::string giveUp(TimeNs now, double held);

 private:
  Cause cause(TimeNs now, TimeNs next) const;
  bool expectsInput() const { return period_ > 0 && !misses_input_ && !comes_late_; }
  void learnPeriod(TimeNs gap);

  AnswerRule rule_;
  double patience_;
  std::deque<TimeNs> unanswered_;  ///< inputs, oldest first
  TimeNs last_input_ = -1;         ///< < 0: none
  TimeNs early_output_ = -1;       ///< that answered none yet; < 0: none
  std::deque<TimeNs> gaps_;        ///< of the last inputs
  TimeNs period_ = 0;              ///< of inputs; 0: not known
  double first_waits_ = 0.0;       ///< [s] spent on inputs before the first answer
  bool is_offered_ = false;
  bool was_answered_ = false;  ///< ever
  bool is_given_up_ = false;   ///< until the next output
  bool misses_input_ = false;  ///< the expected one did not come: until the next input
  bool comes_late_ = false;    ///< inputs come later than `ahead` after their stamps
  bool is_over_ = false;
};

}  // namespace marsim
