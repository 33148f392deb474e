// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "reproduce/experiment.hpp"

namespace marsim::reproduce {

constexpr char kReproductionPage[] = "report.html";
constexpr char kReproductionResults[] = "results.json";

/// The report of finished experiments in a folder. Results of earlier commands stay until their
/// experiment is repeated.
class ReproductionReport {
 public:
  /// Reads the earlier results, if there are any. Throws FileError.
  explicit ReproductionReport(std::filesystem::path folder);

  /// Adds or replaces an experiment's results and writes report.html and results.json.
  void add(const PaperExperiment& experiment, const Reproduction& result,
           const std::string& command, double seconds);

 private:
  void write() const;

  std::filesystem::path folder_;
  nlohmann::ordered_json results_ = nlohmann::ordered_json::object();  ///< by experiment
};

}  // namespace marsim::reproduce
