// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>
#include <vector>

#include "marsim/lidar/lidar.hpp"

namespace marsim::lidar {

/// The range to which a sensor sees, by the reflectivity along the beam: that of a surface times
/// Lambert's cosine, or of an extended surface whose echo is as strong. The pairs of
/// noise.range_by_reflectivity are joined by straight lines in the logarithms of both, which go on
/// beyond the last pair. Below the first the range grows with the square root of the reflectivity:
/// the least energy of an echo is that of the first pair. Without pairs the least energy is
/// returns.threshold, else that of 90 % at range.max, as in LISA (Kilic et al., arXiv:2107.07004).
class RangeLimit {
 public:
  explicit RangeLimit(const LidarConfig& sensor);

  /// Whether an echo is strong enough; `range` [m] is that in clear air.
  bool sees(float range, float reflectivity) const {
    if (range <= first_range_) return reflectivity >= least_energy_ * range * range;
    return static_cast<double>(range) <= reach(static_cast<double>(reflectivity));
  }
  /// The range [m] to which a reflectivity is seen in clear air.
  double reach(double reflectivity) const;
  /// The least reflectivity that is seen at a range [m] in clear air.
  double leastReflectivity(double range) const;

 private:
  float least_energy_;  ///< [1/m^2] reflectivity / range^2
  float first_range_;   ///< [m] up to which the least energy decides; +inf: everywhere
  double threshold_;    ///< [1/m^2] returns.threshold
  std::vector<std::pair<double, double>> logarithms_;  ///< of the pairs, if there are several
};

}  // namespace marsim::lidar
