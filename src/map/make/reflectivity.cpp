// SPDX-License-Identifier: BSD-3-Clause
#include "map/make/reflectivity.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace marsim::map {
namespace {

double usualFullScale(const std::vector<float>& intensity) {
  constexpr double kShare = 1.0, kByte = 255.0;  // usual full scales of sources
  const auto largest = static_cast<double>(*std::max_element(intensity.begin(), intensity.end()));
  if (largest <= kShare) return kShare;
  return std::max(largest, kByte);
}

}  // namespace

std::optional<float> IntensityRange::constant() const {
  if (!any_ || least_ < most_) return std::nullopt;
  return std::isfinite(least_) ? least_ : 0.0F;
}

std::optional<float> constantIntensity(const std::vector<float>& intensity) {
  IntensityRange range;
  for (const float value : intensity) range.add(value);
  return range.constant();
}

std::vector<std::uint8_t> toReflectivity(const std::vector<float>& intensity, double full_scale) {
  std::vector<std::uint8_t> reflectivity;
  if (intensity.empty()) return reflectivity;
  const double scale = 255.0 / (full_scale > 0.0 ? full_scale : usualFullScale(intensity));
  reflectivity.reserve(intensity.size());
  for (const float value : intensity) {
    const double scaled = std::clamp(scale * static_cast<double>(value), 0.0, 255.0);
    reflectivity.push_back(static_cast<std::uint8_t>(std::lround(scaled)));
  }
  return reflectivity;
}

SurfelChannels toSurfelChannels(PointChannels&& means, double full_scale) {
  return {toReflectivity(means.intensity, full_scale), std::move(means.colour),
          std::move(means.classes), std::move(means.instances)};
}

}  // namespace marsim::map
