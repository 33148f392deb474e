// SPDX-License-Identifier: BSD-3-Clause
#include "tools/map/orbit.hpp"

#include <algorithm>
#include <cmath>

#include "marsim/common/units.hpp"

namespace marsim::tools {
namespace {

constexpr double kTangent = 0.45;   // tangent of half the vertical field of view
constexpr double kSteepest = 1.55;  // [rad] just short of straight down

}  // namespace

Orbit::Orbit(const Eigen::AlignedBox3f& box)
    : centre_(box.center().cast<double>()),
      size_(std::max<double>(box.sizes().norm(), 0.1)),
      distance_(0.5 * size_ * std::sqrt(1.0 + 1.0 / (kTangent * kTangent))) {}

void Orbit::turn(double right, double down) {
  yaw_ -= kPi * right;
  pitch_ = std::clamp(pitch_ + kPi * down, -kSteepest, kSteepest);
}

void Orbit::move(double right, double down) {
  const double height = 2.0 * kTangent * distance_;
  centre_ += axes().transpose() * Eigen::Vector3d(-right * height, down * height, 0.0);
}

void Orbit::zoom(double steps) {
  distance_ = std::clamp(distance_ * std::pow(0.88, steps), 0.01, 20.0 * size_);
}

Eigen::Matrix3d Orbit::axes() const {
  const Eigen::Vector3d backward(std::cos(pitch_) * std::cos(yaw_),
                                 std::cos(pitch_) * std::sin(yaw_), std::sin(pitch_));
  const Eigen::Vector3d right(-std::sin(yaw_), std::cos(yaw_), 0.0);
  Eigen::Matrix3d rows;
  rows << right.transpose(), backward.cross(right).transpose(), backward.transpose();
  return rows;
}

Eigen::Matrix4f Orbit::projection(double aspect) const {
  const Eigen::Matrix3d rows = axes();
  Eigen::Matrix4d view = Eigen::Matrix4d::Identity();
  view.topLeftCorner<3, 3>() = rows;
  view.topRightCorner<3, 1>() = -rows * (centre_ + distance_ * rows.row(2).transpose());
  const double near = 0.002 * distance_, far = distance_ + 3.0 * size_;
  Eigen::Matrix4d clip = Eigen::Matrix4d::Zero();
  clip(0, 0) = 1.0 / (kTangent * aspect);
  clip(1, 1) = 1.0 / kTangent;
  clip(2, 2) = -(far + near) / (far - near);
  clip(2, 3) = -2.0 * far * near / (far - near);
  clip(3, 2) = -1.0;
  return (clip * view).cast<float>();
}

double Orbit::focal(double height) { return 0.5 * height / kTangent; }

}  // namespace marsim::tools
