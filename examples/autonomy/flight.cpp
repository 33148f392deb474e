// SPDX-License-Identifier: BSD-3-Clause
#include "flight.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <random>
#include <utility>

#include "onboard.hpp"

namespace autonomy {

using namespace marsim;
using Eigen::Vector3d;

const std::map<std::string, Course> kCourses = {
    {"forest", {{-21, -21, 1}, {21, 21, 1}, 0.1, 5, 3, 0, 3, 0.4, 2.6, {}}},
    {"2d", {{0, -16, 1}, {0, 0, 1}, 0.18, 2, 6, 3, 3, 0.4, 2.6, {}}},
    {"3d", {{3, -13, 1}, {0, 2, 0.5}, 0.16, 2, 3, 0, 2, 0.4, 2.6, {}}},
    {"one", {{0, -13, 1}, {0, 0, 1}, 0.05, 2, 6, 0, 3, 0.4, 2.6, {-8}}},
    {"two", {{0, -13, 1}, {0, 0, 1}, 0.05, 2, 6, 0, 3, 0.4, 2.6, {-9, -5}}}};

namespace {

constexpr double kBall = 0.6;  // [m]

NavigatorConfig navigatorConfig(const Course& course, double radius) {
  NavigatorConfig config;
  config.map.inflation = radius + 0.08;
  config.map.lowest = course.lowest;
  config.map.highest = course.highest;
  config.planner.limits.speed = course.speed;
  config.planner.limits.acceleration = course.acceleration;
  config.low = {-24.0, -24.0, 0.0};
  config.high = {24.0, 24.0, 3.0};
  return config;
}

// Figures of the flight, from what the navigator and the UAV report.
void watch(sim::Uav& uav, Navigator& navigator, Flight& flight) {
  navigator.on_planned = [&](bool found, double seconds) {
    if (!found) ++flight.failed_plans;
    flight.planning.push_back(seconds);
  };
  uav.on_contact = [&](const collision::ContactEvent& event) {
    if (event.begins) ++flight.contacts;
  };
  uav.on_report = [&, answer = uav.on_report](const sim::VehicleReport& report) {
    answer(report);
    flight.fastest = std::max(flight.fastest, report.motion.v_WB.norm());
    flight.hardest = std::max(flight.hardest, report.motion.a_WB.norm());
  };
}

// Balls of 0.6 m, each driven across the way when the UAV is about there.
std::shared_ptr<scene::Obstacles> addBalls(sim::World& world, const Course& course,
                                           std::uint32_t seed) {
  if (course.crossed_at.empty()) return nullptr;
  std::mt19937 random(seed);
  std::vector<Vector3d> velocities;
  scene::ObstaclesConfig config;
  for (const double y : course.crossed_at) {
    scene::ObstacleGroup& group =
        config.groups.emplace_back(scene::usualGroup(scene::ObstacleKind::kDriven));
    const double speed =
        (random() % 2 == 0 ? 1.0 : -1.0) * (0.6 + 0.1 * static_cast<double>(random() % 7));
    const double early = 0.1 * static_cast<double>(random() % 11) - 0.5;   // [s]
    const double met = 1.0 + (y - course.start.y()) / course.speed + 0.5;  // [s] simulated time
    group.name = "ball" + std::to_string(velocities.size());
    group.shape = scene::ObstacleShape::kSphere;
    group.size_min = group.size_max = kBall;
    group.region = {Vector3d(-20, -20, 0), Vector3d(20, 20, 3)};
    group.points = {Vector3d(-speed * (met + early), y, 1.0)};
    velocities.emplace_back(speed, 0.0, 0.0);
  }
  const auto balls = std::make_shared<scene::Obstacles>(config, scene::MapDistance(), "balls");
  const auto driver = std::make_shared<scene::ObstacleDriver>(balls, 0);
  for (std::size_t i = 0; i < velocities.size(); ++i) driver->command(i, velocities[i], 0.0, 0);
  world.addObjects(balls);
  world.addDriver(driver);
  return balls;
}

// Their true places and velocities.
std::vector<Mover> moversOf(const scene::Obstacles& balls) {
  std::vector<Mover> movers;
  for (std::size_t i = 0; i < balls.size(); ++i) {
    movers.push_back({balls.driven(i).p, balls.driven(i).v, kBall});
  }
  return movers;
}

}  // namespace

Flight fly(const Course& course, std::shared_ptr<const map::SurfelMap> map, std::uint32_t seed) {
  sim::World world(std::move(map));
  const Vector3d way = course.goal - course.start;
  const sim::UavConfig config = onboardConfig(course.start, std::atan2(way.y(), way.x()));
  sim::Uav& uav = world.addUav(config);
  Flight flight;
  Navigator navigator(navigatorConfig(course, config.vehicle.radius));
  connect(uav, navigator);
  watch(uav, navigator, flight);
  const auto balls = addBalls(world, course, seed);
  world.runFor(1.0);  // the first scans
  if (const auto refusal = navigator.setGoal(course.goal)) throw Error(refusal->reason);
  const TimeNs departure = world.time();
  const std::clock_t began = std::clock();
  const collision::ClearanceMap clearances = world.clearances();
  Vector3d last = course.start;
  while (world.time() < departure + 60 * kNsPerSecond && !flight.arrived) {
    if (balls) navigator.setMovers(toSeconds(world.time()), moversOf(*balls));
    world.runFor(0.01);
    const Vector3d p = uav.state().X_WB.p;
    flight.length += (p - std::exchange(last, p)).norm();
    flight.clearance =
        std::min(flight.clearance, clearances.at(p).distance - config.vehicle.radius);
    flight.arrived = (p - course.goal).norm() < 0.1;
  }
  flight.effort = static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
  flight.last = last;
  flight.time = toSeconds(world.time() - departure);
  return flight;
}

}  // namespace autonomy
