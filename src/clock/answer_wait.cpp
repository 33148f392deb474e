// SPDX-License-Identifier: BSD-3-Clause
#include "clock/answer_wait.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "common/text.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"

namespace marsim {
namespace {

constexpr std::size_t kMostGaps = 8;           // from which the period is estimated
constexpr std::size_t kMostUnanswered = 1000;  // kept inputs
constexpr TimeNs kBegin = 0;                   // simulated time, for which all clients must be
                                               // there
constexpr TimeNs kNever = std::numeric_limits<TimeNs>::max();

AnswerRule parseRule(std::string_view text) {
  const std::size_t arrow = text.find('>');
  const std::size_t plus = text.rfind('+');
  if (arrow == std::string_view::npos || plus == std::string_view::npos || plus < arrow) {
    throw Error("no rule");
  }
  AnswerRule rule;
  rule.input = trimmed(text.substr(0, arrow));
  rule.output = trimmed(text.substr(arrow + 1, plus - arrow - 1));
  const std::vector<std::string> times = split(text.substr(plus + 1), ':');
  rule.ahead = toNs(parseQuantity(times[0], Quantity::kTime));
  const double start =
      times.size() == 1 ? toSeconds(rule.start) : parseQuantity(times[1], Quantity::kTime);
  if (times.size() > 2 || !(start >= 0.0 && start <= AnswerRule::kLongestStart)) {
    throw Error("no rule");
  }
  rule.start = toNs(start);
  rule.reserve = std::min(AnswerRule::kLongestReserve, rule.ahead / 3);
  const bool is_whole = !rule.input.empty() && !rule.output.empty() &&
                        rule.output.find('>') == std::string::npos && rule.ahead > 0;
  if (!is_whole) throw Error("no rule");
  return rule;
}

}  // namespace

std::string AnswerRule::text() const {
  return fmt::format("{}>{}+{:g}:{:g}", input, output, toSeconds(ahead), toSeconds(start));
}

std::vector<AnswerRule> parseAnswerRules(std::string_view text, std::string_view where,
                                         std::string_view field) {
  std::vector<AnswerRule> rules;
  if (trimmed(text).empty() || trimmed(text) == "none") return rules;
  for (const std::string& part : split(text, ',')) {
    try {
      rules.push_back(parseRule(part));
    } catch (const Error&) {
      throw ConfigError(
          where, field, fmt::format("'{}'", clipped(trimmed(part), 120)),
          "INPUT>OUTPUT+SECONDS with two topics and more than 0 s, or :START after it, "
          "0 to 3600 s, comma-separated, as /livox/lidar>/Odometry+0.1, or none");
    }
  }
  return rules;
}

void AnswerWait::onInput(TimeNs stamp) {
  if (stamp == last_input_) return;
  if (!first_input_ || stamp < last_input_) first_input_ = stamp;
  if (stamp < last_input_) {  // it belongs to another run of the publisher
    unanswered_.clear();
    gaps_.clear();
    period_ = 0;
    early_output_ = -1;
  } else if (last_input_ >= 0) {
    const TimeNs gap = stamp - last_input_;
    // An input that arrives after it was given up comes too late for the rule.
    if (misses_input_ && 2 * gap < 3 * period_) comes_late_ = true;
    learnPeriod(gap);
  }
  misses_input_ = false;
  last_input_ = stamp;
  if (early_output_ >= 0 && stamp <= early_output_ + kRounding) {
    early_output_ = -1;
    return;
  }
  unanswered_.push_back(stamp);
  if (unanswered_.size() > kMostUnanswered) unanswered_.pop_front();
}

void AnswerWait::learnPeriod(TimeNs gap) {
  gaps_.push_back(gap);
  if (gaps_.size() > kMostGaps) gaps_.pop_front();
  const TimeNs shortest = *std::min_element(gaps_.begin(), gaps_.end());
  period_ = shortest;
  for (const TimeNs one : gaps_) {
    if (2 * one < 3 * shortest) period_ = std::max(period_, one);
  }
}

void AnswerWait::onOutput(TimeNs stamp) {
  was_answered_ = true;
  is_given_up_ = false;
  bool answers = false;
  while (!unanswered_.empty() && unanswered_.front() <= stamp + kRounding) {
    unanswered_.pop_front();
    answers = true;
  }
  if (!answers) early_output_ = std::max(early_output_, stamp);
}

bool AnswerWait::allows(TimeNs now, TimeNs next) const { return cause(now, next) == Cause::kNone; }

bool AnswerWait::allowsNudge(TimeNs now, TimeNs next) const {
  return cause(now, next) == Cause::kNoAnswer && next <= unanswered_.front() + rule_.ahead;
}

AnswerWait::Cause AnswerWait::cause(TimeNs now, TimeNs next) const {
  if (is_over_ || is_given_up_) return Cause::kNone;
  if (now == kBegin && !is_offered_ && !was_answered_) return Cause::kNotOffered;
  const TimeNs first = rule_.ahead - rule_.reserve;
  if (!unanswered_.empty()) {
    return next > unanswered_.front() + first ? Cause::kNoAnswer : Cause::kNone;
  }
  if (!expectsInput()) return Cause::kNone;
  return next > last_input_ + period_ + first ? Cause::kNoInput : Cause::kNone;
}

AnswerWait::Awaited AnswerWait::awaited(TimeNs now) const {
  const Cause why = cause(now, kNever);
  if (why == Cause::kNoAnswer) return {why, unanswered_.front()};
  if (why == Cause::kNoInput) return {why, last_input_ + period_};
  return {why, 0};
}

std::string AnswerWait::waitsFor(TimeNs now) const {
  const Awaited what = awaited(now);
  switch (what.cause) {
    case Cause::kNotOffered:
      return rule_.output + " (nobody publishes it)";
    case Cause::kNoAnswer:
      return fmt::format("{} (answer to {} of {:.3f} s)", rule_.output, rule_.input,
                         toSeconds(what.stamp));
    case Cause::kNoInput:
      return fmt::format("{} (of {:.3f} s)", rule_.input, toSeconds(what.stamp));
    case Cause::kNone:
      break;
  }
  return "";
}

// Before the first answer each input has a share of the patience; those after `start` share all.
double AnswerWait::patienceLeft(TimeNs now, double held) const {
  const bool is_first = !was_answered_ && cause(now, kNever) == Cause::kNoAnswer;
  if (!is_first) return patience_ - held;
  const double left = mayStart() ? patience_ : patience_ - first_waits_;
  return std::min(kFirstShare * patience_, left) - held;
}

std::string AnswerWait::giveUp(TimeNs now, double held) {
  const Cause given_up = cause(now, kNever);
  switch (given_up) {
    case Cause::kNotOffered:
      is_given_up_ = true;
      return fmt::format("nobody publishes {} after {:.1f} s: not waited for until it answers {}",
                         rule_.output, held, rule_.input);
    case Cause::kNoAnswer: {
      const TimeNs late = unanswered_.front();
      if (!was_answered_) {
        if (!mayStart()) held = first_waits_ += held;
        if (mayStart() || held < patience_) {
          unanswered_.pop_front();
          return "";
        }
      }
      is_given_up_ = true;
      return fmt::format(
          "{} has not answered {} of {:.3f} s for {:.1f} s: waited for no longer until it answers "
          "again",
          rule_.output, rule_.input, toSeconds(late), held);
    }
    case Cause::kNoInput:
      misses_input_ = true;
      return fmt::format(
          "{} of {:.3f} s has not come for {:.1f} s: time goes on until it comes ({:g} s may be "
          "less than what it takes from its stamp to its publication)",
          rule_.input, toSeconds(last_input_ + period_), held, toSeconds(rule_.ahead));
    case Cause::kNone:
      break;
  }
  return "";
}

}  // namespace marsim
