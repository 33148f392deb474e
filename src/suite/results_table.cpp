// SPDX-License-Identifier: BSD-3-Clause
#include "suite/results_table.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "suite/comparison.hpp"
#include "suite/words.hpp"

namespace marsim::suite {
namespace {

std::string runLine(const RunResult& run, std::size_t width) {
  const std::string flown = run.wall > 0.0
                                ? fmt::format("{:>8.1f} s  {:>8.1f} s  {:>6.2f}", run.simulated,
                                              run.wall, realTimeFactor(run))
                                : "";
  std::string line = fmt::format("{:<{}}  {:>4}  {:<7}  {:>6}  {}", run.scenario, width, run.seed,
                                 verdictText(run.verdict), run.checks.size(), flown);
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

/// The errors of a run, and its changes since the baseline.
std::string notes(const RunResult& run, const std::vector<RunResult>& baseline) {
  std::string text;
  const auto former = formerChecks(run, findRun(baseline, run));
  bool told = false;
  for (std::size_t i = 0; i < run.checks.size(); ++i) {
    const CheckResult& check = run.checks[i];
    const Change change = former[i] ? changeOf(former[i]->passed, check.passed) : Change::kNone;
    if (!check.passed) {
      text += fmt::format("    {}{}\n", failureText(check),
                          change == Change::kBroken ? "; passed in the baseline" : "");
      told = true;
    } else if (change == Change::kMended) {
      text +=
          fmt::format("    {} is {}; failed in the baseline\n", checkName(check), valueText(check));
    }
  }
  const bool own_message = run.verdict != Verdict::kFailed || !told;
  if (!run.message.empty() && own_message) text += fmt::format("    {}\n", run.message);
  return text;
}

}  // namespace

std::string resultsTable(const std::vector<RunResult>& runs,
                         const std::vector<RunResult>& baseline) {
  std::size_t width = std::string("scenario").size();
  for (const RunResult& run : runs) width = std::max(width, run.scenario.size());
  std::string text = fmt::format("{:<{}}  {:>4}  {:<7}  {:>6}  {:>10}  {:>10}  {:>6}\n", "scenario",
                                 width, "seed", "verdict", "checks", "simulated", "wall", "rtf");
  for (const RunResult& run : runs) text += runLine(run, width) + notes(run, baseline);
  text += totalsText(totalsOf(runs));
  if (!baseline.empty()) text += "; " + changesText(changesOf(runs, baseline));
  return text + "\n";
}

}  // namespace marsim::suite
