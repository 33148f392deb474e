// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <Eigen/Core>

#include "lidar/camera/daylight.hpp"
#include "lidar/camera/solid_texture.hpp"
#include "marsim/lidar/camera.hpp"
#include "marsim/map/surfel_search.hpp"

namespace marsim::lidar {

/// Red, green and blue, linear; 1: a level white surface under the sky.
using Radiance = Eigen::Vector3f;

/// A surface that a ray has met.
struct SeenSurface {
  Hit hit;
  Eigen::Vector3d p_W;          ///< [m]
  Eigen::Vector3f direction_W;  ///< unit, of the ray
  float width = 0.0F;           ///< [m] of a pixel across the ray
  float time = 0.0F;            ///< [s] of the ray
  /// Differences to the directions of the next pixels; of moving objects only.
  Eigen::Vector3f right_W = Eigen::Vector3f::Zero(), down_W = Eigen::Vector3f::Zero();
};

/// Colours surfaces of a map and of moving objects, each in its own frame, and of plants.
class SurfaceShader {
 public:
  /// Keeps the map. `plants`: channels of the plants' primitives, which the caller keeps.
  SurfaceShader(std::shared_ptr<const map::SurfelMap> map, map::SurfelChannelViews plants,
                const TextureConfig& texture, CameraLight light);

  /// Shading in one thread for one image: remembers the surfels around those met, which
  /// neighbouring pixels need again.
  class Job {
   public:
    /// Keeps references to both.
    Job(const SurfaceShader& shader, View<MovingObject> objects);
    Radiance radianceOf(const SeenSurface& surface);

   private:
    /// A surfel with a share in a colour, relative to the tree's origin.
    struct Neighbour {
      Eigen::Vector3f position, normal, colour;
    };
    /// The surfels that can affect the colour of places on one surfel.
    struct Neighbourhood {
      const map::SurfelMap* shape = nullptr;
      std::uint32_t surfel = kNoSurfel;
      bool is_back = false;  ///< colours of its back, and of those of the surfels around
      bool planar = false;
      std::vector<Neighbour> surfels;  ///< by number; normals turned to one side
    };
    struct Object {
      const MovingObject* thing;
      SurfelColours colours;           ///< of its shape's surfels
      std::optional<Radiance> colour;  ///< of the whole object
      double time;                     ///< [s] time of the pose
      Pose X_WM;
    };

    Radiance radianceOfPlant(const SeenSurface& surface) const;
    static Radiance radianceOfPlate(const SeenSurface& surface, const Object& plate);
    /// Colour and normal of a place on a surfel; the normal to either side, in the shape's frame.
    struct Look {
      Radiance colour;
      Eigen::Vector3f normal;
      bool planar;
    };
    Look lookOf(const map::SurfelMap& shape, const SurfelColours& colours,
                const SeenSurface& surface, const Eigen::Vector3f& p);
    const Neighbourhood& around(const map::SurfelMap& shape, const SurfelColours& colours,
                                std::uint32_t surfel, bool is_back);
    const Object* objectOf(std::uint32_t identity, double time);

    static constexpr unsigned kKeptBits = 11;  // log2 of the number of kept neighbourhoods

    const SurfaceShader& shader_;
    std::vector<Object> objects_;  // sorted by identity
    std::vector<Neighbourhood> kept_;
    std::vector<map::FoundSurfel> found_;  // kept between searches
  };

  /// Colours of the map's surfels, with the light on them if it is daylight.
  const SurfelColours& colours() const { return colours_; }
  /// Number of the texture of a surfel of the map.
  std::uint8_t textureOf(std::uint32_t surfel) const {
    return daylight_ ? static_cast<std::uint8_t>(daylight_->materialOf(surfel)) : 0;
  }
  /// Describes the shading of places relative to `about` [m]: textures, and whether colours contain
  /// the light.
  void describe(const Eigen::Vector3d& about, ShadeSettings& settings) const;
  /// The light from a unit direction without a surface.
  Radiance sky(const Eigen::Vector3f& direction_W) const;

 private:
  std::shared_ptr<const map::SurfelMap> map_;
  SurfelColours colours_;
  std::shared_ptr<const Daylight> daylight_;  // null: flat light
  map::SurfelChannelViews plants_;
  std::vector<SolidTexture> textures_;  // by SurfaceMaterial; only the first in flat light
  float plant_contrast_;
};

}  // namespace marsim::lidar
