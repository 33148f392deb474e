// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "lidar/cast/cast_kernel.hpp"
#include "lidar/cast/cull_kernel.hpp"
#include "lidar/cast/image_directions.hpp"
#include "lidar/cast/ray_order.hpp"
#include "lidar/cast/swept_ball.hpp"
#include "lidar/cast/workers.hpp"
#include "marsim/lidar/renderer.hpp"

namespace marsim::lidar {

/// Moving objects for one cast or image: replaces the map's hits where an object is nearer. Whole
/// bundles of rays are tested against the objects' bounding spheres; only rays that meet a sphere
/// go on, in the object's frame, to the kernel that casts them at the map.
class MovingObjects {
 public:
  /// Throws ConfigError for objects that are not valid. Keeps the view. `level`: as simdLevelFor()
  /// returns it.
  MovingObjects(View<MovingObject> objects, SimdLevel level);

  bool empty() const { return objects_.empty(); }
  /// `hits`: all of the map, including those of unusable rays.
  void cast(const std::vector<Ray>& rays, const RayOrder& order, const Workers& workers,
            std::vector<Hit>& hits) const;
  /// `hits`: of the map, row by row.
  void renderImage(const ImageGrid& grid, const Pose& X_WS, double range_max,
                   const Workers& workers, std::vector<Hit>& hits) const;

 private:
  struct Object {
    const MovingObject* object;
    map::SurfelTreeView tree;
    Eigen::AlignedBox3d box_M;  ///< bounding box of all places where rays can meet the shape
    BoundingSphere ball_M;      ///< bounding sphere of the same
    CastBlending blending;
  };
  class Caster;
  struct Extent;
  struct Candidate;
  struct Candidates;
  struct Cluster;
  struct Picture;

  Extent spanOf(const RayFields& fields, const RayOrder& order, std::size_t count) const;
  Candidates sightsOf(const Extent& extent) const;
  void castCluster(const std::vector<Ray>& rays, const std::uint32_t* index, const Cluster& cluster,
                   const Candidates& candidates, std::size_t number, Caster& caster) const;
  std::vector<Picture> picturesIn(const ImageGrid& grid, const Pose& X_WS, double range_max) const;

  const CastKernel kernel_;
  const CullKernels& cull_;
  std::vector<Object> objects_;  // only those with surfels
};

}  // namespace marsim::lidar
