// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "suite/run_result.hpp"

namespace marsim::suite {

/// The file of a suite's results in its output folder.
constexpr const char* kResultsFile = "results.json";

/// Place and time of a suite's run.
struct ResultsInfo {
  std::string when;
  std::string machine;
  std::string version;
};

/// Writes the numbers of all runs as JSON, without curves and logs. Data that depend on wall time
/// are below "wall": the rest of two suites can be compared byte for byte. Throws FileError.
void writeResults(const std::filesystem::path& path, const std::vector<RunResult>& runs,
                  const ResultsInfo& info);

/// Reads such results. `path` is the file or its folder. Throws FileError naming the error in the
/// file.
std::vector<RunResult> readResults(const std::filesystem::path& path);

}  // namespace marsim::suite
