#include "lidar/measure/normal_deviate.hpp"

#include <algorithm>
#include <cmath>

#include "marsim/common/units.hpp"

namespace marsim::lidar {

// Newton's method on the logarithm of the distribution function, which is nearly straight in the
// tail and concave: from the left of the root it never oversteps.
double normalQuantile(double u) {
  if (u > 0.5) return -normalQuantile(1.0 - u);
  double x = -std::sqrt(std::max(0.0, -2.0 * std::log(2.0 * u)));
  for (int step = 0; step < 8; ++step) {
    const double below = 0.5 * std::erfc(-x / std::sqrt(2.0));
    const double density = std::exp(-0.5 * x * x) / std::sqrt(2.0 * kPi);
    x += std::log(u / below) * below / density;
  }
  return x;
}

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
