// SPDX-License-Identifier: BSD-3-Clause
#include "suite/results_file.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
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
constexpr std::size_t kLargest = std::size_t{1} << 30U;  // bytes; thousands of runs have a few MB

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

/// The result of `read` for the JSON of a file. Throws FileError naming the file.
template <class Read>
auto readJson(const fs::path& file, const Read& read) {
  const std::string text = readFile(file, kLargest);
  try {
    return read(Json::parse(text));
  } catch (const nlohmann::json::parse_error& error) {
    throw FileError(file.string(), fmt::format("is no JSON (at byte {})", error.byte));
  } catch (const nlohmann::json::exception& error) {
    throw FileError(file.string(), error.what());
  } catch (const Error& error) {
    throw FileError(file.string(), std::string("is no file of a suite's results: ") + error.what());
  }
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

Json numberJson(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

// A number with the digits of single precision, not those of its double.
Json numberJson(float value) {
  if (!std::isfinite(value)) return nullptr;
  return std::strtod(fmt::format("{}", value).c_str(), nullptr);
}

Json numberJson(const Eigen::Vector3f& p) {
  return {numberJson(p.x()), numberJson(p.y()), numberJson(p.z())};
}

double numberOf(const Json& json) {
  return json.is_null() ? std::numeric_limits<double>::infinity() : json.get<double>();
}

template <class Number>
Json listJson(const std::vector<Number>& values) {
  Json list = Json::array();
  for (const Number& value : values) list.push_back(numberJson(value));
  return list;
}

template <class Number>
std::vector<Number> listOf(const Json& json) {
  std::vector<Number> values;
  for (const Json& value : json) values.push_back(static_cast<Number>(numberOf(value)));
  return values;
}

std::vector<Eigen::Vector3f> pointsOf(const Json& json) {
  std::vector<Eigen::Vector3f> points;
  for (const Json& point : json) {
    const auto at = [&](std::size_t i) { return static_cast<float>(numberOf(point.at(i))); };
    points.emplace_back(at(0), at(1), at(2));
  }
  return points;
}

Json uavJson(const UavSeries& uav) {
  return {{"name", uav.name},
          {"t_s", listJson(uav.t)},
          {"position_m", listJson(uav.p_WB)},
          {"speed_mps", listJson(uav.speed)},
          {"tracking_error_m", listJson(uav.tracking_error)},
          {"clearance_m", listJson(uav.clearance)},
          {"power_w", listJson(uav.power)},
          {"energy_j", numberJson(uav.energy)}};
}

UavSeries uavOf(const Json& json) {
  return {json.at("name").get<std::string>(),
          listOf<double>(json.at("t_s")),
          pointsOf(json.at("position_m")),
          listOf<float>(json.at("speed_mps")),
          listOf<float>(json.at("tracking_error_m")),
          listOf<float>(json.at("clearance_m")),
          listOf<float>(json.value("power_w", Json::array())),  // newer than the format
          numberOf(json.value("energy_j", Json()))};
}

Json estimateJson(const EstimateSeries& estimate) {
  return {{"topic", estimate.topic},
          {"t_s", listJson(estimate.t)},
          {"position_m", listJson(estimate.p_W)},
          {"error_m", listJson(estimate.error)}};
}

EstimateSeries estimateOf(const Json& json) {
  return {json.at("topic").get<std::string>(), listOf<double>(json.at("t_s")),
          pointsOf(json.at("position_m")), listOf<float>(json.at("error_m"))};
}

/// Whether the run's message is about a check that depends on wall time, or about a log.
bool messageDependsOnWallTime(const RunResult& result) {
  return result.verdict == Verdict::kError || failedByWallTime(result);
}

Json wallJson(const RunResult& result) {
  Json timings = Json::object();
  for (const auto& [name, values] : result.timings) {
    Json& curve = timings[name] = Json::array();
    for (const auto& [t, milliseconds] : values) {
      curve.push_back({numberJson(t), numberJson(milliseconds)});
    }
  }
  return {{"message", messageDependsOnWallTime(result) ? result.message : ""},
          {"duration_s", numberJson(result.wall)},
          {"checks", checkEntries(result, true)},
          {"timings_s_ms", std::move(timings)},
          {"last_lines", result.last_lines}};
}

void readWallOf(const Json& json, RunResult& result) {
  result.message += json.at("message").get<std::string>();
  result.wall = numberOf(json.at("duration_s"));
  readChecks(json, "wall", true, result);
  for (const auto& [name, values] : json.at("timings_s_ms").items()) {
    auto& curve = result.timings[name];
    for (const Json& pair : values) {
      curve.emplace_back(numberOf(pair.at(0)), numberOf(pair.at(1)));
    }
  }
  result.last_lines = json.at("last_lines").get<std::vector<std::string>>();
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
  return readJson(fs::is_directory(path, none) ? path / kResultsFile : path, readAll);
}

Json runJson(const RunResult& result) {
  Json uavs = Json::array(), estimates = Json::array();
  for (const UavSeries& uav : result.uavs) uavs.push_back(uavJson(uav));
  for (const EstimateSeries& estimate : result.estimates) {
    estimates.push_back(estimateJson(estimate));
  }
  return {{"scenario", result.scenario},
          {"description", result.description},
          {"map", result.map},
          {"seed", result.seed},
          {"verdict", verdictText(result.verdict)},
          {"message", messageDependsOnWallTime(result) ? "" : result.message},
          {"simulated_s", numberJson(result.simulated)},
          {"motion", result.motion},
          {"checks", checkEntries(result, false)},
          {"uavs", std::move(uavs)},
          {"estimates", std::move(estimates)},
          {"wall", wallJson(result)}};
}

void writeRun(const std::filesystem::path& path, const RunResult& result) {
  std::string text;
  const Json json = runJson(result);
  for (const auto& [key, value] : json.items()) {
    // A log may hold any bytes.
    text += fmt::format("{}\"{}\": {}", text.empty() ? "{\n" : ",\n", key,
                        value.dump(-1, ' ', false, Json::error_handler_t::replace));
  }
  writeFile(path, text + "\n}\n");
}

RunResult readRun(const fs::path& path) {
  return readJson(path, [](const Json& json) {
    RunResult result;
    result.scenario = json.at("scenario").get<std::string>();
    result.description = json.at("description").get<std::string>();
    result.map = json.at("map").get<std::string>();
    result.seed = json.at("seed").get<std::uint64_t>();
    result.verdict = verdictOf(json, "it");
    result.message = json.at("message").get<std::string>();
    result.simulated = numberOf(json.at("simulated_s"));
    result.motion = json.value("motion", "");
    readChecks(json, "it", false, result);
    for (const Json& uav : json.at("uavs")) result.uavs.push_back(uavOf(uav));
    for (const Json& estimate : json.at("estimates")) {
      result.estimates.push_back(estimateOf(estimate));
    }
    readWallOf(json.at("wall"), result);
    return result;
  });
}

}  // namespace marsim::suite
