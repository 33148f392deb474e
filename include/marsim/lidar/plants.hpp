#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "marsim/lidar/renderer.hpp"
#include "marsim/map/surfel_map.hpp"
#include "marsim/scene/planting.hpp"
#include "marsim/scene/vegetation.hpp"

namespace marsim::lidar {

/// Vegetation as rays meet it: a tree over the instances and one over each patch's primitives.
/// Several renderers may share it.
class Plants {
 public:
  /// Throws ConfigError for vegetation that is not valid.
  explicit Plants(const scene::Vegetation& vegetation);
  ~Plants();

  std::size_t size() const;   ///< instances
  std::size_t bytes() const;  ///< of memory
  /// Of all patches' primitives, one after another: a patch's cylinders, then its discs. Hits
  /// number them so.
  map::SurfelChannelViews channels() const;

  class Tree;
  const Tree& tree() const { return *tree_; }

 private:
  std::unique_ptr<const Tree> tree_;
};

/// Vegetation that stands on a map's ground, see scene::plantVegetation; `where` is for errors. The
/// lowest surface is found by rays from below. Throws ConfigError.
scene::Vegetation vegetationOn(std::shared_ptr<const map::SurfelMap> map,
                               const scene::VegetationConfig& config, const std::string& where);
/// The same as rays meet it.
std::shared_ptr<const Plants> plantOn(std::shared_ptr<const map::SurfelMap> map,
                                      const scene::VegetationConfig& config,
                                      const std::string& where);

/// A renderer that meets plants beside all that another one renders, on the processor: a ray's
/// answer is the nearest of both, of equal ones the other's. A hit's identity is then
/// scene::kFirstPlantIdentity plus the instance's number.
std::unique_ptr<RayRenderer> withPlants(std::shared_ptr<const RayRenderer> renderer,
                                        std::shared_ptr<const Plants> plants,
                                        const RendererConfig& config);
std::unique_ptr<ImageRenderer> withPlants(std::shared_ptr<const ImageRenderer> renderer,
                                          std::shared_ptr<const Plants> plants,
                                          const RendererConfig& config);

}  // namespace marsim::lidar
