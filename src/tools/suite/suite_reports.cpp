// SPDX-License-Identifier: BSD-3-Clause
#include "tools/suite/suite_reports.hpp"

#include <ctime>
#include <fstream>
#include <thread>

#include <fmt/format.h>
#include <sys/utsname.h>

#include "commands.hpp"
#include "common/output_file.hpp"
#include "common/text.hpp"
#include "suite/junit_report.hpp"
#include "suite/results_file.hpp"
#include "tools/suite/suite_maps.hpp"

namespace marsim::tools {
namespace {

std::string now() {
  const std::time_t time = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&time, &utc);
  char text[32];
  std::strftime(text, sizeof(text), "%Y-%m-%d %H:%M UTC", &utc);
  return text;
}

/// Processor, threads, system. No name of the machine, since reports are shared.
std::string machine() {
  std::string processor;
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; processor.empty() && std::getline(file, line);) {
    const std::size_t colon = line.find(':');
    if (line.compare(0, 10, "model name") == 0 && colon != std::string::npos) {
      processor = trimmed(line.substr(colon + 1));
    }
  }
  utsname system{};
  uname(&system);
  if (processor.empty()) processor = system.machine;
  return fmt::format("{}, {} threads, {} {}", processor, std::thread::hardware_concurrency(),
                     system.sysname, system.release);
}

}  // namespace

suite::ReportInfo reportInfo() {
  suite::ReportInfo info;
  info.when = now();
  info.machine = machine();
  info.version = kVersion;
  return info;
}

void writeReports(const std::filesystem::path& folder, const std::vector<suite::RunResult>& runs,
                  const std::vector<suite::RunResult>& baseline, const std::string& baseline_name) {
  suite::ReportInfo info = reportInfo();
  info.baseline = baseline_name;
  suite::writeResults(folder / suite::kResultsFile, runs, {info.when, info.machine, info.version});
  writeFile(folder / kJunitFile, suite::junitReport(runs));
  info.map_points = plansOfMaps(runs);
  writeFile(folder / kReportFile, suite::htmlReport(runs, baseline, info));
}

}  // namespace marsim::tools
