// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "lidar/measure/echo_receiver.hpp"
#include "lidar/measure/range_limit.hpp"
#include "lidar/measure/scan_rays.hpp"
#include "lidar/measure/shot_noise.hpp"
#include "lidar/measure/shot_weather.hpp"
#include "lidar/measure/surface_channels.hpp"
#include "lidar/measure/surface_light.hpp"
#include "marsim/lidar/lidar.hpp"

namespace marsim::lidar {

/// The returns of one shot, the nearest first.
struct ShotReturns {
  struct Return {
    static constexpr std::uint32_t kNothing = Reflection::kNoRay;
    static constexpr std::uint32_t kParticle = kNothing - 1;

    float range;         ///< [m] as measured, within the sensor's limits
    float reflectivity;  ///< along the beam
    std::uint32_t ray;   ///< ray of the hit; kNothing: false return; kParticle: drops, flakes, fog
                         ///< or dust
    std::uint8_t rank;   ///< by energy; 0: the strongest
  };
  std::array<Return, 3> returns;  // the first `count` are valid
  std::uint8_t count = 0;
  bool too_near = false;  ///< something is nearer than the sensor's least range
  bool too_dark = false;  ///< something is not bright enough to be seen
};

/// Measures the shots of one scan as the sensor does: rays and their hits in, returns out. Code for
/// every shot of one ray is inline.
class ShotMeasurer {
 public:
  /// Keeps references to all; `noise`, `weather` and `light` may be null.
  ShotMeasurer(const LidarConfig& config, const RangeLimit& limit, const ShotNoise* noise,
               const ShotWeather* weather, const std::vector<Firing>& firings, const ScanRays& rays,
               const std::vector<Hit>& hits, const SurfaceChannels& surfaces,
               const SurfaceLight* light);

  /// Not safe from several threads at once.
  ShotReturns measure(std::size_t shot) {
    ShotReturns result;
    const std::uint64_t key = noise_ != nullptr ? rays_.keys[shot] : 0;
    if (noise_ != nullptr) {
      const float range = noise_->falseRange(key);
      if (range < kNoReturn) {
        add({range, 0.0F, ShotReturns::Return::kNothing, 0}, result);
        return result;
      }
    }
    if (makes_echoes_ || (light_ != nullptr && light_->reaches(shot))) {
      measureEchoes(shot, key, result);
    } else {
      measureRay(shot, key, result);
    }
    return result;
  }

 private:
  /// Measures a beam of one ray, all of whose light comes back from one place.
  void measureRay(std::size_t shot, std::uint64_t key, ShotReturns& result) const {
    const Hit& hit = hits_[shot];
    if (!hit.valid()) return;
    const float cosine = cosineOf(shot);
    const float reflectivity = cosine * reflectivityOf(hit);
    const auto ray = static_cast<std::uint32_t>(shot);
    if (!limit_.sees(hit.range, reflectivity)) {
      result.too_dark = true;
      return;
    }
    const float range =
        noise_ == nullptr ? hit.range : noise_->measured(hit.range, cosine, firings_[shot], key);
    add({range, reflectivity, ray, 0}, result);
  }
  void measureEchoes(std::size_t shot, std::uint64_t key, ShotReturns& result);
  void reflect(std::size_t shot);
  void reflectWithLight(std::size_t shot);
  void addReflection(std::size_t ray, float weight, float share, float before);
  float energyShareOf(const BeamRay& part) const { return splits_beam_ ? 1.0F : part.weight; }
  /// Adds a reflection unless it is black, which no echo needs.
  void addReflection(const Reflection& reflection) {
    met_anything_ = true;
    if (reflection.energy > 0.0F) reflections_.push_back(reflection);
  }
  bool reaches(const Echo& echo) const;
  static void rankAgain(ShotReturns& result);
  void add(const ShotReturns::Return& measured, ShotReturns& result) const {
    if (measured.range < range_min_) {
      result.too_near = true;
    } else if (measured.range <= range_max_) {
      result.returns[result.count++] = measured;
    }
  }
  float cosineOf(std::size_t ray) const {
    return std::clamp(hits_[ray].incidenceCosine(rays_.rays[ray].direction), 0.0F, 1.0F);
  }
  float reflectivityOf(const Hit& hit) const {
    const std::optional<std::uint8_t> known = surfaces_.reflectivity(hit);
    return known ? static_cast<float>(*known) * (1.0F / 255.0F) : reflectivity_;
  }

  /// Reflectivity of a surface in this weather.
  float brightnessOf(const Hit& hit, float cosine) const {
    const float dry = reflectivityOf(hit);
    return weather_ == nullptr ? dry : weather_->reflectivity(hit, dry, cosine);
  }

  const RangeLimit& limit_;
  const ShotNoise* noise_;
  const ShotWeather* weather_;
  const std::vector<Firing>& firings_;
  const ScanRays& rays_;
  const std::vector<Hit>& hits_;
  const SurfaceChannels& surfaces_;
  const SurfaceLight* light_;
  const float range_min_, range_max_, reflectivity_;
  const bool makes_echoes_;
  const bool splits_beam_;  // each ray has an echo of its own, as bright as the whole beam's
  const EchoReceiver receiver_;
  // Reflections of the shot; kept, so that a shot does not allocate.
  std::vector<Reflection> reflections_;
  bool met_anything_ = false;
  std::vector<Echo> echoes_;
};

}  // namespace marsim::lidar
