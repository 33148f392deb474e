#pragma once

#include <cstdint>
#include <vector>

namespace marsim::map {

/// Mean intensities of a source as reflectivities, 255 for 100 %, which `full_scale` stands for; 0:
/// see SurfelMapConfig::intensity_full_scale. What is brighter is 255.
std::vector<std::uint8_t> toReflectivity(const std::vector<float>& intensity, double full_scale);

}  // namespace marsim::map
