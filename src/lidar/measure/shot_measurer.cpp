#include "lidar/measure/shot_measurer.hpp"

namespace marsim::lidar {

ShotMeasurer::ShotMeasurer(const LidarConfig& config, const ShotNoise* noise,
                           const std::vector<Firing>& firings, const ScanRays& rays,
                           const std::vector<Hit>& hits, const SurfaceChannels& surfaces,
                           const SurfaceLight* light)
    : noise_(noise),
      firings_(firings),
      rays_(rays),
      hits_(hits),
      surfaces_(surfaces),
      light_(light),
      range_min_(static_cast<float>(config.range_min)),
      range_max_(static_cast<float>(config.range_max)),
      reflectivity_(static_cast<float>(config.reflectivity)),
      makes_echoes_(rays.beam.size() > 1 || config.returns.threshold > 0.0),
      receiver_(config.returns, config.beam.pulse_length) {}

/// Reflections of what the shot's rays have met.
void ShotMeasurer::reflect(std::size_t shot) {
  reflections_.clear();
  std::size_t ray = shot * rays_.beam.size();
  if (light_ != nullptr && light_->reaches(shot)) return reflectWithLight(shot);
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

/// The same where a part of the light is sent elsewhere.
void ShotMeasurer::reflectWithLight(std::size_t shot) {
  std::size_t ray = shot * rays_.beam.size();
  for (const BeamRay& part : rays_.beam) {
    addReflection(ray, part.weight, 1.0F, 0.0F);
    if (const SurfaceLight::Place* place = light_->placeOf(ray)) {
      for (const SurfaceLight::Branch& branch : place->branches) {
        if (branch.ray == SurfaceLight::kNoRay) continue;
        addReflection(branch.ray, part.weight * branch.share, branch.share, branch.before);
      }
    }
    ++ray;
  }
  if (const SurfaceLight::Bloom* bloom = light_->bloomOf(shot)) {
    addReflection(bloom->ray, bloom->share, 1.0F, 0.0F);
  }
}

/// Of a ray that `weight` of the pulse goes along, of whose light `share` finds the way back, and
/// which begins `before` [m] from the sensor.
void ShotMeasurer::addReflection(std::size_t ray, float weight, float share, float before) {
  const Hit& hit = hits_[ray];
  if (!hit.valid()) return;
  const float cosine = cosineOf(ray), range = before + hit.range;
  float reflectivity = cosine * reflectivityOf(hit);
  if (const SurfaceLight::Place* place = light_->placeOf(ray)) {
    const auto retro = static_cast<float>(place->surface->retro_reflective);
    reflectivity = place->scattered * (retro > 0.0F ? retro : reflectivity);
  }
  const float energy = weight * share * reflectivity / (range * range);
  if (!(energy > 0.0F)) return;
  reflections_.push_back({range, energy, weight, cosine, static_cast<std::uint32_t>(ray)});
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
