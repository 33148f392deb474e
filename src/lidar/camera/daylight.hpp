// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "lidar/camera/surface_material.hpp"
#include "marsim/common/view.hpp"

namespace marsim::map {
class MapFile;
}

namespace marsim::lidar {

/// Looks of a surfel by daylight.
struct LitSurfel {
  std::uint8_t front[3];  ///< light from the side that the normal leaves, see Daylight::colours
  std::uint8_t back[3];   ///< from the other side
  std::uint8_t material;
  std::uint8_t unused;
};

/// The light of sun, sky and lamps on a map's surfels, times their colours: shadows of the sun, and
/// less light from directions in which a surface is near. Cast once per map and cached beside it.
class Daylight {
 public:
  /// `colours` of the map's surfels without light. One object serves all cameras of a process.
  static std::shared_ptr<const Daylight> on(const std::shared_ptr<const map::SurfelMap>& map,
                                            const SurfelColours& colours);

  /// Colours that contain the light.
  SurfelColours colours() const;
  SurfaceMaterial materialOf(std::uint32_t surfel) const {
    return static_cast<SurfaceMaterial>(surfels_[surfel].material);
  }
  /// Light from a unit direction without a surface.
  static Eigen::Vector3f sky(const Eigen::Vector3f& direction_W);

 private:
  Daylight() = default;
  static std::shared_ptr<const Daylight> make(const std::shared_ptr<const map::SurfelMap>& map,
                                              const SurfelColours& colours);

  std::shared_ptr<const map::MapFile> file_;
  std::vector<LitSurfel> own_;  // where there is no file
  View<LitSurfel> surfels_;
};

}  // namespace marsim::lidar
