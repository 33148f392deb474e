// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "marsim/map/point_cloud.hpp"
#include "marsim/map/surfel.hpp"

namespace marsim::map {

/// Finds out whether all values of a source are equal: such a channel has no information. Takes
/// values in parts and ignores those that are not finite; a channel with only such values has 0.
class IntensityRange {
 public:
  void add(float value) {
    any_ = true;
    if (value < least_) least_ = value;  // false for NaN
    if (value > most_) most_ = value;
  }
  std::optional<float> constant() const;

 private:
  bool any_ = false;
  float least_ = std::numeric_limits<float>::infinity();
  float most_ = -std::numeric_limits<float>::infinity();
};

/// The value of all points; none if values differ or there are no points.
std::optional<float> constantIntensity(const std::vector<float>& intensity);

/// Mean intensities of a source as reflectivities, 255 for 100 %, which `full_scale` stands for; 0:
/// see SurfelMapConfig::intensity_full_scale. Values above it become 255.
std::vector<std::uint8_t> toReflectivity(const std::vector<float>& intensity, double full_scale);

/// The channels of surfels from the means of their points; `full_scale` as for toReflectivity.
SurfelChannels toSurfelChannels(PointChannels&& means, double full_scale);

}  // namespace marsim::map
