// SPDX-License-Identifier: BSD-3-Clause
#include "lidar/measure/range_limit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace marsim::lidar {
namespace {

using Pair = std::pair<double, double>;

/// On the line through two points.
double onLine(const Pair& a, const Pair& b, double x) {
  return a.second + (x - a.first) / (b.first - a.first) * (b.second - a.second);
}

/// Reflectivity and the range [m] to which it is seen, where a square root law begins.
Pair firstPair(const LidarConfig& sensor) {
  const NoiseConfig::Table& table = sensor.noise.range_by_reflectivity;
  if (!table.empty()) return table.front();
  const double threshold = sensor.returns.threshold;
  if (threshold > 0.0) return {1.0, 1.0 / std::sqrt(threshold)};
  return {0.9, sensor.range_max};
}

}  // namespace

RangeLimit::RangeLimit(const LidarConfig& sensor)
    : first_range_(std::numeric_limits<float>::infinity()), threshold_(sensor.returns.threshold) {
  const auto [reflectivity, range] = firstPair(sensor);
  least_energy_ = static_cast<float>(reflectivity / (range * range));
  const NoiseConfig::Table& table = sensor.noise.range_by_reflectivity;
  if (table.size() < 2) return;
  first_range_ = static_cast<float>(range);
  for (const Pair& pair : table) {
    logarithms_.emplace_back(std::log(pair.first), std::log(pair.second));
  }
}

double RangeLimit::reach(double reflectivity) const {
  const double by_energy = std::sqrt(reflectivity / static_cast<double>(least_energy_));
  if (logarithms_.empty() || !(by_energy > static_cast<double>(first_range_))) return by_energy;
  const double at = std::log(reflectivity);
  std::size_t next = 1;
  while (next + 1 < logarithms_.size() && logarithms_[next].first < at) ++next;
  return std::exp(onLine(logarithms_[next - 1], logarithms_[next], at));
}

double RangeLimit::leastReflectivity(double range) const {
  const double energy = std::max(static_cast<double>(least_energy_), threshold_);
  const double by_energy = energy * range * range;
  if (!(range > static_cast<double>(first_range_))) return by_energy;
  const double at = std::log(range);
  std::size_t next = 1;
  while (next + 1 < logarithms_.size() && logarithms_[next].second < at) ++next;
  const auto& [x0, y0] = logarithms_[next - 1];
  const auto& [x1, y1] = logarithms_[next];
  if (!(y1 > y0)) return std::numeric_limits<double>::infinity();  // no surface is seen farther
  return std::max(threshold_ * range * range, std::exp(onLine({y0, x0}, {y1, x1}, at)));
}

}  // namespace marsim::lidar
