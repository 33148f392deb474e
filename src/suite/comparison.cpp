// SPDX-License-Identifier: BSD-3-Clause
#include "suite/comparison.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace marsim::suite {

Change changeOf(bool passed_before, bool passed_now) {
  if (passed_before == passed_now) return Change::kNone;
  return passed_now ? Change::kMended : Change::kBroken;
}

const RunResult* findRun(const std::vector<RunResult>& runs, const RunResult& run) {
  const auto found = std::find_if(runs.begin(), runs.end(), [&](const RunResult& other) {
    return other.scenario == run.scenario && other.seed == run.seed;
  });
  return found == runs.end() ? nullptr : &*found;
}

std::vector<std::optional<FormerCheck>> formerChecks(const RunResult& run,
                                                     const RunResult* baseline) {
  std::vector<std::optional<FormerCheck>> former(run.checks.size());
  if (baseline == nullptr) return former;
  std::map<std::pair<std::string, std::string>, std::vector<const CheckResult*>> by_name;
  for (const CheckResult& check : baseline->checks) {
    by_name[{check.name, check.subject}].push_back(&check);
  }
  std::map<std::pair<std::string, std::string>, std::size_t> used;
  for (std::size_t i = 0; i < run.checks.size(); ++i) {
    const std::pair<std::string, std::string> name{run.checks[i].name, run.checks[i].subject};
    const std::vector<const CheckResult*>& same = by_name[name];
    const std::size_t number = used[name]++;
    if (number < same.size()) former[i] = FormerCheck{same[number]->passed, same[number]->value};
  }
  return former;
}

bool isBroken(const RunResult& run, const std::vector<RunResult>& baseline) {
  const RunResult* former = findRun(baseline, run);
  return former != nullptr && former->verdict == Verdict::kPassed &&
         (run.verdict == Verdict::kFailed || run.verdict == Verdict::kError);
}

Changes changesOf(const std::vector<RunResult>& runs, const std::vector<RunResult>& baseline) {
  Changes changes;
  for (const RunResult& run : runs) {
    const RunResult* before = findRun(baseline, run);
    if (run.verdict == Verdict::kError && run.checks.empty() && before != nullptr) {
      changes.broken +=
          static_cast<int>(std::count_if(before->checks.begin(), before->checks.end(),
                                         [](const CheckResult& check) { return check.passed; }));
    }
    const auto former = formerChecks(run, before);
    for (std::size_t i = 0; i < former.size(); ++i) {
      if (!former[i]) continue;
      const Change change = changeOf(former[i]->passed, run.checks[i].passed);
      if (change == Change::kBroken) ++changes.broken;
      if (change == Change::kMended) ++changes.mended;
    }
  }
  return changes;
}

std::string changesText(const Changes& changes) {
  return fmt::format("{} check{} broken and {} mended since the baseline", changes.broken,
                     changes.broken == 1 ? "" : "s", changes.mended);
}

}  // namespace marsim::suite
