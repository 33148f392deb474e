// SPDX-License-Identifier: BSD-3-Clause
#include "moving_points.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <Eigen/LU>
#include <opencv2/calib3d.hpp>
#include <opencv2/imgproc.hpp>

#include "mixture.hpp"

namespace vision {

using Eigen::Isometry3d;
using Eigen::Matrix3d;
using Eigen::Quaterniond;
using Eigen::Vector2d;
using Eigen::Vector3d;

namespace {

constexpr int kFewest = 30;       // flows that decide
constexpr int kFewOutside = 100;  // flows outside of boxes: others that were static help

/// A flow: the pixels, and whether it is outside of the boxes.
struct Flow {
  cv::Point2f then, now;
  bool outside;
};

// Length and direction (eq. 3-13 and 3-14) of flows less the flow of the camera's motion: of its
// turn, by the homography `H` from then to now, and of the rest, which is taken for affine. Without
// that a turn of the camera hides the flow of people (section 3.5.2).
std::vector<Vector2d> flowFeatures(std::vector<Flow> flows, const Matrix3d& H) {
  Pixels then, now;
  for (Flow& flow : flows) {
    const Vector2d turned = (H * Vector3d(1.0 * flow.then.x, 1.0 * flow.then.y, 1.0)).hnormalized();
    flow.then = cv::Point2d(turned.x(), turned.y());
    if (!flow.outside) continue;
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

bool MovingPoints::wasStatic(const cv::Point2f& then) const {
  const cv::Mat& marks = images_.front().is_static;
  const cv::Point pixel = then;
  return cv::Rect({}, marks.size()).contains(pixel) && marks.at<unsigned char>(pixel) != 0;
}

const std::vector<PointFlow>& MovingPoints::label(double time, const cv::Mat& grey,
                                                  const Features& features,
                                                  const std::vector<Box>& boxes,
                                                  const std::optional<Quaterniond>& turn) {
  for (const PointFlow& point : points_) {
    if (point.label == Label::kStatic)
      cv::circle(images_.back().is_static, point.now, 2, 255, cv::FILLED);
  }
  images_.push_back({time,
                     grey,
                     {},
                     cv::Mat::zeros(grey.size(), CV_8UC1),
                     turn.value_or(Quaterniond::Identity()),
                     Isometry3d::Identity()});
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
    flows.push_back({points_[i].then, points_[i].now, points_[i].label == Label::kStatic});
    numbers.push_back(i);
  }
  if (static_cast<int>(flows.size()) < kFewest) return;
  const auto isOutside = [](const Flow& flow) { return flow.outside; };
  if (std::count_if(flows.begin(), flows.end(), isOutside) < kFewOutside) {
    for (Flow& flow : flows) flow.outside = flow.outside || wasStatic(flow.then);
  }
  Matrix3d K;
  K << camera_.fx, 0.0, camera_.cx, 0.0, camera_.fy, camera_.cy, 0.0, 0.0, 1.0;
  Quaterniond turn = Quaterniond::Identity();
  for (std::size_t i = 1; i < images_.size(); ++i) turn = turn * images_[i].turn;
  const std::vector<Vector2d> samples =
      flowFeatures(flows, K * turn.inverse().toRotationMatrix() * K.inverse());
  std::vector<double> outside_boxes;
  for (const Flow& flow : flows) outside_boxes.push_back(flow.outside ? 1.0 : 0.0);
  const Mixture mixture = fitMixture(samples, outside_boxes, {0.3, 0.05});
  std::array<int, 2> outside = {0, 0};  // algorithm 2
  for (std::size_t k = 0; k < samples.size(); ++k) {
    if (flows[k].outside) ++outside[static_cast<std::size_t>(mixture.classOf(samples[k]))];
  }
  if (std::max(outside[0], outside[1]) < kFewest) return;
  const int static_class = outside[0] >= outside[1] ? 0 : 1;
  for (std::size_t k = 0; k < samples.size(); ++k) {
    Label& label = points_[numbers[k]].label;
    if (label == Label::kUnknown)
      label = mixture.classOf(samples[k]) == static_class ? Label::kStatic : Label::kMoving;
  }
}

std::vector<SeenMover> MovingPoints::movers(const cv::Mat& depth, const Isometry3d& X_WC) {
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
      places.push_back(X_WC * camera_.point(point.now, z));
      velocities.push_back((places.back() - then.X_WC * camera_.point(point.then, before)) / age);
    }
    if (places.size() >= 5) movers.push_back({box, median(places), median(velocities)});
  }
  return movers;
}

}  // namespace vision
