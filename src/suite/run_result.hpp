// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <Eigen/Core>
#include <nlohmann/json_fwd.hpp>

#include "scenario/recording.hpp"
#include "scenario/scenario.hpp"

namespace marsim::suite {

enum class Verdict { kPassed, kFailed, kError, kSkipped };

/// A measured number, compared with its limit.
struct CheckResult {
  std::string name;     ///< "max_speed", "ate", ...
  std::string subject;  ///< UAV or topic; empty: the whole run
  /// None: it could not be computed, see `message`. An infinite clearance: nothing near.
  std::optional<double> value;
  std::string unit;
  scenario::Limit limit;
  bool passed = false;
  bool depends_on_wall_time = false;
  std::string message;
};

/// The curves of a run for its report, at one set of instants.
struct UavSeries {
  std::string name;
  std::vector<double> t;              ///< [s] of simulated time
  std::vector<Eigen::Vector3f> p_WB;  ///< [m]
  std::vector<float> speed;           ///< [m/s]
  std::vector<float> tracking_error;  ///< [m]
  std::vector<float> clearance;       ///< [m]; infinite: nothing near
  std::vector<float> power = {};      ///< [W] drawn from the battery; NaN: not told
  double energy = std::numeric_limits<double>::quiet_NaN();  ///< [J] its integral over the flight
};

struct EstimateSeries {
  std::string topic;
  std::vector<double> t;
  std::vector<Eigen::Vector3f> p_W;  ///< [m] aligned with the truth
  std::vector<float> error;          ///< [m]
};

/// The result of a scenario's run; the contents of `run.json`.
struct RunResult {
  std::string scenario;
  std::string description;
  std::string map;  ///< the scenario's name for it
  std::uint64_t seed = 1;
  Verdict verdict = Verdict::kError;
  std::string message;  ///< reason for any verdict but a pass, in a line; else empty
  std::vector<CheckResult> checks;
  std::vector<UavSeries> uavs;
  std::vector<EstimateSeries> estimates;
  std::map<std::string, std::vector<std::pair<double, double>>> timings;  ///< [s], [ms]
  std::string motion;      ///< digest of all UAVs' states, the same for the same flight
  double simulated = 0.0;  ///< [s]
  double wall = 0.0;       ///< [s]
  std::vector<std::string> last_lines;  ///< of a failed run's log
};

/// Compares a recording with the scenario's pass criteria.
RunResult judge(const scenario::Scenario& scenario, std::uint64_t seed,
                const scenario::Recording& recording);

/// Adds a check and decides the verdict again.
void addCheck(RunResult& result, CheckResult check);

/// All of a result. Its texts may hold any bytes. Infinite numbers are null.
nlohmann::ordered_json runJson(const RunResult& result);

/// JSON, a key of the top a line. What depends on wall time stands below "wall" alone, so that the
/// rest of two runs can be compared byte for byte; only "verdict" is that of all checks. Throws
/// FileError.
void writeRun(const std::filesystem::path& path, const RunResult& result);
RunResult readRun(const std::filesystem::path& path);

std::string verdictText(Verdict verdict);

}  // namespace marsim::suite
