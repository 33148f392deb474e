// SPDX-License-Identifier: BSD-3-Clause
#include "moving_points.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <opencv2/calib3d.hpp>

#include "mixture.hpp"

namespace vision {

using Eigen::Isometry3d;
using Eigen::Vector2d;
using Eigen::Vector3d;

namespace {

constexpr int kFewest = 30;  // flows that decide

/// A flow: the pixels, and whether they lie in a box.
struct Flow {
  cv::Point2f then, now;
  bool in_box;
};

// Length and direction (eq. 3-13 and 3-14) of flows less the flow of the camera's motion, which is
// taken for affine. Without that a turn of the camera hides the flow of people (section 3.5.2).
std::vector<Vector2d> flowFeatures(const std::vector<Flow>& flows) {
  Pixels then, now;
  for (const Flow& flow : flows) {
    if (flow.in_box) continue;
    then.push_back(flow.then);
    now.push_back(flow.now);
  }
  cv::Mat affine = then.size() < 10 ? cv::Mat() : cv::estimateAffine2D(then, now);
  if (affine.empty()) affine = cv::Mat::eye(2, 3, CV_64F);
  const cv::Matx23d A = affine;
  std::vector<Vector2d> features;
  for (const Flow& flow : flows) {
    const cv::Vec2d d =
        cv::Vec2d(flow.now.x, flow.now.y) - A * cv::Vec3d(flow.then.x, flow.then.y, 1.0);
    features.emplace_back(cv::norm(d), std::atan2(d[1], d[0]));
  }
  return features;
}

Vector3d median(std::vector<Vector3d> values) {
  Vector3d result;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  for (int axis = 0; axis < 3; ++axis) {
    std::nth_element(values.begin(), middle, values.end(),
                     [axis](const auto& a, const auto& b) { return a[axis] < b[axis]; });
    result[axis] = (*middle)[axis];
  }
  return result;
}

}  // namespace

bool MovingPoints::isInBox(const cv::Point2f& pixel) const {
  const auto holds = [&](const Box& box) {
    return box.holds(static_cast<double>(pixel.x), static_cast<double>(pixel.y));
  };
  return std::any_of(boxes_.begin(), boxes_.end(), holds) ||
         std::any_of(before_.begin(), before_.end(), holds);
}

const std::vector<PointFlow>& MovingPoints::label(double time, const cv::Mat& grey,
                                                  const Features& features,
                                                  const std::vector<Box>& boxes) {
  images_.push_back({time, grey, {}, Isometry3d::Identity()});
  while (images_.size() > 1 && images_[1].time < time - kSpan + 1e-6) images_.pop_front();
  before_ = std::exchange(boxes_, boxes);
  points_.clear();
  for (const cv::Point2f& pixel : features.pixels) {
    points_.push_back({pixel, pixel, isInBox(pixel) ? Label::kUnknown : Label::kStatic});
  }
  if (images_.size() < 2 || (boxes_.empty() && before_.empty())) return points_;
  Pixels then;
  const std::vector<bool> found = follow(grey, images_.front().grey, features.pixels, then);
  for (std::size_t i = 0; i < points_.size(); ++i) {
    if (found[i]) points_[i].then = then[i];
  }
  classify(found);
  return points_;
}

void MovingPoints::classify(const std::vector<bool>& has_flow) {
  std::vector<Flow> flows;
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    if (!has_flow[i]) continue;
    flows.push_back({points_[i].then, points_[i].now, points_[i].label != Label::kStatic});
    numbers.push_back(i);
  }
  if (static_cast<int>(flows.size()) < kFewest) return;
  const std::vector<Vector2d> samples = flowFeatures(flows);
  std::vector<double> outside_boxes;
  for (const Flow& flow : flows) outside_boxes.push_back(flow.in_box ? 0.0 : 1.0);
  const Mixture mixture = fitMixture(samples, outside_boxes, {0.3, 0.05});
  std::array<int, 2> outside = {0, 0};  // algorithm 2
  for (std::size_t k = 0; k < samples.size(); ++k) {
    if (points_[numbers[k]].label == Label::kStatic)
      ++outside[static_cast<std::size_t>(mixture.classOf(samples[k]))];
  }
  if (std::max(outside[0], outside[1]) < kFewest) return;
  const int static_class = outside[0] >= outside[1] ? 0 : 1;
  for (std::size_t k = 0; k < samples.size(); ++k) {
    Label& label = points_[numbers[k]].label;
    if (label == Label::kUnknown)
      label = mixture.classOf(samples[k]) == static_class ? Label::kStatic : Label::kMoving;
  }
}

std::vector<SeenMover> MovingPoints::movers(const Pinhole& camera, const cv::Mat& depth,
                                            const Isometry3d& X_WC) {
  Image& now = images_.back();
  now.depth = depth;
  now.X_WC = X_WC;
  const Image& then = images_.front();
  const double age = now.time - then.time;
  std::vector<SeenMover> movers;
  for (const Box& box : boxes_) {
    std::vector<Vector3d> places, velocities;
    for (const PointFlow& point : points_) {
      if (point.label != Label::kMoving || !box.holds(point.now.x, point.now.y)) continue;
      const double z = depthsOf({point.now}, now.depth)[0],
                   before = depthsOf({point.then}, then.depth)[0];
      if (z == 0.0 || before == 0.0) continue;
      places.push_back(X_WC * camera.point(point.now, z));
      velocities.push_back((places.back() - then.X_WC * camera.point(point.then, before)) / age);
    }
    if (places.size() >= 5) movers.push_back({box, median(places), median(velocities)});
  }
  return movers;
}

}  // namespace vision
