// SPDX-License-Identifier: BSD-3-Clause
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "marsim/lidar/renderer.hpp"
#include "marsim/sim/depth_sensor.hpp"
#include "marsim/sim/lidar_sensor.hpp"
#include "marsim/sim/world.hpp"
#include "vehicle/vehicles.hpp"

namespace marsim::sim {
namespace {

constexpr TimeNs kMs = 1'000'000;

std::shared_ptr<const map::SurfelMap> wall() {
  map::SurfelMapConfig config;
  config.resolution = 0.2;
  std::vector<map::Surfel> surfels;
  for (float y = -4.0F; y <= 4.0F; y += 0.2F) {
    for (float z = -4.0F; z <= 4.0F; z += 0.2F) {
      surfels.push_back({{4.0F, y, z}, {1.0F, 0.0F, 0.0F}, 0.001F});
    }
  }
  return std::make_shared<const map::SurfelMap>(std::move(surfels), config);
}

lidar::LidarConfig lidarConfig() {
  lidar::LidarConfig config;
  config.name = "test";
  config.rate = 10.0;
  lidar::SpinningPatternConfig pattern;
  pattern.channels.push_back({0.0, 0.0, 0.0});
  pattern.cycle_period = 1e-3;
  pattern.rotation_rate = 2.0 * 3.14159265358979 * 10.0;
  config.pattern = pattern;
  return config;
}

lidar::DepthCameraConfig cameraConfig() {
  lidar::DepthCameraConfig config;
  config.name = "test";
  config.width = 32;
  config.height = 24;
  config.fx = config.fy = 30.0;
  config.cx = 15.5;
  config.cy = 11.5;
  config.rate = 5.0;
  config.X_BC.q = lidar::opticalRotation();
  return config;
}

VehicleReport reportAt(TimeNs stamp, std::uint32_t placements = 0) {
  VehicleReport report;
  report.motion.stamp = stamp;
  report.motion.X_WB.p.x() = 1e-9 * static_cast<double>(stamp);
  report.motion.v_WB.x() = 1.0;
  report.placements = placements;
  return report;
}

std::vector<TimeNs> beginsOf(const std::vector<LidarSensor::Interval>& due) {
  std::vector<TimeNs> begins;
  for (const LidarSensor::Interval& interval : due) {
    EXPECT_EQ(interval.end - interval.begin, 100 * kMs);
    EXPECT_TRUE(interval.motion.covers(interval.begin, interval.end));
    begins.push_back(interval.begin);
  }
  return begins;
}

TEST(LidarSensor, ScansWholeMultiplesOfItsPeriodThatTheMotionCovers) {
  LidarSensor sensor(lidarConfig(), lidar::makeRayCaster(wall(), {}), 1);
  std::vector<TimeNs> begins;
  // From 30 ms on: the first whole interval is that of 100 ms.
  for (TimeNs stamp = 30 * kMs; stamp <= 410 * kMs; stamp += 2 * kMs) {
    const auto due = sensor.take(reportAt(stamp));
    EXPECT_TRUE(sensor.take(reportAt(stamp)).empty()) << "the same again";
    for (const TimeNs begin : beginsOf(due)) {
      EXPECT_EQ(begin + 100 * kMs, stamp) << "due as soon as it is covered";
      begins.push_back(begin);
    }
  }
  EXPECT_EQ(begins, (std::vector<TimeNs>{100 * kMs, 200 * kMs, 300 * kMs}));
}

TEST(LidarSensor, NoScanReachesAcrossALeap) {
  LidarSensor sensor(lidarConfig(), lidar::makeRayCaster(wall(), {}), 1);
  const auto run = [&](TimeNs from, TimeNs to, std::uint32_t placements) {
    std::vector<TimeNs> begins;
    for (TimeNs stamp = from; stamp <= to; stamp += 2 * kMs) {
      for (const TimeNs begin : beginsOf(sensor.take(reportAt(stamp, placements)))) {
        begins.push_back(begin);
      }
    }
    return begins;
  };
  EXPECT_EQ(run(0, 150 * kMs, 1), std::vector<TimeNs>{0});
  EXPECT_EQ(run(152 * kMs, 310 * kMs, 2), std::vector<TimeNs>{200 * kMs}) << "put elsewhere";
  EXPECT_EQ(run(20 * kMs, 210 * kMs, 2), std::vector<TimeNs>{100 * kMs}) << "begun anew";
  constexpr TimeNs kLater = 3600 * kNsPerSecond;
  EXPECT_EQ(run(kLater + 20 * kMs, kLater + 210 * kMs, 2), std::vector<TimeNs>{kLater + 100 * kMs})
      << "after a gap";
}

// Offset 7 ms, drift 1000 ppm; the scans themselves do not change.
TEST(LidarSensor, StampsAreThoseOfItsClock) {
  lidar::LidarConfig config = lidarConfig();
  LidarSensor perfect(config, lidar::makeRayCaster(wall(), {}), 1);
  config.clock.offset = 0.007;
  config.clock.drift = 1e-3;
  LidarSensor sensor(config, lidar::makeRayCaster(wall(), {}), 1);
  config.clock.drops = 0.5;
  LidarSensor lossy(config, lidar::makeRayCaster(wall(), {}), 1);
  std::size_t kept = 0;
  TimeNs next = 0;
  for (TimeNs stamp = 0; stamp <= 2000 * kMs; stamp += 20 * kMs) {
    const auto due = sensor.take(reportAt(stamp)), truly_due = perfect.take(reportAt(stamp));
    ASSERT_EQ(due.size(), truly_due.size());
    kept += lossy.take(reportAt(stamp)).size();
    for (std::size_t i = 0; i < due.size(); ++i, next += 100 * kMs) {
      const lidar::Scan scan = sensor.scan(due[i], {}), truth = perfect.scan(truly_due[i], {});
      EXPECT_EQ(truth.stamp, next);
      EXPECT_EQ(scan.stamp, next + 7 * kMs + next / 1000);
      EXPECT_EQ(scan.X_WS.p, truth.X_WS.p);
      ASSERT_EQ(scan.points.size(), truth.points.size());
    }
  }
  EXPECT_EQ(next, 2000 * kMs);
  EXPECT_GT(kept, 3U);
  EXPECT_LT(kept, 17U);
}

// Firings every 0.7 ms do not begin with the interval of 100 ms.
TEST(LidarSensor, AScanIsStampedAtItsFirstFiring) {
  lidar::LidarConfig config = lidarConfig();
  std::get<lidar::SpinningPatternConfig>(config.pattern).cycle_period = 0.7e-3;
  LidarSensor perfect(config, lidar::makeRayCaster(wall(), {}), 1);
  config.clock.offset = 0.007;
  LidarSensor sensor(config, lidar::makeRayCaster(wall(), {}), 1);
  for (TimeNs stamp = 0; stamp <= 300 * kMs; stamp += 20 * kMs) {
    const auto due = sensor.take(reportAt(stamp)), truly_due = perfect.take(reportAt(stamp));
    ASSERT_EQ(due.size(), truly_due.size());
    for (std::size_t i = 0; i < due.size(); ++i) {
      const lidar::Scan scan = sensor.scan(due[i], {}), truth = perfect.scan(truly_due[i], {});
      const TimeNs first = (truly_due[i].begin + 699'999) / 700'000 * 700'000;
      EXPECT_EQ(truth.stamp, first);
      EXPECT_EQ(scan.stamp, first + 7 * kMs);
      EXPECT_NEAR(truth.X_WS.p.x(), toSeconds(first), 1e-9) << "the pose at that time";
    }
  }
}

TEST(DepthSensor, StampsAreThoseOfItsClock) {
  lidar::DepthCameraConfig config = cameraConfig();
  config.subpixel_error = 0.1;
  config.baseline = 0.05;
  DepthSensor perfect(config, lidar::makeRayCaster(wall(), {}));
  config.clock.offset = 0.007;
  DepthSensor sensor(config, lidar::makeRayCaster(wall(), {}));
  const auto due = sensor.take(reportAt(0)), truly_due = perfect.take(reportAt(0));
  ASSERT_EQ(due.size(), 1U);
  const lidar::DepthImage image = sensor.image(due[0], {});
  EXPECT_EQ(image.stamp, 7 * kMs);
  EXPECT_EQ(image.depth, perfect.image(truly_due[0], {}).depth);
}

TEST(DepthSensor, SeesAtWholeMultiplesOfItsPeriod) {
  DepthSensor sensor(cameraConfig(), lidar::makeRayCaster(wall(), {}));
  std::vector<TimeNs> stamps;
  const auto run = [&](TimeNs from, TimeNs to, std::uint32_t placements) {
    for (TimeNs stamp = from; stamp <= to; stamp += 3 * kMs) {  // no multiple of which is 200 ms
      for (const DepthSensor::Instant& due : sensor.take(reportAt(stamp, placements))) {
        EXPECT_NEAR(due.X_WB.p.x(), toSeconds(due.stamp), 1e-6) << "interpolated";
        EXPECT_LT(stamp - due.stamp, 3 * kMs);
        stamps.push_back(due.stamp);
      }
    }
  };
  run(0, 500 * kMs, 1);
  EXPECT_EQ(stamps, (std::vector<TimeNs>{0, 200 * kMs, 400 * kMs}));
  stamps.clear();
  run(503 * kMs, 900 * kMs, 2);
  EXPECT_EQ(stamps, (std::vector<TimeNs>{600 * kMs, 800 * kMs}));
}

// A wall 4 m ahead.
TEST(World, CamerasOfUavsSeeTheMap) {
  World world(wall(), {}, -10.0);
  UavConfig config;
  config.vehicle = vehicle::hummingbird();
  config.depth = cameraConfig();
  Uav& uav = world.addUav(config);
  std::vector<lidar::DepthImage> images;
  uav.on_image = [&](const lidar::DepthImage& image) { images.push_back(image); };
  for (int i = 0; i < 1000; ++i) world.step();
  ASSERT_EQ(images.size(), 6U);
  for (std::size_t i = 0; i < images.size(); ++i) {
    EXPECT_EQ(images[i].stamp, static_cast<TimeNs>(i) * 200 * kMs);
    EXPECT_NEAR(images[i].depth[12 * 32 + 16], 4.0F, 2e-3F);
  }
}

TEST(World, StereoPairsAreOfOneInstant) {
  World world(wall(), {}, -10.0);
  UavConfig config;
  config.vehicle = vehicle::hummingbird();
  lidar::CameraRigConfig& rig = config.cameras.emplace();
  rig.name = "pair";
  rig.rate = 10.0;
  for (const char* name : {"left", "right"}) {
    lidar::CameraConfig& camera = rig.cameras.emplace_back();
    camera.name = name;
    camera.model = {lidar::CameraModel::Projection::kPinhole, 32, 24, 20.0, 20.0, 15.5, 11.5, {}};
    camera.X_BC.q = lidar::opticalRotation();
  }
  Uav& uav = world.addUav(config);
  std::vector<TimeNs> stamps[2];
  std::vector<std::vector<std::uint8_t>> pixels;
  uav.on_camera_image = [&](std::size_t camera, const lidar::CameraImage& image, const auto&) {
    stamps[camera].push_back(image.stamp);
    pixels.push_back(image.pixels);
  };
  for (int i = 0; i < 450; ++i) world.step();
  EXPECT_EQ(stamps[0], (std::vector<TimeNs>{0, 100 * kMs, 200 * kMs, 300 * kMs, 400 * kMs}));
  EXPECT_EQ(stamps[1], stamps[0]);
  EXPECT_NE(pixels[0], pixels[1]) << "each has noise of its own";
}

TEST(CameraRig, ImagesMadeAtOnceAreThoseOfTheCamerasAlone) {
  lidar::CameraRigConfig config;
  config.name = "five";
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    lidar::CameraConfig& camera = config.cameras.emplace_back();
    camera.name = name;
    camera.model = {lidar::CameraModel::Projection::kPinhole, 32, 24, 20.0, 20.0, 15.5, 11.5, {}};
    camera.X_BC.q = lidar::opticalRotation();
    camera.X_BC.p.y() = 0.1 * static_cast<double>(config.cameras.size());
  }
  const auto map = wall();
  const lidar::CameraRenderers renderers{map, lidar::makeRayCaster(map, {}),
                                         lidar::makeDepthImageRenderer(map, {}), 3};
  CameraRig rig(config, renderers);
  VehicleReport report;
  report.motion.X_WB.p = {0.0, 0.0, 1.0};
  const std::vector<CameraRig::Instant> due = rig.take(report);
  ASSERT_EQ(due.size(), 1U);
  const std::vector<std::size_t> asked = {4, 0, 3, 1};
  const std::vector<lidar::CameraImage> images = rig.images(asked, due[0], {});
  ASSERT_EQ(images.size(), asked.size());
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const lidar::CameraImage alone =
        rig.cameras()[asked[i]].imageAlong(due[0].stamp, due[0].motion, {});
    EXPECT_EQ(images[i].pixels, alone.pixels) << asked[i];
    EXPECT_EQ(images[i].X_WC.p, alone.X_WC.p) << asked[i];
  }
  EXPECT_NE(images[0].pixels, images[1].pixels);
}

// The light of the first image is taken in before the vehicle moves.
TEST(World, BlurredImagesBeginAtTheStart) {
  World world(wall(), {}, -10.0);
  UavConfig config;
  config.vehicle = vehicle::hummingbird();
  lidar::CameraRigConfig& rig = config.cameras.emplace();
  rig.name = "blurred";
  rig.rate = 10.0;
  lidar::CameraConfig& camera = rig.cameras.emplace_back();
  camera.model = {lidar::CameraModel::Projection::kPinhole, 32, 24, 20.0, 20.0, 15.5, 11.5, {}};
  camera.X_BC.q = lidar::opticalRotation();
  camera.subframes = 3;
  Uav& uav = world.addUav(config);
  std::vector<TimeNs> stamps;
  uav.on_camera_image = [&](std::size_t, const lidar::CameraImage& image, const auto&) {
    stamps.push_back(image.stamp);
  };
  for (int i = 0; i < 250; ++i) world.step();
  EXPECT_EQ(stamps, (std::vector<TimeNs>{0, 100 * kMs, 200 * kMs}));
}

TEST(World, RollingShuttersFollowTheVehicle) {
  World world(wall(), {}, -10.0);
  UavConfig config;
  config.vehicle = vehicle::hummingbird();
  config.start_p_WB = {0.0, 0.0, 1.0};
  lidar::CameraRigConfig& rig = config.cameras.emplace();
  rig.name = "rolling";
  rig.rate = 10.0;
  lidar::CameraConfig& camera = rig.cameras.emplace_back();
  camera.model = {lidar::CameraModel::Projection::kPinhole, 32, 24, 20.0, 20.0, 15.5, 11.5, {}};
  camera.X_BC.q = lidar::opticalRotation();
  camera.readout = 0.03;
  Uav& uav = world.addUav(config);
  uav.setGoal({5.0, 0.0, 1.0}, 0.0);
  std::map<TimeNs, Eigen::Vector3d> places;
  std::vector<lidar::CameraImage> images;
  uav.on_report = [&](const VehicleReport& report) {
    places[report.motion.stamp] = report.motion.X_WB.p;
  };
  uav.on_camera_image = [&](std::size_t, const lidar::CameraImage& image, const auto&) {
    images.push_back(image);
  };
  for (int i = 0; i < 1025; ++i) world.step();
  ASSERT_EQ(images.size(), 10U) << "that of 1 s is not over";
  const lidar::CameraImage& last = images.back();
  ASSERT_EQ(last.X_WC_of_rows.size(), 24U);
  EXPECT_LT((last.X_WC_of_rows.front().p - places.at(last.stamp)).norm(), 1e-9);
  EXPECT_LT((last.X_WC_of_rows.back().p - places.at(last.stamp + 30 * kMs)).norm(), 1e-9);
  EXPECT_GT((last.X_WC_of_rows.back().p - last.X_WC.p).norm(), 0.003) << "it moves";
}

}  // namespace
}  // namespace marsim::sim
