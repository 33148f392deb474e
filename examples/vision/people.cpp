// SPDX-License-Identifier: BSD-3-Clause
#include "people.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace vision {

using Eigen::Vector2d;

namespace {

constexpr double kMemory = 1.5;  // [s] without a box
constexpr double kGate = 1.0;    // [m] from where a person is expected
constexpr double kAlpha = 0.3;   // gains of the filter; beta by Benedict and Bordner (1962)
constexpr double kBeta = kAlpha * kAlpha / (2.0 - kAlpha);
constexpr double kMostSpeed = 2.5;   // [m/s]
constexpr double kHalfDepth = 0.15;  // [m] from the surface to the middle
constexpr int kSteps = 20;           // samples of a box in each direction
constexpr double kDepths = 0.45;     // [m] from a known person's depth

}  // namespace

void People::add(const Image& image, const std::vector<Box>& boxes) {
  images_.push_back(image);
  while (images_.size() > 1 && images_[1].time <= image.time - delay_ + 1e-6) images_.pop_front();
  const Image& shown = images_.front();
  for (const Box& box : boxes) {
    if (const auto p_W = placeOf(shown, box)) update(shown.time, *p_W);
  }
  const auto isGone = [&](const Person& person) { return person.time < image.time - kMemory; };
  people_.erase(std::remove_if(people_.begin(), people_.end(), isGone), people_.end());
}

std::vector<Person> People::at(double time) const {
  std::vector<Person> people = people_;
  for (Person& person : people) {
    person.p_W += (time - person.time) * person.v_W;
    person.time = time;
  }
  return people;
}

// The person's depth is the lower quartile of the depths in the middle of the box: the background
// beside the person is farther. Where a known person is expected there, the nearest of several,
// only depths near the expected one count: a trunk before the person would be the lower quartile.
// A middle that shows only what is farther proves the person wrong, who is forgotten.
std::optional<Vector2d> People::placeOf(const Image& image, const Box& box) {
  if (!image.X_WC) return std::nullopt;
  const double width = box.right - box.left;
  const Box middle{box.left + 0.3 * width, box.top, box.right - 0.3 * width, box.bottom};
  std::vector<double> depths;
  for (int i = 0; i < kSteps; ++i) {
    for (int k = 0; k < kSteps; ++k) {
      const double across = 1.0 * i / (kSteps - 1), down = 0.1 + 0.8 * k / (kSteps - 1);
      const int u = static_cast<int>(middle.left + across * (middle.right - middle.left));
      const int v = static_cast<int>(box.top + down * (box.bottom - box.top));
      if (u < 0 || v < 0 || u >= image.depth.cols || v >= image.depth.rows) continue;
      const double depth = static_cast<double>(image.depth.at<float>(v, u));
      if (depth > 0.0 && std::isfinite(depth)) depths.push_back(depth);
    }
  }
  auto known = people_.end();
  double expected = 0.0;
  for (auto person = people_.begin(); person != people_.end(); ++person) {
    const Vector2d p_W = person->p_W + (image.time - person->time) * person->v_W;
    const Eigen::Vector3d p_C =
        image.X_WC->inverse() * Eigen::Vector3d(p_W.x(), p_W.y(), image.X_WC->translation().z());
    const double depth = p_C.z() - kHalfDepth;
    if (depth < 0.1 || !middle.holds(camera_.pixel(p_C).x(), 0.5 * (box.top + box.bottom)))
      continue;
    if (known != people_.end() && depth > expected) continue;
    known = person;
    expected = depth;
  }
  if (known != people_.end()) {
    const auto isOf = [&](double depth) { return std::abs(depth - expected) < kDepths; };
    const auto isBefore = [&](double depth) { return depth < expected; };
    std::vector<double> near;
    std::copy_if(depths.begin(), depths.end(), std::back_inserter(near), isOf);
    if (near.size() >= kSteps || std::any_of(depths.begin(), depths.end(), isBefore)) {
      depths = near;
    } else if (known->time < image.time) {
      people_.erase(known);
    }
  }
  if (depths.size() < kSteps) return std::nullopt;
  const auto quarter = depths.begin() + static_cast<std::ptrdiff_t>(depths.size() / 4);
  std::nth_element(depths.begin(), quarter, depths.end());
  const cv::Point2f centre(static_cast<float>((box.left + box.right) / 2.0),
                           static_cast<float>((box.top + box.bottom) / 2.0));
  const Eigen::Vector3d p_W = *image.X_WC * camera_.point(centre, *quarter + kHalfDepth);
  return Vector2d(p_W.head<2>());
}

void People::update(double time, const Vector2d& p_W) {
  const auto errorOf = [&](const Person& person) -> Vector2d {
    return p_W - person.p_W - (time - person.time) * person.v_W;
  };
  const auto nearest =
      std::min_element(people_.begin(), people_.end(), [&](const Person& a, const Person& b) {
        return errorOf(a).squaredNorm() < errorOf(b).squaredNorm();
      });
  if (nearest == people_.end() || errorOf(*nearest).norm() > kGate) {
    people_.push_back({time, p_W, Vector2d::Zero()});
    return;
  }
  const double step = time - nearest->time;
  if (step <= 0.0) return;  // another box of this image is the person's
  const Vector2d error = errorOf(*nearest);
  nearest->p_W = p_W - (1.0 - kAlpha) * error;
  nearest->v_W += kBeta / step * error;
  nearest->v_W *= std::min(1.0, kMostSpeed / std::max(nearest->v_W.norm(), 1e-9));
  nearest->time = time;
}

}  // namespace vision
