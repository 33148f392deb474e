// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "marsim/common/bounds.hpp"

/// Many data sets from one study.
namespace marsim::tools {

struct BatchOptions {
  static constexpr Bounds kJobs{1, 1024};

  std::filesystem::path study;
  std::filesystem::path out = "batch_output";
  int jobs = 1;                     ///< processes at a time, each rendering with one thread
  bool print = false;               ///< only print the command of each run
  bool table = false;               ///< only write the table of the complete runs
  bool yes = false;                 ///< even with very many runs
  bool snakemake = false;           ///< run them by Snakemake
  std::vector<std::string> engine;  ///< Snakemake's own options
};

/// Writes a file for each run, makes the runs that are not complete, and writes a table of all.
/// Returns the exit code: 0 if all are complete or none was to be made, 1 if a run failed, 130 if
/// the user interrupted; with Snakemake this process becomes Snakemake. Throws the errors of
/// loadStudy(), ConfigError, FileError, Error.
int runBatch(const BatchOptions& options);

}  // namespace marsim::tools
