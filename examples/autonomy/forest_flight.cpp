// SPDX-License-Identifier: BSD-3-Clause
// The planner in random forests, without ROS: forest_flight [COURSE [DENSITY [SPEED [SEED ...]]]],
// COURSE forest, 2d or 3d
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <string>
#include <vector>

#include "forest.hpp"
#include "marsim/marsim.hpp"
#include "navigator.hpp"

using namespace marsim;
using Eigen::Vector3d;

namespace {

// The flights of Zhong 2023, section 4.5.
struct Course {
  Vector3d start, goal;        // [m]
  double density;              // [1/m^2]
  double speed, acceleration;  // [m/s], [m/s^2]
  double shortest, tallest;    // [m] posts
  double lowest, highest;      // [m] of the UAV's centre
};
const std::map<std::string, Course> kCourses = {
    {"forest", {{-21, -21, 1}, {21, 21, 1}, 0.1, 5, 3, 0, 3, 0.4, 2.6}},
    {"2d", {{0, -16, 1}, {0, 0, 1}, 0.18, 2, 6, 3, 3, 0.9, 1.1}},
    {"3d", {{3, -13, 1}, {0, 2, 0.5}, 0.16, 2, 3, 0, 2, 0.4, 2.6}}};

struct Flight {
  bool arrived = false;
  double time = 0.0, length = 0.0, fastest = 0.0, hardest = 0.0;  // [s, m, m/s, m/s^2]
  double clearance = 100.0;                                       // [m] of the body
  int contacts = 0, failed_plans = 0;
  std::vector<double> planning;  // [s] of processor time
  double effort = 0.0;           // [s] of processor time for the flight
};

autonomy::NavigatorConfig navigatorConfig(const Course& course, double radius) {
  autonomy::NavigatorConfig config;
  config.map.inflation = radius + 0.08;
  config.map.lowest = course.lowest;
  config.map.highest = course.highest;
  config.planner.limits.speed = course.speed;
  config.planner.limits.acceleration = course.acceleration;
  config.low = {-24.0, -24.0, 0.0};
  config.high = {24.0, 24.0, 3.0};
  return config;
}

sim::UavConfig uavConfig(const Course& course) {
  sim::UavConfig config;
  config.vehicle = config::loadVehicle("zhong_2023");
  config.controller = config::loadController("agile");
  config.lidar = config::loadLidar("mid360");
  config.start_p_WB = course.start;
  const Vector3d way = course.goal - course.start;
  config.start_yaw = std::atan2(way.y(), way.x());
  return config;
}

control::Reference referenceOf(const autonomy::Command& command) {
  const auto& [p, v, a, j] = command.state;  // the steps of its jerk would shake the vehicle
  return {p, v, a, Vector3d::Zero(), command.yaw, command.yaw_rate};
}

// Scans and odometry of the UAV to the navigator, its commands to the UAV.
void connect(sim::Uav& uav, autonomy::Navigator& navigator, Flight& flight) {
  navigator.on_planned = [&](bool found, double seconds) {
    if (!found) ++flight.failed_plans;
    flight.planning.push_back(seconds);
  };
  uav.on_scan = [&](const lidar::Scan& scan) {
    std::vector<Vector3d> points;
    for (const lidar::ScanPoint& point : scan.points) points.push_back(point.p_W.cast<double>());
    navigator.addScan(scan.X_WS.p, points);
  };
  uav.on_contact = [&](const collision::ContactEvent& event) {
    if (event.begins) ++flight.contacts;
  };
  uav.on_report = [&](const sim::VehicleReport& report) {
    const KinematicState& state = report.motion;
    const double now = toSeconds(state.stamp);
    navigator.addOdometry(now, state.X_WB.p, yawOf(state.X_WB.q));
    if (const auto command = navigator.commandAt(now)) uav.setReference(referenceOf(*command));
    flight.fastest = std::max(flight.fastest, state.v_WB.norm());
    flight.hardest = std::max(flight.hardest, state.a_WB.norm());
  };
}

Flight fly(const Course& course, std::shared_ptr<const map::SurfelMap> map) {
  sim::World world(std::move(map));
  const sim::UavConfig config = uavConfig(course);
  sim::Uav& uav = world.addUav(config);
  Flight flight;
  autonomy::Navigator navigator(navigatorConfig(course, config.vehicle.radius));
  connect(uav, navigator, flight);
  world.runFor(1.0);  // the first scans
  if (const auto refusal = navigator.setGoal(course.goal)) throw Error(refusal->reason);
  const TimeNs departure = world.time();
  const std::clock_t began = std::clock();
  const collision::ClearanceMap clearances = world.clearances();
  Vector3d last = course.start;
  while (world.time() < departure + 60 * kNsPerSecond && !flight.arrived) {
    world.runFor(0.01);
    const Vector3d p = uav.state().X_WB.p;
    flight.length += (p - std::exchange(last, p)).norm();
    flight.clearance =
        std::min(flight.clearance, clearances.at(p).distance - config.vehicle.radius);
    flight.arrived = (p - course.goal).norm() < 0.1;
  }
  flight.effort = static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
  flight.time = toSeconds(world.time() - departure);
  return flight;
}

void print(const autonomy::ForestConfig& forest, std::size_t too_near, Flight flight) {
  std::sort(flight.planning.begin(), flight.planning.end());
  std::printf(
      "%.2f/m2 seed %u: %s after %.1f s, %.1f m; %.2f m/s, at most %.2f m/s and %.2f m/s2; ",
      forest.density, forest.seed, flight.arrived ? "goal" : "NO GOAL", flight.time, flight.length,
      flight.length / flight.time, flight.fastest, flight.hardest);
  std::printf(
      "clearance %.2f m, %d contacts; %zu plans (%d failed), median %.1f ms, longest %.1f ms; ",
      flight.clearance, flight.contacts, flight.planning.size(), flight.failed_plans,
      1e3 * flight.planning[flight.planning.size() / 2], 1e3 * flight.planning.back());
  std::printf("%.1f times real time; %zu posts without the gap\n", flight.time / flight.effort,
              too_near);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::string name = argc > 1 ? argv[1] : "forest";
    if (kCourses.count(name) == 0)
      throw Error("unknown course '" + name + "', known: 2d, 3d, forest");
    Course course = kCourses.at(name);
    if (argc > 2) course.density = std::atof(argv[2]);
    if (argc > 3) course.speed = std::atof(argv[3]);
    autonomy::ForestConfig config;
    config.density = course.density;
    config.shortest = course.shortest;
    config.tallest = course.tallest;
    config.free = {course.start.head<2>(), course.goal.head<2>()};
    for (int i = 4; i < std::max(argc, 5); ++i) {
      if (i < argc) config.seed = static_cast<std::uint32_t>(std::atoi(argv[i]));
      const autonomy::Forest forest = autonomy::plantForest(config);
      print(config, forest.too_near, fly(course, autonomy::mapOf(config, forest)));
      std::fflush(stdout);
    }
    return 0;
  } catch (const Error& error) {
    std::fprintf(stderr, "forest_flight: %s\n", error.what());
    return 1;
  }
}
