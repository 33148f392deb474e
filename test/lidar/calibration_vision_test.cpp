// SPDX-License-Identifier: BSD-3-Clause
// OpenCV's calibration from images of a chessboard.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <opencv2/calib3d.hpp>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include "lidar/camera_models.hpp"
#include "lidar/camera_worlds.hpp"
#include "marsim/common/random.hpp"
#include "marsim/common/units.hpp"
#include "marsim/scene/obstacles.hpp"

namespace marsim::lidar {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr std::size_t kImages = 30;
constexpr double kLeastSquare = 14.0;  // [px]

/// A camera with EuRoC's distortion.
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

/// A chessboard at rest before a wall.
class Board {
 public:
  explicit Board(const Pose& X_WM) {
    scene::ObstaclesConfig config;
    config.groups.push_back(scene::usualGroup(scene::ObstacleKind::kFixed));
    scene::ObstacleGroup& group = config.groups.front();
    group.name = "board";
    group.shape = scene::ObstacleShape::kChessboard;
    group.X_WM = X_WM;
    board_ = group.chessboard;
    scene::Obstacles(config, {}, "test").appendObjects(0, 0, objects_);
  }

  const scene::Chessboard& board() const { return board_; }
  const std::vector<MovingObject>& objects() const { return objects_; }
  /// Pixels of the inner corners; none unless the image holds the whole plate.
  std::vector<Vector2d> pixels(const CameraModel& model, const Pose& X_WC) const {
    const auto pixelOf = [&](const Vector3d& p_M) {
      return model.project(X_WC.inverse() * (objects_.front().at(0.0) * p_M));
    };
    for (const double y : {-0.5, 0.5}) {
      for (const double z : {-0.5, 0.5}) {
        const Vector3d corner(0.0, y * board_.width(), z * board_.height());
        if ((X_WC.inverse() * (objects_.front().at(0.0) * corner)).z() < 0.1) return {};
        const Vector2d pixel = pixelOf(corner);
        if (!(pixel.minCoeff() > 2.0 && pixel.x() < model.width - 3 &&
              pixel.y() < model.height - 3)) {
          return {};
        }
      }
    }
    std::vector<Vector2d> pixels;
    for (const Vector3d& corner : board_.corners()) pixels.push_back(pixelOf(corner));
    return pixels;
  }

 private:
  scene::Chessboard board_;
  std::vector<MovingObject> objects_;
};

/// A pose of a camera that sees the board somewhere in its image, turned by up to 43 degrees about
/// each axis.
Pose randomView(const CameraModel& model, const Pose& X_WM, RandomStream& random) {
  const Vector3d direction = model.direction(
      {random.uniform(0.0, model.width - 1.0), random.uniform(0.0, model.height - 1.0)});
  const double distance = random.uniform(0.6, 1.2);
  // Axes of an upright board that faces the camera: x to the camera, y to its right, z up.
  Eigen::Matrix3d R_CF;
  R_CF << 0.0, 1.0, 0.0, 0.0, 0.0, -1.0, -1.0, 0.0, 0.0;
  const Eigen::Quaterniond turn = fromRollPitchYaw(
      random.uniform(-0.6, 0.6), random.uniform(-0.75, 0.75), random.uniform(-0.75, 0.75));
  const Pose X_CM{Eigen::Quaterniond(R_CF) * turn, distance * direction};
  return X_WM * X_CM.inverse();
}

/// The least distance between neighbouring corners.
double leastDistance(const scene::Chessboard& board, const std::vector<Vector2d>& corners) {
  double least = 1e9;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const auto columns = static_cast<std::size_t>(board.columns);
    if (i % columns > 0) least = std::min(least, (corners[i] - corners[i - 1]).norm());
    if (i >= columns) least = std::min(least, (corners[i] - corners[i - columns]).norm());
  }
  return least;
}

/// The corners that OpenCV finds, in the order of `expected`; none where it finds none.
std::vector<cv::Point2f> found(const cv::Mat& image, const scene::Chessboard& board,
                               const std::vector<Vector2d>& expected) {
  std::vector<cv::Point2f> corners;
  if (!cv::findChessboardCorners(image, {board.columns, board.rows}, corners)) return {};
  const int reach = static_cast<int>(0.4 * leastDistance(board, expected));
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
  CameraConfig config = cameraOf(model);
  config.encoding = ImageEncoding::kMono8;
  config.X_BC = {};
  const Camera camera(config, renderersOf(mapOf(wallSurfels()), 2), 1);
  const Board board({fromRollPitchYaw(0.1, -0.2, kPi - 0.3), {2.0, 0.3, 1.2}});
  std::vector<cv::Point3f> corners_M;
  for (const Vector3d& p : board.board().corners()) {
    corners_M.emplace_back(static_cast<float>(p.y()), static_cast<float>(-p.z()), 0.0F);
  }

  RandomStream random(11);
  std::vector<std::vector<cv::Point2f>> images;
  double sum = 0.0;  // [px] of all corners' errors
  Vector2d mean = Vector2d::Zero();
  int missed = 0, tries = 0;
  while (images.size() < kImages && ++tries < 100000) {
    const Pose X_WC = randomView(model, board.objects().front().at(0.0), random);
    const std::vector<Vector2d> expected = board.pixels(model, X_WC);
    if (expected.empty() || leastDistance(board.board(), expected) < kLeastSquare) continue;
    CameraImage image = camera.image(0, X_WC, board.objects());
    const cv::Mat grey(model.height, model.width, CV_8UC1, image.pixels.data());
    const std::vector<cv::Point2f> corners = found(grey, board.board(), expected);
    if (corners.empty()) {
      ++missed;
      continue;
    }
    for (std::size_t i = 0; i < corners.size(); ++i) {
      const Vector2d error = Vector2d(corners[i].x, corners[i].y) - expected[i];
      sum += error.norm();
      mean += error;
    }
    images.push_back(corners);
  }
  ASSERT_EQ(images.size(), kImages);
  EXPECT_LE(missed, 3) << "images without corners";
  const double count = static_cast<double>(kImages * corners_M.size());
  RecordProperty("mean_px", std::to_string(sum / count));
  EXPECT_LT(sum / count, 0.05) << "[px]";
  EXPECT_LT(mean.norm() / count, 0.01) << "[px]";

  cv::Mat K = cv::Mat::eye(3, 3, CV_64F), distortion;
  std::vector<cv::Mat> turns, places;
  cv::calibrateCamera(std::vector<std::vector<cv::Point3f>>(kImages, corners_M), images,
                      {model.width, model.height}, K, distortion, turns, places, cv::CALIB_FIX_K3);
  CameraModel calibrated = model;
  calibrated.fx = K.at<double>(0, 0);
  calibrated.fy = K.at<double>(1, 1);
  calibrated.cx = K.at<double>(0, 2);
  calibrated.cy = K.at<double>(1, 2);
  for (int i = 0; i < 5; ++i) {
    calibrated.distortion[static_cast<std::size_t>(i)] = distortion.at<double>(i);
  }
  EXPECT_NEAR(calibrated.fx, model.fx, 0.3);
  EXPECT_NEAR(calibrated.fy, model.fy, 0.3);
  EXPECT_NEAR(calibrated.cx, model.cx, 0.3);
  EXPECT_NEAR(calibrated.cy, model.cy, 0.3);

  // The distortion alone: the same focal lengths and principal point.
  CameraModel curve = model;
  curve.distortion = calibrated.distortion;
  double worst = 0.0;  // [px]
  for (int row = 0; row < model.height; row += 8) {
    for (int column = 0; column < model.width; column += 8) {
      const Vector2d pixel(column, row);
      const Vector3d direction = model.direction(pixel);
      worst = std::max(worst, (curve.project(direction) - pixel).norm());
    }
  }
  RecordProperty("distortion_px", std::to_string(worst));
  EXPECT_LT(worst, 0.2) << "[px]";
}

}  // namespace
}  // namespace marsim::lidar
