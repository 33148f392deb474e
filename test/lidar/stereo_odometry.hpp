// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <vector>

#include <Eigen/Geometry>
#include <opencv2/calib3d.hpp>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <opencv2/video/tracking.hpp>

namespace marsim::lidar {

/// A stereo odometry of OpenCV's calls: corners of a key frame are placed by the right image and
/// tracked in the left ones that follow, whose poses are solved for from them,
/// beginning at the last one; outliers are RANSAC's.
class StereoOdometry {
 public:
  /// `focal` [px], `middle` [px], `baseline` [m] of a rectified pair.
  StereoOdometry(double focal, const cv::Point2d& middle, double baseline)
      : K_(cv::Matx33d(focal, 0.0, middle.x, 0.0, focal, middle.y, 0.0, 0.0, 1.0)),
        baseline_(baseline) {}

  /// The pose of the left camera in that of the first pair. The right image is asked for where a
  /// key frame begins.
  Eigen::Isometry3d add(const cv::Mat& left, const std::function<cv::Mat()>& right) {
    if (last_.empty()) {
      begin(left, right());
    } else {
      track(left);
      solve();
      if (pixels_.size() < 80) begin(left, right());
    }
    last_ = left;
    return X_FC_;
  }

 private:
  using Pixels = std::vector<cv::Point2f>;

  // Whether each pixel of `from` was found in `to`, and is found again from there.
  static std::vector<bool> follow(const cv::Mat& from, const cv::Mat& to, const Pixels& pixels,
                                  Pixels& found) {
    Pixels back;
    std::vector<unsigned char> there, here;
    std::vector<float> error;
    const cv::Size window(15, 15);
    cv::calcOpticalFlowPyrLK(from, to, pixels, found, there, error, window, 4);
    cv::calcOpticalFlowPyrLK(to, from, found, back, here, error, window, 4);
    std::vector<bool> good(pixels.size());
    for (std::size_t i = 0; i < pixels.size(); ++i) {
      good[i] = there[i] != 0 && here[i] != 0 && cv::norm(back[i] - pixels[i]) < 0.3;
    }
    return good;
  }

  void begin(const cv::Mat& left, const cv::Mat& right) {
    X_FK_ = X_FC_;
    rotation_ = shift_ = cv::Vec3d();
    Pixels corners, matches;
    cv::goodFeaturesToTrack(left, corners, 300, 0.005, 8.0);
    const std::vector<bool> good = follow(left, right, corners, matches);
    pixels_.clear();
    points_.clear();
    for (std::size_t i = 0; i < corners.size(); ++i) {
      const double disparity = static_cast<double>(corners[i].x - matches[i].x);
      if (!good[i] || disparity < 2.0 || std::abs(corners[i].y - matches[i].y) > 0.5F) continue;
      const double z = K_(0, 0) * baseline_ / disparity;
      points_.emplace_back((static_cast<double>(corners[i].x) - K_(0, 2)) / K_(0, 0) * z,
                           (static_cast<double>(corners[i].y) - K_(1, 2)) / K_(1, 1) * z, z);
      pixels_.push_back(corners[i]);
    }
  }

  void track(const cv::Mat& left) {
    Pixels found;
    const std::vector<bool> good = follow(last_, left, pixels_, found);
    keep(good, found);
  }

  void solve() {
    std::vector<int> inliers;
    cv::Vec3d rotation, shift;
    cv::solvePnPRansac(points_, pixels_, K_, cv::noArray(), rotation, shift, false, 200, 1.0F,
                       0.999, inliers);
    std::vector<bool> good(pixels_.size(), false);
    for (const int i : inliers) good[static_cast<std::size_t>(i)] = true;
    keep(good, pixels_);
    cv::solvePnP(points_, pixels_, K_, cv::noArray(), rotation_, shift_, true);
    const Eigen::Vector3d axis(rotation_[0], rotation_[1], rotation_[2]);
    Eigen::Isometry3d X_CK = Eigen::Isometry3d::Identity();
    X_CK.translate(Eigen::Vector3d(shift_[0], shift_[1], shift_[2]));
    if (axis.norm() > 0.0) X_CK.rotate(Eigen::AngleAxisd(axis.norm(), axis.normalized()));
    X_FC_ = X_FK_ * X_CK.inverse();
  }

  void keep(const std::vector<bool>& good, Pixels pixels) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < good.size(); ++i) {
      if (!good[i]) continue;
      points_[kept] = points_[i];
      pixels[kept++] = pixels[i];
    }
    points_.resize(kept);
    pixels.resize(kept);
    pixels_ = std::move(pixels);
  }

  cv::Matx33d K_;
  double baseline_;
  cv::Mat last_;
  Eigen::Isometry3d X_FC_ = Eigen::Isometry3d::Identity(), X_FK_ = Eigen::Isometry3d::Identity();
  std::vector<cv::Point3d> points_;  // [m] in the key frame K
  cv::Vec3d rotation_, shift_;       // of the key frame in the last image's
  Pixels pixels_;                    // where they are in the last left image
};

}  // namespace marsim::lidar
