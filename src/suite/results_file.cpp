// SPDX-License-Identifier: BSD-3-Clause
#include "suite/results_file.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/input_file.hpp"
#include "common/output_file.hpp"
#include "common/text.hpp"
#include "marsim/common/error.hpp"
#include "suite/markup.hpp"

namespace marsim::suite {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int kFormat = 1;
constexpr std::size_t kLargest = 256U << 20U;  // bytes; a suite of thousands of runs has a few

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const char* const kInfinite = "infinite";  // JSON has no infinite numbers

Json optionalJson(const std::optional<double>& value) {
  if (value && std::isinf(*value)) return kInfinite;
  return value ? Json(*value) : Json(nullptr);
}

Json checkEntry(const CheckResult& check) {
  return {{"name", cleaned(check.name)},
          {"subject", cleaned(check.subject)},
          {"value", optionalJson(check.value)},
          {"unit", cleaned(check.unit)},
          {"at_least", optionalJson(check.limit.at_least)},
          {"at_most", optionalJson(check.limit.at_most)},
          {"passed", check.passed},
          {"message", cleaned(check.message)}};
}

/// Whether a run failed only by checks that depend on wall time.
bool failedByWallTime(const RunResult& run) {
  const auto fails = [](const CheckResult& check) { return !check.passed; };
  return run.verdict == Verdict::kFailed &&
         std::any_of(run.checks.begin(), run.checks.end(), fails) &&
         std::all_of(run.checks.begin(), run.checks.end(), [&](const CheckResult& check) {
           return check.passed || check.depends_on_wall_time;
         });
}

Json checkEntries(const RunResult& run, bool of_wall_time) {
  Json checks = Json::array();
  for (const CheckResult& check : run.checks) {
    if (check.depends_on_wall_time == of_wall_time) checks.push_back(checkEntry(check));
  }
  return checks;
}

Json runEntry(const RunResult& run) {
  const bool by_wall_time = failedByWallTime(run);
  return {{"scenario", cleaned(run.scenario)},
          {"seed", run.seed},
          {"map", cleaned(run.map)},
          {"verdict", verdictText(by_wall_time ? Verdict::kPassed : run.verdict)},
          {"message", by_wall_time ? "" : cleaned(run.message)},
          {"simulated", run.simulated},
          {"checks", checkEntries(run, false)}};
}

Json wallEntry(const RunResult& run) {
  Json wall{{"scenario", cleaned(run.scenario)}, {"seed", run.seed}, {"wall", run.wall}};
  const Json checks = checkEntries(run, true);
  if (!checks.empty()) wall["checks"] = checks;
  if (failedByWallTime(run)) {
    wall["verdict"] = verdictText(run.verdict);
    wall["message"] = cleaned(run.message);
  }
  return wall;
}

/// A member of an object; errors name its place if it is missing or of another type.
template <class Value>
Value member(const Json& object, const std::string& name, const std::string& where) {
  const auto found = object.find(name);
  if (found == object.end()) throw Error(fmt::format("{} has no '{}'", where, name));
  try {
    return found->get<Value>();
  } catch (const nlohmann::json::exception&) {
    throw Error(fmt::format("'{}' of {} is {}", name, where, clipped(found->dump())));
  }
}

std::optional<double> optionalMember(const Json& object, const std::string& name,
                                     const std::string& where) {
  if (!object.contains(name) || object[name].is_null()) return std::nullopt;
  if (object[name] == kInfinite) return kInfinity;
  return member<double>(object, name, where);
}

Verdict verdictOf(const Json& object, const std::string& where) {
  const auto text = member<std::string>(object, "verdict", where);
  std::vector<std::string> known;
  for (const Verdict verdict :
       {Verdict::kPassed, Verdict::kFailed, Verdict::kError, Verdict::kSkipped}) {
    if (verdictText(verdict) == text) return verdict;
    known.push_back(verdictText(verdict));
  }
  throw UnknownNameError(where, "verdict", text, known);
}

CheckResult readCheck(const Json& json, const std::string& where, bool of_wall_time) {
  CheckResult check;
  check.name = member<std::string>(json, "name", where);
  const std::string here = fmt::format("check {} of {}", check.name, where);
  check.subject = member<std::string>(json, "subject", here);
  check.value = optionalMember(json, "value", here);
  check.unit = member<std::string>(json, "unit", here);
  check.limit.at_least = optionalMember(json, "at_least", here);
  check.limit.at_most = optionalMember(json, "at_most", here);
  check.passed = member<bool>(json, "passed", here);
  check.message = member<std::string>(json, "message", here);
  check.depends_on_wall_time = of_wall_time;
  return check;
}

void readChecks(const Json& json, const std::string& where, bool of_wall_time, RunResult& run) {
  for (const Json& check : member<Json::array_t>(json, "checks", where)) {
    run.checks.push_back(readCheck(check, where, of_wall_time));
  }
}

RunResult readRun(const Json& json, std::size_t number) {
  RunResult run;
  const std::string which = fmt::format("run {}", number + 1);
  run.scenario = member<std::string>(json, "scenario", which);
  run.seed = member<std::uint64_t>(json, "seed", which);
  const std::string where = fmt::format("run {} ({}, seed {})", number + 1, run.scenario, run.seed);
  run.map = member<std::string>(json, "map", where);
  run.verdict = verdictOf(json, where);
  run.message = member<std::string>(json, "message", where);
  run.simulated = member<double>(json, "simulated", where);
  readChecks(json, where, false, run);
  return run;
}

void readWall(const Json& json, std::size_t number, RunResult& run) {
  const std::string where = fmt::format("wall of run {}", number + 1);
  if (member<std::string>(json, "scenario", where) != run.scenario ||
      member<std::uint64_t>(json, "seed", where) != run.seed) {
    throw Error(fmt::format("{} is another run's", where));
  }
  run.wall = member<double>(json, "wall", where);
  if (json.contains("checks")) readChecks(json, where, true, run);
  if (!json.contains("verdict")) return;
  run.verdict = verdictOf(json, where);
  run.message = member<std::string>(json, "message", where);
}

std::vector<RunResult> readAll(const Json& json) {
  if (!json.is_object()) throw Error("is no object");
  const int format = member<int>(json, "format", "it");
  if (format != kFormat) {
    throw Error(fmt::format("format is {}, allowed: {}", format, kFormat));
  }
  const auto runs = member<Json::array_t>(json, "runs", "it");
  const auto walls = member<Json::array_t>(member<Json>(json, "wall", "it"), "runs", "wall");
  if (walls.size() != runs.size()) {
    throw Error(fmt::format("has {} runs, and wall times of {}", runs.size(), walls.size()));
  }
  std::vector<RunResult> results;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    results.push_back(readRun(runs[i], i));
    readWall(walls[i], i, results.back());
  }
  return results;
}

}  // namespace

void writeResults(const fs::path& path, const std::vector<RunResult>& runs,
                  const ResultsInfo& info) {
  Json all{{"format", kFormat}, {"runs", Json::array()}};
  Json walls = Json::array();
  for (const RunResult& run : runs) {
    all["runs"].push_back(runEntry(run));
    walls.push_back(wallEntry(run));
  }
  all["wall"] = {{"when", cleaned(info.when)},
                 {"machine", cleaned(info.machine)},
                 {"version", cleaned(info.version)},
                 {"runs", walls}};
  writeFile(path, all.dump(1) + "\n");
}

std::vector<RunResult> readResults(const fs::path& path) {
  std::error_code none;
  const fs::path file = fs::is_directory(path, none) ? path / kResultsFile : path;
  const std::string text = readFile(file, kLargest);
  try {
    return readAll(Json::parse(text));
  } catch (const nlohmann::json::parse_error& error) {
    throw FileError(file.string(), fmt::format("is no JSON (at byte {})", error.byte));
  } catch (const FileError&) {
    throw;
  } catch (const Error& error) {
    throw FileError(file.string(), std::string("is no file of a suite's results: ") + error.what());
  }
}

}  // namespace marsim::suite
