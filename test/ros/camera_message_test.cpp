// SPDX-License-Identifier: BSD-3-Clause
#include "ros/messages/camera_message.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace marsim::ros_nodes {
namespace {

/// Two cameras that look forward, `right` of the first by [m] along x, y, z of its optical frame.
lidar::CameraRigConfig pair(const Eigen::Vector3d& right) {
  lidar::CameraConfig camera;
  camera.model.fx = 400.0;
  camera.model.fy = 401.0;
  camera.model.cx = 319.5;
  camera.model.cy = 239.5;
  camera.X_BC.q = lidar::opticalRotation();
  lidar::CameraRigConfig rig;
  rig.cameras.assign(2, camera);
  rig.cameras[1].X_BC.p = camera.X_BC.q * right;
  return rig;
}

// Requirements of stereo_image_proc: image_geometry/src/stereo_camera_model.cpp asserts one frame
// and the same fx, fy and cy for both cameras, and takes the baseline from P[3].
TEST(CameraMessage, ARectifiedPairIsOneFramesWithTheBaselineInP) {
  lidar::CameraRigConfig rig = pair({0.12, 0.0, 0.0});
  rig.cameras[1].model.cx = 300.0;  // of a pair that converges
  rig.cameras[1].model.distortion = {-0.1, 0.01, 0.001, 0.002, 0.003};
  EXPECT_EQ(rig.imageFrameOf(1), 0U);
  const sensor_msgs::CameraInfo first = cameraInfo(rig, 0), second = cameraInfo(rig, 1);
  EXPECT_NEAR(second.P[3], -400.0 * 0.12, 1e-9);
  EXPECT_EQ(first.P[3], 0.0);
  EXPECT_FALSE(std::signbit(first.P[3]));
  EXPECT_EQ(first.P[5], second.P[5]);
  EXPECT_EQ(second.P[2], 300.0);
  EXPECT_EQ(second.D[4], 0.003);
}

TEST(CameraMessage, OtherCamerasAreTheirOwnFrames) {
  const auto isPair = [](const lidar::CameraRigConfig& rig) {
    const bool is_first = rig.imageFrameOf(1) == 0;
    EXPECT_EQ(cameraInfo(rig, 1).P[3] != 0.0, is_first);
    return is_first;
  };
  EXPECT_TRUE(isPair(pair({-0.12, 0.0, 0.0}))) << "the first may be the right one";
  EXPECT_FALSE(isPair(pair({0.12, 0.01, 0.0}))) << "not in one row";
  EXPECT_FALSE(isPair(pair({0.12, 0.0, 0.01}))) << "before it";
  lidar::CameraRigConfig rig = pair({0.12, 0.0, 0.0});
  rig.cameras[1].model.fx = 390.0;
  EXPECT_FALSE(isPair(rig)) << "not rectified";
  rig = pair({0.12, 0.0, 0.0});
  rig.cameras[1].X_BC.q = rig.cameras[1].X_BC.q * Eigen::AngleAxisd(0.01, Eigen::Vector3d::UnitY());
  EXPECT_FALSE(isPair(rig)) << "looks another way";
  rig = pair({0.12, 0.0, 0.0});
  rig.cameras[1].model.projection = lidar::CameraModel::Projection::kFisheye;
  EXPECT_FALSE(isPair(rig));
}

TEST(CameraMessage, AFisheyeIsEquidistantWithFourCoefficients) {
  lidar::CameraRigConfig rig = pair({0.12, 0.0, 0.0});
  rig.cameras[0].model.projection = lidar::CameraModel::Projection::kFisheye;
  rig.cameras[0].model.distortion = {0.1, 0.2, 0.3, 0.4, 0.0};
  const sensor_msgs::CameraInfo info = cameraInfo(rig, 0);
  EXPECT_EQ(info.distortion_model, "equidistant");
  EXPECT_EQ(info.D, (std::vector<double>{0.1, 0.2, 0.3, 0.4}));
}

}  // namespace
}  // namespace marsim::ros_nodes
