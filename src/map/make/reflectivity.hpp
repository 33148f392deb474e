#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "marsim/map/point_cloud.hpp"
#include "marsim/map/surfel.hpp"

namespace marsim::map {

/// Whether all values that a source gives are one, and which: such a channel says nothing. Takes
/// them in parts; those that are not finite do not count. A channel of such alone is one of 0.
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

/// The one value of all points; none where they differ or there are none.
std::optional<float> constantIntensity(const std::vector<float>& intensity);

/// Mean intensities of a source as reflectivities, 255 for 100 %, which `full_scale` stands for; 0:
/// see SurfelMapConfig::intensity_full_scale. What is brighter is 255.
std::vector<std::uint8_t> toReflectivity(const std::vector<float>& intensity, double full_scale);

/// What surfels carry, of the means that their points do; `full_scale` as for toReflectivity.
SurfelChannels toSurfelChannels(PointChannels&& means, double full_scale);

}  // namespace marsim::map
