// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/lidar/camera_model.hpp"

#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <Eigen/LU>

#include "lidar/image/image_size.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"

namespace marsim::lidar {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr int kSteps = 8;        // from the axis to a pixel
constexpr int kIterations = 20;  // of Newton's method per step; three suffice

using Distortion = std::array<double, 5>;

/// Distorted coordinates on the plane z = 1, and their derivatives.
struct Distorted {
  Eigen::Vector2d place;
  Eigen::Matrix2d slope;
};

Distorted plumbBob(const Eigen::Vector2d& p, const Distortion& d) {
  const auto [k1, k2, p1, p2, k3] = d;
  const double x = p.x(), y = p.y(), s = p.squaredNorm();
  const double radial = 1.0 + s * (k1 + s * (k2 + s * k3));
  const double slope = k1 + s * (2.0 * k2 + s * 3.0 * k3);  // of radial by s
  Distorted result;
  result.place = {x * radial + 2.0 * p1 * x * y + p2 * (s + 2.0 * x * x),
                  y * radial + p1 * (s + 2.0 * y * y) + 2.0 * p2 * x * y};
  const double across = 2.0 * x * y * slope + 2.0 * p1 * x + 2.0 * p2 * y;
  result.slope << radial + 2.0 * x * x * slope + 2.0 * p1 * y + 6.0 * p2 * x, across,  //
      across, radial + 2.0 * y * y * slope + 6.0 * p1 * y + 2.0 * p2 * x;
  return result;
}

// In steps from the axis, so that the solution lies on the branch that begins there.
Eigen::Vector2d inversePlumbBob(const Eigen::Vector2d& place, const Distortion& d) {
  Eigen::Vector2d p = Eigen::Vector2d::Zero();
  for (int step = 1; step <= kSteps; ++step) {
    const Eigen::Vector2d wanted = place * (static_cast<double>(step) / kSteps);
    double error = 1.0;
    for (int i = 0; i < kIterations && error > 1e-12; ++i) {
      const Distorted here = plumbBob(p, d);
      if (!(here.slope.determinant() > 0.0)) return {kNone, kNone};
      const Eigen::Vector2d off = here.place - wanted;
      error = off.norm();
      p -= here.slope.inverse() * off;
    }
    if (!(error <= 1e-9)) return {kNone, kNone};
  }
  return plumbBob(p, d).slope.determinant() > 0.0 ? p : Eigen::Vector2d(kNone, kNone);
}

double equidistant(double angle, const Distortion& d) {
  const double s = angle * angle;
  return angle * (1.0 + s * (d[0] + s * (d[1] + s * (d[2] + s * d[3]))));
}

double slopeOfEquidistant(double angle, const Distortion& d) {
  const double s = angle * angle;
  return 1.0 + s * (3.0 * d[0] + s * (5.0 * d[1] + s * (7.0 * d[2] + s * 9.0 * d[3])));
}

double inverseEquidistant(double place, const Distortion& d) {
  double angle = 0.0;
  for (int step = 1; step <= kSteps; ++step) {
    const double wanted = place * (static_cast<double>(step) / kSteps);
    double error = 1.0;
    for (int i = 0; i < kIterations && error > 1e-12; ++i) {
      const double slope = slopeOfEquidistant(angle, d);
      if (!(slope > 0.0)) return kNone;
      const double off = equidistant(angle, d) - wanted;
      error = std::abs(off);
      angle -= off / slope;
    }
    if (!(error <= 1e-9)) return kNone;
  }
  return slopeOfEquidistant(angle, d) > 0.0 && angle <= kPi ? angle : kNone;
}

}  // namespace

std::size_t CameraModel::coefficients() const { return projection == Projection::kFisheye ? 4 : 5; }

bool CameraModel::isIdeal() const {
  return projection == Projection::kPinhole && distortion == Distortion{};
}

ImageGrid CameraModel::grid() const {
  ImageGrid grid;
  grid.projection = ImageGrid::Projection::kPinhole;
  grid.width = width;
  grid.height = height;
  grid.fx = fx;
  grid.fy = fy;
  grid.cx = cx;
  grid.cy = cy;
  return grid;
}

Eigen::Vector2d CameraModel::project(const Eigen::Vector3d& p_C) const {
  Eigen::Vector2d place(kNone, kNone);
  if (projection == Projection::kFisheye) {
    const double radius = p_C.head<2>().norm();
    const double out = equidistant(std::atan2(radius, p_C.z()), distortion);
    place = radius > 0.0 ? Eigen::Vector2d(p_C.head<2>() * (out / radius))
                         : Eigen::Vector2d(Eigen::Vector2d::Zero());
  } else if (p_C.z() > 0.0) {
    place = plumbBob(p_C.head<2>() / p_C.z(), distortion).place;
  }
  return {fx * place.x() + cx, fy * place.y() + cy};
}

Eigen::Vector3d CameraModel::direction(const Eigen::Vector2d& pixel) const {
  const Eigen::Vector2d place((pixel.x() - cx) / fx, (pixel.y() - cy) / fy);
  if (projection == Projection::kPinhole) {
    const Eigen::Vector2d p = isIdeal() ? place : inversePlumbBob(place, distortion);
    return Eigen::Vector3d(p.x(), p.y(), 1.0).normalized();
  }
  const double radius = place.norm();
  if (radius == 0.0) return Eigen::Vector3d::UnitZ();
  const double angle = inverseEquidistant(radius, distortion);
  const Eigen::Vector2d across = place * (std::sin(angle) / radius);
  return {across.x(), across.y(), std::cos(angle)};
}

void CameraModel::declare(Settings& settings) {
  settings.optional("projection", projection,
                    {{"pinhole", Projection::kPinhole}, {"fisheye", Projection::kFisheye}});
  settings.required("image", [&](Settings& image) {
    declareImageSize(image, width, height);
    image.required("fx", fx, "px", kPositive);
    image.required("fy", fy, "px", kPositive);
    image.required("cx", cx, "px, inside the image", {0.0, width - 1.0});
    image.required("cy", cy, "px, inside the image", {0.0, height - 1.0});
  });
  if (!settings.inFile("distortion")) return;
  std::vector<double> given;
  settings.required("distortion", given);
  if (given.size() > coefficients()) {
    settings.fail("distortion", fmt::format("a list of {}", given.size()),
                  coefficients() == 4 ? "[k1, k2, k3, k4]" : "[k1, k2, p1, p2, k3]");
  }
  std::copy(given.begin(), given.end(), distortion.begin());
}

void CameraModel::validate(const std::string& where) const {
  checkSettings(where, *this);
  requireImageSize(where, width, height);
  const Validator check(where);
  for (const double k : distortion) check.finite("distortion", k);
  const auto* const end = distortion.begin() + coefficients();
  // If the directions at the border exist, all inside do.
  const auto look = [&](int column, int row) {
    check.require(direction({column, row}).allFinite(), "distortion",
                  fmt::format("[{:g}]", fmt::join(distortion.begin(), end, ", ")),
                  fmt::format("coefficients that do not fold the image over, as these do on the "
                              "way to pixel ({}, {})",
                              column, row));
  };
  for (int column = 0; column < width; ++column) {
    look(column, 0);
    look(column, height - 1);
  }
  for (int row = 0; row < height; ++row) {
    look(0, row);
    look(width - 1, row);
  }
}

}  // namespace marsim::lidar
