// SPDX-License-Identifier: BSD-3-Clause
#include "tools/process/command_line.hpp"
#include "tools/suite/batch_run.hpp"

int main(int argc, char** argv) {
  marsim::tools::BatchOptions options;
  CLI::App app(
      "Makes the data sets of a study: every combination of some values, or samples of a Latin\n"
      "hypercube. Runs that are complete are kept, so that the same command goes on after a break.",
      "marsim batch");
  app.add_option("study", options.study, "YAML file")
      ->type_name(marsim::tools::kInput)
      ->required()
      ->option_text("STUDY");
  app.add_option("engine", options.engine, "options of Snakemake, after --")
      ->type_name(marsim::tools::kName)
      ->option_text(" ");
  app.add_option("--out", options.out, "folder for the runs")
      ->type_name(marsim::tools::kFolder)
      ->capture_default_str();
  app.add_option("--jobs", options.jobs, "processes at a time")
      ->transform(marsim::tools::whole(marsim::tools::BatchOptions::kJobs))
      ->capture_default_str();
  app.add_flag("--snakemake", options.snakemake, "hand the runs to Snakemake");
  app.add_flag("--print", options.print, "write the runs' files and say the command of each");
  app.add_flag("--table", options.table, "write table.csv of the runs that are complete");
  app.add_flag("--yes", options.yes, "also where there are more than 10,000 runs");
  return marsim::tools::runCommand(app, argc, argv,
                                   [&] { return marsim::tools::runBatch(options); });
}
