// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "marsim/common/error.hpp"
#include "tools/process/command_line.hpp"
#include "tools/suite/suite_run.hpp"

using marsim::tools::SuiteOptions;

int main(int argc, char** argv) {
  SuiteOptions options;
  std::string seeds, output = options.output.string();
  bool list = false;
  CLI::App app(
      "Flies scenarios, holds each flight to what its file asks for and writes a report. Runs "
      "that\n"
      "passed before from the same files are kept (--fresh flies them again). Exit code 0 only "
      "where\n"
      "a run passed and none failed; skipped runs are counted, and a suite of which all was "
      "skipped\n"
      "ends with 1.",
      "marsim suite");
  app.add_option("SCENARIOS", options.paths, "folders of scenarios, or their files")
      ->type_name(marsim::tools::kInput)
      ->required();
  app.add_option("--out", output, "folder for the results")
      ->type_name(marsim::tools::kFolder)
      ->capture_default_str();
  app.add_option("--jobs", options.jobs, "how many are flown at a time")
      ->transform(marsim::tools::whole(SuiteOptions::kJobs))
      ->capture_default_str();
  app.add_option("--seeds,--seed", seeds, "in place of the files': 1,4,7-9")
      ->type_name("NUMBERS:N,N");
  app.add_option("--tag", options.tags, "scenarios with this tag only")
      ->type_name(marsim::tools::kName)
      ->allow_extra_args(false);
  app.add_option("--only", options.only, "scenarios of these names only")
      ->type_name(marsim::tools::kName);
  app.add_option("--baseline", options.baseline, "folder or results.json of an earlier suite")
      ->type_name(marsim::tools::kInput);
  marsim::tools::addFlightOptions(app, options);
  app.add_flag("--fresh", options.fresh, "keep no result of an earlier suite");
  app.add_flag("--list", list, "say what would be run");
  return marsim::tools::runCommand(app, argc, argv, [&] {
    options.output = output;
    try {
      if (!seeds.empty()) options.seeds = marsim::tools::parseSeeds("--seeds", seeds);
    } catch (const marsim::ConfigError& error) {
      fmt::print(stderr, "marsim suite: {}\n", error.what());
      return 2;  // as for every wrong command line
    }
    return list ? marsim::tools::listSuite(options) : marsim::tools::runSuite(options);
  });
}
