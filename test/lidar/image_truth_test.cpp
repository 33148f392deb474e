// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/lidar/image_truth.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "lidar/camera/srgb.hpp"
#include "lidar/camera_models.hpp"
#include "lidar/camera_worlds.hpp"
#include "marsim/common/units.hpp"
#include "marsim/map/semantic_class.hpp"
#include "marsim/scene/vegetation.hpp"

namespace marsim::lidar {
namespace {

constexpr std::uint32_t kPlate = scene::kFirstObstacleIdentity + 3;
constexpr std::uint16_t kWallInstance = 50'000;
constexpr double kPlateDistance = 2.0;  // [m] from the origin
constexpr double kHalfPlate = 0.3;      // [m]
constexpr TimeNs kBefore = 100'000'000, kNow = 200'000'000;

CameraConfig smallCamera(const CameraModel& model = idealPinhole()) {
  CameraConfig config = cameraOf(model);
  config.model.width = 160;
  config.model.height = 120;
  config.model.fx = config.model.fy = 100.0;
  config.model.cx = 79.5;
  config.model.cy = 59.5;
  config.full_well = 0.0;
  config.texture.amplitude = 0.0;
  return config;
}

std::shared_ptr<const map::SurfelMap> wallOfClass(std::uint8_t semantic_class) {
  map::SurfelSet set = wallSurfels();
  set.channels.classes.assign(set.surfels.size(), semantic_class);
  set.channels.instances.assign(set.surfels.size(), kWallInstance);
  return mapOf(set);
}

/// A square about its frame's origin that looks along x, in motion at `v` and at (kPlateDistance,
/// 0, 0) at time 0.
MovingObject plate(const Eigen::Vector3d& v) {
  map::SurfelSet set;
  set.planar_threshold = 0.01F;
  const int most = static_cast<int>(std::lround(kHalfPlate / 0.05));
  for (int row = -most; row <= most; ++row) {
    for (int column = -most; column <= most; ++column) {
      set.surfels.push_back({Eigen::Vector3d(0.0, 0.05 * column, 0.05 * row).cast<float>(),
                             Eigen::Vector3f::UnitX(), 0.0F});
    }
  }
  map::SurfelMapConfig config;
  config.resolution = 0.05;
  MovingObject object;
  object.shape = std::make_shared<const map::SurfelMap>(map::SurfelMap::of(set, config));
  object.identity = kPlate;
  object.semantic_class = map::semantic::kPerson;
  object.begin = -0.2;
  object.step = 0.1;
  for (int i = -2; i <= 2; ++i) {
    object.X_WM.push_back(
        {Eigen::Quaterniond::Identity(), Eigen::Vector3d(kPlateDistance, 0.0, 0.0) + 0.1 * i * v});
  }
  return object;
}

/// A body at p [m] at time 0 of constant velocity and yaw rate.
StateHistory motionOf(const Eigen::Vector3d& v, double yaw_rate) {
  StateHistory history;
  for (TimeNs stamp = 0; stamp <= 400'000'000; stamp += 2'000'000) {
    const double t = toSeconds(stamp - kNow);
    KinematicState state;
    state.stamp = stamp;
    state.X_WB = {fromRollPitchYaw(0.0, 0.0, yaw_rate * t), v * t};
    state.v_WB = v;
    state.w_WB_B = {0.0, 0.0, yaw_rate};
    history.push(state);
  }
  return history;
}

std::size_t pixelAt(const CameraConfig& config, int column, int row) {
  return static_cast<std::size_t>(row * config.model.width + column);
}

TEST(ImageTruth, ClassesInstancesAndNormals) {
  const CameraConfig config = smallCamera();
  const Camera camera(config, renderersOf(wallOfClass(map::semantic::kBuilding)), 1);
  const std::vector<MovingObject> objects = {plate({0.0, 0.0, 0.0})};
  const CameraImage image = camera.image(kNow, Pose(), objects);
  const ImageTruth truth(camera, image, objects);
  const std::size_t middle = pixelAt(config, 80, 60), side = pixelAt(config, 20, 60);
  EXPECT_EQ(truth.classes()[middle], map::semantic::kPerson);
  EXPECT_EQ(truth.classes()[side], map::semantic::kBuilding);
  EXPECT_EQ(truth.identities()[middle], kPlate);
  EXPECT_EQ(truth.identities()[side], scene::kFirstThingIdentity + kWallInstance);
  EXPECT_LT((truth.normals()[side] + Eigen::Vector3f::UnitZ()).norm(), 1e-5F) << "at the camera";

  // Away from the wall there is the sky.
  const CameraImage sky = camera.image(kNow, {fromRollPitchYaw(0.0, 0.0, kPi), {}});
  const ImageTruth of_sky(camera, sky, {});
  EXPECT_EQ(of_sky.classes()[middle], 0);
  EXPECT_EQ(of_sky.identities()[middle], kMapIdentity);
  EXPECT_TRUE(std::isnan(of_sky.normals()[middle].x()));
  EXPECT_TRUE(std::isnan(of_sky.flowSince(sky)[middle].x()));
}

TEST(ImageTruth, ObjectsHaveBoxesAndVelocities) {
  const CameraConfig config = smallCamera();
  const Camera camera(config, renderersOf(wallOfClass(map::semantic::kBuilding)), 1);
  const Eigen::Vector3d v(0.5, -1.0, 0.25);
  MovingObject far_off = plate(v);
  far_off.identity = kPlate + 1;
  for (Pose& pose : far_off.X_WM) pose.p.x() += 5.0;  // behind the wall
  const std::vector<MovingObject> objects = {far_off, plate(v)};
  const CameraImage image = camera.image(kNow, Pose(), objects);
  const std::vector<SeenObject> seen = ImageTruth(camera, image, objects).seenObjects();
  ASSERT_EQ(seen.size(), 1U) << "what is hidden is not told";
  EXPECT_EQ(seen[0].identity, kPlate);
  EXPECT_EQ(seen[0].semantic_class, map::semantic::kPerson);
  EXPECT_LT((seen[0].v_WM - v).norm(), 1e-6);
  EXPECT_LT((seen[0].X_WM.p - Eigen::Vector3d(kPlateDistance, 0.0, 0.0)).norm(), 1e-9);
  // Discs reach past the middles of the outer ones by their radius, sqrt(3)/2 r.
  const double half = 100.0 * (kHalfPlate + 0.5 * std::sqrt(3.0) * 0.05) / kPlateDistance;
  EXPECT_NEAR(seen[0].left, 79.5 - half, 1.0);
  EXPECT_NEAR(seen[0].right, 79.5 + half, 1.0);
  EXPECT_NEAR(seen[0].top, 59.5 - half, 1.0);
  EXPECT_NEAR(seen[0].bottom, 59.5 + half, 1.0);
  const int area = (seen[0].right - seen[0].left + 1) * (seen[0].bottom - seen[0].top + 1);
  EXPECT_NEAR(seen[0].pixels, area, 0.1 * area);
}

// The wall and the plate are planes: where pixels met them before in closed form.
TEST(ImageTruth, FlowIsThatOfPlanes) {
  const Eigen::Vector3d v_WB(0.4, 0.8, -0.3), v_plate(0.0, 1.5, 0.5);
  const StateHistory motion = motionOf(v_WB, 0.3);
  const std::vector<MovingObject> objects = {plate(v_plate)};
  for (const double readout : {0.0, 0.05}) {
    CameraConfig config = smallCamera();
    config.readout = readout;
    const Camera camera(config, renderersOf(wallOfClass(map::semantic::kBuilding)), 1);
    const CameraImage image = camera.imageAlong(kNow, motion, objects);
    const ImageTruth truth(camera, image, objects);
    const std::vector<Eigen::Vector2f> flow = truth.flowSince(camera.empty(kBefore, motion));
    int of_plate = 0;
    for (int row = 5; row < 120; row += 11) {
      const double time = readout * row / 119.0;
      const Pose X_WC = motion.poseAt(kNow + toNs(time)) * config.X_BC;
      for (int column = 5; column < 160; column += 7) {
        const std::size_t pixel = pixelAt(config, column, row);
        const bool is_plate = image.hits[pixel].identity == kPlate;
        of_plate += is_plate ? 1 : 0;
        const Eigen::Vector3d ray = X_WC.q * config.model.direction({column, row});
        const double x = is_plate ? kPlateDistance : kWallDistance;
        const Eigen::Vector3d p_W = X_WC.p + ray * ((x - X_WC.p.x()) / ray.x());
        // The row that it was in then, to a hundredth.
        Eigen::Vector2d then(column, row);
        for (int i = 0; i < 20; ++i) {
          const double before = readout * std::round(std::clamp(then.y(), 0.0, 119.0)) / 119.0;
          const Pose X_WC_then = motion.poseAt(kBefore + toNs(before)) * config.X_BC;
          const Eigen::Vector3d moved =
              is_plate ? Eigen::Vector3d(p_W - v_plate * (time + 0.1 - before)) : p_W;
          then = config.model.project(X_WC_then.inverse() * moved);
        }
        ASSERT_NEAR(flow[pixel].x(), column - then.x(), 0.03);
        ASSERT_NEAR(flow[pixel].y(), row - then.y(), 0.03);
      }
    }
    EXPECT_GT(of_plate, 10);
  }
}

TEST(CameraShutter, RowsAreTakenOneAfterAnother) {
  CameraConfig config = smallCamera();
  config.readout = 0.05;
  const Camera camera(config, renderersOf(twoColoured({240, 240, 240}, {10, 10, 10})), 1);
  const double speed = 2.0;  // [m/s] to the left, where it is bright
  const CameraImage image = camera.imageAlong(kNow, motionOf({0.0, speed, 0.0}, 0.0));
  ASSERT_EQ(image.X_WC_of_rows.size(), 120U);
  // The edge at y = 0 wanders to the right.
  const auto edgeOf = [&](int row) {
    double bright = 0.0;
    for (int column = 0; column < 160; ++column) {
      bright += static_cast<double>(linearOfSrgb(image.pixels[3 * pixelAt(config, column, row)]));
    }
    return bright;
  };
  const double bright = static_cast<double>(linearOfSrgb(image.pixels[3 * pixelAt(config, 5, 60)])),
               dark = static_cast<double>(linearOfSrgb(image.pixels[3 * pixelAt(config, 150, 60)]));
  const double shift = (edgeOf(119) - edgeOf(0)) / (bright - dark);
  EXPECT_NEAR(shift, config.model.fx * speed * config.readout / kWallDistance, 0.15) << "[px]";
}

TEST(CameraShutter, BlurIsTheMeanOfTheLightOfItsInstants) {
  CameraConfig config = smallCamera();
  config.exposure = 0.04;
  config.gain = 0.2;
  const auto world = renderersOf(twoColoured({240, 240, 240}, {10, 10, 10}));
  const StateHistory motion = motionOf({0.0, 3.0, 0.0}, 0.4);
  const Camera sharp(config, world, 1);
  std::vector<double> light(std::size_t{160} * 120);
  for (const double part : {-0.375, -0.125, 0.125, 0.375}) {
    const CameraImage image = sharp.imageAlong(kNow + toNs(part * config.exposure), motion);
    for (std::size_t i = 0; i < light.size(); ++i) {
      light[i] += 0.25 * static_cast<double>(linearOfSrgb(image.pixels[3 * i]));
    }
  }
  config.subframes = 4;
  const CameraImage blurred = Camera(config, world, 1).imageAlong(kNow, motion);
  std::size_t differing = 0;
  for (std::size_t i = 0; i < light.size(); ++i) {
    const double expected = srgbOfLinear(static_cast<float>(light[i]));
    if (std::abs(blurred.pixels[3 * i] - expected) > 2.0) ++differing;
  }
  EXPECT_LT(differing, light.size() / 200);
  EXPECT_NE(blurred.pixels, sharp.imageAlong(kNow, motion).pixels);
}

TEST(CameraShutter, AtRestAllShuttersSeeTheSame) {
  CameraConfig config = cameraOf(plumbBob());
  const auto map = twoColoured({200, 40, 40}, {40, 160, 40});
  const CameraImage global = Camera(config, renderersOf(map), 1).image(5, Pose());
  config.readout = 0.02;
  EXPECT_EQ(global.pixels, Camera(config, renderersOf(map, 3), 1).image(5, Pose()).pixels);
}

TEST(CameraShutter, ImagesOfMotionAreTheSameForAnyNumberOfThreads) {
  CameraConfig config = smallCamera();
  config.readout = 0.03;
  config.subframes = 3;
  config.full_well = 5000.0;
  config.texture.amplitude = 0.12;
  const auto map = twoColoured({200, 40, 40}, {40, 160, 40});
  const StateHistory motion = motionOf({1.0, 2.0, 0.0}, 0.5);
  const std::vector<MovingObject> objects = {plate({0.0, 1.0, 0.0})};
  EXPECT_EQ(Camera(config, renderersOf(map, 1), 1).imageAlong(kNow, motion, objects).pixels,
            Camera(config, renderersOf(map, 3), 1).imageAlong(kNow, motion, objects).pixels);
}

}  // namespace
}  // namespace marsim::lidar
