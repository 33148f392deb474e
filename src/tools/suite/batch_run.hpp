#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "marsim/common/bounds.hpp"

/// Many data sets of one study.
namespace marsim::tools {

struct BatchOptions {
  static constexpr Bounds kJobs{1, 1024};

  std::filesystem::path study;
  std::filesystem::path out = "batch_output";
  int jobs = 1;                     ///< processes at a time, each rendering with one thread
  bool print = false;               ///< only say the command of each run
  bool table = false;               ///< only write the table of the runs that are complete
  bool yes = false;                 ///< also where there are very many runs
  bool snakemake = false;           ///< hand the runs to Snakemake
  std::vector<std::string> engine;  ///< Snakemake's own options
};

/// Writes a file for each run, makes those that are not complete, and a table of all. Returns the
/// exit code: 0 where all are complete or none was to be made, 1 where a run failed, 130 where the
/// user interrupted; with Snakemake this process becomes Snakemake. Throws what loadStudy() throws,
/// ConfigError, FileError, Error.
int runBatch(const BatchOptions& options);

}  // namespace marsim::tools
