// SPDX-License-Identifier: BSD-3-Clause
#include "tools/suite/suite_flight.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <deque>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "common/input_file.hpp"
#include "common/line_reader.hpp"
#include "common/output_file.hpp"
#include "marsim/common/error.hpp"
#include "suite/markup.hpp"
#include "tools/process/child_process.hpp"
#include "tools/process/launch_run.hpp"

namespace marsim::tools {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kLastLines = 40;
constexpr int kAttempts = 2;                      // attempts to start a ROS master
constexpr std::size_t kLargestText = 64U << 20U;  // bytes
constexpr double kLongestStart = 5.0;             // in units of the time-out
const std::string kProgress = "scenario ";

/// Decides which lines show that a run goes on: progress that differs from the last. Before the
/// flight begins any line does, since maps take time; but not for ever, and not the clock's
/// repeated line on awaited nodes.
class News {
 public:
  explicit News(double timeout) : longest_start_(kLongestStart * timeout) {}
  bool operator()(const std::string& line) {
    if (!isProgress(line)) return last_.empty() && starts() && !isWaiting(line);
    const bool is_new = line != last_;
    last_ = line;
    return is_new;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static bool isWaiting(const std::string& line) {
    return line.find("time has not begun") != std::string::npos;
  }
  bool starts() const {
    return std::chrono::duration<double>(Clock::now() - begun_).count() < longest_start_;
  }

  double longest_start_;  // [s]
  Clock::time_point begun_ = Clock::now();
  std::string last_;
};

std::vector<std::string> lastLines(const fs::path& path) {
  std::error_code none;
  if (!fs::exists(path, none)) return {};
  std::size_t size = 0;
  std::ifstream file = openInput(path, size);
  std::deque<std::string> last;
  for (LineReader lines(file, path.string()); lines.next();) {
    const std::string line(lines.line());
    if (isProgress(line)) continue;
    last.push_back(suite::cleaned(line));
    if (last.size() > kLastLines) last.pop_front();
  }
  return {last.begin(), last.end()};
}

void clearFolder(const fs::path& folder) {
  std::error_code error;
  std::vector<std::string> names = {kMadeFrom, kRunFile, kRunLaunch, kRunLog, "log"};
  for (int i = 2; i <= scenario::kMostRepeats; ++i) names.push_back(fmt::format("repeat_{}", i));
  for (const std::string& name : names) {
    fs::remove_all(folder / name, error);
    if (error) throw FileError((folder / name).string(), "cannot be removed: " + error.message());
  }
  makeFolder(folder / "log");
}

std::string reasonOf(const ChildResult& result, const RunJournal& journal, double timeout) {
  if (result.silent && journal.lost().empty()) {
    const std::string first = journal.firstError();
    return fmt::format("no simulated second passed in {:g} s of wall time{}{}", timeout,
                       first.empty() ? "" : "; the first error was: ", first);
  }
  const std::string failure =
      journal.lost().empty() ? journal.failure(result.exit_code) : journal.lost();
  const std::string& first = journal.firstError();
  if (failure.empty()) {
    return first.empty() ? "roslaunch ended and left no result" : first;
  }
  return failure.find(first) == std::string::npos ? fmt::format("{}: {}", failure, first) : failure;
}

// At the fastest pace a flight may be over before the death of a program has ended it.
void noteLoss(const fs::path& run_file, const std::string& lost) {
  suite::RunResult result = suite::readRun(run_file);
  if (result.verdict == suite::Verdict::kError) return;
  result.verdict = suite::Verdict::kError;
  result.message = lost;
  suite::writeRun(run_file, result);
}

/// Without a program that has died there is nothing to judge.
bool isLost(const PlannedRun& run, const RunJournal& journal) {
  const auto on_crash = run.scenario.arguments.find("on_crash");
  const bool respawns = on_crash != run.scenario.arguments.end() && on_crash->second == "respawn";
  return !respawns && !journal.lost().empty();
}

/// On a very busy machine roslaunch gives up before its own master has answered.
bool hasNoMaster(const fs::path& log) {
  const std::vector<std::string> lines = lastLines(log);
  return std::any_of(lines.begin(), lines.end(), [](const std::string& line) {
    return line.find("could not contact master") != std::string::npos;
  });
}

/// The run's log: the lines printed by the nodes, no longer than a LineReader reads.
class RunLog {
 public:
  /// Begins an empty file. Throws FileError if it cannot be written.
  explicit RunLog(const fs::path& path) : file_(path) { file_.write(""); }

  /// A line that cannot be written ends the program: the first one raises SIGINT, which runChild()
  /// passes on.
  void add(const std::string& line) {
    if (failure_) return;
    try {
      file_.write(line.substr(0, LineReader::kLongest - 1) + "\n");
    } catch (const FileError& error) {
      failure_ = error;
      std::raise(SIGINT);
    }
  }
  /// Throws the error of the line that could not be written.
  void require() const {
    if (failure_) throw *failure_;
  }

 private:
  OutputStream file_;
  std::optional<FileError> failure_;
};

/// Runs run.launch to its end. Throws FileError if the log cannot be written.
ChildResult launchRun(const PlannedRun& run, const SuiteOptions& options, int port,
                      RunJournal& journal, const std::function<void(const std::string&)>& tell) {
  RunLog log(run.folder / kRunLog);
  ChildCommand command = rosLaunch({(run.folder / kRunLaunch).string()}, port, run.folder / "log");
  command.environment["PYTHONUNBUFFERED"] = "1";
  command.environment["ROSCONSOLE_STDOUT_LINE_BUFFERED"] = "1";
  command.silence_limit = options.timeout;
  command.breaks_silence = News(options.timeout);
  // The runner is started last; roslaunch would hang if it were ended before.
  bool launched = false;
  command.is_over = [&] { return launched && isLost(run, journal); };
  const ChildResult result = runChild(command, [&](const std::string& raw) {
    const std::string line = withoutColours(raw);
    log.add(line);
    journal.add(line);
    launched = launched || line.rfind("process[scenario_runner", 0) == 0;
    tell(line);
  });
  log.require();
  return result;
}

}  // namespace

bool isProgress(const std::string& line) {
  return line.compare(0, kProgress.size(), kProgress) == 0;
}

suite::RunResult withoutFlight(const PlannedRun& run, suite::Verdict verdict,
                               const std::string& message) {
  suite::RunResult result;
  result.scenario = run.scenario.name;
  result.description = run.scenario.description;
  const auto map = run.scenario.arguments.find("map");
  if (map != run.scenario.arguments.end()) result.map = map->second;
  result.seed = run.seed;
  result.verdict = verdict;
  result.message = message;
  return result;
}

std::optional<suite::RunResult> keptResult(const PlannedRun& run, const StandIns& stand_ins) {
  std::error_code none;
  if (!fs::is_regular_file(run.folder / kMadeFrom, none)) return std::nullopt;
  try {
    if (readFile(run.folder / kMadeFrom, kLargestText) != run.madeFrom(stand_ins)) {
      return std::nullopt;
    }
    suite::RunResult result = suite::readRun(run.folder / kRunFile);
    if (result.verdict == suite::Verdict::kPassed) return result;
  } catch (const Error&) {
    // A wrong file means that the run is flown again.
  }
  return std::nullopt;
}

namespace {

// Leaves run.json, in any case; returns whether it was not interrupted.
bool flyOnce(const PlannedRun& run, const StandIns& stand_ins, const SuiteOptions& options,
             int port, const std::function<void(const std::string&)>& tell) {
  RunJournal journal;
  ChildResult result;
  std::error_code none;
  for (int attempt = 1; attempt <= kAttempts; ++attempt) {
    clearFolder(run.folder);
    writeFile(run.folder / kRunLaunch,
              scenarioLaunch(run.scenario, run.seed, run.folder, stand_ins));
    journal = RunJournal();
    result = launchRun(run, options, port, journal, tell);
    if (result.interrupted) return false;
    if (fs::exists(run.folder / kRunFile, none) || !hasNoMaster(run.folder / kRunLog)) break;
  }
  if (!fs::exists(run.folder / kRunFile, none)) {
    suite::RunResult failed =
        withoutFlight(run, suite::Verdict::kError, reasonOf(result, journal, options.timeout));
    failed.last_lines = lastLines(run.folder / kRunLog);
    suite::writeRun(run.folder / kRunFile, failed);
  }
  if (isLost(run, journal)) noteLoss(run.folder / kRunFile, journal.lost());
  return true;
}

PlannedRun repeatOf(const PlannedRun& run, int number) {
  PlannedRun repeat = run;
  repeat.folder /= fmt::format("repeat_{}", number);
  return repeat;
}

// Adds the check that all flights of the seed were the same.
void compareRepeats(const PlannedRun& run) {
  suite::RunResult result = suite::readRun(run.folder / kRunFile);
  const int repeats = run.scenario.checks.repeats;
  suite::CheckResult check;
  check.name = "repeats";
  check.limit.at_least = repeats;
  double same = 1.0;
  for (int i = 2; i <= repeats; ++i) {
    const PlannedRun repeat = repeatOf(run, i);
    if (suite::readRun(repeat.folder / kRunFile).motion == result.motion) {
      ++same;
    } else if (check.message.empty()) {
      check.message = fmt::format("the flight in {} moves otherwise", repeat.folder.string());
    }
  }
  check.value = same;
  check.passed = check.message.empty();
  suite::addCheck(result, check);
  suite::writeRun(run.folder / kRunFile, result);
}

}  // namespace

bool flyRun(const PlannedRun& run, const StandIns& stand_ins, const SuiteOptions& options, int port,
            const std::function<void(const std::string&)>& tell) {
  const std::string made_from = run.madeFrom(stand_ins);
  if (!flyOnce(run, stand_ins, options, port, tell)) return false;
  const int repeats = run.scenario.checks.repeats;
  for (int i = 2; i <= repeats; ++i) {
    if (!flyOnce(repeatOf(run, i), stand_ins, options, port, tell)) return false;
  }
  const bool was_flown = suite::readRun(run.folder / kRunFile).verdict != suite::Verdict::kError;
  if (repeats > 1 && was_flown) compareRepeats(run);
  writeFile(run.folder / kMadeFrom, made_from);
  return true;
}

suite::RunResult readFlight(const PlannedRun& run) {
  suite::RunResult result = suite::readRun(run.folder / kRunFile);
  if (result.verdict != suite::Verdict::kPassed && result.last_lines.empty()) {
    result.last_lines = lastLines(run.folder / kRunLog);
  }
  return result;
}

}  // namespace marsim::tools
