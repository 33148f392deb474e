// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include <gtest/gtest.h>

#include "marsim/common/units.hpp"
#include "marsim/config/load.hpp"
#include "support.hpp"

namespace marsim::config {
namespace {

class LoadDepthCamera : public ConfigTest {};

TEST_F(LoadDepthCamera, BundledOnes) {
  for (const std::string& name : knownNames("depth")) {
    const lidar::DepthCameraConfig camera = loadDepthCamera(name);
    EXPECT_FALSE(camera.name.empty()) << name;
    // All but one, which is 11.5 degrees down, look forward: z of the optical frame along x of the
    // body.
    const Eigen::Vector3d view = camera.X_BC.q * Eigen::Vector3d::UnitZ();
    const bool is_level = name != "zhong_2023";
    EXPECT_NEAR(view.x(), is_level ? 1.0 : 0.9797, is_level ? 1e-12 : 1e-4) << name;
    EXPECT_NEAR(view.z(), is_level ? 0.0 : -0.1990, is_level ? 1e-12 : 1e-4) << name;
  }
  const lidar::DepthCameraConfig planner = loadDepthCamera("planner");
  EXPECT_EQ(planner.width, 640);
  EXPECT_EQ(planner.height, 480);
  EXPECT_EQ(planner.fx, 387.229);
  EXPECT_EQ(planner.fy, 387.229);
  EXPECT_EQ(planner.cx, 321.046);
  EXPECT_EQ(planner.cy, 243.450);
  // Datasheet: 87 degrees horizontally; sigma at 2 m 1.8 cm with s = 0.1 px and 50 mm.
  const lidar::DepthCameraConfig d435i = loadDepthCamera("d435i");
  EXPECT_NEAR(2.0 * std::atan(0.5 * d435i.width / d435i.fx), 87.0 * kPi / 180.0, 1e-3);
  EXPECT_NEAR(4.0 * 0.1 / (d435i.fx * d435i.baseline), 0.018, 1e-4);
}

// `cam2body_` of EGO-Planner's grid_map.cpp, which it joins with the odometry (pose_type 2).
TEST_F(LoadDepthCamera, EgoPlannersSitsWhereItTakesItToBe) {
  Eigen::Matrix4d cam2body;
  cam2body << 0, 0, 1, 0, -1, 0, 0, 0, 0, -1, 0, -0.02, 0, 0, 0, 1;
  const lidar::DepthCameraConfig camera = loadDepthCamera("ego_planner");
  EXPECT_LT((camera.X_BC.q.toRotationMatrix() - cam2body.topLeftCorner<3, 3>()).norm(), 1e-9);
  EXPECT_LT((camera.X_BC.p - cam2body.topRightCorner<3, 1>()).norm(), 1e-9);
  const lidar::DepthCameraConfig planner = loadDepthCamera("planner");
  EXPECT_EQ(camera.fx, planner.fx);
  EXPECT_EQ(camera.cx, planner.cx);
}

TEST_F(LoadDepthCamera, WrongValuesAreNamed) {
  const std::string image = "image: {width: 64, height: 48, fx: 50, fy: 50, cx: 31.5, cy: 23.5}\n";
  const std::string rest = "name: a\nrange: {min: 0.1m, max: 5m}\n";
  const auto complaintOf = [&](const std::string& text) {
    const std::string path = write("camera.yaml", text);
    return complaint([&] { loadDepthCamera(path); });
  };
  EXPECT_EQ(complaintOf(rest + image), "no error");
  EXPECT_NE(complaintOf(rest + image + "encoding: 8UC1\n").find("encoding"), std::string::npos);
  EXPECT_NE(complaintOf(rest + "image: {width: 6.5, height: 48, fx: 50, fy: 50, cx: 3, cy: 2}\n")
                .find("image.width is 6.5, allowed: a whole number of 1 or more"),
            std::string::npos);
  EXPECT_NE(complaintOf(rest + "image: {width: 1e30, height: 48, fx: 50, fy: 50, cx: 3, cy: 2}\n")
                .find("image.width is 1e+30, allowed: a whole number of 1 or more"),
            std::string::npos);
  EXPECT_NE(complaintOf(rest + "image: {width: 8192, height: 4097, fx: 50, fy: 50, cx: 3, cy: 2}\n")
                .find("image is 8192 x 4097 px, allowed: up to 33554432 px in all"),
            std::string::npos);
  EXPECT_NE(complaintOf(rest + image + "stereo: {baseline: 5cm, disparity_step: 2}\n")
                .find("stereo.disparity_step is 2, allowed: 0 to 1 px"),
            std::string::npos);
  EXPECT_NE(complaintOf(rest + image + "stereo: {baseline: 5cm, least_contrast: 2}\n")
                .find("least_contrast"),
            std::string::npos)
      << "of a camera's images alone";
  EXPECT_NE(complaintOf(rest + image + "fov: 3\n").find("fov"), std::string::npos);
}

}  // namespace
}  // namespace marsim::config
