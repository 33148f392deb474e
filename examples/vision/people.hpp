// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include <Eigen/Geometry>

#include "detector.hpp"
#include "features.hpp"
#include "moving_points.hpp"

namespace vision {

/// A person on the ground.
struct Person {
  double time;               ///< [s] of the place
  Eigen::Vector2d p_W, v_W;  ///< [m], [m/s]
};

/// Follows people by the depths in their boxes, with an alpha-beta filter for each person. A person
/// whom no box shows goes straight on, and is forgotten after 1.5 s, or as soon as a box shows only
/// what is farther.
class People {
 public:
  struct Image {
    double time;                            ///< [s]
    cv::Mat depth;                          ///< [m], 0 where it has none
    std::optional<Eigen::Isometry3d> X_WC;  ///< of the optical frame; none: it is unknown
  };

  /// `delay` [s] of the Detector whose boxes are added.
  People(const Pinhole& camera, double delay) : camera_(camera), delay_(delay) {}

  /// Adds an image, and the boxes known by then.
  void add(const Image& image, const std::vector<Box>& boxes);
  /// Returns the people, predicted to a time [s].
  std::vector<Person> at(double time) const;

 private:
  std::optional<Eigen::Vector2d> placeOf(const Image& image, const Box& box);
  void update(double time, const Eigen::Vector2d& p_W);

  Pinhole camera_;
  double delay_;
  std::deque<Image> images_;
  std::vector<Person> people_;
};

}  // namespace vision
