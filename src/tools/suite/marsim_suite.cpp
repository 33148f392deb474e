// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "marsim/common/error.hpp"
#include "tools/process/command_line.hpp"
#include "tools/suite/suite_run.hpp"

int main(int argc, char** argv) {
  using namespace marsim::tools;
  SuiteOptions options;
  std::string seeds, output = options.output.string();
  bool list = false;
  CommandLine line(
      "Flies scenarios, holds each flight to what its file asks for and writes a report. Runs "
      "that\n"
      "passed before from the same files are kept (--fresh flies them again). Exit code 0 only "
      "where\n"
      "a run passed and none failed; skipped runs are counted, and a suite of which all was "
      "skipped\n"
      "ends with 1.",
      "marsim suite");
  line.option("SCENARIOS", options.paths, kInput, "folders of scenarios, or their files")
      .required();
  line.option("--out", output, kFolder, "folder for the results");
  line.option("--jobs", options.jobs, whole(SuiteOptions::kJobs), "how many are flown at a time");
  line.option("--seeds,--seed", seeds, {"NUMBERS:N,N"}, "in place of the files': 1,4,7-9");
  line.option("--tag", options.tags, kName, "scenarios with this tag only").oneEachTime();
  line.option("--only", options.only, kName, "scenarios of these names only");
  line.option("--baseline", options.baseline, kInput, "folder or results.json of an earlier suite");
  addFlightOptions(line, options);
  line.flag("--fresh", options.fresh, "keep no result of an earlier suite");
  line.flag("--list", list, "say what would be run");
  return line.run(argc, argv, [&] {
    options.output = output;
    try {
      if (!seeds.empty()) options.seeds = parseSeeds("--seeds", seeds);
    } catch (const marsim::ConfigError& error) {
      fmt::print(stderr, "marsim suite: {}\n", error.what());
      return 2;  // as for every wrong command line
    }
    return list ? listSuite(options) : runSuite(options);
  });
}
