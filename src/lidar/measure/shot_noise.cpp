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

}  // namespace

ShotNoise::ShotNoise(const NoiseConfig& config, double range_min, double range_max,
                     std::uint64_t seed)
    : config_(config),
      seed_(RandomStream(seed, "lidar").next()),
      normal_(NormalDeviate::table()),
      loses_(config.dropout > 0.0 || !config.dropout_by_range.empty() ||
             !config.dropout_by_incidence.empty()),
      along_axis_(config.along == NoiseConfig::Along::kAxis),
      lie_threshold_(config.false_returns < 1.0
                         ? static_cast<std::uint64_t>(config.false_returns * 0x1.0p64)
                         : std::numeric_limits<std::uint64_t>::max()),
      angular_sigma_(static_cast<float>(config.angular_sigma)),
      sigma_(static_cast<float>(config.range_sigma)),
      sigma_per_metre_(static_cast<float>(config.range_sigma_per_metre)),
      sigma_per_square_metre_(static_cast<float>(config.range_sigma_per_square_metre)),
      bias_(static_cast<float>(config.range_bias)),
      bias_per_metre_(static_cast<float>(config.range_bias_per_metre)),
      resolution_(static_cast<float>(config.range_resolution)),
      per_resolution_(resolution_ > 0.0F ? 1.0F / resolution_ : 0.0F),
      range_min_(static_cast<float>(range_min)),
      range_span_(static_cast<float>(range_max - range_min)) {
  for (const auto& [reflectivity, range] : config.range_by_reflectivity) {
    log_reach_.emplace_back(std::log(reflectivity), std::log(range));
  }
  if (log_reach_.empty()) return;
  sure_reflectivity_ = static_cast<float>(config.range_by_reflectivity.front().first);
  sure_range_ = static_cast<float>(config.range_by_reflectivity.front().second);
}

double ShotNoise::reach(double reflectivity) const {
  if (log_reach_.empty()) return static_cast<double>(kNoReturn);
  if (!(reflectivity > 0.0)) return 0.0;
  const double at = std::log(reflectivity);
  const auto& table = log_reach_;
  if (table.size() == 1) return std::exp(table[0].second + 0.5 * (at - table[0].first));
  std::size_t next = 1;
  while (next + 1 < table.size() && table[next].first < at) ++next;
  const auto& [x0, y0] = table[next - 1];
  const auto& [x1, y1] = table[next];
  return std::exp(y0 + (at - x0) / (x1 - x0) * (y1 - y0));
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
