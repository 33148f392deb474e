// SPDX-License-Identifier: BSD-3-Clause
#include "lidar/measure/shot_noise.hpp"

namespace marsim::lidar {
namespace {

float interpolated(const NoiseConfig::Table& table, double at) {
  if (table.empty()) return 0.0F;
  if (!(at > table.front().first)) return static_cast<float>(table.front().second);
  std::size_t next = 1;
  while (next < table.size() && table[next].first < at) ++next;
  if (next == table.size()) return static_cast<float>(table.back().second);
  const auto& [x0, y0] = table[next - 1];
  const auto& [x1, y1] = table[next];
  return static_cast<float>(y0 + (at - x0) / (x1 - x0) * (y1 - y0));
}

/// Arc cosine within 7e-5 rad (Abramowitz and Stegun, Handbook of Mathematical Functions, 4.4.45).
float arcCosine(float x) {
  return std::sqrt(1.0F - x) * (1.5707288F + x * (-0.2121144F + x * (0.0742610F - 0.0187293F * x)));
}

/// Standard deviation [m] of the range, a metre of range and unit tangent of the incidence.
float slantSigma(const LidarConfig& sensor) {
  const BeamConfig& beam = sensor.beam;
  const double diameter =
      std::hypot(beam.divergence_horizontal, beam.divergence_vertical) / std::sqrt(2.0);
  return static_cast<float>(sensor.noise.slant_sigma * diameter / 4.0);
}

}  // namespace

ShotNoise::ShotNoise(const LidarConfig& sensor, std::uint16_t rings, std::uint64_t seed)
    : config_(sensor.noise),
      seed_(RandomStream(seed, "lidar").next()),
      normal_(NormalDeviate::table()),
      loses_(config_.dropout > 0.0 || !config_.dropout_by_range.empty() ||
             !config_.dropout_by_incidence.empty()),
      along_axis_(config_.along == NoiseConfig::Along::kAxis),
      lie_threshold_(config_.false_returns < 1.0
                         ? static_cast<std::uint64_t>(config_.false_returns * 0x1.0p64)
                         : std::numeric_limits<std::uint64_t>::max()),
      angular_sigma_(static_cast<float>(config_.angular_sigma)),
      sigma_(static_cast<float>(config_.range_sigma)),
      sigma_per_metre_(static_cast<float>(config_.range_sigma_per_metre)),
      sigma_per_square_metre_(static_cast<float>(config_.range_sigma_per_square_metre)),
      sigma_per_slant_(slantSigma(sensor)),
      bias_per_metre_(static_cast<float>(config_.range_bias_per_metre)),
      resolution_(static_cast<float>(config_.range_resolution)),
      per_resolution_(resolution_ > 0.0F ? 1.0F / resolution_ : 0.0F),
      range_min_(static_cast<float>(sensor.range_min)),
      range_span_(static_cast<float>(sensor.range_max - sensor.range_min)) {
  const auto drawn = [&](double sigma, std::uint64_t number) {
    const std::uint64_t bits = mixBits(draw(seed_, kBias) + number * kGoldenGamma);
    return sigma * static_cast<double>(normal_.of(static_cast<std::uint32_t>(bits)));
  };
  const double of_unit = config_.range_bias + drawn(config_.unit_bias_sigma, 0);
  for (std::uint64_t ring = 0; ring < rings; ++ring) {
    biases_.push_back(static_cast<float>(of_unit + drawn(config_.channel_bias_sigma, 1 + ring)));
  }
}

float ShotNoise::kept(float range, float cosine) const {
  float share = 1.0F - static_cast<float>(config_.dropout);
  share *= 1.0F - interpolated(config_.dropout_by_range, static_cast<double>(range));
  if (!config_.dropout_by_incidence.empty()) {
    const float incidence = arcCosine(std::clamp(cosine, 0.0F, 1.0F));
    share *= 1.0F - interpolated(config_.dropout_by_incidence, static_cast<double>(incidence));
  }
  return share;
}

}  // namespace marsim::lidar
