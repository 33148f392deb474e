// SPDX-License-Identifier: BSD-3-Clause
#include "lidar/measure/shot_measurer.hpp"

#include <algorithm>
#include <cmath>

namespace marsim::lidar {

ShotMeasurer::ShotMeasurer(const LidarConfig& config, const RangeLimit& limit,
                           const ShotNoise* noise, const ShotWeather* weather,
                           const std::vector<Firing>& firings, const ScanRays& rays,
                           const std::vector<Hit>& hits, const SurfaceChannels& surfaces,
                           const SurfaceLight* light)
    : limit_(limit),
      noise_(noise),
      weather_(weather),
      firings_(firings),
      rays_(rays),
      hits_(hits),
      surfaces_(surfaces),
      light_(light),
      range_min_(static_cast<float>(config.range_min)),
      range_max_(static_cast<float>(config.range_max)),
      reflectivity_(static_cast<float>(config.reflectivity)),
      makes_echoes_(rays.beam.size() > 1 || config.returns.threshold > 0.0 || weather != nullptr),
      splits_beam_(rays.beam.size() > 1 && config.beam.pulse_length == 0.0 &&
                   config.returns.signal_cutoff == 0.0),
      receiver_(config.returns, config.beam.pulse_length) {}

/// Makes reflections of the hits of a shot's rays.
void ShotMeasurer::reflect(std::size_t shot) {
  reflections_.clear();
  met_anything_ = false;
  std::size_t ray = shot * rays_.beam.size();
  if (light_ != nullptr && light_->reaches(shot)) return reflectWithLight(shot);
  for (const BeamRay& part : rays_.beam) {
    const Hit& hit = hits_[ray];
    if (hit.valid()) {
      const float cosine = cosineOf(ray);
      const float energy =
          energyShareOf(part) * cosine * brightnessOf(hit, cosine) / (hit.range * hit.range);
      addReflection({hit.range, energy, part.weight, cosine, static_cast<std::uint32_t>(ray)});
    }
    ++ray;
  }
}

/// Makes reflections where part of the light is sent on.
void ShotMeasurer::reflectWithLight(std::size_t shot) {
  std::size_t ray = shot * rays_.beam.size();
  for (const BeamRay& part : rays_.beam) {
    const float weight = energyShareOf(part);
    addReflection(ray, weight, 1.0F, 0.0F);
    if (const SurfaceLight::Place* place = light_->placeOf(ray)) {
      for (const SurfaceLight::Branch& branch : place->branches) {
        if (branch.ray == SurfaceLight::kNoRay) continue;
        addReflection(branch.ray, weight * branch.share, branch.share, branch.before);
      }
    }
    ++ray;
  }
  if (const SurfaceLight::Bloom* bloom = light_->bloomOf(shot)) {
    addReflection(bloom->ray, bloom->share, 1.0F, 0.0F);
  }
}

/// Adds the reflection of a ray with the share `weight` of the pulse, which begins `before` [m]
/// from the sensor; `share` of its light returns.
void ShotMeasurer::addReflection(std::size_t ray, float weight, float share, float before) {
  const Hit& hit = hits_[ray];
  if (!hit.valid()) return;
  const float cosine = cosineOf(ray), range = before + hit.range;
  float reflectivity = cosine * brightnessOf(hit, cosine);
  if (const SurfaceLight::Place* place = light_->placeOf(ray)) {
    const auto retro = static_cast<float>(place->surface->retro_reflective);
    reflectivity = place->scattered * (retro > 0.0F ? retro : reflectivity);
  }
  const float energy = weight * share * reflectivity / (range * range);
  addReflection({range, energy, weight, cosine, static_cast<std::uint32_t>(ray)});
}

/// Whether enough light comes back to be seen. Particles are filtered before.
bool ShotMeasurer::reaches(const Echo& echo) const {
  if (weather_ == nullptr) return limit_.sees(echo.range, echo.reflectivity());
  if (echo.ray == Reflection::kNoRay) return true;
  const float clear = weather_->clearRange(echo.range);
  return limit_.sees(clear, echo.energy * clear * clear);
}

void ShotMeasurer::measureEchoes(std::size_t shot, std::uint64_t key, ShotReturns& result) {
  reflect(shot);
  const std::uint64_t weather_key = weather_ != nullptr ? weather_->keyOf(firings_[shot]) : 0;
  if (weather_ != nullptr) weather_->act(weather_key, reflections_);
  receiver_.receive(reflections_, echoes_, [&](const Echo& echo) {
    if (echo.range < range_min_) {
      result.too_near = true;
      return false;
    }
    if (!reaches(echo)) {
      result.too_dark = true;
      return false;
    }
    return true;
  });
  if (echoes_.empty() && met_anything_ && !result.too_near) result.too_dark = true;
  for (std::size_t i = 0; i < echoes_.size(); ++i) {
    const Echo& echo = echoes_[i];
    float range = noise_ == nullptr ? echo.range
                                    : noise_->measured(echo.range, echo.cosine, firings_[shot],
                                                       noise_->keyOfEcho(key, i));
    std::uint32_t ray = echo.ray;
    if (weather_ != nullptr) {
      range += weather_->rangeError(echo.range, weather_key, i);
      if (ray == Reflection::kNoRay) ray = ShotReturns::Return::kParticle;
    }
    add({range, echo.reflectivity(), ray, echo.rank}, result);
  }
  rankAgain(result);
}

/// Ranks again, since some echoes may have been lost.
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
