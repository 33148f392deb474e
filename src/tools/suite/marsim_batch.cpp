// SPDX-License-Identifier: BSD-3-Clause
#include "tools/process/command_line.hpp"
#include "tools/suite/batch_run.hpp"

int main(int argc, char** argv) {
  using namespace marsim::tools;
  BatchOptions options;
  CommandLine line(
      "Makes the data sets of a study: every combination of some values, or samples of a Latin\n"
      "hypercube. Runs that are complete are kept, so that the same command goes on after a break.",
      "marsim batch");
  line.option("study", options.study, kInput, "YAML file").required().shownAs("STUDY");
  line.option("engine", options.engine, kName, "options of Snakemake, after --").shownAs(" ");
  line.option("--out", options.out, kFolder, "folder for the runs");
  line.option("--jobs", options.jobs, whole(BatchOptions::kJobs), "processes at a time");
  line.flag("--snakemake", options.snakemake, "hand the runs to Snakemake");
  line.flag("--print", options.print, "write the runs' files and say the command of each");
  line.flag("--table", options.table, "write table.csv of the runs that are complete");
  line.flag("--yes", options.yes, "also where there are more than 10,000 runs");
  return line.run(argc, argv, [&] { return runBatch(options); });
}
