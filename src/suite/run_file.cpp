// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/input_file.hpp"
#include "common/output_file.hpp"
#include "marsim/common/error.hpp"
#include "suite/run_result.hpp"

namespace marsim::suite {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLargestFile = std::size_t{1} << 30;
constexpr std::array<Verdict, 4> kVerdicts = {Verdict::kPassed, Verdict::kFailed, Verdict::kError,
                                              Verdict::kSkipped};

Json numberJson(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

// A number with the digits of single precision, not those of its double.
Json numberJson(float value) {
  if (!std::isfinite(value)) return nullptr;
  return std::strtod(fmt::format("{}", value).c_str(), nullptr);
}

double numberOf(const Json& json) {
  return json.is_null() ? std::numeric_limits<double>::infinity() : json.get<double>();
}

template <class Number>
Json listJson(const std::vector<Number>& values) {
  Json list = Json::array();
  for (const Number value : values) list.push_back(numberJson(value));
  return list;
}

template <class Number>
std::vector<Number> listOf(const Json& json) {
  std::vector<Number> values;
  for (const Json& value : json) values.push_back(static_cast<Number>(numberOf(value)));
  return values;
}

Json pointsJson(const std::vector<Eigen::Vector3f>& points) {
  Json list = Json::array();
  for (const Eigen::Vector3f& p : points) {
    list.push_back({numberJson(p.x()), numberJson(p.y()), numberJson(p.z())});
  }
  return list;
}

std::vector<Eigen::Vector3f> pointsOf(const Json& json) {
  std::vector<Eigen::Vector3f> points;
  for (const Json& point : json) {
    const auto at = [&](std::size_t i) { return static_cast<float>(numberOf(point.at(i))); };
    points.emplace_back(at(0), at(1), at(2));
  }
  return points;
}

// A value that could not be computed is absent.
Json checkJson(const CheckResult& check) {
  Json json = {{"name", check.name}, {"subject", check.subject}};
  if (check.value) json["value"] = numberJson(*check.value);
  json["unit"] = check.unit;
  if (check.limit.at_least) json["at_least"] = *check.limit.at_least;
  if (check.limit.at_most) json["at_most"] = *check.limit.at_most;
  json["passed"] = check.passed;
  json["message"] = check.message;
  return json;
}

CheckResult checkOf(const Json& json, bool depends_on_wall_time) {
  CheckResult check;
  check.name = json.at("name").get<std::string>();
  check.subject = json.at("subject").get<std::string>();
  if (json.contains("value")) check.value = numberOf(json.at("value"));
  check.unit = json.at("unit").get<std::string>();
  if (json.contains("at_least")) check.limit.at_least = json.at("at_least").get<double>();
  if (json.contains("at_most")) check.limit.at_most = json.at("at_most").get<double>();
  check.passed = json.at("passed").get<bool>();
  check.message = json.at("message").get<std::string>();
  check.depends_on_wall_time = depends_on_wall_time;
  return check;
}

Json checksJson(const RunResult& result, bool depends_on_wall_time) {
  Json list = Json::array();
  for (const CheckResult& check : result.checks) {
    if (check.depends_on_wall_time == depends_on_wall_time) list.push_back(checkJson(check));
  }
  return list;
}

Json uavJson(const UavSeries& uav) {
  return {{"name", uav.name},
          {"t_s", listJson(uav.t)},
          {"position_m", pointsJson(uav.p_WB)},
          {"speed_mps", listJson(uav.speed)},
          {"tracking_error_m", listJson(uav.tracking_error)},
          {"clearance_m", listJson(uav.clearance)}};
}

UavSeries uavOf(const Json& json) {
  return {json.at("name").get<std::string>(),
          listOf<double>(json.at("t_s")),
          pointsOf(json.at("position_m")),
          listOf<float>(json.at("speed_mps")),
          listOf<float>(json.at("tracking_error_m")),
          listOf<float>(json.at("clearance_m"))};
}

Json estimateJson(const EstimateSeries& estimate) {
  return {{"topic", estimate.topic},
          {"t_s", listJson(estimate.t)},
          {"position_m", pointsJson(estimate.p_W)},
          {"error_m", listJson(estimate.error)}};
}

EstimateSeries estimateOf(const Json& json) {
  return {json.at("topic").get<std::string>(), listOf<double>(json.at("t_s")),
          pointsOf(json.at("position_m")), listOf<float>(json.at("error_m"))};
}

// Whether the run's message is about a check that depends on wall time, or about a log.
bool messageDependsOnWallTime(const RunResult& result) {
  if (result.verdict != Verdict::kFailed) return result.verdict == Verdict::kError;
  return std::all_of(result.checks.begin(), result.checks.end(), [](const CheckResult& check) {
    return check.passed || check.depends_on_wall_time;
  });
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
          {"checks", checksJson(result, true)},
          {"timings_s_ms", std::move(timings)},
          {"last_lines", result.last_lines}};
}

void readWall(const Json& json, RunResult& result) {
  result.message += json.at("message").get<std::string>();
  result.wall = numberOf(json.at("duration_s"));
  for (const Json& check : json.at("checks")) result.checks.push_back(checkOf(check, true));
  for (const auto& [name, values] : json.at("timings_s_ms").items()) {
    auto& curve = result.timings[name];
    for (const Json& pair : values) {
      curve.emplace_back(numberOf(pair.at(0)), numberOf(pair.at(1)));
    }
  }
  result.last_lines = json.at("last_lines").get<std::vector<std::string>>();
}

Verdict verdictOf(const std::filesystem::path& path, const std::string& text) {
  const auto found = std::find_if(kVerdicts.begin(), kVerdicts.end(),
                                  [&](Verdict verdict) { return verdictText(verdict) == text; });
  if (found != kVerdicts.end()) return *found;
  throw ConfigError(path.string(), "verdict", fmt::format("'{}'", text),
                    "passed, failed, error, skipped");
}

}  // namespace

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
          {"checks", checksJson(result, false)},
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

RunResult readRun(const std::filesystem::path& path) {
  const std::string text = readFile(path, kLargestFile);
  try {
    const Json json = Json::parse(text);
    RunResult result;
    result.scenario = json.at("scenario").get<std::string>();
    result.description = json.at("description").get<std::string>();
    result.map = json.at("map").get<std::string>();
    result.seed = json.at("seed").get<std::uint64_t>();
    result.verdict = verdictOf(path, json.at("verdict").get<std::string>());
    result.message = json.at("message").get<std::string>();
    result.simulated = numberOf(json.at("simulated_s"));
    result.motion = json.value("motion", "");
    for (const Json& check : json.at("checks")) result.checks.push_back(checkOf(check, false));
    for (const Json& uav : json.at("uavs")) result.uavs.push_back(uavOf(uav));
    for (const Json& estimate : json.at("estimates")) {
      result.estimates.push_back(estimateOf(estimate));
    }
    readWall(json.at("wall"), result);
    return result;
  } catch (const nlohmann::json::exception& error) {
    throw FileError(path.string(), error.what());
  }
}

}  // namespace marsim::suite
