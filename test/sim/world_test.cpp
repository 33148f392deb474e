#include <cmath>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "marsim/common/units.hpp"
#include "marsim/geometry/kd_tree.hpp"
#include "marsim/sim/world.hpp"
#include "vehicle/vehicles.hpp"

namespace marsim::sim {
namespace {

using Eigen::Vector3d;

// A floor at z = 0 and a wall at x = 6 m, of planar surfels.
std::shared_ptr<const map::SurfelMap> room() {
  map::SurfelMapConfig config;
  config.resolution = 0.2;
  std::vector<map::Surfel> surfels;
  for (float y = -6.0F; y <= 6.0F; y += 0.2F) {
    for (float x = -6.0F; x <= 6.0F; x += 0.2F) {
      surfels.push_back({{x, y, 0.0F}, {0.0F, 0.0F, 1.0F}, 0.001F});
    }
    for (float z = 0.2F; z <= 6.0F; z += 0.2F) {
      surfels.push_back({{6.0F, y, z}, {1.0F, 0.0F, 0.0F}, 0.001F});
    }
  }
  return std::make_shared<const map::SurfelMap>(std::move(surfels), config);
}

UavConfig uavConfig() {
  UavConfig config;
  config.vehicle = vehicle::hummingbird();
  config.start_p_WB = {0.0, 0.0, 2.0};
  lidar::LidarConfig lidar;
  lidar.name = "test";
  lidar.rate = 30.0;  // its period is no whole number of nanoseconds, nor of steps
  lidar.range_max = 20.0;
  lidar.X_BS.p = {0.0, 0.0, 0.1};
  lidar::SpinningPatternConfig pattern;
  for (int ring = -4; ring <= 4; ++ring) {
    pattern.channels.push_back({radians(5.0 * ring), 0.0, 10e-6 * (ring + 4)});
  }
  pattern.cycle_period = 200e-6;
  pattern.rotation_rate = -2.0 * kPi * 30.0;
  lidar.pattern = pattern;
  config.lidar = lidar;
  return config;
}

TEST(World, GroundIsTheLowestPointOfTheMapUnlessGiven) {
  const auto map = room();
  EXPECT_EQ(World(map, {}).groundZ(), 0.0);
  EXPECT_EQ(World(map, {}, -2.5).groundZ(), -2.5);
}

TEST(World, ScansAdjoinAndLieOnTheMapAlsoInFlight) {
  World world(room(), {});
  Uav& uav = world.addUav(uavConfig());
  std::vector<lidar::Scan> scans;
  uav.on_scan = [&](const lidar::Scan& scan) { scans.push_back(scan); };
  uav.setGoal({2.0, 1.0, 3.0}, 1.0);
  for (int i = 0; i < 3000; ++i) world.step();
  ASSERT_GE(scans.size(), 89U);
  ASSERT_LE(scans.size(), 90U);
  for (std::size_t k = 0; k < scans.size(); ++k) {
    const TimeNs begin = toNs(static_cast<double>(k) / 30.0);
    EXPECT_GE(scans[k].stamp, begin);
    EXPECT_LT(scans[k].stamp, begin + 1'000'000);
    EXPECT_EQ(scans[k].end, toNs(static_cast<double>(k + 1) / 30.0));
    ASSERT_GT(scans[k].points.size(), 300U);
    for (const lidar::ScanPoint& point : scans[k].points) {
      const float to_floor = std::abs(point.p_W.z()), to_wall = std::abs(point.p_W.x() - 6.0F);
      ASSERT_LT(std::min(to_floor, to_wall), 1e-3F);
    }
  }
}

// Where in the other's body a point lies that was seen on it.
Vector3d inBody(const lidar::ScanPoint& point, TimeNs stamp, const StateHistory& motion) {
  const TimeNs at = stamp + toNs(static_cast<double>(point.time));
  return motion.poseAt(at).inverse() * point.p_W.cast<double>();
}

TEST(World, UavsSeeEachOtherWhereTheyAreAtThePointsTimes) {
  World world(room(), {});
  UavConfig config = uavConfig();
  Uav& viewer = world.addUav(config);
  config.start_p_WB = {3.0, -2.0, 2.0};
  config.start_yaw = 0.4;
  Uav& other = world.addUav(config);
  StateHistory flown;
  other.on_report = [&](const VehicleReport& report) { flown.push(report.motion); };
  const KdTree body(bodyShapeOf(config.vehicle)->positions().points);
  int on_body = 0, beside = 0;
  viewer.on_scan = [&](const lidar::Scan& scan) {
    for (const lidar::ScanPoint& point : scan.points) {
      if (point.identity == scene::kMapIdentity) continue;
      EXPECT_EQ(point.identity, 1U);
      const Vector3d p_B = inBody(point, scan.stamp, flown);
      (body.nearest(p_B.cast<float>()).distance < 0.02F ? on_body : beside) += 1;
    }
  };
  viewer.setGoal({0.0, 0.5, 2.2}, 0.3);
  other.setGoal({3.0, 2.0, 2.5}, -2.0);
  for (int i = 0; i < 3000; ++i) world.step();
  EXPECT_GT(on_body, 50);
  EXPECT_EQ(beside, 0);
}

TEST(World, RepeatsItsScansByteForByte) {
  const auto map = room();
  const auto flown = [&](std::uint64_t seed) {
    World world(map, {});
    UavConfig config = uavConfig();
    config.seed = seed;
    config.lidar->noise.range_sigma = 0.02;
    config.lidar->noise.angular_sigma = 1e-3;
    config.lidar->noise.false_returns = 0.01;
    Uav& first = world.addUav(config);
    UavConfig aside = uavConfig();
    aside.start_p_WB.y() = -3.0;
    world.addUav(aside);
    std::vector<float> values;
    first.on_scan = [&](const lidar::Scan& scan) {
      for (const lidar::ScanPoint& point : scan.points) {
        values.insert(values.end(), {point.p_S.x(), point.p_S.y(), point.p_S.z(), point.p_W.x(),
                                     point.p_W.y(), point.p_W.z(), point.range, point.time});
      }
    };
    first.setGoal({1.0, 2.0, 2.0}, 0.5);
    for (int i = 0; i < 1000; ++i) world.step();
    return values;
  };
  const std::vector<float> a = flown(1), b = flown(1), other = flown(2);
  ASSERT_GT(a.size(), 10000U);
  ASSERT_EQ(a.size(), b.size());
  EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(float)), 0);
  EXPECT_NE(a, other) << "another seed is another noise";
}

}  // namespace
}  // namespace marsim::sim
