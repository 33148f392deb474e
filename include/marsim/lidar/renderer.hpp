// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "marsim/common/time.hpp"
#include "marsim/common/units.hpp"
#include "marsim/common/view.hpp"
#include "marsim/geometry/pose.hpp"
#include "marsim/map/surfel_map.hpp"
#include "marsim/scene/moving_object.hpp"

namespace marsim::lidar {

/// A ray: from `origin` along `direction`, both in W.
struct Ray {
  Eigen::Vector3f origin;     ///< [m]
  float range_max;            ///< [m] nothing beyond is reported
  Eigen::Vector3f direction;  ///< unit
  float time;                 ///< [s] of firing since the start of the scan
  float range_min = 0.0F;     ///< [m] surfaces nearer are passed through; a Lidar leaves it 0
};

constexpr std::uint32_t kNoSurfel = std::numeric_limits<std::uint32_t>::max();
using scene::kMapIdentity;
using scene::MovingObject;

/// The first surface a ray meets, or a miss.
struct Hit {
  float range = std::numeric_limits<float>::infinity();  ///< [m], +inf: nothing met
  std::uint32_t surfel = kNoSurfel;       ///< index into the map, the object's shape or the plants
  std::uint32_t identity = kMapIdentity;  ///< of the moving object or the plant that was hit
  /// Unit, in W, towards the ray's origin: a planar surfel's normal; else against the ray.
  Eigen::Vector3f normal = Eigen::Vector3f::Zero();

  bool valid() const { return surfel != kNoSurfel; }
  /// Cosine of the angle between the surface's normal and the way back to the origin, 0 to 1.
  float incidenceCosine(const Eigen::Vector3f& direction) const { return -normal.dot(direction); }
};

/// A dense grid of directions seen from one pose. Row 0 is the top, column 0 the left.
struct ImageGrid {
  enum class Projection {
    kSpherical,  ///< sensor frame FLU; columns equal steps of azimuth, rows of elevation
    kPinhole,    ///< camera frame C: z forward, x right, y down
  };
  Projection projection = Projection::kSpherical;
  int width = 0;
  int height = 0;
  // Spherical: extents of the image, its cells' outer edges [rad]. Azimuth falls from
  // azimuth_max at the left edge to azimuth_min at the right; the span is at most 2 pi.
  double azimuth_min = -kPi, azimuth_max = kPi;
  double elevation_min = 0.0, elevation_max = 0.0;
  // Pinhole: intrinsics [px]; pixel centres at integer coordinates, as in sensor_msgs/CameraInfo.
  double fx = 0.0, fy = 0.0, cx = 0.0, cy = 0.0;

  std::size_t size() const {
    return static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  }
  /// Unit direction through the centre of a cell, in the sensor (or camera) frame.
  Eigen::Vector3d direction(int row, int column) const;
  /// Throws ConfigError.
  void validate(const std::string& where) const;
};

/// Casts rays at a map: rays in, hits out. Every renderer computes the function that SurfelMap
/// defines, the range at which a ray meets a surfel (see src/lidar/cast/ray_meets_surfel.hpp).
/// Renderers differ in speed only. Calls are const and may come from several threads.
///
/// Moving objects are cast beside the map. A ray meets an object at the object's pose at the ray's
/// time, like a map of the object's surfels, which blend only with each other. The nearest hit on
/// the map and all objects counts; among equal ones that on the map, then that on the first object.
/// Invalid objects throw ConfigError.
class RayRenderer {
 public:
  virtual ~RayRenderer() = default;

  /// "ray_caster", "opengl".
  virtual std::string name() const = 0;
  /// Channels of the map's surfels: map::SurfelMap::channels.
  virtual map::SurfelChannelViews channels() const { return {}; }
  /// Channels of the plants' primitives, see scene::isPlant.
  virtual map::SurfelChannelViews plantChannels() const { return {}; }
  /// Finds the nearest surface of every ray: hits[i] belongs to rays[i]. Resizes hits.
  virtual void cast(const std::vector<Ray>& rays, View<MovingObject> objects,
                    std::vector<Hit>& hits) const = 0;
  void cast(const std::vector<Ray>& rays, std::vector<Hit>& hits) const { cast(rays, {}, hits); }
  /// Casts beams of `rays_a_beam` rays each, which follow one another in `rays` and go nearly the
  /// same way. Times count from `begin`, which matters to plants in the wind; in cast() plants
  /// stand as at time 0.
  virtual void castBeams(TimeNs begin, const std::vector<Ray>& rays, std::size_t rays_a_beam,
                         View<MovingObject> objects, std::vector<Hit>& hits) const {
    static_cast<void>(begin);
    static_cast<void>(rays_a_beam);
    cast(rays, objects, hits);
  }
  /// Casts a few rays in any directions, such as those that mirrors send on, on the processor.
  virtual void castFew(TimeNs begin, const std::vector<Ray>& rays, View<MovingObject> objects,
                       std::vector<Hit>& hits) const {
    castBeams(begin, rays, 1, objects, hits);
  }
};

/// Colours of a map's surfels: three channels, each a byte per surfel, or one for each of its
/// sides, and a table of values. Another object owns the bytes.
struct SurfelColours {
  const std::uint8_t* bytes[3] = {};  ///< of surfel 0; null: its value is always values[i][0]
  std::size_t step = 1;               ///< from a surfel to the next
  /// From the side that the surfel's normal leaves to the other side; 0: both have one colour.
  std::size_t to_back = 0;
  float values[3][256] = {};

  Eigen::Vector3f of(std::uint32_t surfel, bool is_back = false) const {
    const std::size_t place = surfel * step + (is_back ? to_back : 0);
    Eigen::Vector3f colour;
    for (int i = 0; i < 3; ++i) {
      colour[i] = values[i][bytes[i] == nullptr ? 0 : bytes[i][place]];
    }
    return colour;
  }
};

/// Colours and normals of the surfaces at an image's cells, row by row: the weighted mean of
/// blended surfels, or the colour of a single surfel that is not planar. Values are undefined for
/// cells that meet none of the map's surfels.
struct SurfaceLooks {
  std::vector<float> colour[3];
  std::vector<float> normal[3];  ///< in W, of any length, towards the sensor; 0: not planar
};

/// Renders dense images: the rays of a grid of directions from one pose at one instant, by the
/// rules of RayRenderer.
class ImageRenderer {
 public:
  virtual ~ImageRenderer() = default;

  /// "projection", "ray_caster", "opengl".
  virtual std::string name() const = 0;
  /// Finds the nearest surface at the centre of every cell, row by row, seen from X_WS (pinhole:
  /// X_WC), with objects at their poses of time 0. Resizes hits to grid.size(). Ranges are along
  /// the ray, also for pinhole grids.
  virtual void renderImage(const ImageGrid& grid, const Pose& X_WS, double range_max,
                           View<MovingObject> objects, std::vector<Hit>& hits) const = 0;
  void renderImage(const ImageGrid& grid, const Pose& X_WS, double range_max,
                   std::vector<Hit>& hits) const {
    renderImage(grid, X_WS, range_max, {}, hits);
  }
  /// Renders at the time `stamp`, see RayRenderer::castBeams.
  virtual void renderImageAt(TimeNs /*stamp*/, const ImageGrid& grid, const Pose& X_WS,
                             double range_max, View<MovingObject> objects,
                             std::vector<Hit>& hits) const {
    renderImage(grid, X_WS, range_max, objects, hits);
  }
  /// Renders and fills the looks of the map's surfaces; false if this renderer cannot.
  virtual bool renderLooksAt(TimeNs stamp, const ImageGrid& grid, const Pose& X_WS,
                             double range_max, View<MovingObject> objects,
                             const SurfelColours& /*colours*/, std::vector<Hit>& hits,
                             SurfaceLooks& /*looks*/) const {
    renderImageAt(stamp, grid, X_WS, range_max, objects, hits);
    return false;
  }
};

/// Renders rays, and images by a ray a cell.
class RayCaster : public RayRenderer, public ImageRenderer {
 public:
  std::string name() const override = 0;
};

/// Instruction sets that the ray caster is compiled for.
enum class SimdLevel {
  kAuto,      ///< the fastest, or the one that the environment variable MARSIM_SIMD names
  kPortable,  ///< "portable": any processor
  kBaseline,  ///< "baseline": x86-64 with SSE4.1
  kAvx2,      ///< "avx2": with FMA and BMI
};

/// Instruction sets of this processor, fastest first.
std::vector<SimdLevel> simdLevels();
const char* nameOf(SimdLevel level);

struct RendererConfig {
  int threads = 1;                    ///< 0: all cores
  SimdLevel simd = SimdLevel::kAuto;  ///< of the ray caster

  void validate(const std::string& where) const;
};

/// Makes the ray caster, which sends rays through the tree of the map's surfels, neighbouring
/// directions together.
std::unique_ptr<RayCaster> makeRayCaster(std::shared_ptr<const map::SurfelMap> map,
                                         const RendererConfig& config = {});
/// Makes the faster of two renderers: one that projects surfels into the image, plane correction
/// and blending included, or, for maps finer than 0.05 m, the ray caster.
std::unique_ptr<ImageRenderer> makeDepthImageRenderer(std::shared_ptr<const map::SurfelMap> map,
                                                      const RendererConfig& config = {});

}  // namespace marsim::lidar
