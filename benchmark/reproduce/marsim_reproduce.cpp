// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "common/result_folder.hpp"
#include "marsim/common/error.hpp"
#include "reproduce/report.hpp"
#include "tools/process/command_line.hpp"
#include "tools/process/interrupts.hpp"

namespace {

using namespace marsim::reproduce;  // NOLINT: a program of this namespace
using namespace marsim::tools;      // NOLINT

/// The command line.
struct ReproduceOptions {
  std::vector<std::string> names;
  std::string out = "reproduction";
  bool quick = false, brief = false;
};

std::vector<const PaperExperiment*> builtExperiments() {
  std::vector<const PaperExperiment*> built;
  for (const PaperExperiment& each : paperExperiments()) {
    if (each.run != nullptr) built.push_back(&each);
  }
  return built;
}

/// The named experiments, or all, in the order of the report. Throws UnknownNameError.
std::vector<const PaperExperiment*> chosenExperiments(const std::vector<std::string>& names) {
  const std::vector<const PaperExperiment*> built = builtExperiments();
  if (names.empty()) return built;
  std::vector<std::string> known;
  for (const PaperExperiment* each : built) known.push_back(each->name);
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw marsim::UnknownNameError("command line", "experiment", name, known);
    }
  }
  std::vector<const PaperExperiment*> chosen;
  for (const PaperExperiment* each : built) {
    if (std::find(names.begin(), names.end(), each->name) != names.end()) chosen.push_back(each);
  }
  return chosen;
}

int reproduce(const ReproduceOptions& options) {
  const auto chosen = chosenExperiments(options.names);
  marsim::ResultFolder folder(options.out, "marsim reproduce");
  folder.begin({kReproductionPage, kReproductionResults});
  ReproductionReport report(folder.path());
  const Extent extent = options.brief   ? Extent::kTest
                        : options.quick ? Extent::kQuick
                                        : Extent::kFull;
  const char* option = options.brief ? " --brief" : options.quick ? " --quick" : "";
  std::size_t done = 0, missed = 0;
  const InterruptGuard guard;
  for (const PaperExperiment* each : chosen) {
    const auto start = std::chrono::steady_clock::now();
    marsim::Progress progress(fmt::format("{} ({}/{})", each->name, ++done, chosen.size()));
    const Reproduction result = each->run(extent, progress);
    progress.finish();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    report.add(*each, result, fmt::format("marsim reproduce {}{}", each->name, option),
               took.count());
    const auto met = std::count_if(result.criteria.begin(), result.criteria.end(),
                                   [](const auto& row) { return row.ok(); });
    missed += result.criteria.size() - static_cast<std::size_t>(met);
    fmt::print("{:<14} {} of {} criteria met in {:.0f} s\n", each->name, met,
               result.criteria.size(), took.count());
    for (const std::string& row : result.skipped) fmt::print("{:<14} skipped: {}\n", "", row);
    std::fflush(stdout);
    if (InterruptGuard::count() > 0) {
      fmt::print(stderr, "marsim reproduce: ended on request, {} has what is finished\n",
                 (folder.path() / kReproductionPage).string());
      return kInterrupted;
    }
  }
  fmt::print("{}\n", (folder.path() / kReproductionPage).string());
  return missed == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  ReproduceOptions options;
  std::string known;
  for (const PaperExperiment* each : builtExperiments()) {
    known += fmt::format("{}{}", known.empty() ? "" : ", ", each->name);
  }
  CommandLine line(
      "Repeats experiments of published papers and reports each beside the paper's result. Exit\n"
      "code 1: a criterion was missed. Ctrl-C ends after the experiment that runs.",
      "marsim reproduce");
  line.option("EXPERIMENT", options.names, kWord, "of " + known + "; all by default");
  line.option("--out", options.out, kFolder, "folder for report.html and results.json");
  line.flag("--quick", options.quick, "at most ten minutes; the report names skipped rows");
  line.flag("--brief", options.brief, "under a minute, as the tests run it");
  return line.run(argc, argv, [&] { return reproduce(options); });
}
