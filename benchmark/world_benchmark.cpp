// SPDX-License-Identifier: BSD-3-Clause
#include "world_benchmark.hpp"

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "collision_benchmark.hpp"
#include "common/output_file.hpp"
#include "marsim/common/error.hpp"
#include "objects_benchmark.hpp"
#include "places.hpp"
#include "starts.hpp"
#include "swarm_load.hpp"
#include "tools/process/child_process.hpp"

namespace marsim::benchmarks {
namespace {

using nlohmann::ordered_json;

void addCollisions(const WorldBench& bench, ordered_json& figures) {
  CollisionBench settings;
  settings.work = bench.work;
  const CollisionTimes times = measureCollisions(settings);
  figures["collision_check_us_mean"] = times.check_in_flight;
  figures["collision_full_search_us_mean"] = times.check_map_tree;
  figures["collision_full_search_kd_tree_us_mean"] = times.check_kd_tree;
  figures["collision_map_points"] = times.points;
  figures["moving_tree_rebuild_us"] = times.rebuild;
}

void addObjects(const WorldBench& bench, ordered_json& figures) {
  ObjectsBench settings;
  settings.work = bench.work;
  if (bench.quick) settings.repeats = 3;
  double worst = 0.0;
  for (const ObjectsCost& cost : measureObjects(settings)) {
    figures["render_overhead_100_obstacles_pct_" + cost.sensor] = cost.overheadPercent();
    worst = std::max(worst, cost.overheadPercent());
  }
  figures["render_overhead_100_obstacles_pct"] = worst;
}

void addSecondProcess(const WorldBench& bench, ordered_json& figures) {
  const Place place{"building", bench.quick ? 0.1 : 0.05};
  map::SurfelMapConfig config;
  config.resolution = place.resolution;
  const Starts starts =
      measureStarts(bench.program, cloudOf(place, bench.work), config, bench.work / "starts");
  figures["second_process_private_mb"] = starts.process_private_mb;
}

void addUavsWithoutRos(const WorldBench& bench, ordered_json& figures) {
  SwarmLoad load;
  load.map = mapOf({"building", 0.1}, bench.work);
  if (bench.quick) load.seconds = 2.0;
  const SwarmLoad::Figures most = load.mostInRealTime();
  figures["uavs_real_time_without_ros"] = most.uavs;
}

void addFlights(const WorldBench& bench, ordered_json& figures) {
  for (const FlightSpeed& speed : measureFlights(bench)) {
    figures[fmt::format("real_time_factor_{}_uavs_without_lidar", speed.uavs)] = speed.factor;
  }
}

/// The report on so many UAVs in one nodelet manager.
ordered_json flySwarm(const WorldBench& bench, int uavs) {
  const std::filesystem::path report = bench.work / fmt::format("swarm_{}.json", uavs);
  std::filesystem::remove(report);
  tools::ChildCommand command =
      tools::rosLaunch({"marsim", "swarm_bench.launch", fmt::format("n:={}", uavs),
                        "report:=" + report.string(), fmt::format("duration:={}", bench.duration)},
                       tools::freePort(), bench.work / "log");
  command.silence_limit = 120.0 + 10.0 * bench.duration;
  std::string last;
  const tools::ChildResult result = tools::runChild(command, [&](const std::string& line) {
    if (!line.empty()) last = line;
  });
  std::ifstream file(report);
  if (!file) {
    throw Error(
        fmt::format("{}: {} UAVs left no report; roslaunch ended with {} ('{}'); it needs "
                    "ROS's environment, which ./marsim bench sets",
                    report.string(), uavs, result.exit_code, last));
  }
  return ordered_json::parse(file);
}

bool keepsUp(const ordered_json& report) {
  return report.at("real_time_factor") >= 0.99 &&
         report.at("scans_missing") <= 0.01 * report.at("scans_expected").get<double>();
}

// If they do not keep up, tries as many as their load leaves room for, and then fewer.
void addUavs(const WorldBench& bench, ordered_json& figures) {
  figures["uavs_real_time"] = nullptr;
  if (bench.quick || !tools::onPath("roslaunch")) return;
  ordered_json tried = ordered_json::array();
  for (int uavs = bench.uavs; uavs > 0; uavs -= std::max(1, uavs / 5)) {
    fmt::print("{} UAVs for {} s\n", uavs, bench.duration);
    tried.push_back(flySwarm(bench, uavs));
    figures["swarms"] = tried;
    if (!keepsUp(tried.back())) continue;
    figures["uavs_real_time"] = uavs;
    break;
  }
  if (figures["uavs_real_time"].is_null()) figures["uavs_real_time"] = 0;
}

}  // namespace

std::vector<FlightSpeed> measureFlights(const WorldBench& bench) {
  SwarmLoad load;
  load.map = mapOf({"building", 0.1}, bench.work);
  load.has_lidars = false;
  load.seconds = bench.quick ? 2.0 : 20.0;
  std::vector<FlightSpeed> speeds;
  for (const int uavs : {1, 5, 10, 100}) {
    speeds.push_back({uavs, 1.0 / load.measure(uavs).cpu_s_per_simulated_s});
  }
  return speeds;
}

void runFlightBench(const WorldBench& bench) {
  fmt::print("| UAVs | times real time | us a step of a UAV |\n| --- | --- | --- |\n");
  for (const FlightSpeed& speed : measureFlights(bench)) {
    fmt::print("| {} | {:.4g} | {:.3f} |\n", speed.uavs, speed.factor,
               1e3 / (speed.factor * speed.uavs));
  }
}

void runWorldBench(const WorldBench& bench) {
  ordered_json figures;
  const auto write = [&] {
    fmt::print("{}\n", figures.dump(2));
    if (!bench.out.empty()) writeFile(bench.out, figures.dump(2) + '\n');
  };
  try {
    for (const auto& add :
         {addCollisions, addObjects, addSecondProcess, addUavsWithoutRos, addFlights, addUavs}) {
      add(bench, figures);
    }
  } catch (...) {
    write();  // the figures so far
    throw;
  }
  write();
}

}  // namespace marsim::benchmarks
