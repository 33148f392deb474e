// SPDX-License-Identifier: BSD-3-Clause
#include "tools/suite/suite_plan.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include <fmt/format.h>

#include "common/bounds.hpp"
#include "common/input_file.hpp"
#include "common/text.hpp"
#include "config/scenario.hpp"
#include "marsim/common/error.hpp"

namespace marsim::tools {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kLargestScenario = 1U << 20U;  // bytes, as this package's YAML files
constexpr std::size_t kMostSeeds = 1000;

/// The files of a folder with that ending, in the natural order of their names.
std::vector<fs::path> filesOf(const fs::path& folder, const std::string& ending) {
  std::error_code error;
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    std::error_code none;
    if (entry.path().extension() == ending && entry.is_regular_file(none)) {
      files.push_back(entry.path());
    }
  }
  if (error) throw FileError(folder.string(), "cannot be read: " + error.message());
  std::sort(files.begin(), files.end(), [](const fs::path& a, const fs::path& b) {
    const int order = naturalOrder(a.filename().string(), b.filename().string());
    return order == 0 ? a < b : order < 0;
  });
  return files;
}

/// A line with size and time of a file; none if there is no such file.
std::string stampOf(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return "";
  const auto size = fs::file_size(file, error);
  const auto time = fs::last_write_time(file, error).time_since_epoch().count();
  return error ? "" : fmt::format("file {} {} {}\n", file.string(), size, time);
}

/// Stamps of the files in a folder whose names begin so.
std::string stampsOf(const fs::path& folder, const std::string& beginning) {
  std::error_code error;
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.compare(0, beginning.size(), beginning) == 0) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::string text;
  for (const fs::path& file : files) text += stampOf(file);
  return text;
}

/// The programs and libraries of this package.
std::string buildStamp() {
  std::error_code error;
  const fs::path programs = fs::read_symlink("/proc/self/exe", error).parent_path();
  return stampsOf(programs.parent_path(), "libmarsim") + stampsOf(programs, "");
}

/// The programs of another package, in every workspace.
std::string packageStamp(const std::string& package) {
  const char* const prefixes = std::getenv("CMAKE_PREFIX_PATH");
  std::string text;
  for (const std::string& prefix : split(prefixes ? prefixes : "", ':')) {
    text += stampsOf(fs::path(prefix) / "lib" / package, "");
  }
  return text;
}

std::uint64_t parseSeed(const std::string& option, const std::string& text) {
  const std::optional<std::uint64_t> seed = parseWhole(trimmed(text));
  if (!seed)
    throw ConfigError("command line", option, fmt::format("'{}'", clipped(text)), kAllowedSeeds);
  return *seed;
}

bool hasOneOf(const std::vector<std::string>& words, const std::vector<std::string>& wanted) {
  return std::any_of(wanted.begin(), wanted.end(), [&](const std::string& word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  });
}

void requireKnown(const std::string& kind, const std::vector<std::string>& wanted,
                  const std::set<std::string>& known) {
  for (const std::string& name : wanted) {
    if (known.count(name) > 0) continue;
    throw UnknownNameError("command line", kind, name, {known.begin(), known.end()});
  }
}

// roslaunch cannot escape "$(".
void requirePlainPath(const fs::path& path) {
  if (path.string().find("$(") == std::string::npos) return;
  throw FileError(path.string(), "has '$(' in its name, which roslaunch would replace");
}

}  // namespace

void SuiteOptions::validate() const {
  const Validator check("command line");
  check.require(!paths.empty(), "FOLDER", "missing", "a folder of scenarios, or files");
  check.require(!output.empty(), "--out", "empty", "a folder");
  kJobs.require("command line", "--jobs", jobs);
  kTimeouts.require("command line", "--timeout", timeout, "s");
}

std::string PlannedRun::madeFrom(const StandIns& stand_ins) const {
  std::string text = fmt::format("seed {}\n", seed);
  for (const std::string& package : wantedPackages(scenario)) {
    const auto found = stand_ins.find(package);
    text += found == stand_ins.end()
                ? packageStamp(package)
                : fmt::format("in place of {}: {}", package, stampOf(found->second));
  }
  for (const auto& [name, value] : scenario.arguments) text += stampOf(value);
  for (const scenario::Program& program : scenario.programs) text += stampOf(program.file);
  for (const auto& [uav, flight] : scenario.flights) text += stampOf(flight.trajectory);
  text += buildStamp();
  return text + "\n" + readFile(scenario.file, kLargestScenario);
}

std::vector<std::uint64_t> parseSeeds(const std::string& option, const std::string& text) {
  std::vector<std::uint64_t> seeds;
  for (const std::string& part : split(text, ',')) {
    const std::size_t dash = part.find('-', 1);
    if (dash == std::string::npos) {
      seeds.push_back(parseSeed(option, part));
      continue;
    }
    const std::uint64_t first = parseSeed(option, part.substr(0, dash));
    const std::uint64_t last = parseSeed(option, part.substr(dash + 1));
    if (last < first || last - first >= kMostSeeds) {
      throw ConfigError("command line", option, fmt::format("'{}'", clipped(part)),
                        fmt::format("FIRST-LAST, at most {} seeds", kMostSeeds));
    }
    for (std::uint64_t i = 0; i <= last - first; ++i) seeds.push_back(first + i);
  }
  std::set<std::uint64_t> once;
  for (const std::uint64_t seed : seeds) {
    if (once.insert(seed).second) continue;
    throw ConfigError("command line", option, fmt::format("'{}'", clipped(text)),
                      fmt::format("every seed once; {} comes twice", seed));
  }
  return seeds;
}

std::vector<fs::path> scenarioFiles(const std::vector<std::string>& paths) {
  std::vector<fs::path> files;
  for (const std::string& name : paths) {
    const fs::path path = fs::absolute(name).lexically_normal();
    std::error_code none;
    if (!fs::exists(path, none)) throw FileError(path.string(), "does not exist");
    if (!fs::is_directory(path, none)) {
      files.push_back(path);
      continue;
    }
    const std::vector<fs::path> found = filesOf(path, ".yaml");
    if (found.empty()) throw FileError(path.string(), "has no scenarios, no file ends in .yaml");
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

std::vector<scenario::Scenario> loadScenarios(const std::vector<fs::path>& files,
                                              std::vector<std::string>& errors) {
  std::vector<scenario::Scenario> scenarios;
  std::map<std::string, fs::path> by_name;
  for (const fs::path& file : files) {
    try {
      scenario::Scenario scenario = config::loadScenario(file);
      requireKnownArguments(scenario);
      requirePlainPath(file);
      scenarios.push_back(std::move(scenario));
    } catch (const Error& error) {
      errors.emplace_back(error.what());
      continue;
    }
    const auto [same, is_new] = by_name.insert({scenarios.back().name, file});
    if (!is_new) {
      errors.push_back(
          fmt::format("{}: its name is that of {}, too", file.string(), same->second.string()));
    }
  }
  return scenarios;
}

std::vector<PlannedRun> planRuns(const std::vector<scenario::Scenario>& scenarios,
                                 const SuiteOptions& options) {
  std::set<std::string> names, tags;
  for (const scenario::Scenario& scenario : scenarios) {
    names.insert(scenario.name);
    tags.insert(scenario.tags.begin(), scenario.tags.end());
  }
  requirePlainPath(options.output);
  requireKnown("scenario", options.only, names);
  requireKnown("tag", options.tags, tags);
  std::vector<PlannedRun> runs;
  for (const scenario::Scenario& scenario : scenarios) {
    if (!options.only.empty() && !hasOneOf({scenario.name}, options.only)) continue;
    if (!options.tags.empty() && !hasOneOf(scenario.tags, options.tags)) continue;
    for (const std::uint64_t seed : options.seeds.empty() ? scenario.seeds : options.seeds) {
      const fs::path folder = fs::absolute(options.output).lexically_normal() / kRunsFolder /
                              scenario.name / fmt::format("seed_{}", seed);
      runs.push_back({scenario, seed, folder});
    }
  }
  if (runs.empty()) {
    throw ConfigError("command line", "--only", join(options.only),
                      "a scenario with a tag of --tag");
  }
  return runs;
}

StandIns findStandIns(const std::string& folder) {
  StandIns stand_ins;
  if (folder.empty()) return stand_ins;
  for (const fs::path& file : filesOf(fs::absolute(folder).lexically_normal(), ".launch")) {
    stand_ins[file.stem().string()] = file;
  }
  if (stand_ins.empty()) throw FileError(folder, "has no PACKAGE.launch");
  return stand_ins;
}

}  // namespace marsim::tools
