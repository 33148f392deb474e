// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "suite/html_report.hpp"
#include "suite/run_result.hpp"

/// Runs that nobody has flown, for tests of the reports.
namespace marsim::suite {

inline CheckResult check(const std::string& name, const std::string& subject, double value,
                         const std::string& unit, const scenario::Limit& limit) {
  CheckResult result;
  result.name = name;
  result.subject = subject;
  result.value = value;
  result.unit = unit;
  result.limit = limit;
  result.passed = limit.holds(value);
  return result;
}

/// A circle of 6 m, the i-th of n UAVs on its own part of it.
inline UavSeries circling(const std::string& name, int i, int n) {
  UavSeries uav;
  uav.name = name;
  for (int k = 0; k <= 600; ++k) {
    const double t = 0.1 * k;
    const double angle = 0.1 * t + 2.0 * M_PI * i / n;
    const double radius = 6.0 + 0.4 * i;
    uav.t.push_back(t);
    uav.p_WB.emplace_back(Eigen::Vector3d(radius * std::cos(angle), radius * std::sin(angle),
                                          1.5 + 0.1 * i + 0.3 * std::sin(3.0 * angle))
                              .cast<float>());
    uav.speed.push_back(static_cast<float>(0.1 * radius + 0.05 * std::sin(t)));
    uav.tracking_error.push_back(static_cast<float>(0.03 + 0.02 * std::sin(0.7 * t + i)));
    uav.clearance.push_back(k < 60 ? std::numeric_limits<float>::infinity()
                                   : static_cast<float>(2.0 + 1.4 * std::sin(0.3 * t + i)));
  }
  return uav;
}

/// Passed, with every kind of curve.
inline RunResult passedRun(const std::string& scenario, std::uint64_t seed, int uavs = 1) {
  RunResult run;
  run.scenario = scenario;
  run.description = "Goals round the clearing of the forest, by FAST-LIO2's estimate";
  run.map = "forest";
  run.seed = seed;
  run.verdict = Verdict::kPassed;
  for (int i = 0; i < uavs; ++i) {
    run.uavs.push_back(circling("uav" + std::to_string(i), i, uavs));
    const std::string name = run.uavs.back().name;
    run.checks.push_back(check("max_speed", name, 0.65 + 0.04 * i, "m/s", {{}, 2.5}));
    run.checks.push_back(check("clearance", name, 0.6 + 0.01 * i, "m", {0.3, {}}));
  }
  EstimateSeries estimate;
  estimate.topic = "/Odometry";
  for (std::size_t k = 0; k < run.uavs[0].t.size(); k += 2) {
    estimate.t.push_back(run.uavs[0].t[k]);
    const float drift = 0.01F * static_cast<float>(k) / 20.0F;
    estimate.p_W.emplace_back(run.uavs[0].p_WB[k] + Eigen::Vector3f(drift, -drift, 0.0F));
    estimate.error.push_back(1.414F * drift);
  }
  if (uavs == 1) run.estimates.push_back(estimate);
  if (uavs == 1) run.checks.push_back(check("ate", "/Odometry", 0.21, "m", {{}, 0.3}));
  CheckResult real_time = check("real_time_factor", "", 4.5, "", {1.0, {}});
  real_time.depends_on_wall_time = true;
  run.checks.push_back(real_time);
  for (int k = 0; k < 60; ++k) {
    run.timings["mean render time"].emplace_back(k, 3.0 + std::sin(0.5 * k));
    run.timings["largest render time"].emplace_back(k, 7.0 + 2.0 * std::sin(0.9 * k));
  }
  run.simulated = 60.0;
  run.wall = 13.4;
  return run;
}

/// Fails a check, with a log.
inline RunResult failedRun(const std::string& scenario, std::uint64_t seed) {
  RunResult run = passedRun(scenario, seed);
  run.verdict = Verdict::kFailed;
  run.checks[1] = check("clearance", "uav0", 0.12, "m", {0.3, {}});
  run.checks[1].message = "is 0.12 m, allowed: at least 0.3 m";
  run.message = "clearance of uav0 is 0.12 m, allowed: at least 0.3 m";
  run.last_lines = {"[ INFO] [1.5]: flying", "[ WARN] [9.1]: <planner> \"gave up\" & left"};
  return run;
}

inline RunResult withoutFlight(const std::string& scenario, Verdict verdict,
                               const std::string& message) {
  RunResult run;
  run.scenario = scenario;
  run.verdict = verdict;
  run.message = message;
  return run;
}

/// One of each verdict.
inline std::vector<RunResult> madeUpRuns() {
  return {passedRun("forest_goals", 1), failedRun("forest_goals", 2), passedRun("swarm", 1, 10),
          withoutFlight("planner", Verdict::kSkipped, "package ego_planner is not installed"),
          withoutFlight("broken", Verdict::kError, "uav0/lidar ended with exit code 1: no map")};
}

inline ReportInfo madeUpInfo() {
  ReportInfo info;
  info.when = "2026-01-02 03:04 UTC";
  info.machine = "Some Processor, 8 threads, Linux 6.1";
  info.version = "0.1.0";
  MapPlan plan;
  for (int i = 0; i < 900; ++i) {
    const double angle = 2.4 * i, radius = 0.55 * std::sqrt(i);
    if (std::abs(radius - 7.5) < 2.4) continue;
    plan.squares.emplace_back(static_cast<float>(radius * std::cos(angle)),
                              static_cast<float>(radius * std::sin(angle)));
  }
  info.map_points["forest"] = plan;
  return info;
}

}  // namespace marsim::suite
