// SPDX-License-Identifier: BSD-3-Clause
#include "lidar/calibration_views.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <opencv2/calib3d.hpp>

#include "lidar/camera_models.hpp"
#include "lidar/camera_worlds.hpp"
#include "marsim/common/units.hpp"

namespace marsim::lidar {

using Eigen::Vector2d;
using Eigen::Vector3d;

CameraModel distorted() {
  CameraModel model = plumbBob();
  model.width = 640;
  model.height = 480;
  model.fx = 421.3;
  model.fy = 419.8;
  model.cx = 325.6;
  model.cy = 236.9;
  return model;
}

CalibrationViews::CalibrationViews(const CameraModel& model, scene::ObstacleGroup group)
    : model_(model), group_(std::move(group)) {
  group_.name = "target";
  group_.X_WM = {fromRollPitchYaw(0.1, -0.2, kPi - 0.3), {2.0, 0.3, 1.2}};
  scene::ObstaclesConfig obstacles;
  obstacles.groups = {group_};
  scene::Obstacles(obstacles, {}, "test").appendObjects(0, 0, objects_);
  CameraConfig config = cameraOf(model);
  config.encoding = ImageEncoding::kMono8;
  config.X_BC = {};
  camera_ = std::make_unique<const Camera>(config, renderersOf(mapOf(wallSurfels()), 2), 1);
}

Pose CalibrationViews::randomPose() {
  const Vector3d direction = model_.direction(
      {random_.uniform(0.0, model_.width - 1.0), random_.uniform(0.0, model_.height - 1.0)});
  const double distance = random_.uniform(0.6, 1.2);
  // Axes of an upright target that faces the camera: x to the camera, y to its right, z up.
  Eigen::Matrix3d R_CF;
  R_CF << 0.0, 1.0, 0.0, 0.0, 0.0, -1.0, -1.0, 0.0, 0.0;
  const Eigen::Quaterniond turn = fromRollPitchYaw(
      random_.uniform(-0.6, 0.6), random_.uniform(-0.75, 0.75), random_.uniform(-0.75, 0.75));
  const Pose X_CM{Eigen::Quaterniond(R_CF) * turn, distance * direction};
  return group_.X_WM * X_CM.inverse();
}

// None unless the image holds the whole plate.
std::vector<Vector2d> CalibrationViews::corners(const Pose& X_WC) const {
  const Pose X_CM = X_WC.inverse() * group_.X_WM;
  for (const double y : {-0.5, 0.5}) {
    for (const double z : {-0.5, 0.5}) {
      const Vector3d corner =
          X_CM * Vector3d(0.0, y * target().size().x(), z * target().size().y());
      if (corner.z() < 0.1) return {};
      const Vector2d pixel = model_.project(corner);
      if (!(pixel.minCoeff() > 2.0 && pixel.x() < model_.width - 3 &&
            pixel.y() < model_.height - 3)) {
        return {};
      }
    }
  }
  std::vector<Vector2d> pixels;
  for (const Vector3d& p_M : target().corners()) pixels.push_back(model_.project(X_CM * p_M));
  return pixels;
}

double CalibrationViews::leastDistance(const std::vector<Vector2d>& corners) const {
  double least = 1e9;
  const auto columns = static_cast<std::size_t>(target().cornerColumns());
  for (std::size_t i = 0; i < corners.size(); ++i) {
    if (i % columns > 0) least = std::min(least, (corners[i] - corners[i - 1]).norm());
    if (i >= columns) least = std::min(least, (corners[i] - corners[i - columns]).norm());
  }
  return least;
}

CalibrationViews::View CalibrationViews::next(double least) {
  for (int tries = 0; tries < 100'000; ++tries) {
    const Pose X_WC = randomPose();
    std::vector<Vector2d> expected = corners(X_WC);
    if (expected.empty() || leastDistance(expected) < least) continue;
    return {camera_->image(0, X_WC, objects_).pixels, std::move(expected)};
  }
  ADD_FAILURE() << "no place sees the target with corners " << least << " px apart";
  return {};
}

void CornerErrors::add(const std::vector<cv::Point2f>& found,
                       const std::vector<Vector2d>& expected) {
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Vector2d error = Vector2d(found[i].x, found[i].y) - expected[i];
    sum += error.norm();
    worst = std::max(worst, error.norm());
    vectors += error;
    ++count;
  }
}

void expectCalibration(const CameraModel& model, const scene::CalibrationTarget& target,
                       const std::vector<std::vector<cv::Point2f>>& images) {
  std::vector<cv::Point3f> corners_M;
  for (const Vector3d& p : target.corners()) {
    corners_M.emplace_back(static_cast<float>(p.y()), static_cast<float>(-p.z()), 0.0F);
  }
  cv::Mat K = cv::Mat::eye(3, 3, CV_64F), distortion;
  std::vector<cv::Mat> turns, places;
  cv::calibrateCamera(std::vector<std::vector<cv::Point3f>>(images.size(), corners_M), images,
                      {model.width, model.height}, K, distortion, turns, places, cv::CALIB_FIX_K3);
  const Eigen::Vector4d truth(model.fx, model.fy, model.cx, model.cy);
  const Eigen::Vector4d found(K.at<double>(0, 0), K.at<double>(1, 1), K.at<double>(0, 2),
                              K.at<double>(1, 2));
  const Eigen::Vector4d error = found - truth;
  EXPECT_LT(error.cwiseAbs().maxCoeff(), 0.3) << "[px] fx, fy, cx, cy: " << error.transpose();

  // The distortion alone: the same focal lengths and principal point.
  CameraModel curve = model;
  for (int i = 0; i < 5; ++i) {
    curve.distortion[static_cast<std::size_t>(i)] = distortion.at<double>(i);
  }
  double worst = 0.0;  // [px]
  for (int row = 0; row < model.height; row += 8) {
    for (int column = 0; column < model.width; column += 8) {
      const Vector2d pixel(column, row);
      worst = std::max(worst, (curve.project(model.direction(pixel)) - pixel).norm());
    }
  }
  EXPECT_LT(worst, 0.2) << "[px]";
  const char* const names[] = {"fx_px", "fy_px", "cx_px", "cy_px"};
  for (int i = 0; i < 4; ++i) testing::Test::RecordProperty(names[i], std::to_string(error[i]));
  testing::Test::RecordProperty("distortion_px", std::to_string(worst));
}

}  // namespace marsim::lidar
