// SPDX-License-Identifier: BSD-3-Clause
// Every sensor that comes with the simulator, by OpenGL and by the processor.

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "lidar/renderer_suite.hpp"
#include "marsim/config/load.hpp"
#include "marsim/lidar/lidar.hpp"
#include "marsim/sim/world.hpp"

namespace marsim::lidar {
namespace {

constexpr TimeNs kBegin = 123'456'789;
constexpr double kShots = 700;  // of a sensor, about: software renders them

/// 5 m/s and 2 rad/s about the middle of the room.
StateHistory flight() {
  StateHistory states;
  for (TimeNs t = 0; t <= 300'000'000; t += 2'000'000) {
    const double s = toSeconds(t - kBegin);
    KinematicState state;
    state.stamp = t;
    state.X_WB = {fromRollPitchYaw(0.1, -0.05, 0.4 + 2.0 * s), {5.0 * s, 0.2, -0.1}};
    state.v_WB = {5.0, 0.0, 0.0};
    state.w_WB_B = {0.0, 0.0, 2.0};
    states.push(state);
  }
  return states;
}

/// A ball of 0.4 m that crosses the view at 4 m/s.
MovingObject passer(double azimuth) {
  MovingObject object;
  object.shape = scatteredMap(9, 300, 0.3, 0.15, Kind::kMixed);
  object.identity = 12;
  const Eigen::Vector3d ahead(1.8 * std::cos(azimuth), 1.8 * std::sin(azimuth), 0.0);
  object.X_WM = {Pose{fromRollPitchYaw(0, 0, 0), ahead},
                 Pose{fromRollPitchYaw(0, 0.2, 0.5), ahead + Eigen::Vector3d(0.0, 0.4, 0.0)}};
  object.step = 0.1;
  return object;
}

class EverySensor : public testing::TestWithParam<Maker> {};
INSTANTIATE_TEST_SUITE_P(All, EverySensor, testing::ValuesIn(fewMakers()), labelOf);

/// Comparison of two renderers' scans.
struct Reported {
  std::size_t points = 0, of_objects = 0, different = 0;

  void compare(const Scan& scan, const Scan& expected) {
    EXPECT_EQ(scan.rays, expected.rays);
    EXPECT_EQ(scan.stamp, expected.stamp);
    auto at = scan.points.begin();
    for (const ScanPoint& point : expected.points) {
      while (at != scan.points.end() && at->shot < point.shot) ++at;
      const bool both = at != scan.points.end() && at->shot == point.shot;
      ++points;
      different += both && equal(*at, point) ? 0 : 1;
      of_objects += point.identity == 12U ? 1 : 0;
    }
    const auto more = static_cast<std::ptrdiff_t>(scan.points.size() - expected.points.size());
    different += static_cast<std::size_t>(std::abs(more));
  }
  // Intensities are whole numbers and may fall to either side.
  static bool equal(const ScanPoint& a, const ScanPoint& b) {
    return std::abs(a.range - b.range) < 2e-3F && (a.p_W - b.p_W).norm() < 3e-3F &&
           (a.p_S - b.p_S).norm() < 3e-3F && std::abs(a.intensity - b.intensity) <= 1.0F &&
           a.identity == b.identity && a.time == b.time && a.ring == b.ring && a.line == b.line;
  }
};

// As the sensors' files say: pattern, field of view, mounting, noise, intensities, in flight and
// among objects that move.
TEST_P(EverySensor, ReportsWhatItReportsByTheProcessor) {
  const Map room = storedFor(GetParam(), roomMap({4.0, 3.0, 2.0}, 0.1, Kind::kMixed));
  const std::shared_ptr<const RayRenderer> gl = GetParam().make(room, {}).rays;
  const std::shared_ptr<const RayRenderer> cpu = makeRayCaster(room, {});
  const StateHistory history = flight();
  const std::vector<MovingObject> objects = {passer(0.4), passer(2.0)};
  Reported reported;
  for (const std::string& name : config::knownNames("lidar")) {
    SCOPED_TRACE(name);
    const LidarConfig config = config::loadLidar(name);
    const double rate = makePattern(config.pattern)->pointsPerSecond();
    const TimeNs end = kBegin + toNs(std::min(kShots / rate, 0.1));
    Lidar by_gl(config, gl, 3), by_cpu(config, cpu, 3);
    reported.compare(by_gl.scan(kBegin, end, history, objects),
                     by_cpu.scan(kBegin, end, history, objects));
  }
  EXPECT_GT(reported.points, 2'000U);
  EXPECT_GT(reported.of_objects, 50U);
  EXPECT_LT(reported.different, std::max<std::size_t>(3, reported.points / 500));
}

/// Scans of two UAVs that see each other, 0.3 s of flight.
std::vector<Scan> scansOfAWorld(const Map& map, std::shared_ptr<const RayRenderer> renderer) {
  sim::World world(map, {std::move(renderer)}, -2.0);
  sim::UavConfig config;
  config.vehicle = config::loadVehicle("hummingbird");
  config.controller = config::loadController("default");
  config.lidar = config::loadLidar("vlp16");
  config.lidar->azimuth_min = radians(-20.0);
  config.lidar->azimuth_max = radians(20.0);
  std::vector<Scan> scans;
  for (const double x : {-1.0, 1.0}) {
    config.start_p_WB = {x, 0.0, 0.0};
    config.start_yaw = x < 0.0 ? 0.0 : kPi;
    sim::Uav& uav = world.addUav(config);
    uav.setGoal({x, 0.5, 0.5}, config.start_yaw);
    uav.on_scan = [&scans](const Scan& scan) { scans.push_back(scan); };
  }
  for (int step = 0; step < 300; ++step) world.step();
  return scans;
}

// A world takes whatever renders; the flight does not depend on it.
TEST_P(EverySensor, UavsSeeEachOther) {
  const Map room = storedFor(GetParam(), roomMap({4.0, 3.0, 2.0}, 0.1, Kind::kMixed));
  const std::vector<Scan> scans = scansOfAWorld(room, GetParam().make(room, {}).rays);
  const std::vector<Scan> expected = scansOfAWorld(room, makeRayCaster(room, {}));
  ASSERT_EQ(scans.size(), expected.size());
  ASSERT_GE(scans.size(), 4U);
  Reported reported;
  std::size_t of_uavs = 0;
  for (std::size_t i = 0; i < scans.size(); ++i) {
    reported.compare(scans[i], expected[i]);
    for (const ScanPoint& point : scans[i].points) of_uavs += point.identity <= 1U ? 1 : 0;
  }
  EXPECT_GT(of_uavs, 20U);
  EXPECT_LT(reported.different, std::max<std::size_t>(3, reported.points / 500));
}

}  // namespace
}  // namespace marsim::lidar
