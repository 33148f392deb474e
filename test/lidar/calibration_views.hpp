// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include <opencv2/core.hpp>

#include "marsim/common/random.hpp"
#include "marsim/lidar/camera.hpp"
#include "marsim/scene/obstacles.hpp"

/// Images of calibration targets, and cameras calibrated from them by OpenCV.
namespace marsim::lidar {

/// A camera with EuRoC's distortion.
CameraModel distorted();

/// Takes images of a calibration target at rest before a wall, from random places that see it whole
/// somewhere in the image, turned by up to 43 degrees about each axis.
class CalibrationViews {
 public:
  /// `group` has the shape and its settings.
  CalibrationViews(const CameraModel& model, scene::ObstacleGroup group);

  struct View {
    std::vector<std::uint8_t> pixels;
    std::vector<Eigen::Vector2d> corners;  ///< [px] true corners, in the target's order
  };
  /// `least`: between neighbouring corners [px].
  View next(double least);
  /// The least distance [px] between neighbouring corners of an image.
  double leastDistance(const std::vector<Eigen::Vector2d>& corners) const;
  const scene::CalibrationTarget& target() const { return *group_.target(); }

 private:
  Pose randomPose();
  std::vector<Eigen::Vector2d> corners(const Pose& X_WC) const;

  CameraModel model_;
  scene::ObstacleGroup group_;
  std::vector<MovingObject> objects_;
  std::unique_ptr<const Camera> camera_;
  RandomStream random_{11};
};

/// Errors of found corners.
struct CornerErrors {
  double sum = 0.0, worst = 0.0;  ///< [px]
  Eigen::Vector2d vectors = Eigen::Vector2d::Zero();
  int count = 0;

  void add(const std::vector<cv::Point2f>& found, const std::vector<Eigen::Vector2d>& expected);
  double mean() const { return sum / count; }
  double bias() const { return vectors.norm() / count; }
};

/// Expects of OpenCV's calibration from found corners, in the target's order, that fx, fy, cx and
/// cy are within 0.3 px and the distortion within 0.2 px of the camera's.
void expectCalibration(const CameraModel& model, const scene::CalibrationTarget& target,
                       const std::vector<std::vector<cv::Point2f>>& images);

}  // namespace marsim::lidar
