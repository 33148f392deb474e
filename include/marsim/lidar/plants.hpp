// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "marsim/lidar/renderer.hpp"
#include "marsim/map/surfel_map.hpp"
#include "marsim/scene/planting.hpp"
#include "marsim/scene/vegetation.hpp"

namespace marsim::lidar {

/// Vegetation ready for ray casting: a tree over the instances and one over each patch's
/// primitives. Several renderers may share it.
class Plants {
 public:
  /// Throws ConfigError for vegetation that is not valid.
  explicit Plants(const scene::Vegetation& vegetation);
  ~Plants();

  std::size_t size() const;   ///< instances
  std::size_t bytes() const;  ///< of memory
  /// Channels of all patches' primitives, one after another: a patch's cylinders, then its discs.
  /// Hits use this numbering.
  map::SurfelChannelViews channels() const;

  class Tree;
  const Tree& tree() const { return *tree_; }

 private:
  std::unique_ptr<const Tree> tree_;
};

/// Places vegetation on a map's ground, see scene::plantVegetation; errors name `where`. Rays from
/// below find the ground, the lowest surface. Throws ConfigError.
scene::Vegetation vegetationOn(std::shared_ptr<const map::SurfelMap> map,
                               const scene::VegetationConfig& config, const std::string& where);
/// Places vegetation as vegetationOn() does, ready for ray casting.
std::shared_ptr<const Plants> plantOn(std::shared_ptr<const map::SurfelMap> map,
                                      const scene::VegetationConfig& config,
                                      const std::string& where);

/// Adds plants, which the processor casts, to another renderer: a ray's hit is the nearer of both,
/// the other renderer's if they are equal. A hit on a plant has the identity
/// scene::kFirstPlantIdentity plus the instance's number.
std::unique_ptr<RayRenderer> withPlants(std::shared_ptr<const RayRenderer> renderer,
                                        std::shared_ptr<const Plants> plants,
                                        const RendererConfig& config);
std::unique_ptr<ImageRenderer> withPlants(std::shared_ptr<const ImageRenderer> renderer,
                                          std::shared_ptr<const Plants> plants,
                                          const RendererConfig& config);

}  // namespace marsim::lidar
