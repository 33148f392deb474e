#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "suite/run_result.hpp"

namespace marsim::suite {

/// The file of a suite's results in its output folder.
constexpr const char* kResultsFile = "results.json";

/// Where and when a suite was run.
struct ResultsInfo {
  std::string when;
  std::string machine;
  std::string version;
};

/// Writes the numbers of all runs as JSON, without curves and logs. What depends on wall time
/// stands below "wall": the rest of two suites can be compared byte for byte. Throws FileError.
void writeResults(const std::filesystem::path& path, const std::vector<RunResult>& runs,
                  const ResultsInfo& info);

/// Reads them again. `path` is the file or the folder that holds it. Throws FileError that says
/// what is wrong with it.
std::vector<RunResult> readResults(const std::filesystem::path& path);

}  // namespace marsim::suite
