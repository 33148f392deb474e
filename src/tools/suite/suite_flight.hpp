// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "suite/run_result.hpp"
#include "tools/suite/scenario_launch.hpp"
#include "tools/suite/suite_plan.hpp"

/// Flies one run of a suite, in a folder of its own.
namespace marsim::tools {

constexpr const char* kRunFile = "run.json";
constexpr const char* kRunLaunch = "run.launch";
constexpr const char* kRunLog = "scenario.log";
constexpr const char* kMadeFrom = "made_from.txt";

/// The result of a run that was not flown or left nothing.
suite::RunResult withoutFlight(const PlannedRun& run, suite::Verdict verdict,
                               const std::string& message);

/// The result of an earlier suite, if it passed and had the same inputs.
std::optional<suite::RunResult> keptResult(const PlannedRun& run, const StandIns& stand_ins);

/// Removes an earlier suite's files from the run's folder, writes run.launch, starts roslaunch with
/// a master of its own on `port` and waits for its end. Then run.json exists; if nodes left none it
/// has the reason. `tell` gets every line that the nodes print, without colours. Throws FileError
/// if the folder cannot be written into. Returns whether it was not interrupted.
bool flyRun(const PlannedRun& run, const StandIns& stand_ins, const SuiteOptions& options, int port,
            const std::function<void(const std::string&)>& tell);

/// Reads the result of a run, with the end of its log if it did not pass.
suite::RunResult readFlight(const PlannedRun& run);

/// Whether a line of roslaunch reports a flight's progress.
bool isProgress(const std::string& line);

}  // namespace marsim::tools
