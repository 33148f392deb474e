// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "suite/html_report.hpp"
#include "suite/run_result.hpp"

namespace marsim::tools {

constexpr char kReportFile[] = "report.html";
constexpr char kJunitFile[] = "junit.xml";

/// Day and time, machine and version of MARSIM.
suite::ReportInfo reportInfo();

/// Writes report.html, results.json and junit.xml into the folder. `baseline_name`: source of the
/// baseline. Throws FileError.
void writeReports(const std::filesystem::path& folder, const std::vector<suite::RunResult>& runs,
                  const std::vector<suite::RunResult>& baseline, const std::string& baseline_name);

}  // namespace marsim::tools
