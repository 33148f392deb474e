// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "suite/run_result.hpp"

/// Words and numbers common to all reports.
namespace marsim::suite {

/// Four significant digits, without exponent from 1e-3 to 1e6: "0.1235", "12.5", "1e-07".
std::string numberText(double value);

/// "at least 0.3", "at most 2", "0.3 to 2"; empty without a limit.
std::string limitText(const scenario::Limit& limit);

/// "forest_goals, seed 3".
std::string runName(const RunResult& run);

/// "ate of odometry", "max_speed of uav0", "goals_within".
std::string checkName(const CheckResult& check);

/// "0.12 m", or "none" if it could not be computed.
std::string valueText(const CheckResult& check);

/// A check's message beyond its value and limit, which it may repeat ("is 0.5 m, ...").
std::string noteText(const CheckResult& check);

/// A failed check in a line: "ate of odometry is 0.5 m, allowed: at most 0.1 m", "ate of odometry:
/// nobody publishes it".
std::string failureText(const CheckResult& check);

/// Simulated seconds per second of wall time; 0 without a flight.
double realTimeFactor(const RunResult& run);

struct Totals {
  int passed = 0;
  int failed = 0;
  int errors = 0;
  int skipped = 0;

  int runs() const { return passed + failed + errors + skipped; }
};

Totals totalsOf(const std::vector<RunResult>& runs);

/// "12 runs: 10 passed, 1 failed, 1 skipped".
std::string totalsText(const Totals& totals);

}  // namespace marsim::suite
