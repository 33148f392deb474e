#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "marsim/common/bounds.hpp"
#include "scenario/scenario.hpp"
#include "suite/run_result.hpp"
#include "tools/suite/scenario_launch.hpp"

/// The plan of `marsim suite`.
namespace marsim::tools {

constexpr char kRunsFolder[] = "runs";  ///< in the output folder

struct SuiteOptions {
  static constexpr Bounds kJobs{1, 256}, kTimeouts{0.0, 86'400.0, true};

  std::vector<std::string> paths;  ///< scenario files, or folders of them
  std::filesystem::path output = "suite_output";
  int jobs = 1;
  std::vector<std::uint64_t> seeds;  ///< in place of the files'; empty: those
  std::vector<std::string> tags;     ///< scenarios with one of them; empty: all
  std::vector<std::string> only;     ///< scenarios by name; empty: all
  std::string baseline;              ///< folder or results.json; empty: none
  std::string stand_ins;             ///< folder of PACKAGE.launch; empty: none
  bool fresh = false;
  bool verbose = false;
  double timeout = 120.0;  ///< [s] of wall time without progress

  /// Throws ConfigError.
  void validate() const;
};

/// One flight of a scenario.
struct PlannedRun {
  scenario::Scenario scenario;
  std::uint64_t seed = 1;
  std::filesystem::path folder;  ///< for run.launch, run.json, scenario.log; absolute

  /// Everything that a kept result in that folder must have been made from: the scenario's text,
  /// seed, stand-ins, size and time of the files that it names, and of this package's libraries.
  std::string madeFrom(const StandIns& stand_ins) const;
};

/// "1,4,7-9" into numbers. Throws ConfigError that names the option.
std::vector<std::uint64_t> parseSeeds(const std::string& option, const std::string& text);

/// The scenario files that `paths` name: files as they are, of folders every *.yaml, sorted. Throws
/// FileError where there is none.
std::vector<std::filesystem::path> scenarioFiles(const std::vector<std::string>& paths);

/// Loads all of them. What is wrong with any goes to `errors`, a line each, two of one name among
/// it.
std::vector<scenario::Scenario> loadScenarios(const std::vector<std::filesystem::path>& files,
                                              std::vector<std::string>& errors);

/// Every chosen scenario with every seed. Throws UnknownNameError where the options name a scenario
/// or tag that there is not.
std::vector<PlannedRun> planRuns(const std::vector<scenario::Scenario>& scenarios,
                                 const SuiteOptions& options);

/// The launch files of a folder, by the packages that they stand in for. Throws FileError where it
/// is no folder or has none.
StandIns findStandIns(const std::string& folder);

}  // namespace marsim::tools
