// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "lidar/measure/echo_receiver.hpp"
#include "lidar/measure/scan_rays.hpp"
#include "lidar/measure/surface_channels.hpp"
#include "marsim/lidar/surfaces.hpp"

namespace marsim::lidar {

/// Follows the light of a scan that meets mirrors, panes and retro-reflectors. A ray that goes on
/// from a mirror or a pane is followed to the next surface and ends there. Retro-reflectors bloom:
/// beams that pass one within its angle get a share of its light, at its measured range.
class SurfaceLight {
 public:
  static constexpr std::uint32_t kNoRay = Reflection::kNoRay;

  /// Light that goes on from a place.
  struct Branch {
    std::uint32_t ray = kNoRay;  ///< its number; kNoRay: none
    float share = 0.0F;          ///< of the arriving light
    float before = 0.0F;         ///< [m] to add to the range of its hit
  };
  /// A place where a ray meets a surface that does more than scatter.
  struct Place {
    std::uint32_t ray;
    const SurfaceConfig* surface;
    float scattered, mirrored, passing;  ///< shares of the light
    std::array<Branch, 2> branches;
  };
  /// Light from a retro-reflector that the shot does not meet.
  struct Bloom {
    std::uint32_t shot;
    std::uint32_t ray;  ///< ray that meets it
    float share;
  };

  /// Takes valid settings.
  explicit SurfaceLight(const SurfacesConfig& config);

  /// Follows the light of a scan whose rays have been cast: appends the rays that go on to `rays`
  /// and their hits to `hits`. Replaces all earlier results.
  void follow(TimeNs begin, const RayRenderer& renderer, View<MovingObject> objects,
              const SurfaceChannels& surfaces, ScanRays& rays, std::vector<Hit>& hits);

  /// Whether a shot has a place or a bloom.
  bool reaches(std::size_t shot) const { return !reached_.empty() && reached_[shot] != 0; }
  /// Null if the ray's surface only scatters.
  const Place* placeOf(std::size_t ray) const;
  /// Null if the shot has none.
  const Bloom* bloomOf(std::size_t shot) const;

 private:
  const SurfaceConfig* surfaceOf(const Hit& hit, const SurfaceChannels& surfaces) const;
  void addPlaces(std::size_t from, const SurfaceChannels& surfaces, const std::vector<Ray>& rays,
                 const std::vector<Hit>& hits);
  void goOn(Place& place, const Ray& ray, const Hit& hit, std::size_t first,
            std::vector<Ray>& onward) const;
  void bloom(const ScanRays& rays, std::size_t shots);

  const SurfacesConfig config_;
  std::array<const SurfaceConfig*, 256> of_classes_{};
  // Results for the scan; kept, so that a scan does not allocate.
  std::vector<Place> places_;          // by ray
  std::vector<Bloom> blooms_;          // by shot
  std::vector<std::uint8_t> reached_;  // for every shot; empty: none is reached
  std::vector<Ray> onward_;
  std::vector<Hit> onward_hits_;
};

}  // namespace marsim::lidar
