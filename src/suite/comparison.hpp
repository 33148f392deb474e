// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "suite/run_result.hpp"

/// Compares runs with the same runs of an earlier suite.
namespace marsim::suite {

/// A check's result in the baseline.
struct FormerCheck {
  bool passed = false;
  std::optional<double> value;
};

enum class Change { kNone, kBroken, kMended };

Change changeOf(bool passed_before, bool passed_now);

/// The run of the same scenario and seed; none: nullptr.
const RunResult* findRun(const std::vector<RunResult>& runs, const RunResult& run);

/// The former results of a run's checks, in their order, matched by name and subject, the first one
/// with the first and so on. None for a check that the baseline lacks.
std::vector<std::optional<FormerCheck>> formerChecks(const RunResult& run,
                                                     const RunResult* baseline);

/// Whether a run that passed in the baseline fails now, or is an error.
bool isBroken(const RunResult& run, const std::vector<RunResult>& baseline);

/// Numbers of checks that passed in the baseline and fail now, and the reverse. All checks of a run
/// with an error fail.
struct Changes {
  int broken = 0;
  int mended = 0;
};

Changes changesOf(const std::vector<RunResult>& runs, const std::vector<RunResult>& baseline);

/// "1 check broken and 2 mended since the baseline".
std::string changesText(const Changes& changes);

}  // namespace marsim::suite
