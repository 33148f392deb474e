// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"
#include "marsim/geometry/kd_tree.hpp"
#include "marsim/sim/world.hpp"
#include "rounded.hpp"
#include "vehicle/vehicles.hpp"

namespace marsim::sim {
namespace {

using Eigen::Vector3d;

// A floor at z = 0 and a wall, of planar surfels.
std::shared_ptr<const map::SurfelMap> room(float wall_x = 6.0F) {
  map::SurfelMapConfig config;
  config.resolution = 0.2;
  std::vector<map::Surfel> surfels;
  for (float y = -6.0F; y <= 6.0F; y += 0.2F) {
    for (float x = -6.0F; x <= 6.0F; x += 0.2F) {
      surfels.push_back({{x, y, 0.0F}, {0.0F, 0.0F, 1.0F}, 0.001F});
    }
    for (float z = 0.2F; z <= 6.0F; z += 0.2F) {
      surfels.push_back({{wall_x, y, z}, {1.0F, 0.0F, 0.0F}, 0.001F});
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

TEST(World, MakesItsRenderersByTheirConfig) {
  Renderers renderers;
  renderers.config.threads = -1;
  EXPECT_THROW(World(room(), renderers), ConfigError);
}

TEST(World, RunsForATimeRoundedUpToWholeSteps) {
  World world(room(), {});
  world.runFor(1.0);
  EXPECT_EQ(world.time(), 0) << "no UAV, no time";
  Uav& uav = world.addUav(uavConfig());
  ASSERT_EQ(world.uavs().size(), 1U);
  EXPECT_EQ(world.uavs()[0].get(), &uav);
  world.runFor(0.25);
  EXPECT_EQ(world.time(), 250'000'000);
  EXPECT_EQ(uav.state().stamp, 250'000'000);
  world.runFor(0.0101);
  EXPECT_EQ(world.time(), 261'000'000);
  world.runFor(0.0);
  EXPECT_EQ(world.time(), 261'000'000);
}

TEST(World, RefusesUavsThatWouldStepAtOtherTimes) {
  World world(room(), {});
  UavConfig config = uavConfig();
  world.addUav(config);
  config.rates.dynamics = 500.0;
  EXPECT_THROW(world.addUav(config), ConfigError);
  config.rates.dynamics = 1000.0;
  world.addUav(config);
  world.step();
  EXPECT_THROW(world.addUav(config), Error);
  EXPECT_EQ(world.uavs().size(), 2U);
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

// A row of stems before the wall is seen as it stands, and told as a contact where it is an
// obstacle.
TEST(World, VegetationIsSeenAndHitWhereItIsAnObstacle) {
  for (const bool is_obstacle : {false, true}) {
    scene::Vegetation stems;
    scene::Patch& patch = stems.patches.emplace_back();
    patch.is_obstacle = is_obstacle;
    for (float y = -2.0F; y <= 2.0F; y += 0.1F) {
      patch.cylinders.push_back({{3.0F, y, 0.0F}, {3.0F, y, 4.0F}, 0.02F, 100, 71});
    }
    stems.instances.emplace_back();
    World world(room(), {});
    world.addVegetation(stems, "stems");
    EXPECT_NEAR(world.clearances().at({3.0, 0.0, 2.0}).distance, is_obstacle ? 0.0 : 2.0, 0.11);
    UavConfig config = uavConfig();
    config.lidar->noise = {};
    Uav& uav = world.addUav(config);
    int of_stems = 0, contacts = 0;
    uav.on_scan = [&](const lidar::Scan& scan) {
      for (const lidar::ScanPoint& point : scan.points) {
        if (!scene::isPlant(point.identity)) continue;
        ++of_stems;
        ASSERT_EQ(point.semantic_class, 71);
        ASSERT_NEAR(point.p_W.x(), 3.0F, 0.021F);
      }
    };
    uav.on_contact = [&](const collision::ContactEvent&) { ++contacts; };
    uav.setGoal({4.5, 0.0, 2.0}, 0.0);
    while (uav.state().stamp < 4 * kNsPerSecond) world.step();
    EXPECT_GT(of_stems, 1000);
    EXPECT_EQ(contacts > 0, is_obstacle);
    EXPECT_NEAR(uav.state().X_WB.p.x(), 4.5, 0.2) << "contacts are told, and it flies on";
  }
}

TEST(World, LaterVegetationLeavesTheObstaclesOfTheFirst) {
  World world(room(), {});
  for (const float x : {3.0F, 4.0F}) {
    scene::Vegetation stem;
    scene::Patch& patch = stem.patches.emplace_back();
    patch.is_obstacle = true;
    patch.cylinders.push_back({{x, 0.0F, 0.0F}, {x, 0.0F, 4.0F}, 0.02F, 100, 71});
    stem.instances.emplace_back();
    world.addVegetation(stem, "stem");
  }
  EXPECT_NEAR(world.clearances().at({3.0, 0.0, 2.0}).distance, 0.0, 0.11);
  EXPECT_NEAR(world.clearances().at({4.0, 0.0, 2.0}).distance, 0.0, 0.11);
}

// A map whose wall is nearer tells which map a sensor sees. A stem hides both walls.
TEST(World, CamerasSeeAMapOfTheirOwnAndTheVegetation) {
  const auto seen = room(5.0F);
  for (const bool has_stem : {false, true}) {
    Renderers renderers;
    renderers.cameras = {seen, lidar::makeRayCaster(seen, {}),
                         lidar::makeDepthImageRenderer(seen, {})};
    World world(room(), renderers);
    if (has_stem) {
      scene::Vegetation stem;
      stem.patches.emplace_back().cylinders.push_back(
          {{3.0F, 0.0F, 0.0F}, {3.0F, 0.0F, 4.0F}, 0.2F, 100, 71});
      stem.instances.emplace_back();
      world.addVegetation(stem, "stem");
    }
    UavConfig config = uavConfig();
    config.lidar->noise = {};
    lidar::CameraConfig camera;
    camera.model.width = camera.model.height = 33;
    camera.model.fx = camera.model.fy = 30.0;
    camera.model.cx = camera.model.cy = 16.0;
    camera.X_BC.q = lidar::opticalRotation();
    config.cameras.emplace();
    config.cameras->name = "test";
    config.cameras->rate = 10.0;
    config.cameras->cameras = {camera};
    Uav& uav = world.addUav(config);
    int images = 0;
    uav.on_camera_image = [&](std::size_t, const lidar::CameraImage& image, auto) {
      ++images;
      EXPECT_NEAR(image.hits[33 * 16 + 16].range, has_stem ? 2.8 : 5.0, 0.05);
    };
    float farthest = 0.0F;
    uav.on_scan = [&](const lidar::Scan& scan) {
      for (const lidar::ScanPoint& point : scan.points) {
        farthest = std::max(farthest, point.p_W.x());
      }
    };
    world.runFor(0.5);
    EXPECT_GE(images, 3);
    EXPECT_NEAR(farthest, 6.0F, 0.01F);
  }
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

/// Sees nothing, and keeps the objects of the last scan or image.
class ObjectKeeper final : public lidar::RayCaster {
 public:
  using Hits = std::vector<lidar::Hit>;
  std::string name() const override { return "object_keeper"; }
  void cast(const std::vector<lidar::Ray>& rays, View<scene::MovingObject> seen,
            Hits& hits) const override {
    objects.assign(seen.begin(), seen.end());
    hits.assign(rays.size(), {});
  }
  void renderImage(const lidar::ImageGrid& grid, const Pose&, double,
                   View<scene::MovingObject> seen, Hits& hits) const override {
    objects.assign(seen.begin(), seen.end());
    hits.assign(grid.size(), {});
  }
  mutable std::vector<scene::MovingObject> objects;
};

// A viewer with a LiDAR and a camera whose images lie between the states that are told.
UavConfig viewerConfig() {
  UavConfig config = uavConfig();
  lidar::DepthCameraConfig camera;
  camera.name = "test";
  camera.width = camera.height = 4;
  camera.fx = camera.fy = 4.0;
  camera.rate = 30.0;
  config.depth = camera;
  return config;
}

/// Announcements of a UAV, as others know them from messages of single precision.
struct Told {
  std::vector<VehicleReport> reports;

  void tell(VehicleReport report) {
    KinematicState& motion = report.motion;
    for (Vector3d* v : {&motion.X_WB.p, &motion.v_WB, &motion.a_WB, &motion.w_WB_B}) {
      *v = rounded(*v);
    }
    motion.X_WB.q = Eigen::Quaterniond(rounded(motion.X_WB.q.coeffs())).normalized();
    reports.push_back(report);
  }
  // Between two states of one motion interpolated, then carried on.
  Pose at(TimeNs t, TimeNs known_until) const {
    const KinematicState *before = nullptr, *after = nullptr;
    std::uint32_t placements = 0;
    for (const VehicleReport& report : reports) {
      if (report.motion.stamp <= known_until) placements = report.placements;
    }
    for (const VehicleReport& report : reports) {
      if (report.placements != placements || report.motion.stamp > known_until) continue;
      if (report.motion.stamp <= t) before = &report.motion;
      if (report.motion.stamp > t && after == nullptr) after = &report.motion;
    }
    if (before == nullptr) return after->X_WB;
    if (after != nullptr) return interpolatePose(*before, *after, t);
    const double s = toSeconds(t - before->stamp);
    return {before->X_WB.q * expMap(s * before->w_WB_B),
            before->X_WB.p + s * before->v_WB + 0.5 * s * s * before->a_WB};
  }
};

// Scans and images show what was told 20 ms before they end, also across a placement.
TEST(World, UavsKnowOfEachOtherWhatWasTold20MsBefore) {
  constexpr TimeNs kMs = 1'000'000;
  const auto keeper = std::make_shared<ObjectKeeper>();
  World world(room(), {keeper, keeper});
  Uav& viewer = world.addUav(viewerConfig());
  UavConfig config = uavConfig();
  config.start_p_WB = {3.0, -2.0, 2.0};
  config.lidar.reset();
  Uav& other = world.addUav(config);
  Told told;
  std::uint32_t placements = 1;
  told.tell({other.state(), false, placements});
  other.on_report = [&](const VehicleReport& report) {
    const bool is_placed = report.placements != std::exchange(placements, report.placements);
    if (is_placed || report.motion.stamp % (20 * kMs) == 0) told.tell(report);
  };
  int poses = 0;
  const auto check = [&](TimeNs begin, TimeNs end) {
    ASSERT_EQ(keeper->objects.size(), end < 20 * kMs ? 0U : 1U) << end;
    if (keeper->objects.empty()) return;
    const std::vector<Pose>& seen = keeper->objects[0].X_WM;
    const auto steps = static_cast<TimeNs>(seen.size()) - 1;
    for (TimeNs i = 0; i <= steps; ++i) {
      const TimeNs t = steps > 0 ? begin + (end - begin) * i / steps : begin;
      const Pose expected = told.at(t, end - 20 * kMs), &pose = seen[static_cast<std::size_t>(i)];
      EXPECT_LT((pose.p - expected.p).norm(), 1e-10) << toSeconds(t) << " until " << toSeconds(end);
      EXPECT_LT((pose.q.coeffs() - expected.q.coeffs()).norm(), 1e-10) << toSeconds(t);
      ++poses;
    }
  };
  std::int64_t scans = 0;
  viewer.on_scan = [&](const lidar::Scan& scan) {
    check(toNs(static_cast<double>(scans++) / 30.0), scan.end);
  };
  viewer.on_image = [&](const lidar::DepthImage& image) { check(image.stamp, image.stamp); };
  other.setGoal({3.0, 2.0, 2.5}, -2.0);
  for (int i = 0; i < 1500; ++i) {
    if (i == 700) other.teleport({-3.0, 1.0, 2.0}, 0.3, 713 * kMs);
    if (i == 800) other.setGoal({-3.0, 3.0, 2.5}, -2.0);
    world.step();
  }
  EXPECT_EQ(placements, 2U);
  EXPECT_GT((other.state().X_WB.p - Vector3d(-3.0, 1.0, 2.0)).norm(), 0.2);
  EXPECT_GT(poses, 200);
}

std::shared_ptr<scene::Obstacles> cart() {
  scene::ObstacleGroup group = scene::usualGroup(scene::ObstacleKind::kDriven);
  group.name = "cart";
  group.region = {Vector3d(-5.0, -5.0, 0.0), Vector3d(5.0, 5.0, 5.0)};
  group.points = {{3.0, 0.0, 1.0}};
  return std::make_shared<scene::Obstacles>(scene::ObstaclesConfig{1, {group}},
                                            scene::MapDistance(), "test");
}

// Applies the commands by hand, up to the announced ones.
TEST(World, DrivesObstaclesThatAreSeenAsTold20MsBefore) {
  constexpr TimeNs kMs = 1'000'000;
  const auto keeper = std::make_shared<ObjectKeeper>();
  World world(room(), {keeper, keeper});
  Uav& viewer = world.addUav(viewerConfig());
  const auto obstacles = cart(), by_hand = cart();
  const auto driver = std::make_shared<scene::ObstacleDriver>(obstacles, 0);
  world.addObjects(obstacles);
  world.addDriver(driver);
  const std::vector<std::pair<TimeNs, Vector3d>> commands = {
      {30 * kMs, {0.0, 1.0, 0.0}}, {500 * kMs, {1.0, 0.0, 0.3}}, {731 * kMs, {-1.0, -1.0, 0.0}}};
  scene::ObstacleDriver hand(by_hand, 0);
  TimeNs next_step = 0;
  std::size_t next_command = 0, pieces = 0;
  const auto check = [&](TimeNs begin, TimeNs end) {
    for (; next_step <= end - 20 * kMs; next_step += 20 * kMs) {
      for (; next_command < 3 && commands[next_command].first <= next_step; ++next_command) {
        hand.command(0, commands[next_command].second, 0.7, commands[next_command].first);
      }
      hand.step(next_step);
    }
    std::vector<scene::MovingObject> expected;
    by_hand->appendObjects(begin, end, expected);
    ASSERT_EQ(keeper->objects.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i, ++pieces) {
      ASSERT_EQ(keeper->objects[i].from, expected[i].from);
      ASSERT_EQ(keeper->objects[i].X_WM.size(), expected[i].X_WM.size());
      EXPECT_EQ(keeper->objects[i].X_WM.front().p, expected[i].X_WM.front().p) << toSeconds(end);
      EXPECT_EQ(keeper->objects[i].X_WM.back().p, expected[i].X_WM.back().p) << toSeconds(end);
    }
  };
  std::int64_t scans = 0;
  viewer.on_scan = [&](const lidar::Scan& scan) {
    check(toNs(static_cast<double>(scans++) / 30.0), scan.end);
  };
  for (TimeNs now = 0; now < 1000 * kMs; now += kMs) {
    for (const auto& [at, v] : commands) {
      if (at == now) driver->command(0, v, 0.7, now);
    }
    world.step();
  }
  EXPECT_EQ(next_command, 3U);
  EXPECT_GT(pieces, 40U);
}

TEST(World, RepeatsItsScansByteForByte) {
  const auto map = room();
  const auto flown = [&](std::uint64_t seed, bool beside = false) {
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
    if (beside) first.measureInBackground();
    first.setGoal({1.0, 2.0, 2.0}, 0.5);
    for (int i = 0; i < 1000; ++i) world.step();
    first.finishMeasurements();
    return values;
  };
  const std::vector<float> a = flown(1), other = flown(2);
  ASSERT_GT(a.size(), 10000U);
  for (const bool beside : {false, true}) {
    const std::vector<float> b = flown(1, beside);
    ASSERT_EQ(a.size(), b.size()) << beside;
    EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(float)), 0) << beside;
  }
  EXPECT_NE(a, other) << "another seed is another noise";
}

// The scan at 1 / 30 s is not done before the callback is let go; the next is due at 2 / 30 s.
TEST(World, StepsGoOnWhileAScanIsMade) {
  World world(room(), {});
  Uav& uav = world.addUav(uavConfig());
  std::promise<void> may_end;
  std::vector<TimeNs> stamps;
  uav.on_scan = [&, go = may_end.get_future().share()](const lidar::Scan& scan) {
    go.wait();
    stamps.push_back(scan.stamp);
  };
  uav.measureInBackground();
  world.runFor(0.06);
  may_end.set_value();
  uav.setWeather({});  // waits, since the scan has the old weather
  EXPECT_EQ(stamps, std::vector<TimeNs>{0});
  world.runFor(0.06);
  uav.finishMeasurements();
  EXPECT_EQ(stamps.size(), 3U) << "one after another, none lost";
}

TEST(World, AnErrorWhileAScanIsMadeComesWithTheNext) {
  World world(room(), {});
  Uav& uav = world.addUav(uavConfig());
  uav.on_scan = [](const lidar::Scan&) { throw Error("no room"); };
  uav.measureInBackground();
  EXPECT_NO_THROW(world.runFor(0.06));
  EXPECT_THROW(world.runFor(0.06), Error);
}

TEST(World, AnErrorOfOneSensorWaitsForTheOthers) {
  World world(room(), {});
  UavConfig config = uavConfig();
  config.depth.emplace();
  config.depth->name = "test";
  config.depth->rate = 1.0;
  config.depth->fx = config.depth->fy = 300.0;
  Uav& uav = world.addUav(config);
  bool is_done = false;
  uav.on_scan = [](const lidar::Scan&) { throw Error("no room"); };
  uav.on_image = [&](const lidar::DepthImage&) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    is_done = true;
  };
  uav.measureInBackground();
  world.runFor(0.04);
  EXPECT_THROW(uav.finishMeasurements(), Error);
  EXPECT_TRUE(is_done) << "what its callback uses may end now";
}

}  // namespace
}  // namespace marsim::sim
