#include "lidar/measure/shot_measurer.hpp"

#include <algorithm>
#include <optional>

namespace marsim::lidar {

ShotMeasurer::ShotMeasurer(const LidarConfig& config, const ShotNoise* noise,
                           const std::vector<Firing>& firings, const ScanRays& rays,
                           const std::vector<Hit>& hits, const SurfaceChannels& surfaces)
    : noise_(noise),
      firings_(firings),
      rays_(rays),
      hits_(hits),
      surfaces_(surfaces),
      range_min_(static_cast<float>(config.range_min)),
      range_max_(static_cast<float>(config.range_max)),
      reflectivity_(static_cast<float>(config.reflectivity)),
      makes_echoes_(rays.beam.size() > 1 || config.returns.threshold > 0.0),
      receiver_(config.returns, config.beam.pulse_length) {}

float ShotMeasurer::cosineOf(std::size_t ray) const {
  return std::clamp(hits_[ray].incidenceCosine(rays_.rays[ray].direction), 0.0F, 1.0F);
}

float ShotMeasurer::reflectivityOf(const Hit& hit) const {
  const std::optional<std::uint8_t> known = surfaces_.reflectivity(hit);
  return known ? static_cast<float>(*known) * (1.0F / 255.0F) : reflectivity_;
}

void ShotMeasurer::add(const ShotReturns::Return& measured, ShotReturns& result) const {
  if (measured.range < range_min_) {
    result.too_near = true;
  } else if (measured.range <= range_max_) {
    result.returns[result.count++] = measured;
  }
}

void ShotMeasurer::measureRay(std::size_t shot, std::uint64_t key, ShotReturns& result) const {
  const Hit& hit = hits_[shot];
  if (!hit.valid()) return;
  const float cosine = cosineOf(shot);
  const float reflectivity = cosine * reflectivityOf(hit);
  const auto ray = static_cast<std::uint32_t>(shot);
  if (noise_ == nullptr) return add({hit.range, reflectivity, ray, 0}, result);
  if (!noise_->seen(hit.range, reflectivity)) {
    result.too_dark = true;
    return;
  }
  const float range = noise_->measured(hit.range, cosine, firings_[shot].direction, key);
  add({range, reflectivity, ray, 0}, result);
}

/// Reflections of what the shot's rays have met.
void ShotMeasurer::reflect(std::size_t shot) {
  reflections_.clear();
  std::size_t ray = shot * rays_.beam.size();
  for (const BeamRay& part : rays_.beam) {
    const Hit& hit = hits_[ray];
    if (hit.valid()) {
      const float cosine = cosineOf(ray);
      const float energy = part.weight * cosine * reflectivityOf(hit) / (hit.range * hit.range);
      reflections_.push_back(
          {hit.range, energy, part.weight, cosine, static_cast<std::uint32_t>(ray)});
    }
    ++ray;
  }
}

void ShotMeasurer::measureEchoes(std::size_t shot, std::uint64_t key, ShotReturns& result) {
  reflect(shot);
  receiver_.receive(reflections_, echoes_, [&](const Echo& echo) {
    if (echo.range < range_min_) {
      result.too_near = true;
      return false;
    }
    if (noise_ != nullptr && !noise_->seen(echo.range, echo.reflectivity())) {
      result.too_dark = true;
      return false;
    }
    return true;
  });
  if (echoes_.empty() && !reflections_.empty() && !result.too_near) result.too_dark = true;
  for (std::size_t i = 0; i < echoes_.size(); ++i) {
    const Echo& echo = echoes_[i];
    const float range = noise_ == nullptr
                            ? echo.range
                            : noise_->measured(echo.range, echo.cosine, firings_[shot].direction,
                                               noise_->keyOfEcho(key, i));
    add({range, echo.reflectivity(), echo.ray, echo.rank}, result);
  }
  rankAgain(result);
}

/// Some echoes may have been lost.
void ShotMeasurer::rankAgain(ShotReturns& result) {
  std::array<int, 3> ranks{};
  for (std::size_t i = 0; i < result.count; ++i) {
    for (std::size_t other = 0; other < result.count; ++other) {
      ranks[i] += result.returns[other].rank < result.returns[i].rank ? 1 : 0;
    }
  }
  for (std::size_t i = 0; i < result.count; ++i) {
    result.returns[i].rank = static_cast<std::uint8_t>(ranks[i]);
  }
}

}  // namespace marsim::lidar
