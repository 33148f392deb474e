#pragma once

#include <functional>
#include <optional>
#include <string>

#include "suite/run_result.hpp"
#include "tools/suite/scenario_launch.hpp"
#include "tools/suite/suite_plan.hpp"

/// Flying one run of a suite, in the folder of its own.
namespace marsim::tools {

constexpr const char* kRunFile = "run.json";
constexpr const char* kRunLaunch = "run.launch";
constexpr const char* kRunLog = "scenario.log";
constexpr const char* kMadeFrom = "made_from.txt";

/// The result of a run that was not flown or left nothing.
suite::RunResult withoutFlight(const PlannedRun& run, suite::Verdict verdict,
                               const std::string& message);

/// The result of an earlier suite, where it passed and was made from the same.
std::optional<suite::RunResult> keptResult(const PlannedRun& run, const StandIns& stand_ins);

/// Removes what an earlier suite left in the run's folder, writes run.launch, starts roslaunch with
/// a master of its own on `port` and waits for its end. Then run.json is there; where nodes left
/// none it says why. `tell` gets every line that the nodes print, without colours. Throws
/// FileError where the folder cannot be written into. Returns whether it was not interrupted.
bool flyRun(const PlannedRun& run, const StandIns& stand_ins, const SuiteOptions& options, int port,
            const std::function<void(const std::string&)>& tell);

/// Reads what a run left, with the end of its log where it did not pass.
suite::RunResult readFlight(const PlannedRun& run);

/// Whether a line of roslaunch tells how far a flight is.
bool isProgress(const std::string& line);

}  // namespace marsim::tools
