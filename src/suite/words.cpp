// SPDX-License-Identifier: BSD-3-Clause
#include "suite/words.hpp"

#include <cmath>

#include <fmt/format.h>

#include "common/text.hpp"

namespace marsim::suite {

std::string numberText(double value) {
  if (value == 0.0) return "0";
  const double size = std::abs(value);
  if (!std::isfinite(value) || size < 1e-3 || size >= 1e6) return fmt::format("{:.4g}", value);
  const int digits_before = size < 1.0 ? 0 : static_cast<int>(std::floor(std::log10(size))) + 1;
  const int zeros = size < 1.0 ? -static_cast<int>(std::floor(std::log10(size))) - 1 : 0;
  std::string text = fmt::format("{:.{}f}", value, std::max(0, 4 - digits_before + zeros));
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text;
}

std::string limitText(const scenario::Limit& limit) {
  if (limit.at_least && limit.at_most) {
    return fmt::format("{} to {}", numberText(*limit.at_least), numberText(*limit.at_most));
  }
  if (limit.at_least) return "at least " + numberText(*limit.at_least);
  if (limit.at_most) return "at most " + numberText(*limit.at_most);
  return "";
}

std::string runName(const RunResult& run) {
  return fmt::format("{}, seed {}", run.scenario, run.seed);
}

std::string checkName(const CheckResult& check) {
  return check.subject.empty() ? check.name : check.name + " of " + check.subject;
}

std::string valueText(const CheckResult& check) {
  if (!check.value) return "none";
  if (std::isinf(*check.value)) return "infinite";
  return check.unit.empty() ? numberText(*check.value)
                            : fmt::format("{} {}", numberText(*check.value), check.unit);
}

std::string noteText(const CheckResult& check) {
  return check.value && check.message.compare(0, 3, "is ") == 0 ? "" : check.message;
}

std::string failureText(const CheckResult& check) {
  const std::string note = noteText(check);
  if (!check.value) return fmt::format("{}: {}", checkName(check), note);
  const std::string allowed = limitText(check.limit);
  std::string text = fmt::format("{} is {}", checkName(check), valueText(check));
  if (!allowed.empty()) {
    text += fmt::format(", allowed: {}{}{}", allowed, check.unit.empty() ? "" : " ", check.unit);
  }
  return note.empty() ? text : fmt::format("{} ({})", text, note);
}

double realTimeFactor(const RunResult& run) {
  return run.wall > 0.0 ? run.simulated / run.wall : 0.0;
}

Totals totalsOf(const std::vector<RunResult>& runs) {
  Totals totals;
  for (const RunResult& run : runs) {
    switch (run.verdict) {
      case Verdict::kPassed:
        ++totals.passed;
        break;
      case Verdict::kFailed:
        ++totals.failed;
        break;
      case Verdict::kError:
        ++totals.errors;
        break;
      case Verdict::kSkipped:
        ++totals.skipped;
        break;
    }
  }
  return totals;
}

std::string totalsText(const Totals& totals) {
  std::vector<std::string> parts;
  const auto add = [&](int count, const std::string& word) {
    if (count > 0) parts.push_back(fmt::format("{} {}", count, word));
  };
  add(totals.passed, "passed");
  add(totals.failed, "failed");
  add(totals.errors, totals.errors == 1 ? "error" : "errors");
  add(totals.skipped, "skipped");
  return fmt::format("{} run{}: {}", totals.runs(), totals.runs() == 1 ? "" : "s",
                     parts.empty() ? "nothing was run" : join(parts));
}

}  // namespace marsim::suite
