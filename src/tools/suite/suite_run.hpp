// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "suite/run_result.hpp"
#include "tools/suite/suite_plan.hpp"

/// `marsim suite`: flies scenarios, judges them by their checks and reports.
namespace marsim::tools {

class CommandLine;

/// The outcome of all runs.
struct SuiteOutcome {
  std::vector<suite::RunResult> runs;  ///< in the order of the plan; without those that were not
                                       ///< reached
  bool interrupted = false;
};

/// Flies the runs, at most `jobs` at a time, each in a process of its own with a ROS master of its
/// own. Results of an earlier suite are kept unless `fresh`; runs that lack a package are skipped.
/// Throws Error if a folder cannot be written into, after ending all runs.
SuiteOutcome flyRuns(const std::vector<PlannedRun>& runs, const SuiteOptions& options);

/// 0 if a run passed and none failed, 130 if the user ended it, else 1: a suite with only skipped
/// runs has shown nothing.
int exitCodeOf(const SuiteOutcome& outcome);

/// Adds the options that a suite and a single scenario share: --stand-ins, --timeout, --verbose.
void addFlightOptions(CommandLine& line, SuiteOptions& options);

/// Runs a whole suite: loads, flies, writes report.html, results.json and junit.xml, prints the
/// table. Returns the exit code, 2 if a scenario or an option is wrong: then nothing was started.
int runSuite(const SuiteOptions& options);

/// Prints the runs of a suite without flying them.
int listSuite(const SuiteOptions& options);

/// Flies the scenario of a file over its seeds and writes the result in Google Test's format, for
/// rostest; `xml` empty: no file.
int runScenario(const SuiteOptions& options, const std::string& xml);

}  // namespace marsim::tools
