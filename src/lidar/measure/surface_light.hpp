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

/// Where the light of a scan goes that mirrors, panes and retro-reflectors get. A ray that goes on
/// from a mirror or a pane is followed to the next surface and ends there. Retro-reflectors bloom:
/// beams that pass one by within its angle get a share of its light, at the range that it was
/// measured at.
class SurfaceLight {
 public:
  static constexpr std::uint32_t kNoRay = Reflection::kNoRay;

  /// Light that goes on from a place.
  struct Branch {
    std::uint32_t ray = kNoRay;  ///< its number; kNoRay: none
    float share = 0.0F;          ///< of the light that arrives
    float before = 0.0F;         ///< [m] to be added to the range of its hit
  };
  /// Where a ray has met a surface that does not only scatter.
  struct Place {
    std::uint32_t ray;
    const SurfaceConfig* surface;
    float scattered;  ///< share
    std::array<Branch, 2> branches;
  };
  /// What a shot gets of a retro-reflector that it does not meet.
  struct Bloom {
    std::uint32_t shot;
    std::uint32_t ray;  ///< that has met it
    float share;
  };

  /// Of valid settings.
  explicit SurfaceLight(const SurfacesConfig& config);

  /// Follows the light of a scan whose rays have been cast: appends the rays that go on to `rays`
  /// and their hits to `hits`. Replaces all that was known.
  void follow(TimeNs begin, const RayRenderer& renderer, View<MovingObject> objects,
              const SurfaceChannels& surfaces, ScanRays& rays, std::vector<Hit>& hits);

  /// Whether a shot has a place or a bloom.
  bool reaches(std::size_t shot) const { return !reached_.empty() && reached_[shot] != 0; }
  /// Null where the ray's hit is on a surface as most.
  const Place* placeOf(std::size_t ray) const;
  /// Null where there is none.
  const Bloom* bloomOf(std::size_t shot) const;

 private:
  const SurfaceConfig* surfaceOf(const Hit& hit, const SurfaceChannels& surfaces) const;
  void addPlaces(std::size_t from, const SurfaceChannels& surfaces, const std::vector<Hit>& hits);
  void goOn(Place& place, const Ray& ray, const Hit& hit, std::size_t first,
            std::vector<Ray>& onward) const;
  void bloom(const ScanRays& rays, std::size_t shots);

  const SurfacesConfig config_;
  std::array<const SurfaceConfig*, 256> of_classes_{};
  // Of the scan; kept, so that a scan does not allocate.
  std::vector<Place> places_;          // by ray
  std::vector<Bloom> blooms_;          // by shot
  std::vector<std::uint8_t> reached_;  // of every shot; empty: none is
  std::vector<Ray> onward_;
  std::vector<Hit> onward_hits_;
};

}  // namespace marsim::lidar
