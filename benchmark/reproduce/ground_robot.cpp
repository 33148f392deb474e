// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "common/output_file.hpp"
#include "marsim/config/load.hpp"
#include "marsim/lidar/plants.hpp"
#include "marsim/map/load_map.hpp"
#include "marsim/scene/moving_object.hpp"
#include "marsim/sim/world.hpp"
#include "reproduce/cost_map.hpp"
#include "reproduce/experiment.hpp"
#include "timing.hpp"
#include "tools/temporary_folder.hpp"

namespace marsim::reproduce {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr double kSpeed = 2.0, kSensorHeight = 2.0;         // [m/s], [m]
constexpr double kLookAhead = 3.0, kPeriod = 0.1;           // [m], [s] of steering
constexpr double kTurn = 1.5, kPlanPeriod = 0.5;            // [rad/s], [s]
constexpr double kMostContacts = 0.0, kLongestRoute = 1.3;  // times the straight line

/// Size of the experiment.
struct Setting {
  double side, trees, bushes, seconds;
  Vector2d start, goal;
  double resolution;
  int rays;
  std::vector<std::string> sensors;
};

Setting settingOf(Extent extent) {
  const double way = 130.0 / std::sqrt(2.0);
  const Vector2d start(-90.0, -90.0), test_start(-20.0, -20.0);
  if (extent == Extent::kTest) {
    return {60.0, 10.0, 10.0, 3.0, test_start, {20.0, 20.0}, 0.2, 1, {"lms291", "vlp16"}};
  }
  return {300.0,
          50.0,
          120.0,
          10.0,
          start,
          start + Vector2d(way, way),
          0.1,
          extent == Extent::kFull ? 9 : 1,
          {"lms291", "hdl64e_goodin", "hdl32e", "vlp16"}};
}

// The courtyard without its wall and tufts, whose points would stop wheels.
std::shared_ptr<const map::SurfelMap> terrain(const Setting& setting, Progress& progress) {
  const tools::TemporaryFolder folder;
  const auto file = folder.path() / "terrain.yaml";
  writeFile(file, fmt::format("place: recipe\nseed: 1\nsize: [{0}, {0}, 20]\n"
                              "start: [{1}, {1}, 0]\nspacing: 15cm\nrange_noise: 1cm\n"
                              "ground: {{relief: 1m, roughness: 2cm}}\nparts:\n"
                              "  - {{part: tree, height: 12m, radius: 0.25m, conifers: 0.2, "
                              "scale: [0.7, 1.4], scatter: {{count: {2}, gap: 8m}}}}\n"
                              "  - {{part: bush, radius: 0.8m, scale: [0.6, 1.5], "
                              "scatter: {{count: {3}}}}}\n",
                              setting.side, 0.5 * setting.side, setting.trees, setting.bushes));
  map::SurfelMapConfig config;
  config.resolution = setting.resolution;
  return map::loadSurfelMap(config::resolveMap(file.string()), config, progress).map;
}

scene::VegetationConfig plants(Extent extent) {
  scene::VegetationConfig vegetation = config::loadVegetation("courtyard");
  if (extent != Extent::kTest) return vegetation;
  vegetation.stands.resize(1);
  vegetation.stands[0].region = scene::StandConfig().region;
  vegetation.stands[0].density = 5.0;
  return vegetation;
}

sim::UavConfig robotWith(const std::string& sensor, const Setting& setting) {
  sim::UavConfig robot;
  robot.vehicle = config::loadVehicle("jackal");
  robot.controller = config::loadController("default");
  robot.start_p_WB = {setting.start.x(), setting.start.y(), 5.0};
  const Vector2d way = setting.goal - setting.start;
  robot.start_yaw = std::atan2(way.y(), way.x());
  robot.lidar = config::loadLidar(sensor);
  robot.lidar->X_BS.p = {0.0, 0.0, kSensorHeight - robot.vehicle.ground_clearance};
  robot.lidar->beam.rays = setting.rays;
  if (robot.lidar->beam.divergence_horizontal == 0.0 && setting.rays > 1) {
    robot.lidar->beam.divergence_horizontal = 3.3e-3;
    robot.lidar->beam.divergence_vertical = 0.7e-3;
    robot.lidar->beam.shape = lidar::BeamConfig::Shape::kRectangle;
  }
  return robot;
}

// Steers towards a place of the route kLookAhead away.
void steer(sim::Uav& robot, const std::vector<Vector2d>& route) {
  const KinematicState& state = robot.state();
  const Vector2d here = state.X_WB.p.head<2>();
  const auto near = std::min_element(route.begin(), route.end(), [&](const auto& a, const auto& b) {
    return (a - here).norm() < (b - here).norm();
  });
  const auto ahead = std::find_if(
      near, route.end(), [&](const Vector2d& p) { return (p - here).norm() > kLookAhead; });
  const Vector2d way = (ahead == route.end() ? route.back() : *ahead) - here;
  const double off = wrapAngle(std::atan2(way.y(), way.x()) - yawOf(state.X_WB.q));
  robot.pilot().commander().setVelocity({Vector3d(kSpeed * std::max(std::cos(off), 0.0), 0.0, 0.0),
                                         std::clamp(2.0 * off, -kTurn, kTurn), true},
                                        state.stamp);
}

double lengthOf(const std::vector<Vector2d>& way) {
  double length = 0.0;
  for (std::size_t i = 1; i < way.size(); ++i) length += (way[i] - way[i - 1]).norm();
  return length;
}

/// A drive with one sensor.
struct Drive {
  CostMap costs;
  std::vector<Vector2d> route, driven;
  std::size_t returns = 0, of_plants = 0;
  int contacts = 0;
  double seconds = 0.0;  // of wall time
};

Drive driven(sim::World& world, const std::string& sensor, const Setting& setting) {
  Drive drive{CostMap(0.5 * (setting.start + setting.goal)), {}, {}};
  sim::Uav& robot = world.addUav(robotWith(sensor, setting));
  robot.on_contact = [&](const collision::ContactEvent& event) { drive.contacts += event.begins; };
  robot.on_scan = [&](const lidar::Scan& scan) {
    drive.costs.add(scan);
    drive.returns += scan.points.size();
    for (const lidar::ScanPoint& point : scan.points) {
      drive.of_plants += scene::isPlant(point.identity) ? 1U : 0U;
    }
  };
  const auto plan = [&] {
    const Vector3d p = robot.state().X_WB.p;
    drive.costs.update(p.z() - robot.platform().config().ground_clearance);
    drive.route = drive.costs.route(p.head<2>(), setting.goal);
  };
  const TimeNs end = toNs(setting.seconds);
  drive.seconds = 1e-3 * benchmarks::millisecondsOf([&] {
                    for (TimeNs t = 0; t < end; t += toNs(kPeriod)) {
                      if (t % toNs(kPlanPeriod) == 0) plan();
                      if (!drive.route.empty() && drive.returns > 0) steer(robot, drive.route);
                      drive.driven.emplace_back(robot.state().X_WB.p.head<2>());
                      world.runFor(kPeriod);
                    }
                  });
  drive.driven.emplace_back(robot.state().X_WB.p.head<2>());
  plan();
  return drive;
}

suite::Chart chartOf(const std::string& sensor, const Drive& drive, const Setting& setting) {
  suite::Chart chart;
  chart.title = sensor + ": cells above the negotiable height, route and driven way";
  chart.x_label = "x [m]";
  chart.y_label = "y [m]";
  chart.equal_scale = true;
  chart.height = 520.0;
  chart.curves = {{"blocked", "u0", drive.costs.rows(1.0, std::numeric_limits<double>::max())},
                  {"route", "u1 d1", drive.route},
                  {"driven", "u1", drive.driven}};
  chart.marks = {{setting.start, "start", ""}, {setting.goal, "goal", ""}};
  return chart;
}

}  // namespace

Reproduction reproduceGroundRobot(Extent extent, Progress& progress) {
  const Setting setting = settingOf(extent);
  progress.phase("terrain");
  const auto map = terrain(setting, progress);
  const scene::Vegetation vegetation = lidar::vegetationOn(map, plants(extent), "ground_robot");
  Reproduction result;
  if (extent == Extent::kQuick) result.skipped.push_back("nine rays a beam: one is cast");
  const double straight = (setting.goal - setting.start).norm();
  FigureTable table{
      fmt::format("Drives of {} s towards a goal {:.0f} m away, rays a beam: {}", setting.seconds,
                  straight, setting.rays),
      {"sensor", "returns", "of plants", "cells seen", "blocking: all", "up to 20 m", "20 to 50 m",
       "beyond", "driven [m]", "contacts", "route [m]", "wall time [s]"},
      {}};
  for (const std::string& sensor : setting.sensors) {
    progress.phase(sensor);
    lidar::RendererConfig renderer;
    renderer.threads = 2;
    sim::World world(map, {lidar::makeRayCaster(map, renderer), nullptr, renderer});
    world.addVegetation(vegetation, "ground_robot");
    const Drive drive = driven(world, sensor, setting);
    const Vector2d here = drive.driven.back();
    const auto blocking = [&](double from, double to) {
      return fmt::format("{}", drive.costs.blocking(here, from, to));
    };
    const double far = std::numeric_limits<double>::infinity();
    table.rows.push_back(
        {sensor, fmt::format("{}", drive.returns), fmt::format("{}", drive.of_plants),
         fmt::format("{}", drive.costs.seen()), blocking(0.0, far), blocking(0.0, 20.0),
         blocking(20.0, 50.0), blocking(50.0, far), fmt::format("{:.2f}", lengthOf(drive.driven)),
         fmt::format("{}", drive.contacts), fmt::format("{:.1f}", lengthOf(drive.route)),
         fmt::format("{:.1f}", drive.seconds)});
    const double least = 0.9 * kSpeed * (setting.seconds - 1.0);
    result.criteria.push_back({sensor + ": driven [m]", lengthOf(drive.driven), least});
    result.criteria.push_back(
        {sensor + ": contacts", static_cast<double>(drive.contacts), 0.0, kMostContacts});
    result.criteria.push_back({sensor + ": route from the end by the straight line",
                               lengthOf(drive.route) / (setting.goal - here).norm(), 1.0,
                               kLongestRoute});
    result.charts.push_back(chartOf(sensor, drive, setting));
  }
  result.tables.push_back(std::move(table));
  return result;
}

}  // namespace marsim::reproduce
