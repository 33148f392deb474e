// SPDX-License-Identifier: BSD-3-Clause
#include "clock/sim_clock.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "common/text.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"

namespace marsim {
namespace {

// After a longer stall (of a suspended machine, for example) the clock goes on from its time
// instead of catching up.
constexpr std::chrono::milliseconds kLongestCatchUp{100};
constexpr double kSlowest = 1e-4, kFastest = 1e6;  // limits of the pace
constexpr std::size_t kMostNames = 5;              // of nodes that hold time, in a message
constexpr TimeNs kLongestRun = 1'000'000'000 * kNsPerSecond;

double secondsBetween(SimClock::WallTime from, SimClock::WallTime to) {
  return std::chrono::duration<double>(to - from).count();
}

// A wall time so far ahead; one that is too far counts as never.
SimClock::WallTime after(SimClock::WallTime from, double seconds) {
  constexpr double kFar = 1e6;
  if (!(seconds < kFar)) return SimClock::WallTime::max();
  return from + std::chrono::duration_cast<SimClock::WallClock::duration>(
                    std::chrono::duration<double>(std::max(0.0, seconds)));
}

}  // namespace

double parsePace(std::string_view text, std::string_view where) {
  if (trimmed(text) == "max") return kPaceMax;
  double pace = std::numeric_limits<double>::quiet_NaN();
  try {
    pace = parseQuantity(text, Quantity::kNumber);
  } catch (const Error&) {
    // Reported below.
  }
  if (!(pace >= kSlowest && pace <= kFastest)) {
    throw ConfigError(where, "pace", fmt::format("'{}'", clipped(trimmed(text))),
                      fmt::format("max or a number from {} to {}", kSlowest, kFastest));
  }
  return pace;
}

std::string paceText(double pace) { return std::isinf(pace) ? "max" : fmt::format("{}", pace); }

SimClock::SimClock(SimClockConfig config, WallTime now)
    : config_(std::move(config)), due_(now), is_paused_(config_.paused) {
  for (const std::string& name : config_.participants) grants_[name] = 0;
  for (const AnswerRule& rule : config_.answers) {
    answers_.emplace_back(rule, config_.answer_patience);
  }
  answer_holds_.resize(answers_.size());
}

bool SimClock::advance(WallTime now) {
  if (is_paused_ || now < due_) return false;
  noteHold(now);
  if (held_since_) {
    giveUp(now);
    noteHold(now);
    if (held_since_ && nudgeAt() > now) return false;
  }
  go(now);
  return true;
}

SimClock::WallTime SimClock::wakeAt(WallTime now) const {
  if (is_paused_) return WallTime::max();
  if (now < due_ || !isHeld()) return due_;
  WallTime wake = WallTime::max();
  if (held_since_) wake = nudgeAt();
  const bool may_begin = !inLockstep() || now_ > 0;
  if (grants_held_since_ && may_begin) {
    wake = std::min(wake, after(*grants_held_since_, config_.patience));
  }
  for (std::size_t i = 0; i < answers_.size(); ++i) {
    if (!answer_holds_[i]) continue;
    wake = std::min(wake, after(answer_holds_[i]->since, answers_[i].patienceLeft(now_, 0.0)));
  }
  return wake;
}

bool SimClock::isHeldByGrants() const {
  const TimeNs next = now_ + config_.period;
  return std::any_of(grants_.begin(), grants_.end(),
                     [next](const auto& grant) { return grant.second < next; });
}

bool SimClock::isHeldByAnswers() const {
  return std::any_of(answers_.begin(), answers_.end(), [this](const AnswerWait& answer) {
    return !answer.allows(now_, now_ + config_.period);
  });
}

void SimClock::noteHold(WallTime now) {
  const auto note = [now](std::optional<WallTime>& since, bool is_held) {
    if (!is_held) {
      since.reset();
    } else if (!since) {
      since = now;
    }
  };
  const bool by_grants = isHeldByGrants(), by_answers = isHeldByAnswers();
  note(grants_held_since_, by_grants);
  note(held_since_, by_grants || by_answers);
  for (std::size_t i = 0; i < answers_.size(); ++i) {
    std::optional<AnswerHold>& hold = answer_holds_[i];
    if (by_grants || answers_[i].allows(now_, now_ + config_.period)) {
      hold.reset();
      continue;
    }
    // Each answer and each input has the full patience.
    const AnswerWait::Awaited what = answers_[i].awaited(now_);
    if (!hold || !(hold->what == what)) hold = AnswerHold{what, now};
  }
}

void SimClock::forgetHolds() {
  held_since_.reset();
  grants_held_since_.reset();
  std::fill(answer_holds_.begin(), answer_holds_.end(), std::nullopt);
}

void SimClock::giveUp(WallTime now) {
  const bool may_begin = !inLockstep() || now_ > 0;  // time begins when all participants are there
  if (grants_held_since_ && may_begin) {
    const double held = secondsBetween(*grants_held_since_, now);
    if (held >= config_.patience) letGo(held);
  }
  for (std::size_t i = 0; i < answers_.size(); ++i) {
    if (!answer_holds_[i]) continue;
    const double held = secondsBetween(answer_holds_[i]->since, now);
    if (answers_[i].patienceLeft(now_, held) > 0.0) continue;
    const std::string warning = answers_[i].giveUp(now_, held);
    if (!warning.empty()) warnings_.push_back(warning);
  }
}

// Never, unless only answers with a reserve hold time.
SimClock::WallTime SimClock::nudgeAt() const {
  if (grants_held_since_) return WallTime::max();
  WallTime at = WallTime::min();
  for (std::size_t i = 0; i < answers_.size(); ++i) {
    if (!answer_holds_[i]) continue;
    if (!answers_[i].allowsNudge(now_, now_ + config_.period)) return WallTime::max();
    at = std::max(at, after(answer_holds_[i]->since, kNudgeAfter));
  }
  return at;
}

void SimClock::letGo(double held) {
  const TimeNs next = now_ + config_.period;
  for (auto grant = grants_.begin(); grant != grants_.end();) {
    if (grant->second >= next) {
      ++grant;
      continue;
    }
    warnings_.push_back(
        fmt::format("{} held the clock at {:.3f} s for {:.1f} s and is waited for no longer",
                    grant->first, toSeconds(now_), held));
    let_go_[grant->first] = grant->second;
    grant = grants_.erase(grant);
  }
}

void SimClock::go(WallTime now) {
  now_ += config_.period;
  forgetHolds();
  due_ += wallPeriod();
  if (now - due_ > kLongestCatchUp) due_ = now;
  if (!until_ || now_ < *until_) return;
  until_.reset();
  is_paused_ = true;
}

// Without participants the greatest pace is real time.
SimClock::WallClock::duration SimClock::wallPeriod() const {
  const double pace = std::isinf(config_.pace) && grants_.empty() ? 1.0 : config_.pace;
  return std::chrono::duration_cast<WallClock::duration>(
      std::chrono::duration<double>(toSeconds(config_.period) / pace));
}

std::vector<std::string> SimClock::takeWarnings() { return std::exchange(warnings_, {}); }

void SimClock::grant(const std::string& who, TimeNs until) {
  // The last grant before it was given up may arrive again.
  const auto was = let_go_.find(who);
  if (was != let_go_.end() && until == was->second) return;
  if (was != let_go_.end()) let_go_.erase(was);
  if (until == 0) {
    grants_.erase(who);
  } else {
    grants_[who] = until;
  }
}

std::string SimClock::holders() const {
  const TimeNs next = now_ + config_.period;
  std::vector<std::string> names;
  for (const auto& [name, until] : grants_) {
    if (until < next) names.push_back(name);
  }
  for (const AnswerWait& answer : answers_) {
    if (!answer.allows(now_, next)) names.push_back(answer.waitsFor(now_));
  }
  std::sort(names.begin(), names.end());
  if (names.size() <= kMostNames) return join(names);
  const std::size_t more = names.size() - kMostNames;
  names.resize(kMostNames);
  return fmt::format("{} and {} more", join(names), more);
}

double SimClock::heldFor(WallTime now) const {
  return held_since_ && !is_paused_ ? secondsBetween(*held_since_, now) : 0.0;
}

SimClock::Reply SimClock::pause(bool paused, WallTime now) {
  until_.reset();
  if (!paused) {
    runFrom(now);
  } else {
    is_paused_ = true;
  }
  return {true, paused ? "paused" : "running"};
}

// A hold from before a pause does not count as silence.
void SimClock::runFrom(WallTime now) {
  if (!is_paused_) return;
  is_paused_ = false;
  due_ = now;
  forgetHolds();
}

SimClock::Reply SimClock::step(WallTime now) {
  if (!is_paused_) return {false, "not paused: call pause first"};
  if (isHeld()) return {false, "time waits for " + holders()};
  go(now);
  return {true, "stepped"};
}

SimClock::Reply SimClock::stepBy(TimeNs duration, WallTime now) {
  if (!is_paused_) return {false, "not paused: call pause first"};
  if (duration <= 0 || duration > kLongestRun) {
    return {false, fmt::format("duration is {} s, allowed: more than 0, up to {:.0f} s",
                               toSeconds(duration), toSeconds(kLongestRun))};
  }
  until_ = now_ + (duration + config_.period - 1) / config_.period * config_.period;
  runFrom(now);
  return {true, fmt::format("steps to {:.3f} s", toSeconds(*until_))};
}

SimClock::Reply SimClock::runUntil(TimeNs time, WallTime now) {
  if (time <= now_ || time > kLongestRun) {
    return {false, fmt::format("time is {} s, allowed: past the present {:.3f} s", toSeconds(time),
                               toSeconds(now_))};
  }
  until_ = time;
  runFrom(now);
  return {true, fmt::format("runs until {:.3f} s", toSeconds(time))};
}

SimClock::Reply SimClock::setPace(double pace, WallTime now) {
  if (pace != kPaceMax && !(pace >= kSlowest && pace <= kFastest)) {
    return {false,
            fmt::format("pace is {}, allowed: inf (max) or {} to {}", pace, kSlowest, kFastest)};
  }
  config_.pace = pace;
  due_ = std::clamp(due_, now, now + wallPeriod());
  return {true, "pace " + paceText(config_.pace)};
}

}  // namespace marsim
