#include "demo.hpp"

#include <cstdio>
#include <filesystem>
#include <regex>

#include <fmt/format.h>

#include "command_line.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/text.hpp"
#include "marsim/common/units.hpp"
#include "marsim/config/load.hpp"
#include "marsim/map/cloud_io.hpp"
#include "points.hpp"

namespace marsim::tools {
namespace fs = std::filesystem;
namespace {

const Eigen::Vector3d kUsualStart(0.0, 0.0, 1.5);  // [m] free in the bundled places
constexpr double kSilenceLimit = 300.0;            // [s] the nodes report every simulated second
constexpr int kInterrupted = 130;                  // exit code, as shells have it

// Results of an earlier flight must not be taken for this one's.
const char* const kResults[] = {"trajectory.csv",     "trajectory.tum",  "cloud.pcd",
                                "scan.pcd",           "flight.json",     "summary.json",
                                "flight_oblique.png", "flight_side.png", "flight_top.png"};

fs::path makeOutputFolder(const std::string& name) {
  const fs::path folder = fs::absolute(name);
  std::error_code error;
  fs::create_directories(folder / "log", error);
  if (error) throw FileError(folder.string(), "cannot be made: " + error.message());
  for (const char* result : kResults) fs::remove(folder / result, error);
  return folder;
}

void requireRoslaunch() {
  if (onPath("roslaunch")) return;
  throw Error(
      "no roslaunch on the PATH: the demonstration flies with the ROS nodes; run ./marsim demo "
      "from the source tree, or install ROS 1 and source the package's setup file");
}

std::string flag(bool value) { return value ? "true" : "false"; }

bool startsWith(const std::string& text, const std::string& beginning) {
  return text.compare(0, beginning.size(), beginning) == 0;
}

bool isTrouble(const std::string& line) {
  for (const char* mark : {"[ERROR]", "[FATAL]", "[ WARN]", "RLException", "process has died"}) {
    if (line.find(mark) != std::string::npos) return true;
  }
  return false;
}

// Without the colours that roslaunch adds.
std::string plain(const std::string& line) {
  static const std::regex colour("\x1b\\[[0-9;]*[A-Za-z]");
  return std::regex_replace(line, colour, "");
}

void printPlan(const Preparation& preparation) {
  const FlightPlan& plan = preparation.plan;
  fmt::print("map       {} ({} points)\n", plan.map, withThousands(preparation.cloud.size()));
  fmt::print("start     {}, {:.2f} m from the map\n", pointText(plan.start),
             preparation.clearance.at(plan.start).distance);
  for (std::size_t i = 0; i < plan.legs.size(); ++i) {
    const std::size_t between = plan.legs[i].waypoints.size() - 1;
    fmt::print(
        "goal {}    {}{}\n", i + 1, pointText(plan.legs[i].goal()),
        between == 0 ? "" : fmt::format(" by way of {} point{}", between, between > 1 ? "s" : ""));
  }
  fmt::print("flight    {:.0f} m with {} and {} at {:.1f} m/s; results in {}\n", plan.length(),
             plan.vehicle, plan.lidar, plan.speed, plan.output.string());
  std::fflush(stdout);
}

// Flies the plan; its nodes' output goes to log/roslaunch.log, progress and trouble are shown.
ChildResult fly(const DemoOptions& options, const FlightPlan& plan) {
  const fs::path log_path = plan.output / "log" / "roslaunch.log";
  std::FILE* log = std::fopen(log_path.c_str(), "w");
  if (log == nullptr) throw FileError(log_path.string(), "cannot be written");
  LiveLine live;
  const auto on_line = [&](const std::string& raw) {
    const std::string line = plain(raw);
    std::fprintf(log, "%s\n", line.c_str());
    std::fflush(log);
    if (startsWith(line, "flying to goal")) {
      live.show(line);
    } else if (options.verbose || isTrouble(line)) {
      live.print(line);
    }
  };
  live.print("starting the simulation");
  const ChildResult result = runChild(launchCommand(options, plan, freePort()), on_line);
  std::fclose(log);
  return result;
}

}  // namespace

void DemoOptions::validate() const {
  const Validator check("command line");
  check.positive("--resolution", resolution, "m");
  map::surfaceOf(surface);
  check.positive("--speed", speed, "m/s");
  check.finite("--yaw", yaw, "rad");
  check.within("--goal-count", goal_count, 1, 1000);
}

Preparation prepareDemo(const DemoOptions& options) {
  options.validate();
  FlightPlan plan;
  config::loadLidar(options.lidar);  // refuses what is wrong with it before anything is started
  const vehicle::VehicleConfig vehicle = config::loadVehicle(options.vehicle).vehicle;
  const double radius = vehicle.radius;
  const double clearance = radius + kSafetyMargin;
  const auto given_goals = options.goals.empty() ? std::vector<Eigen::Vector3d>()
                                                 : parsePoints(options.goals, "--goals");
  const auto given_start =
      options.start.empty() ? kUsualStart : parsePoint(options.start, "--start");

  plan.map = fs::absolute(config::resolveMap(options.map)).string();
  plan.map_name = fs::path(options.map).stem().string();
  Progress progress("reading the map");
  map::PointCloud cloud = map::loadCloud(plan.map, progress).cloud;
  progress.phase("planning the flight");
  // The source points as they are: downsampling would move them.
  collision::ClearanceMap clearance_map(cloud, options.resolution);

  // The simulator's ground is a plane at the map's lowest point.
  const double lowest_z =
      static_cast<double>(clearance_map.bounds().min().z()) + vehicle.ground_clearance;

  plan.start = options.start.empty() ? chooseStart(clearance_map, given_start, clearance, lowest_z)
                                     : given_start;
  requireAboveGround("--start", plan.start, lowest_z);
  collision::requireFreeStart(clearance_map, plan.start, clearance);
  plan.legs = given_goals.empty()
                  ? chooseLegs(clearance_map, plan.start, options.goal_count, clearance,
                               options.seed, lowest_z)
                  : routeLegs(clearance_map, plan.start, given_goals, clearance, lowest_z);
  plan.resolution = options.resolution;
  plan.lidar = options.lidar;
  plan.vehicle = options.vehicle;
  plan.yaw = options.yaw;
  plan.speed = options.speed;
  progress.finish();
  return {std::move(plan), std::move(cloud), std::move(clearance_map), radius};
}

ChildCommand launchCommand(const DemoOptions& options, const FlightPlan& plan, int port) {
  // A name stays a name; a file may be given relative to this folder, which is not the nodes'.
  const auto resolved = [](const std::string& name) {
    return fs::is_regular_file(name) ? fs::absolute(name).string() : name;
  };
  ChildCommand command =
      rosLaunch("demo.launch",
                {"plan:=" + (plan.output / "plan.json").string(), "map:=" + plan.map,
                 fmt::format("resolution:={}", plan.resolution), "surface:=" + options.surface,
                 "lidar:=" + resolved(plan.lidar), "vehicle:=" + resolved(plan.vehicle),
                 fmt::format("x:={}", plan.start.x()), fmt::format("y:={}", plan.start.y()),
                 fmt::format("z:={}", plan.start.z()), fmt::format("yaw:={}", plan.yaw),
                 fmt::format("speed:={}", plan.speed), "renderer:=" + options.renderer,
                 "nodelets:=" + flag(options.nodelets), "rviz:=" + flag(options.rviz)},
                port, plan.output / "log");
  command.silence_limit = kSilenceLimit;
  return command;
}

FlightSummary assessFlight(const Preparation& preparation, bool interrupted) {
  const fs::path& folder = preparation.plan.output;
  FlightSummary summary;
  summary.interrupted = interrupted;
  summary.vehicle_radius = preparation.vehicle_radius;
  summary.record = readFlightRecord(folder / "flight.json");
  const std::vector<TrajectoryRow> trajectory = readTrajectory(folder / "trajectory.csv");
  if (trajectory.empty()) {
    throw FileError((folder / "trajectory.csv").string(), "has no row: nothing was flown");
  }
  summary.contacts = findContacts(preparation.clearance, trajectory, preparation.vehicle_radius);
  summary.write(folder / "summary.json");
  return summary;
}

int runDemo(const DemoOptions& options) {
  requireRoslaunch();
  Preparation preparation = prepareDemo(options);
  FlightPlan& plan = preparation.plan;
  plan.output = makeOutputFolder(options.output);
  writePlan(plan, plan.output / "plan.json");
  printPlan(preparation);

  const ChildResult flight = fly(options, plan);
  const std::string log = (plan.output / "log" / "roslaunch.log").string();
  if (!fs::exists(plan.output / "flight.json")) {
    if (flight.interrupted) {
      fmt::print(stderr, "marsim demo: interrupted before anything was recorded\n");
      return kInterrupted;
    }
    throw Error(fmt::format("the simulation {} and left no record; its output is in {}",
                            flight.silent ? fmt::format("was silent for {:.0f} s", kSilenceLimit)
                                          : fmt::format("ended with code {}", flight.exit_code),
                            log));
  }

  const FlightSummary summary = assessFlight(preparation, flight.interrupted);
  fmt::print("\n{}\n", summary.text());
  std::fflush(stdout);
  std::vector<std::string> made = drawPictures(preparation, summary.record);
  made.insert(made.end(), {"cloud.pcd", "trajectory.csv", "trajectory.tum", "summary.json"});
  fmt::print("written to {}: {}\n", plan.output.string(), join(made));

  const std::vector<std::string> failures = summary.failures();
  for (const std::string& failure : failures) fmt::print(stderr, "marsim demo: {}\n", failure);
  if (flight.interrupted) return kInterrupted;
  return failures.empty() ? 0 : 1;
}

}  // namespace marsim::tools
