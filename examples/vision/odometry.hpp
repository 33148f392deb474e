// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include <Eigen/Geometry>

#include "features.hpp"
#include "moving_points.hpp"

namespace vision {

/// The pose of a camera by a map of features of key frames: features are matched near their places
/// predicted from the last motion, the pose solves the perspective-n-point problem (P3P with RANSAC
/// by Fischler and Bolles 1981, then least squares). It stands for the thesis's ORB-SLAM2 (Zhong
/// 2023, section 3.4), without local bundle adjustment and loop closure.
class Odometry {
 public:
  explicit Odometry(const Pinhole& camera) : camera_(camera) {}

  /// Adds an image's features; those not in `use` are left out. `turn`: rotation of the camera
  /// since the image before, by a gyroscope. With `turn`, an image that the map cannot place is
  /// placed by it and the last velocity and added to the map, five in a row at most. Returns the
  /// pose of the camera in its first image, or nothing if it is lost.
  std::optional<Eigen::Isometry3d> add(const Features& features, const std::vector<bool>& use,
                                       const std::optional<Eigen::Quaterniond>& turn = {});

  std::size_t mapSize() const { return map_.size(); }
  int keyFrames() const { return key_frames_; }

 private:
  struct MapPoint {
    Eigen::Vector3d p_F;  // [m] in the first image's frame
    Descriptor descriptor;
    int visible = 0, used = 0;  // images in whose view it was, and by which it was an inlier
    int observations = 1;       // of its depth
  };
  struct Match {
    std::size_t point, feature;
    int distance;
  };

  std::vector<Match> match(const Features& features, const std::vector<bool>& use, double radius);
  std::optional<Eigen::Isometry3d> solve(const Features& features, std::vector<Match>& matches);
  void refine(const Features& features, const std::vector<Match>& inliers);
  void addKeyFrame(const Features& features, const std::vector<bool>& use,
                   const std::vector<Match>& inliers);
  void forget();

  Pinhole camera_;
  std::vector<MapPoint> map_;
  // Pose of the last image; by the gyroscope's prediction where the map did not place it.
  Eigen::Isometry3d X_FC_ = Eigen::Isometry3d::Identity();
  Eigen::Isometry3d motion_ = Eigen::Isometry3d::Identity();  // from the last image but one to it
  int key_frames_ = 0;
  int predicted_ = 0;  // images since the last that was placed by the map
};

}  // namespace vision
