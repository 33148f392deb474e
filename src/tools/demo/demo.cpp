// SPDX-License-Identifier: BSD-3-Clause
#include "tools/demo/demo.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>
#include <Eigen/Geometry>
#include <nlohmann/json.hpp>

#include "common/bounds.hpp"
#include "common/output_file.hpp"
#include "common/result_folder.hpp"
#include "common/text.hpp"
#include "config/defaults.hpp"
#include "config/epoch.hpp"
#include "config/load_multirotor.hpp"
#include "config/scenario.hpp"
#include "map/files/stray_points.hpp"
#include "marsim/common/error.hpp"
#include "marsim/config/load.hpp"
#include "marsim/geometry/pose_file.hpp"
#include "marsim/lidar/plants.hpp"
#include "marsim/lidar_gl/renderer.hpp"
#include "marsim/map/cloud_io.hpp"
#include "marsim/map/load_map.hpp"
#include "marsim/map/voxel_grid.hpp"
#include "tools/map/points.hpp"
#include "tools/process/child_process.hpp"
#include "tools/process/command_line.hpp"
#include "tools/process/interrupts.hpp"
#include "tools/process/launch_run.hpp"
#include "tools/suite/suite_flight.hpp"

namespace marsim::tools {
namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
namespace {

const Eigen::Vector3d kUsualStart(0.0, 0.0, 1.5);  // [m] free in all bundled places
constexpr double kSilenceLimit = 300.0;            // [s] without progress
constexpr double kLongestFlight = 3600.0;          // [s]
constexpr double kFlightTime = 60.0;               // [s] added to twice the length by speed
constexpr double kPlaceTime = 15.0;                // [s] added for each way point

// Entries of the output folder. Results of an earlier flight must not pass for this one's.
const char* const kScenario = "demo.yaml";
const char* const kFlight = "flight.json";
const char* const kResults[] = {
    kScenario,        kRunLaunch,           kRunLog,           kRunFile,        kMadeFrom,
    "trajectory.csv", "trajectory.tum",     "cloud.pcd",       "scan.pcd",      kFlight,
    "summary.json",   "flight_oblique.png", "flight_side.png", "flight_top.png"};
const char* const kLogs = "log";

fs::path absoluteFolder(const std::string& name) { return fs::absolute(name).lexically_normal(); }

void removeResults(const fs::path& folder) {
  std::error_code error;
  for (const char* result : kResults) {
    fs::remove(folder / result, error);
    if (error) throw FileError((folder / result).string(), "cannot be removed: " + error.message());
  }
}

std::string flag(bool value) { return value ? "true" : "false"; }

void printPlan(const DemoOptions& options, const Preparation& preparation) {
  const FlightPlan& plan = preparation.plan;
  fmt::print("map       {} ({} points)\n", plan.map, withThousands(preparation.cloud.size()));
  fmt::print("start     {}, {:.2f} m from the map\n", pointText(plan.start),
             preparation.clearance.at(plan.start).distance);
  for (std::size_t i = 0; i < plan.ways.size(); ++i) {
    const std::size_t between = plan.ways[i].size() - 1;
    fmt::print(
        "goal {}    {}{}\n", i + 1, pointText(plan.ways[i].back()),
        between == 0 ? "" : fmt::format(" by way of {} point{}", between, between > 1 ? "s" : ""));
  }
  fmt::print("flight    {:.0f} m with {} and {} at {:.1f} m/s; results in {}\n", plan.length(),
             options.vehicle, options.lidar, options.speed, plan.output.string());
  std::fflush(stdout);
}

/// Whether a line is the LiDAR node's report on the spacing of the map's points.
bool isSpacing(const std::string& line) { return line.find(": points are ") != std::string::npos; }

// Flies the plan's scenario and shows progress and problems. Returns false if it was interrupted;
// the first error is the reason.
bool fly(const DemoOptions& options, const FlightPlan& plan, std::string& reason) {
  LiveLine live;
  RunJournal journal;
  const auto on_line = [&](const std::string& line) {
    journal.add(line);
    if (isProgress(line)) {
      live.show(line);
    } else if (options.verbose || isTrouble(line) || isSpacing(line)) {
      live.print(line);
    }
  };
  live.print("starting the simulation");
  SuiteOptions how;
  how.timeout = kSilenceLimit;
  const bool is_whole = flyRun({config::loadScenario(plan.output / kScenario), 1, plan.output}, {},
                               how, freePort(), on_line);
  reason = journal.firstError();
  return is_whole;
}

/// Throws if this machine lacks something that the nodes need.
void requireMeans(const DemoOptions& options) {
  if (lidar_gl::rendererChoiceOf(options.renderer, "--renderer") ==
      lidar_gl::RendererChoice::kOpenGl) {
    const lidar_gl::Context context{lidar_gl::ContextOptions{}};
  }
  if (!options.rviz) return;
  if (!onPath("rviz")) throw Error("--rviz: there is no rviz on the PATH");
  if (std::getenv("DISPLAY") == nullptr && std::getenv("WAYLAND_DISPLAY") == nullptr) {
    throw Error("--rviz: there is no display (DISPLAY is not set)");
  }
}

/// The requirements of making the map.
void requireResolution(const map::LoadedCloud& loaded, const fs::path& path, double resolution) {
  const map::PointCloud& cloud = loaded.cloud;
  // If most points are outside the voxel grid, the resolution is too fine.
  map::StrayPoints stray;
  stray.total = cloud.size();
  stray.add(cloud, loaded.origin, resolution);
  if (2 * stray.count < stray.total) map::requireNoStrayPoints(stray, path, resolution);
  Eigen::AlignedBox3f box;
  for (const Eigen::Vector3f& p : cloud.points) box.extend(p);
  map::voxelKey(box.min(), resolution);
  map::voxelKey(box.max(), resolution);
  const double extent = static_cast<double>(box.sizes().maxCoeff());
  Validator("command line")
      .require(resolution <= extent, "--resolution", fmt::format("{} m", resolution),
               fmt::format("at most the map's extent of {:.3f} m", extent));
}

/// The map's points and those of plants that are obstacles.
map::PointCloud withPlants(const map::PointCloud& cloud, const DemoOptions& options,
                           const std::string& map, Progress& progress) {
  map::PointCloud all;
  all.points = cloud.points;
  const scene::VegetationConfig vegetation = config::loadVegetation(options.vegetation);
  if (!vegetation.hasObstacles()) return all;
  map::SurfelMapConfig config;
  config.resolution = options.resolution;
  config.surface = map::surfaceOf(options.surface);
  const auto planted = lidar::vegetationOn(map::loadSurfelMap(map, config, progress).map,
                                           vegetation, options.vegetation);
  for (const Eigen::Vector3d& p_W :
       scene::obstaclePoints(planted, options.resolution, options.vegetation)) {
    all.points.push_back(p_W.cast<float>());
  }
  return all;
}

/// Throws ConfigError if the flight takes too long.
void requireSpeed(const FlightPlan& plan, double speed) {
  const double least = plan.length() / kLongestFlight;
  Validator("command line")
      .require(speed >= least, "--speed", fmt::format("{} m/s", speed),
               fmt::format("{:.2g} m/s or more: the flight of {:.0f} m would take {:.1f} hours",
                           least, plan.length(), plan.length() / speed / 3600.0));
}

}  // namespace

void DemoOptions::validate() const {
  const Validator check("command line");
  kResolutions.require("command line", "--resolution", resolution, "m");
  map::surfaceOf(surface);
  kSpeeds.require("command line", "--speed", speed, "m/s");
  requireAngle("command line", "--yaw", yaw);
  kGoalCounts.require("command line", "--goal-count", goal_count);
  check.require(!output.empty(), "--out", "empty", "a folder");
}

Preparation prepareDemo(const DemoOptions& options) {
  options.validate();
  requireMeans(options);
  FlightPlan plan;
  // Reports errors in the files before anything is started.
  config::loadLidar(options.lidar);
  config::loadVegetation(options.vegetation);
  if (options.surfaces != "none") config::loadSurfaces(options.surfaces);
  config::loadWeather(options.weather);
  const double fastest = config::loadController("default").speed_max;
  Validator("command line")
      .require(options.speed <= fastest, "--speed", fmt::format("{:g} m/s", options.speed),
               fmt::format("up to {:g} m/s, the controller's speed_max", fastest));
  const vehicle::VehicleConfig vehicle = config::loadMultirotor(options.vehicle);
  const double radius = vehicle.radius;
  const double clearance = radius + kSafetyMargin;
  const auto given_goals = options.goals.empty() ? std::vector<Eigen::Vector3d>()
                                                 : parsePoints(options.goals, "--goals");
  const auto given_start =
      options.start.empty() ? kUsualStart : parsePoint(options.start, "--start");

  plan.map = fs::absolute(config::resolveMap(options.map)).string();
  plan.map_name = fs::path(options.map).stem().string();
  Progress progress("reading the map");
  map::LoadedCloud loaded = map::loadCloud(plan.map, progress);
  progress.phase("planning the flight");
  requireResolution(loaded, plan.map, options.resolution);
  map::PointCloud cloud = std::move(loaded.cloud);
  // The source points unchanged: downsampling would move them.
  collision::ClearanceMap clearance_map(withPlants(cloud, options, plan.map, progress),
                                        options.resolution);

  // The simulator's ground plane is at the map's lowest point.
  const double lowest_z =
      static_cast<double>(clearance_map.bounds().min().z()) + vehicle.ground_clearance;

  plan.start = options.start.empty() ? chooseStart(clearance_map, given_start, clearance, lowest_z)
                                     : given_start;
  requireAboveGround("--start", plan.start, lowest_z);
  collision::requireFreeStart(clearance_map, plan.start, clearance);
  plan.ways = given_goals.empty()
                  ? chooseWays(clearance_map, plan.start, options.goal_count, clearance,
                               options.seed, lowest_z)
                  : findWays(clearance_map, plan.start, given_goals, clearance, lowest_z);
  requireSpeed(plan, options.speed);
  progress.finish();
  return {std::move(plan), std::move(cloud), std::move(clearance_map), radius};
}

std::string scenarioText(const DemoOptions& options, const FlightPlan& plan) {
  // A name is unchanged; a file may be given relative to this folder.
  const auto resolved = [](const std::string& name) {
    return fs::is_regular_file(name) ? fs::absolute(name).string() : name;
  };
  const auto point = [](const Eigen::Vector3d& p) { return Json{p.x(), p.y(), p.z()}; };
  Json goals = Json::array();
  double longest = kFlightTime + 2.0 * plan.length() / options.speed;  // [s]
  for (const scenario::Way& way : plan.ways) {
    Json& places = goals.emplace_back(Json::array());
    for (const Eigen::Vector3d& place : way) places.push_back(point(place));
    longest += kPlaceTime * static_cast<double>(way.size());
  }
  longest = std::min(longest, scenario::kLongestDuration);
  const Json scenario{
      {"description", "Written by marsim demo"},
      {"map", plan.map},
      {"resolution", options.resolution},
      {"surface", options.surface},
      {"vegetation", resolved(options.vegetation)},
      {"surfaces", resolved(options.surfaces)},
      {"weather", resolved(options.weather)},
      {"lidar", resolved(options.lidar)},
      {"vehicle", resolved(options.vehicle)},
      {"renderer", options.renderer},
      {"speed", options.speed},
      {"start", point(plan.start)},
      {"yaw", options.yaw},
      {"lockstep", false},
      {"pace", "1"},
      {"duration", longest},
      {"keep", true},
      {"fly", {{"goals", goals}}},
      {"checks", {{"goals", {{"within", longest}}}, {"contacts", {{"at_most", 0}}}}},
      {"arguments", {{"nodelets", flag(options.nodelets)}, {"rviz", flag(options.rviz)}}}};
  return scenario.dump(2) + '\n';
}

FlightSummary assessFlight(const Preparation& preparation, bool interrupted) {
  const fs::path& folder = preparation.plan.output;
  FlightSummary summary;
  summary.interrupted = interrupted;
  summary.vehicle_radius = preparation.vehicle_radius;
  summary.record = suite::readFlightRecord(folder / kFlight);
  summary.contacts = findContacts(preparation.clearance, readPoseFile(folder / "trajectory.tum"),
                                  preparation.vehicle_radius);
  if (summary.contacts.episodes > 0) {
    summary.contacts.first_contact.stamp -= config::epochOf(config::defaultOf("epoch"), "epoch");
  }
  summary.write(folder / "summary.json");
  return summary;
}

int runDemo(const DemoOptions& options) {
  requireRoslaunch("the demonstration flies with the ROS nodes");
  options.validate();
  const fs::path folder = absoluteFolder(options.output);
  ResultFolder results(folder, "marsim demo");
  for (const char* result : kResults) {
    if (fs::exists(folder / result)) requireWritable(folder / result);  // no result is an input
  }
  Preparation preparation = prepareDemo(options);
  FlightPlan& plan = preparation.plan;
  plan.output = folder;
  std::vector<std::string> entries(std::begin(kResults), std::end(kResults));
  entries.emplace_back(kLogs);
  results.begin(entries);
  makeFolder(folder / kLogs);
  removeResults(folder);
  writeFile(folder / kScenario, scenarioText(options, plan));
  printPlan(options, preparation);

  std::string reason;
  const bool interrupted = !fly(options, plan, reason);
  if (!fs::exists(folder / kFlight)) {
    if (interrupted) {
      fmt::print(stderr, "marsim demo: interrupted before anything was recorded\n");
      return kInterrupted;
    }
    throw Error(fmt::format("the flight left no record: {}; its output is in {}",
                            suite::readRun(folder / kRunFile).message,
                            (folder / kRunLog).string()));
  }
  const FlightSummary summary = assessFlight(preparation, interrupted);
  fmt::print("\n{}\n", summary.text());
  std::fflush(stdout);
  std::vector<std::string> made = drawPictures(options, preparation, summary.record);
  made.insert(made.end(), {"cloud.pcd", "trajectory.csv", "trajectory.tum", "summary.json"});
  fmt::print("written to {}: {}\n", plan.output.string(), join(made));

  const std::vector<std::string> failures = summary.failures();
  for (const std::string& failure : failures) fmt::print(stderr, "marsim demo: {}\n", failure);
  if (!failures.empty() && !reason.empty()) {
    fmt::print(stderr, "marsim demo: the first error was: {}\n", reason);
  }
  if (interrupted) return kInterrupted;
  return failures.empty() ? 0 : 1;
}

}  // namespace marsim::tools
