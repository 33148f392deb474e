#pragma once

#include <optional>
#include <string>
#include <vector>

#include "suite/run_result.hpp"

/// Runs beside the same runs of an earlier suite.
namespace marsim::suite {

/// What a check was in the baseline.
struct FormerCheck {
  bool passed = false;
  std::optional<double> value;
};

enum class Change { kNone, kBroken, kMended };

Change changeOf(bool passed_before, bool passed_now);

/// The run of the same scenario and seed; none: nullptr.
const RunResult* findRun(const std::vector<RunResult>& runs, const RunResult& run);

/// The former results of a run's checks, in their order: the same name and subject, the first of
/// them with the first and so on. Nothing where the baseline has no such check.
std::vector<std::optional<FormerCheck>> formerChecks(const RunResult& run,
                                                     const RunResult* baseline);

/// Whether a run that passed in the baseline fails now, or is an error.
bool isBroken(const RunResult& run, const std::vector<RunResult>& baseline);

/// How many checks that passed in the baseline fail now, and the other way. Those of a run that is
/// an error now fail all.
struct Changes {
  int broken = 0;
  int mended = 0;
};

Changes changesOf(const std::vector<RunResult>& runs, const std::vector<RunResult>& baseline);

/// "1 check broken and 2 mended since the baseline".
std::string changesText(const Changes& changes);

}  // namespace marsim::suite
