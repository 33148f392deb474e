// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include <Eigen/Geometry>

#include "detector.hpp"
#include "features.hpp"

namespace vision {

/// A pinhole camera's projection [px].
struct Pinhole {
  double fx, fy, cx, cy;

  Eigen::Vector3d point(const cv::Point2f& pixel, double depth) const {
    return {(static_cast<double>(pixel.x) - cx) / fx * depth,
            (static_cast<double>(pixel.y) - cy) / fy * depth, depth};
  }
  Eigen::Vector2d pixel(const Eigen::Vector3d& p_C) const {
    return {fx * p_C.x() / p_C.z() + cx, fy * p_C.y() / p_C.z() + cy};
  }
};

enum class Label {
  kStatic,
  kMoving,
  kUnknown,  ///< in a box, without flow
};

/// A feature with its flow over the last images.
struct PointFlow {
  cv::Point2f now, then;  ///< [px]; equal where no flow was found
  Label label = Label::kStatic;
};

/// A moving thing in a box.
struct SeenMover {
  Box box;
  Eigen::Vector3d p_W, v_W;  ///< [m], [m/s]
};

/// Splits the features of images into moving and static ones (Zhong 2023, section 3.3.3, algorithms
/// 1 and 2): in boxes of people only features stay whose flow over 0.06 to 0.1 s is of the same
/// Gaussian as most flow outside of the boxes, and below 2 px. The flow of the camera's motion is
/// taken off before, by the features' depths. Where boxes leave few flows outside, features that
/// were static in the earlier image count as outside.
class MovingPoints {
 public:
  explicit MovingPoints(const Pinhole& camera) : camera_(camera) {}

  /// Labels an image's features, which may come without depths. `time` [s]. The boxes of the image
  /// before count, too, as a detector misses some. `turn`: rotation of the camera since the image
  /// before, by a gyroscope.
  const std::vector<PointFlow>& label(double time, const cv::Mat& grey, const Features& features,
                                      const std::vector<Box>& boxes,
                                      const std::optional<Eigen::Quaterniond>& turn = {});
  /// Movers in the last image's boxes, by the depths of moving features in both images and the
  /// camera's pose X_WC in the last image, which is kept for later calls. The thesis (section
  /// 4.4.2) has the box's centre in place of the features, and keeps to the image plane.
  std::vector<SeenMover> movers(const cv::Mat& depth, const Eigen::Isometry3d& X_WC);

 private:
  static constexpr double kSpan = 0.06;  // [s] the queue of algorithm 1, four images at 30 Hz

  struct Image {
    double time;
    cv::Mat grey, depth, is_static;          // is_static: not 0 around static features
    std::optional<Eigen::Quaterniond> turn;  // since the image before
    Eigen::Isometry3d X_WC;
  };

  void classify(const Features& features, const std::vector<bool>& has_flow);
  bool isInBox(const cv::Point2f& pixel) const;
  bool wasStatic(const cv::Point2f& then) const;

  Pinhole camera_;
  std::deque<Image> images_;
  std::vector<Box> boxes_, before_;  // of the last image and of the one before
  std::vector<PointFlow> points_;
};

}  // namespace vision
