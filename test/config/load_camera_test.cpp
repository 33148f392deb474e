// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "marsim/common/units.hpp"
#include "marsim/config/load.hpp"
#include "support.hpp"

namespace marsim::config {
namespace {

class LoadCameras : public ConfigTest {};

const char* const kOne =
    "name: mine\n"
    "exposure: 4ms\n"
    "cameras:\n"
    "  - image: {width: 320, height: 240, fx: 200, fy: 200, cx: 159.5, cy: 119.5}\n";

TEST_F(LoadCameras, BundledOnes) {
  for (const std::string& name : knownNames("camera")) {
    const lidar::CameraRigConfig rig = loadCameras(name);
    for (const lidar::CameraConfig& camera : rig.cameras) {
      // All look forward: z of the optical frame along x of the body.
      EXPECT_NEAR((camera.X_BC.q * Eigen::Vector3d::UnitZ()).x(), 1.0, 1e-12) << name;
    }
  }
  const lidar::CameraRigConfig stereo = loadCameras("stereo");
  ASSERT_EQ(stereo.cameras.size(), 2U);
  const double baseline = (stereo.cameras[0].X_BC.p - stereo.cameras[1].X_BC.p).y();
  EXPECT_GE(baseline * stereo.cameras[0].model.fx, 45.0) << "[px m]";
  for (const char* name : {"d435i", "d455"}) {
    const lidar::CameraRigConfig rgbd = loadCameras(name);
    ASSERT_EQ(rgbd.cameras.size(), 1U);
    EXPECT_EQ(rgbd.cameras[0].encoding, lidar::ImageEncoding::kRgb8) << "as realsense-ros";
    // Depth is that of config/depth.
    const lidar::DepthCameraConfig depth = loadDepthCamera(name);
    ASSERT_TRUE(rgbd.cameras[0].aligned_depth);
    EXPECT_EQ(rgbd.cameras[0].aligned_depth->range_min, depth.range_min) << name;
    EXPECT_EQ(rgbd.cameras[0].aligned_depth->range_max, depth.range_max) << name;
    EXPECT_EQ(rgbd.cameras[0].aligned_depth->baseline, depth.baseline) << name;
    EXPECT_EQ(rgbd.cameras[0].aligned_depth->subpixel_error, depth.subpixel_error) << name;
    EXPECT_EQ(rgbd.rate, depth.rate) << name;
  }
}

TEST_F(LoadCameras, EveryKey) {
  const lidar::CameraRigConfig rig = loadCameras(write("all.yaml", R"(
name: all
rate: 10Hz
encoding: mono8
exposure: 4ms
gain: 2
noise: {full_well: 5000, read: 7}
range_max: 80m
antialiasing: false
shutter: {readout: 20ms, subframes: 4}
texture: {amplitude: 0.2, coarsest: 1m, finest: 2cm}
mounting: {position: [0.1, 0.2, 0.3], rpy: [0deg, 0deg, 90deg]}
cameras:
  - name: a
    projection: fisheye
    image: {width: 320, height: 240, fx: 100, fy: 101, cx: 159.5, cy: 119.5}
    distortion: [0.01, 0.02, 0.03]
    encoding: bgr8
    exposure: 5ms
  - name: b
    image: {width: 320, height: 240, fx: 200, fy: 200, cx: 159.5, cy: 119.5}
    distortion: [-0.1, 0.02, 0.001, 0.002, 0.003]
    mounting: {position: [1.0, 0.0, 0.0]}
    aligned_depth: {min: 0.2m, max: 8m, encoding: 32FC1, stereo: {subpixel_error: 0.1, baseline: 6cm, disparity_step: 0.125, occlusions: true, least_contrast: 2}}
)"));
  EXPECT_EQ(rig.rate, 10.0);
  const lidar::CameraConfig &a = rig.cameras[0], &b = rig.cameras[1];
  EXPECT_EQ(a.model.projection, lidar::CameraModel::Projection::kFisheye);
  EXPECT_EQ(a.model.fy, 101.0);
  EXPECT_EQ(a.model.distortion, (std::array<double, 5>{0.01, 0.02, 0.03, 0.0, 0.0}));
  EXPECT_EQ(a.encoding, lidar::ImageEncoding::kBgr8);
  EXPECT_EQ(a.exposure, 0.005);
  EXPECT_FALSE(a.aligned_depth);
  EXPECT_EQ(b.encoding, lidar::ImageEncoding::kMono8);
  EXPECT_EQ(b.exposure, 0.004);
  EXPECT_EQ(b.gain, 2.0);
  EXPECT_EQ(b.full_well, 5000.0);
  EXPECT_EQ(b.read_noise, 7.0);
  EXPECT_EQ(b.range_max, 80.0);
  EXPECT_FALSE(b.antialiasing);
  EXPECT_EQ(b.readout, 0.02);
  EXPECT_EQ(b.subframes, 4);
  EXPECT_EQ(b.texture.amplitude, 0.2);
  EXPECT_EQ(b.texture.coarsest, 1.0);
  EXPECT_EQ(b.texture.finest, 0.02);
  EXPECT_EQ(b.model.distortion[4], 0.003);
  EXPECT_EQ(b.aligned_depth->range_max, 8.0);
  EXPECT_EQ(b.aligned_depth->encoding, lidar::DepthEncoding::kMetres);
  EXPECT_EQ(b.aligned_depth->disparity_step, 0.125);
  EXPECT_TRUE(b.aligned_depth->occlusions);
  EXPECT_EQ(b.aligned_depth->least_contrast, 2.0);
  // The rig looks to the left, and so b stands a metre to the left of it.
  EXPECT_LT((b.X_BC.p - Eigen::Vector3d(0.1, 1.2, 0.3)).norm(), 1e-12);
  EXPECT_NEAR((b.X_BC.q * Eigen::Vector3d::UnitZ()).y(), 1.0, 1e-12);
}

TEST_F(LoadCameras, MistakesAreNamed) {
  const auto of = [&](const std::string& text) {
    const std::string file = write("bad.yaml", text);
    std::string message = complaint([&] { loadCameras(file); });
    const std::size_t place = message.find(file);
    return place == std::string::npos ? message : message.replace(place, file.size(), "FILE");
  };
  const std::string one = kOne;
  EXPECT_EQ(of(one), "no error");
  EXPECT_EQ(of(one + "    distortion: [1, 2, 3, 4, 5, 6]\n"),
            "FILE: cameras[0].distortion is a list of 6, allowed: [k1, k2, p1, p2, k3]");
  EXPECT_EQ(of(one + "    projection: fisheye\n    distortion: [1, 2, 3, 4, 5]\n"),
            "FILE: cameras[0].distortion is a list of 5, allowed: [k1, k2, k3, k4]");
  EXPECT_NE(of(one + "    distortion: [-2.0]\n")
                .find("distortion is [-2, 0, 0, 0, 0], allowed: coefficients that do not fold the "
                      "image over"),
            std::string::npos);
  EXPECT_NE(of(one + "    projection: fisheye\n    distortion: [-2.0]\n")
                .find("distortion is [-2, 0, 0, 0], allowed: coefficients that do not fold"),
            std::string::npos);
  EXPECT_NE(of(one + "    exposure: 0s\n").find("exposure is 0, allowed: more than 0 s"),
            std::string::npos);
  EXPECT_NE(of(one + "rate: 300Hz\n").find("exposure is 0.004 s, allowed: less than"),
            std::string::npos);
  EXPECT_EQ(
      of(one + "    shutter: {readout: 60ms}\n"),
      "FILE: shutter.readout is 0.06 s, allowed: less than the time between two images, 0.05 s");
  EXPECT_EQ(of(one + "    shutter: {subframes: 0}\n"),
            "FILE: cameras[0]: shutter.subframes is 0, allowed: 1 to 64");
  EXPECT_EQ(of(one + "    aligned_depth: {min: 0.1m, max: 5m, stereo: {occlusions: true}}\n"),
            "FILE: cameras[0]: aligned_depth.stereo.baseline is 0 m, allowed: more than 0 m where "
            "there are disparity_step or occlusions");
  EXPECT_EQ(of(one + "    aligned_depth: {min: 0.1m, max: 5m, stereo: {least_contrast: 300}}\n"),
            "FILE: cameras[0]: aligned_depth.stereo.least_contrast is 300, allowed: 0 to 128 grey "
            "levels");
  EXPECT_EQ(
      of(one + "    aligned_depth: {min: 6m, max: 5m}\n"),
      "FILE: cameras[0]: aligned_depth.max is 5 m, allowed: more than aligned_depth.min, 6 m");
  EXPECT_EQ(of("name: mine\ncameras:\n"
               "  - image: {width: 320, height: 240, fx: 200, fy: 200, cx: 400, cy: 119.5}\n"),
            "FILE: cameras[0]: image.cx is 400, allowed: 0 to 319 px, inside the image");
  // With several cameras the message names the wrong one; names are parts of topics.
  const auto second = [&](const std::string& name, const std::string& cx) {
    return of(one + "    name: front\n  - name: " + name +
              "\n    image: {width: 320, height: 240, fx: 200, fy: 200, cx: " + cx +
              ", cy: 119.5}\n");
  };
  EXPECT_EQ(second("back", "159.5"), "no error");
  EXPECT_EQ(second("back", "-1"),
            "FILE: cameras[1]: image.cx is -1, allowed: 0 to 319 px, inside the image");
  EXPECT_EQ(second("front", "159.5"),
            "FILE: cameras is 'front', allowed: names that differ, none empty where there are "
            "several");
  // The second camera's images would be where the first one's aligned depth is.
  const std::string depth = one + "    name: front\n    aligned_depth: {min: 0.1m, max: 5m}\n";
  const std::string image =
      "    image: {width: 320, height: 240, fx: 200, fy: 200, cx: 159.5, cy: 119.5}\n";
  EXPECT_EQ(of(depth + "  - name: aligned_depth_to_front\n" + image),
            "FILE: cameras[1].name is 'aligned_depth_to_front', allowed: a name that is not the "
            "topic of another camera's aligned depth");
  EXPECT_EQ(of(depth + "  - name: aligned_depth_to_back\n" + image), "no error");
  for (const char* name : {"left camera", "a/b", "1st", "-"}) {
    EXPECT_EQ(second(fmt::format("'{}'", name), "159.5"),
              fmt::format("FILE: cameras[1].name is '{}', allowed: a letter, then letters, digits "
                          "and _",
                          name));
  }
  EXPECT_EQ(of("name: mine\ncameras: {left: {}}\n"),
            "FILE: cameras is a map, allowed: a list of maps");
  EXPECT_EQ(of("name: mine\ncameras:\n  - image: [320, 240]\n"),
            "FILE: cameras[0].image is a list of 2, allowed: a map of keys");
  EXPECT_EQ(of("name: mine\ncameras:\n"
               "  - image: {width: 100000, height: 240, fx: 200, fy: 200, cx: 9, cy: 9}\n"),
            "FILE: cameras[0]: image.width is 100000, allowed: 1 to 8192 px");
  EXPECT_EQ(of("name: mine\ncameras:\n"
               "  - image: {width: 8192, height: 8192, fx: 4e3, fy: 4e3, cx: 4096, cy: 4096}\n"),
            "FILE: cameras[0]: image is 8192 x 8192 px, allowed: up to 33554432 px in all, at some "
            "150 bytes each");
  EXPECT_EQ(of("name: mine\ncameras:\n"
               "  - image: {width: 8192, height: 4096, fx: 4e3, fy: 4e3, cx: 4096, cy: 2048}\n"),
            "no error");
  EXPECT_EQ(of(one + "texture: {finest: 0.1mm}\n"),
            "FILE: cameras[0]: texture.finest is 0.0001, allowed: 0.001 to 100 m");
  EXPECT_NE(of(one + "    fov: 90deg\n").find("fov"), std::string::npos);
  EXPECT_NE(of(one + "    projection: pinhol\n").find("did you mean 'pinhole'"), std::string::npos);
  EXPECT_NE(of("name: none\n").find("cameras"), std::string::npos);
  EXPECT_NE(complaint([] { loadCameras("stero"); }).find("did you mean 'stereo'"),
            std::string::npos);
}

}  // namespace
}  // namespace marsim::config
