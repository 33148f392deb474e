// SPDX-License-Identifier: BSD-3-Clause
#include "lidar/measure/normal_deviate.hpp"

#include <cmath>

#include <boost/math/special_functions/erf.hpp>

namespace marsim::lidar {

namespace {

/// The inverse of the standard normal distribution function, for u in (0, 1).
double normalQuantile(double u) { return -std::sqrt(2.0) * boost::math::erfc_inv(2.0 * u); }

}  // namespace

const NormalDeviate& NormalDeviate::table() {
  static const NormalDeviate instance;
  return instance;
}

NormalDeviate::NormalDeviate() {
  for (std::size_t i = 1; i < kCells; ++i) {
    corners_[i] = static_cast<float>(normalQuantile(static_cast<double>(i) / kCells));
  }
}

float NormalDeviate::tail(std::uint32_t bits) {
  return static_cast<float>(normalQuantile((static_cast<double>(bits) + 0.5) * 0x1.0p-32));
}

}  // namespace marsim::lidar
