#include "shot_noise.hpp"

#include <algorithm>
#include <cmath>

#include "marsim/common/random.hpp"

namespace marsim::lidar {
namespace {

/// What a draw is for.
enum Term : std::uint64_t { kBeam = 1, kRange, kLoss, kLie, kLieRange };

constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15ULL;

std::uint64_t draw(std::uint64_t key, Term term) { return mixBits(key + term * kOdd); }

/// Uniform in [0, 1).
float uniform(std::uint64_t bits) { return static_cast<float>(bits >> 40) * 0x1.0p-24F; }

double interpolated(const NoiseConfig::Table& table, double at) {
  if (table.empty()) return 0.0;
  const auto next =
      std::upper_bound(table.begin(), table.end(), at,
                       [](double value, const auto& pair) { return value < pair.first; });
  if (next == table.begin()) return table.front().second;
  if (next == table.end()) return table.back().second;
  const auto before = next - 1;
  const double share = (at - before->first) / (next->first - before->first);
  return before->second + share * (next->second - before->second);
}

}  // namespace

ShotNoise::ShotNoise(const NoiseConfig& config, double range_min, double range_max,
                     std::uint64_t seed)
    : config_(config),
      seed_(RandomStream(seed, "lidar").next()),
      normal_(NormalDeviate::table()),
      loses_(config.dropout > 0.0 || !config.dropout_by_range.empty() ||
             !config.dropout_by_incidence.empty()),
      lies_(config.false_returns > 0.0),
      angular_sigma_(static_cast<float>(config.angular_sigma)),
      sigma_(static_cast<float>(config.range_sigma)),
      sigma_per_metre_(static_cast<float>(config.range_sigma_per_metre)),
      bias_(static_cast<float>(config.range_bias)),
      bias_per_metre_(static_cast<float>(config.range_bias_per_metre)),
      resolution_(static_cast<float>(config.range_resolution)),
      range_min_(static_cast<float>(range_min)),
      range_span_(static_cast<float>(range_max - range_min)) {
  for (const auto& [reflectivity, range] : config.range_by_reflectivity) {
    log_reach_.emplace_back(std::log(reflectivity), std::log(range));
  }
  if (log_reach_.empty()) return;
  sure_reflectivity_ = static_cast<float>(config.range_by_reflectivity.front().first);
  sure_range_ = static_cast<float>(config.range_by_reflectivity.front().second);
}

std::uint64_t ShotNoise::keyOf(const Firing& firing) const {
  const std::uint64_t channel = std::uint64_t{firing.line} << 16 | firing.ring;
  return mixBits(mixBits(seed_ + static_cast<std::uint64_t>(firing.stamp) * kOdd) + channel * kOdd);
}

// Axes across the beam: Duff et al., "Building an Orthonormal Basis, Revisited", JCGT 6(1), 2017.
Eigen::Vector3f ShotNoise::turned(const Eigen::Vector3f& d, std::uint64_t key) const {
  const std::uint64_t bits = draw(key, kBeam);
  const float a = angular_sigma_ * normal_.of(static_cast<std::uint32_t>(bits));
  const float b = angular_sigma_ * normal_.of(static_cast<std::uint32_t>(bits >> 32));
  const float sign = std::copysign(1.0F, d.z());
  const float p = -1.0F / (sign + d.z());
  const float q = d.x() * d.y() * p;
  const Eigen::Vector3f u(1.0F + sign * d.x() * d.x() * p, sign * q, -sign * d.x());
  const Eigen::Vector3f v(q, sign + d.y() * d.y() * p, -d.y());
  return d + a * u + b * v;
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

bool ShotNoise::seen(float range, float reflectivity) const {
  if (range <= sure_range_ && reflectivity >= sure_reflectivity_) return true;
  return static_cast<double>(range) <= reach(static_cast<double>(reflectivity));
}

bool ShotNoise::lost(float range, float cosine, std::uint64_t key) const {
  double kept = 1.0 - config_.dropout;
  kept *= 1.0 - interpolated(config_.dropout_by_range, static_cast<double>(range));
  if (!config_.dropout_by_incidence.empty()) {
    const double incidence = std::acos(std::clamp(static_cast<double>(cosine), 0.0, 1.0));
    kept *= 1.0 - interpolated(config_.dropout_by_incidence, incidence);
  }
  return static_cast<double>(uniform(draw(key, kLoss))) >= kept;
}

float ShotNoise::rounded(float range) const {
  return resolution_ > 0.0F ? std::round(range / resolution_) * resolution_ : range;
}

float ShotNoise::measured(float range, float reflectivity, float cosine, std::uint64_t key) const {
  if (!seen(range, reflectivity) || (loses_ && lost(range, cosine, key))) return kNoReturn;
  float reported = range + bias_ + bias_per_metre_ * range;
  const float sigma = sigma_ + sigma_per_metre_ * range;
  if (sigma > 0.0F) {
    reported += sigma * normal_.of(static_cast<std::uint32_t>(draw(key, kRange)));
  }
  return rounded(reported);
}

float ShotNoise::falseRange(std::uint64_t key) const {
  if (!lies_) return kNoReturn;
  const auto share = static_cast<double>(draw(key, kLie) >> 11) * 0x1.0p-53;
  if (share >= config_.false_returns) return kNoReturn;
  return rounded(range_min_ + range_span_ * uniform(draw(key, kLieRange)));
}

}  // namespace marsim::lidar
