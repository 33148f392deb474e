// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "marsim/common/time.hpp"

namespace marsim::map_tools {

/// Unit and origin of the points' times in scans. Drivers write seconds, milliseconds, microseconds
/// or nanoseconds, since the scan's stamp or as stamps, under the same names: the span of a scan
/// tells the unit.
class PointTimes {
 public:
  /// [ns] Spans of a scan. The units are a factor of 1000 apart, and so are these limits.
  static constexpr double kShortest = 2e6, kLongest = 2e9;

  /// From the span of a whole scan in the field's unit; none if no unit makes it a scan.
  static std::optional<PointTimes> ofSpan(double span);

  /// "s", "ms", "us" or "ns".
  const char* unit() const { return unit_; }
  /// Duration [ns] of a time in the field's unit.
  double length(double time) const { return time * length_; }
  /// The times of a scan's points since its stamp [ns], from the first and the last time of the
  /// valid points. Empty if these span longer than a scan.
  std::vector<std::int64_t> since(TimeNs stamp, const std::vector<double>& times,
                                  const std::pair<double, double>& first_and_last);
  /// Number of scans whose points' times are stamps of another clock than the scans': their first
  /// point was put at the scan's stamp.
  std::size_t otherClock() const { return other_clock_; }

 private:
  PointTimes(const char* unit, double length) : unit_(unit), length_(length) {}
  const char* unit_;
  double length_;  // [ns]
  std::size_t other_clock_ = 0;
};

}  // namespace marsim::map_tools
