// SPDX-License-Identifier: BSD-3-Clause
#include "map_tools/point_times.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace marsim::map_tools {

std::optional<PointTimes> PointTimes::ofSpan(double span) {
  constexpr std::array<std::pair<const char*, double>, 4> kUnits = {
      {{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1.0}}};
  for (const auto& [unit, length] : kUnits) {
    if (span * length >= kShortest && span * length < kLongest) return PointTimes(unit, length);
  }
  return std::nullopt;
}

std::vector<std::int64_t> PointTimes::since(TimeNs stamp, const std::vector<double>& times,
                                            const std::pair<double, double>& first_and_last) {
  const double first = first_and_last.first * length_, last = first_and_last.second * length_;
  if (!(last - first < kLongest)) return {};
  const auto are_near = [&](double zero) {
    return std::max(std::abs(first - zero), std::abs(last - zero)) < kLongest;
  };
  double zero = 0.0;
  if (!are_near(zero)) zero = static_cast<double>(stamp);
  if (!are_near(zero)) {
    zero = first;
    ++other_clock_;
  }
  std::vector<std::int64_t> since;
  since.reserve(times.size());
  for (const double time : times) {
    const double within = std::isfinite(time) ? std::clamp(time * length_, first, last) : first;
    since.push_back(std::llround(within - zero));
  }
  return since;
}

}  // namespace marsim::map_tools
