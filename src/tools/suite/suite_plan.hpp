// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "marsim/common/bounds.hpp"
#include "scenario/scenario.hpp"
#include "tools/suite/scenario_launch.hpp"

/// The plan of `marsim suite`.
namespace marsim::tools {

constexpr char kRunsFolder[] = "runs";  ///< in the output folder

struct SuiteOptions {
  static constexpr Bounds kJobs{1, 256}, kTimeouts{0.0, 86'400.0, true};

  std::vector<std::string> paths;  ///< scenario files, or folders of them
  std::filesystem::path output = "suite_output";
  int jobs = 1;
  std::vector<std::uint64_t> seeds;  ///< in place of the files'; empty: the files'
  std::vector<std::string> tags;     ///< only scenarios with one of them; empty: all
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

/// Numbers of a list such as "1,4,7-9". Throws ConfigError naming the option.
std::vector<std::uint64_t> parseSeeds(const std::string& option, const std::string& text);

/// The scenario files of `paths`: files as they are, for folders every *.yaml, sorted. Throws
/// FileError if there is none.
std::vector<std::filesystem::path> scenarioFiles(const std::vector<std::string>& paths);

/// Loads all scenarios. Errors, a line each, go to `errors`, also two scenarios with one name.
std::vector<scenario::Scenario> loadScenarios(const std::vector<std::filesystem::path>& files,
                                              std::vector<std::string>& errors);

/// Every chosen scenario with every seed. Throws UnknownNameError if the options name an unknown
/// scenario or tag.
std::vector<PlannedRun> planRuns(const std::vector<scenario::Scenario>& scenarios,
                                 const SuiteOptions& options);

/// The launch files of a folder, by the packages they replace. Throws FileError if it is no folder
/// or has none.
StandIns findStandIns(const std::string& folder);

}  // namespace marsim::tools
