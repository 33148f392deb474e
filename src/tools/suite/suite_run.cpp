// SPDX-License-Identifier: BSD-3-Clause
#include "tools/suite/suite_run.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "common/output_file.hpp"
#include "common/result_folder.hpp"
#include "common/text.hpp"
#include "marsim/common/error.hpp"
#include "suite/junit_report.hpp"
#include "suite/results_file.hpp"
#include "suite/results_table.hpp"
#include "suite/words.hpp"
#include "tools/process/child_process.hpp"
#include "tools/process/command_line.hpp"
#include "tools/process/interrupts.hpp"
#include "tools/process/orphans.hpp"
#include "tools/process/process_pool.hpp"
#include "tools/suite/suite_flight.hpp"
#include "tools/suite/suite_reports.hpp"

namespace marsim::tools {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kLiveWidth = 100;  // letters of the progress line

bool installed(const std::string& package) {
  ChildCommand command;
  command.arguments = {"rospack", "find", package};
  return runChild(command, [](const std::string&) {}).exit_code == 0;
}

/// Tells which packages are missing; looks for each once.
class Packages {
 public:
  explicit Packages(const StandIns& stand_ins) : stand_ins_(stand_ins) {}

  /// The reason why a scenario cannot be flown; empty if it can.
  std::string complaint(const scenario::Scenario& scenario) {
    for (const std::string& package : wantedPackages(scenario)) {
      if (stand_ins_.count(package) > 0) continue;
      if (known_.count(package) == 0) known_[package] = installed(package);
      if (!known_[package]) {
        return fmt::format(
            "package {0} is not installed (rospack find {0}); --stand-ins FOLDER with {0}.launch "
            "starts that in its place",
            package);
      }
    }
    return "";
  }

 private:
  const StandIns& stand_ins_;
  std::map<std::string, bool> known_;
};

/// Flies a list of runs, several at a time.
class Flyer {
 public:
  Flyer(const std::vector<PlannedRun>& runs, const SuiteOptions& options)
      : runs_(runs),
        options_(options),
        stand_ins_(findStandIns(options.stand_ins)),
        packages_(stand_ins_),
        results_(runs.size()) {}

  SuiteOutcome fly() {
    try {
      flyAll();
    } catch (...) {
      workers_.ask();
      while (workers_.running() > 0) workers_.serve([](std::size_t, const std::string&) {});
      orphans_.end(kOrphansPatience);
      throw;
    }
    orphans_.end(kOrphansPatience);
    if (!failure_.empty()) throw Error(failure_);
    SuiteOutcome outcome;
    outcome.interrupted = InterruptGuard::count() > 0;
    for (std::optional<suite::RunResult>& result : results_) {
      if (result) outcome.runs.push_back(std::move(*result));
    }
    return outcome;
  }

 private:
  void flyAll() {
    while ((next_ < runs_.size() && !stopped()) || workers_.running() > 0) {
      while (mayStart()) startNext();
      const auto ends =
          workers_.serve([&](std::size_t i, const std::string& line) { take(i, line); });
      for (const ProcessPool::End& end : ends) take(end);
      show();
      if (InterruptGuard::count() > asked_ || (!failure_.empty() && asked_ == 0)) {
        ++asked_;
        workers_.ask();
      }
    }
    live_.clear();
  }

  bool stopped() const { return InterruptGuard::count() > 0 || !failure_.empty(); }

  bool mayStart() const {
    return !stopped() && next_ < runs_.size() &&
           workers_.running() < static_cast<std::size_t>(options_.jobs);
  }

  void startNext() {
    const std::size_t i = next_++;
    const PlannedRun& run = runs_[i];
    if (!options_.fresh) {
      results_[i] = keptResult(run, stand_ins_);
      if (results_[i]) {
        note(i, "kept: made from the same before");
        return;
      }
    }
    const std::string complaint = packages_.complaint(run.scenario);
    if (stopped()) return;
    if (!complaint.empty()) {
      results_[i] = withoutFlight(run, suite::Verdict::kSkipped, complaint);
      note(i, complaint);
      return;
    }
    const int port = unusedPort();
    ports_[i] = port;
    workers_.start(i, [&, port] {
      const auto tell = [this](const std::string& line) {
        if (!isProgress(line) && !options_.verbose) return;
        std::puts(line.c_str());
        std::fflush(stdout);
      };
      return flyRun(run, stand_ins_, options_, port, tell) ? 0 : kInterrupted;
    });
  }

  /// A free port that no present run was given: those may not be in use yet.
  int unusedPort() const {
    for (;;) {
      const int port = freePort();
      const bool given = std::any_of(ports_.begin(), ports_.end(),
                                     [&](const auto& other) { return other.second == port; });
      if (!given) return port;
    }
  }

  void take(std::size_t i, const std::string& line) {
    if (isProgress(line)) {
      const std::string text = line.substr(line.find(' ') + 1);
      const std::string name = suiteName(i) + ": ";  // some lines already have it
      progress_[i] = text.compare(0, name.size(), name) == 0 ? text.substr(name.size()) : text;
    } else {
      live_.print(workers_.running() > 1 ? fmt::format("[{}] {}", suiteName(i), line) : line);
    }
  }

  void take(const ProcessPool::End& end) {
    ports_.erase(end.id);
    progress_.erase(end.id);
    if (!end.failure.empty()) {
      if (failure_.empty()) failure_ = end.failure;
      return;
    }
    if (end.exit_code == kInterrupted || (stopped() && end.exit_code != 0)) return;
    if (end.exit_code != 0) {
      results_[end.id] =
          withoutFlight(runs_[end.id], suite::Verdict::kError,
                        fmt::format("the process that flew it ended with code {}", end.exit_code));
    } else {
      try {
        results_[end.id] = readFlight(runs_[end.id]);
      } catch (const Error& error) {
        results_[end.id] = withoutFlight(runs_[end.id], suite::Verdict::kError, error.what());
      }
    }
    note(end.id, results_[end.id]->message);
  }

  /// Prints a permanent line: the result of a run.
  void note(std::size_t i, const std::string& text) {
    ++done_;
    const suite::RunResult& result = *results_[i];
    const std::string flown =
        result.wall > 0.0 ? fmt::format(", {:.1f} s in {:.1f} s", result.simulated, result.wall)
                          : "";
    live_.print(fmt::format("{:<7} {}{}{}{}", suite::verdictText(result.verdict), suiteName(i),
                            flown, text.empty() ? "" : ": ", text));
  }

  std::string suiteName(std::size_t i) const {
    return fmt::format("{}, seed {}", runs_[i].scenario.name, runs_[i].seed);
  }

  void show() {
    if (workers_.running() == 0) return;
    if (stopped()) {
      live_.show("ending what is under way");
      return;
    }
    std::vector<std::string> parts;
    for (const auto& [i, port] : ports_) {
      const auto told = progress_.find(i);
      parts.push_back(
          fmt::format("{}: {}", suiteName(i), told == progress_.end() ? "starting" : told->second));
    }
    live_.show(clipped(fmt::format("{} of {} done; {}", done_, runs_.size(), join(parts, "; ")),
                       kLiveWidth));
  }

  const std::vector<PlannedRun>& runs_;
  const SuiteOptions& options_;
  const InterruptGuard guard_;
  const OrphanKeeper orphans_;
  StandIns stand_ins_;
  Packages packages_;
  ProcessPool workers_;
  LiveLine live_;
  std::vector<std::optional<suite::RunResult>> results_;
  std::map<std::size_t, int> ports_;             // of the present runs
  std::map<std::size_t, std::string> progress_;  // the last line of each
  std::size_t next_ = 0;
  std::size_t done_ = 0;
  int asked_ = 0;
  std::string failure_;  // why all runs must end
};

/// Loads and plans. Prints all errors on standard error and then returns nothing.
std::optional<std::vector<PlannedRun>> plan(const SuiteOptions& options, const char* program) {
  std::vector<std::string> errors;
  std::vector<PlannedRun> runs;
  try {
    options.validate();
    findStandIns(options.stand_ins);
    const std::vector<scenario::Scenario> scenarios =
        loadScenarios(scenarioFiles(options.paths), errors);
    if (errors.empty()) runs = planRuns(scenarios, options);
  } catch (const Error& error) {
    errors.emplace_back(error.what());
  }
  for (const std::string& error : errors) fmt::print(stderr, "{}: {}\n", program, error);
  if (!errors.empty()) return std::nullopt;
  return runs;
}

}  // namespace

SuiteOutcome flyRuns(const std::vector<PlannedRun>& runs, const SuiteOptions& options) {
  return Flyer(runs, options).fly();
}

int exitCodeOf(const SuiteOutcome& outcome) {
  if (outcome.interrupted) return kInterrupted;
  const suite::Totals totals = suite::totalsOf(outcome.runs);
  return totals.passed > 0 && totals.failed + totals.errors == 0 ? 0 : 1;
}

int listSuite(const SuiteOptions& options) {
  const auto runs = plan(options, "marsim suite");
  if (!runs) return kWrongCommandLine;
  const StandIns stand_ins = findStandIns(options.stand_ins);
  for (const PlannedRun& run : *runs) {
    std::string about = fmt::format("{}, seed {}", run.scenario.name, run.seed);
    if (!run.scenario.tags.empty()) about += " [" + join(run.scenario.tags) + "]";
    if (!options.fresh && keptResult(run, stand_ins)) about += ", kept: made from the same before";
    fmt::print("{}\n", about);
  }
  return 0;
}

void addFlightOptions(CommandLine& line, SuiteOptions& options) {
  line.option("--stand-ins", options.stand_ins, kInput,
              "folder with PACKAGE.launch, started in place of packages");
  line.option("--timeout", options.timeout, number(Quantity::kTime, SuiteOptions::kTimeouts),
              "wall time without simulated time that passes [s]");
  line.flag("--verbose", options.verbose, "show all output of the nodes");
}

int runSuite(const SuiteOptions& options) {
  const auto runs = plan(options, "marsim suite");
  if (!runs) return kWrongCommandLine;
  std::vector<suite::RunResult> baseline;
  try {
    if (!options.baseline.empty()) {
      baseline = suite::readResults(options.baseline);
      if (baseline.empty()) throw FileError(options.baseline, "has no run to compare with");
      std::error_code none;
      const fs::path results = fs::path(options.output) / suite::kResultsFile;
      if (fs::equivalent(options.baseline, options.output, none) ||
          fs::equivalent(options.baseline, results, none)) {
        throw FileError(options.baseline, "is what --out writes; name another folder there");
      }
    }
  } catch (const Error& error) {
    fmt::print(stderr, "marsim suite: --baseline: {}\n", error.what());
    return kWrongCommandLine;
  }
  requireRoslaunch("scenarios are flown with the ROS nodes");
  const fs::path folder = fs::absolute(options.output).lexically_normal();
  ResultFolder results(folder, "marsim suite");
  results.begin({kRunsFolder, suite::kResultsFile, kJunitFile, kReportFile});
  std::signal(SIGPIPE, SIG_IGN);  // reports are written even if the output has no reader
  const SuiteOutcome outcome = flyRuns(*runs, options);
  writeReports(folder, outcome.runs, baseline, options.baseline);
  fmt::print("\n{}", suite::resultsTable(outcome.runs, baseline));
  fmt::print("written to {}: {}, {}, {}\n", folder.string(), kReportFile, suite::kResultsFile,
             kJunitFile);
  if (outcome.runs.size() < runs->size()) {
    fmt::print(stderr, "marsim suite: interrupted, {} of {} runs were not flown to their end\n",
               runs->size() - outcome.runs.size(), runs->size());
  }
  const int code = exitCodeOf(outcome);
  if (code == 1 && suite::totalsOf(outcome.runs).skipped == static_cast<int>(outcome.runs.size())) {
    fmt::print(stderr, "marsim suite: nothing was flown, every run was skipped\n");
  }
  return code;
}

int runScenario(const SuiteOptions& options, const std::string& xml) {
  if (!xml.empty()) {
    if (fs::path(xml).has_parent_path()) makeFolder(fs::path(xml).parent_path());
    requireWritable(xml);
  }
  const auto runs = plan(options, "scenario");
  if (!runs) return kWrongCommandLine;
  requireRoslaunch("scenarios are flown with the ROS nodes");
  ResultFolder results(options.output, "scenario");
  results.begin({kRunsFolder});
  const SuiteOutcome outcome = flyRuns(*runs, options);
  fmt::print("\n{}", suite::resultsTable(outcome.runs, {}));
  if (!xml.empty()) {
    writeFile(xml, suite::gtestReport(runs->front().scenario.name, outcome.runs));
  }
  return exitCodeOf(outcome);
}

}  // namespace marsim::tools
