// SPDX-License-Identifier: BSD-3-Clause
#include "moving_points.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <random>
#include <utility>

#include <Eigen/Cholesky>
#include <opencv2/imgproc.hpp>

#include "mixture.hpp"

namespace vision {

using Eigen::Isometry3d;
using Eigen::Quaterniond;
using Eigen::Vector2d;
using Eigen::Vector3d;

namespace {

constexpr int kFewest = 30;       // flows that decide
constexpr int kFewOutside = 100;  // flows outside of boxes: others that were static help
constexpr double kInlier = 1.0;   // [px] of the camera's motion
constexpr int kRounds = 100;      // of RANSAC
// Least standard deviations of a flow's length [px] and direction [rad]: errors of Lucas-Kanade.
const Vector2d kFloor(0.1, 0.05);
constexpr double kStill = 2.0;  // [px] largest flow of a static feature in a box, less the camera's

/// A flow: the pixels, the depth at `now` [m] (0: unknown), and whether it is outside of the boxes.
struct Flow {
  cv::Point2f then, now;
  double depth;
  bool outside;
};

/// Translation [m] and small turn [rad] of static points in the camera's frame.
using Motion = Eigen::Matrix<double, 6, 1>;

/// The motion field of a static point: A * Motion = flow [px] (Longuet-Higgins and Prazdny 1980).
struct MotionField {
  Eigen::Matrix<double, 2, 6> A;
  Vector2d flow;

  double error(const Motion& motion) const { return (flow - A * motion).norm(); }
};

using MotionFields = std::vector<MotionField>;

// Least squares. Components that the fields do not determine are 0.
Motion motionOf(const MotionFields& fields) {
  Eigen::Matrix<double, 6, 6> N = 1e-3 * Eigen::Matrix<double, 6, 6>::Identity();
  Motion sum = Motion::Zero();
  for (const MotionField& field : fields) {
    N += field.A.transpose() * field.A;
    sum += field.A.transpose() * field.flow;
  }
  return N.ldlt().solve(sum);
}

MotionFields inliersOf(const MotionFields& fields, const Motion& motion) {
  MotionFields inliers;
  std::copy_if(fields.begin(), fields.end(), std::back_inserter(inliers),
               [&](const MotionField& field) { return field.error(motion) < kInlier; });
  return inliers;
}

// By RANSAC (Fischler and Bolles 1981), then least squares of the inliers.
Motion robustMotionOf(const MotionFields& fields) {
  if (fields.size() < 10) return Motion::Zero();
  std::mt19937 random(1);
  const auto any = [&] { return fields[random() % fields.size()]; };
  MotionFields best;
  for (int round = 0; round < kRounds; ++round) {
    MotionFields inliers = inliersOf(fields, motionOf({any(), any(), any()}));
    if (inliers.size() > best.size()) best = std::move(inliers);
  }
  return motionOf(inliersOf(fields, motionOf(best)));
}

// Fields of flows after a turn of the camera, which `turn` may leave unknown. Flows without depth
// get the median of the others.
MotionFields fieldsOf(const std::vector<Flow>& flows, const Pinhole& camera,
                      const std::optional<Quaterniond>& turn) {
  std::vector<double> depths;
  for (const Flow& flow : flows) {
    if (flow.depth > 0.0) depths.push_back(flow.depth);
  }
  const auto middle = depths.begin() + static_cast<std::ptrdiff_t>(depths.size() / 2);
  if (!depths.empty()) std::nth_element(depths.begin(), middle, depths.end());
  const double usual = depths.empty() ? 1.0 : *middle;
  const Quaterniond back = turn.value_or(Quaterniond::Identity()).inverse();
  MotionFields fields;
  for (const Flow& flow : flows) {
    const Vector3d turned = back * camera.point(flow.then, 1.0);
    const double x = turned.x() / turned.z(), y = turned.y() / turned.z(),
                 near = 1.0 / (flow.depth > 0.0 ? flow.depth : usual);
    MotionField& field = fields.emplace_back();
    field.flow = Vector2d(flow.now.x, flow.now.y) - camera.pixel(turned);
    field.A << near, 0.0, -x * near, -x * y, 1.0 + x * x, -y,  //
        0.0, near, -y * near, -1.0 - y * y, x * y, x;
    field.A.row(0) *= camera.fx;
    field.A.row(1) *= camera.fy;
    if (turn) field.A.rightCols<3>().setZero();
  }
  return fields;
}

// Length and direction (eq. 3-13 and 3-14) of flows less the flow of the camera's motion, which is
// that of the flows outside of boxes: else it hides the flow of people (section 3.5.2).
std::vector<Vector2d> flowFeatures(const std::vector<Flow>& flows, const Pinhole& camera,
                                   const std::optional<Quaterniond>& turn) {
  const MotionFields fields = fieldsOf(flows, camera, turn);
  MotionFields outside;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    if (flows[i].outside) outside.push_back(fields[i]);
  }
  const Motion motion = robustMotionOf(outside);
  std::vector<Vector2d> features;
  for (const MotionField& field : fields) {
    const Vector2d d = field.flow - field.A * motion;
    features.emplace_back(d.norm(), std::atan2(d.y(), d.x()));
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
  images_.push_back(
      {time, grey, {}, cv::Mat::zeros(grey.size(), CV_8UC1), turn, Isometry3d::Identity()});
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
  classify(features, found);
  return points_;
}

void MovingPoints::classify(const Features& features, const std::vector<bool>& has_flow) {
  std::vector<Flow> flows;
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    if (!has_flow[i]) continue;
    const double depth = features.depths.empty() ? 0.0 : static_cast<double>(features.depths[i]);
    flows.push_back({points_[i].then, points_[i].now, depth, points_[i].label == Label::kStatic});
    numbers.push_back(i);
  }
  if (static_cast<int>(flows.size()) < kFewest) return;
  const auto isOutside = [](const Flow& flow) { return flow.outside; };
  if (std::count_if(flows.begin(), flows.end(), isOutside) < kFewOutside) {
    for (Flow& flow : flows) flow.outside = flow.outside || wasStatic(flow.then);
  }
  std::optional<Quaterniond> turn = Quaterniond::Identity();
  for (std::size_t i = 1; i < images_.size(); ++i) {
    turn = turn && images_[i].turn ? std::make_optional(*turn * *images_[i].turn) : std::nullopt;
  }
  const std::vector<Vector2d> samples = flowFeatures(flows, camera_, turn);
  std::vector<double> outside_boxes;
  for (const Flow& flow : flows) outside_boxes.push_back(flow.outside ? 1.0 : 0.0);
  const Mixture mixture = fitMixture(samples, outside_boxes, kFloor);
  std::array<int, 2> outside = {0, 0};  // algorithm 2
  for (std::size_t k = 0; k < samples.size(); ++k) {
    if (flows[k].outside) ++outside[static_cast<std::size_t>(mixture.classOf(samples[k]))];
  }
  if (std::max(outside[0], outside[1]) < kFewest) return;
  const int static_class = outside[0] >= outside[1] ? 0 : 1;
  for (std::size_t k = 0; k < samples.size(); ++k) {
    Label& label = points_[numbers[k]].label;
    if (label != Label::kUnknown) continue;
    // The static class may take in a slow person where others are fast.
    const bool is_static = mixture.classOf(samples[k]) == static_class && samples[k].x() < kStill;
    label = is_static ? Label::kStatic : Label::kMoving;
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
