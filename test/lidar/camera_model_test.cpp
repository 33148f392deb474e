// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/lidar/camera_model.hpp"

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "lidar/camera_models.hpp"
#include "marsim/common/error.hpp"

namespace marsim::lidar {
namespace {

std::string complaint(const CameraModel& model) {
  try {
    model.validate("a.yaml");
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(CameraModel, DirectionsAreThoseOfTheirPixels) {
  for (const CameraModel& model : {idealPinhole(), plumbBob(), fisheye()}) {
    ASSERT_EQ(complaint(model), "");
    for (int row = 0; row < model.height; row += 7) {
      for (int column = 0; column < model.width; column += 7) {
        const Eigen::Vector3d direction = model.direction({column, row});
        ASSERT_NEAR(direction.norm(), 1.0, 1e-12);
        ASSERT_LT((model.project(3.0 * direction) - Eigen::Vector2d(column, row)).norm(), 1e-7);
      }
    }
  }
}

TEST(CameraModel, AnIdealOneIsTheGridOfItsIntrinsics) {
  const CameraModel model = idealPinhole();
  EXPECT_TRUE(model.isIdeal());
  EXPECT_FALSE(plumbBob().isIdeal());
  EXPECT_FALSE(fisheye().isIdeal());
  for (const int row : {0, 100, model.height - 1}) {
    EXPECT_LT((model.grid().direction(row, 33) - model.direction({33, row})).norm(), 1e-12);
  }
}

TEST(CameraModel, AFisheyeSeesBehindItself) {
  CameraModel model = fisheye();
  model.distortion = {};
  model.fx = model.fy = 150.0;  // 320 px from the middle: 122 degrees
  ASSERT_EQ(complaint(model), "");
  const Eigen::Vector3d direction = model.direction({0.0, model.cy});
  EXPECT_NEAR(std::atan2(-direction.x(), direction.z()), model.cx / model.fx, 1e-9);
  EXPECT_LT(direction.z(), 0.0);
}

TEST(CameraModel, WrongSettingsAreNamed) {
  CameraModel model = idealPinhole();
  model.cx = 800.0;
  EXPECT_EQ(complaint(model), "a.yaml: image.cx is 800, allowed: 0 to 751 px, inside the image");
  model = idealPinhole();
  model.fy = 0.0;
  EXPECT_EQ(complaint(model), "a.yaml: image.fy is 0, allowed: more than 0 px");
  model = idealPinhole();
  model.width = 0;
  EXPECT_NE(complaint(model).find("image.width is 0"), std::string::npos);
}

TEST(CameraModel, DistortionThatFoldsTheImageOverIsRefused) {
  CameraModel model = plumbBob();
  // As published of a camera: r (1 + k1 r^2 + k2 r^4 + k3 r^6) is never more than 0.61, the corners
  // are at 0.66.
  model.width = 640;
  model.height = 480;
  model.fx = 608.188;
  model.fy = 608.520;
  model.cx = 322.615;
  model.cy = 234.001;
  model.distortion = {0.0313, 0.7509, 0.0024, -7.8489e-4, -2.8533};
  EXPECT_EQ(complaint(model),
            "a.yaml: distortion is [0.0313, 0.7509, 0.0024, -0.00078489, -2.8533], allowed: "
            "coefficients that do not fold the image over, as these do on the way to pixel (0, 0)");
  model = fisheye();
  model.distortion = {-0.5, 0.0, 0.0, 0.0};
  EXPECT_NE(complaint(model).find("distortion is [-0.5, 0, 0, 0], allowed"), std::string::npos);
  model = fisheye();
  model.distortion = {std::nan(""), 0.0, 0.0, 0.0};
  EXPECT_NE(complaint(model).find("distortion"), std::string::npos);
}

}  // namespace
}  // namespace marsim::lidar
