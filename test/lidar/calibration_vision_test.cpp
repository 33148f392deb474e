// SPDX-License-Identifier: BSD-3-Clause
// OpenCV's calibration from images of a chessboard.

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <opencv2/calib3d.hpp>
#include <opencv2/imgproc.hpp>

#include "lidar/calibration_views.hpp"

namespace marsim::lidar {
namespace {

using Eigen::Vector2d;

constexpr std::size_t kImages = 30;
constexpr double kLeastSquare = 14.0;  // [px]

/// The corners that OpenCV finds, in the order of `expected`; none where it finds none.
std::vector<cv::Point2f> found(const cv::Mat& image, const scene::Chessboard& board,
                               const std::vector<Vector2d>& expected, double least) {
  std::vector<cv::Point2f> corners;
  if (!cv::findChessboardCorners(image, {board.columns, board.rows}, corners)) return {};
  const int reach = static_cast<int>(0.4 * least);
  cv::cornerSubPix(image, corners, {reach, reach}, {-1, -1},
                   {cv::TermCriteria::COUNT + cv::TermCriteria::EPS, 100, 1e-4});
  // A turn by 180 degrees gives the same corners in the opposite order.
  const Vector2d first(corners.front().x, corners.front().y);
  if ((first - expected.front()).norm() > (first - expected.back()).norm()) {
    std::reverse(corners.begin(), corners.end());
  }
  return corners;
}

TEST(CalibrationVision, OpenCvRecoversTheCamera) {
  const CameraModel model = distorted();
  scene::ObstacleGroup group = scene::usualGroup(scene::ObstacleKind::kFixed);
  group.shape = scene::ObstacleShape::kChessboard;
  CalibrationViews views(model, group);
  std::vector<std::vector<cv::Point2f>> images;
  CornerErrors errors;
  int missed = 0;
  while (images.size() < kImages && missed <= 3) {
    CalibrationViews::View view = views.next(kLeastSquare);
    const cv::Mat grey(model.height, model.width, CV_8UC1, view.pixels.data());
    const double least = views.leastDistance(view.corners);
    const std::vector<cv::Point2f> corners = found(grey, group.chessboard, view.corners, least);
    if (corners.empty()) {
      ++missed;
      continue;
    }
    errors.add(corners, view.corners);
    images.push_back(corners);
  }
  ASSERT_LE(missed, 3) << "images without corners";
  RecordProperty("mean_px", std::to_string(errors.mean()));
  EXPECT_LT(errors.mean(), 0.05) << "[px]";
  EXPECT_LT(errors.bias(), 0.01) << "[px]";
  expectCalibration(model, group.chessboard, images);
}

}  // namespace
}  // namespace marsim::lidar
