// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "common/huge_pages.hpp"
#include "lidar/cast/cast_kernel.hpp"
#include "lidar/cast/image_directions.hpp"
#include "lidar/cast/moving_objects.hpp"
#include "lidar/cast/ray_order.hpp"
#include "lidar/cast/simd_level.hpp"
#include "lidar/cast/workers.hpp"
#include "marsim/common/error.hpp"
#include "marsim/lidar/renderer.hpp"

namespace marsim::lidar {
namespace {

constexpr std::size_t kGroupsPerTask = 32;
// Largest squared distances between rays of one group: directions, origins [m].
constexpr float kMostTurn2 = 0.016F * 0.016F, kMostApart2 = 0.05F * 0.05F;
constexpr int kGroupSide = 4;  // side of a tile: cells of an image that form a group

struct GroupRange {
  std::size_t begin, end;  // in the sorted rays
  std::size_t octant;
};

// Collects rays until a group is full or the octant changes, and casts them.
class Grouper {
 public:
  Grouper(const map::SurfelTreeView& tree, const CastBlending& blending, CastKernel kernel,
          std::vector<Hit>& hits, bool of_beams = false)
      : tree_(tree),
        blending_(blending),
        kernel_(kernel),
        hits_(hits),
        origin_(tree.header.origin[0], tree.header.origin[1], tree.header.origin[2]) {
    group_.count = 0;
    group_.of_beams = of_beams;
  }

  /// Adds a usable ray; its hit goes to hits[index]. range_max > 0.
  void add(const Ray& ray, std::size_t index) {
    RayGroup::Lane& lane = group_.lanes[group_.count];
    setOrigin(ray.origin.cast<double>(), lane);
    setDirection(ray, lane);
    finish(lane, ray.range_min, ray.range_max, index);
  }

  void add(const Eigen::Vector3d& origin, const Eigen::Vector3d& direction, float range_max,
           std::size_t index) {
    RayGroup::Lane& lane = group_.lanes[group_.count];
    setOrigin(origin, lane);
    for (int axis = 0; axis < 3; ++axis) {
      lane.direction[axis] = static_cast<float>(direction[axis]);
      lane.direction_rest[axis] =
          static_cast<float>(direction[axis] - static_cast<double>(lane.direction[axis]));
    }
    finish(lane, 0.0F, range_max, index);
  }

  /// Signs of the components of the next rays.
  void setOctant(std::size_t octant) {
    if (octant == octant_) return;
    flush();
    octant_ = octant;
    for (std::size_t axis = 0; axis < 3; ++axis) group_.negative[axis] = (octant >> axis & 1) != 0;
  }

  /// Adds a beam's ray. Begins a new group if the ray is far from the group's first one.
  void addOfBeam(const Ray& ray, std::size_t index) {
    if (group_.count > 0 && ((ray.direction - first_.direction).squaredNorm() > kMostTurn2 ||
                             (ray.origin - first_.origin).squaredNorm() > kMostApart2)) {
      flush();
    }
    if (group_.count == 0) {
      first_ = ray;
      last_origin_ = ray.origin;
      add(ray, index);
      return;
    }
    RayGroup::Lane& lane = group_.lanes[group_.count];
    const RayGroup::Lane& before = group_.lanes[group_.count - 1];
    if (ray.origin == last_origin_) {  // as for rays of one beam
      std::copy_n(before.origin, 3, lane.origin);
      std::copy_n(before.origin_rest, 3, lane.origin_rest);
    } else {
      setOrigin(ray.origin.cast<double>(), lane);
      last_origin_ = ray.origin;
    }
    setDirection(ray, lane);
    finish(lane, ray.range_min, ray.range_max, index);
  }

  void flush() {
    if (group_.count == 0) return;
    GroupHits found;
    kernel_(tree_, blending_, group_, found);
    for (int i = 0; i < group_.count; ++i) {
      Hit& hit = hits_[index_[i]];
      hit = Hit{};
      if (found.surfel[i] == GroupHits::kNothing) continue;
      hit.range = found.range[i];
      hit.surfel = found.surfel[i];
      hit.normal = {found.normal[0][i], found.normal[1][i], found.normal[2][i]};
    }
    group_.count = 0;
  }

 private:
  static void setDirection(const Ray& ray, RayGroup::Lane& lane) {
    for (int axis = 0; axis < 3; ++axis) {
      lane.direction[axis] = ray.direction[axis];
      lane.direction_rest[axis] = 0.0F;
    }
  }

  void setOrigin(const Eigen::Vector3d& origin, RayGroup::Lane& lane) const {
    const Eigen::Vector3d local = origin - origin_;
    for (int axis = 0; axis < 3; ++axis) {
      lane.origin[axis] = static_cast<float>(local[axis]);
      lane.origin_rest[axis] =
          static_cast<float>(local[axis] - static_cast<double>(lane.origin[axis]));
    }
  }

  void finish(RayGroup::Lane& lane, float range_min, float range_max, std::size_t index) {
    lane.origin[3] = std::max(range_min, 0.0F);
    lane.direction[3] = range_max;
    __builtin_prefetch(&hits_[index], 1);
    index_[group_.count++] = index;
    if (group_.count == kGroupSize) flush();
  }

  const map::SurfelTreeView& tree_;
  const CastBlending& blending_;
  const CastKernel kernel_;
  std::vector<Hit>& hits_;
  const Eigen::Vector3d origin_;
  RayGroup group_;
  std::size_t octant_ = RayOrder::kUnusable;
  Ray first_{};                  // first ray of a group of beams
  Eigen::Vector3f last_origin_;  // [m] of the previous ray, for beams
  std::size_t index_[kGroupSize];
};

class TreeRayCaster final : public RayCaster {
 public:
  TreeRayCaster(std::shared_ptr<const map::SurfelMap> map, const RendererConfig& config)
      : map_(std::move(map)),
        view_(map_->tree()),
        blending_{map_->blending().depth, map_->blending().min_cosine, map_->blending().max_offset},
        level_(simdLevelFor(config.simd)),
        kernel_(castKernel(level_)),
        workers_(config.threads) {}

  std::string name() const override { return "ray_caster"; }
  map::SurfelChannelViews channels() const override { return map_->channels(); }

  void cast(const std::vector<Ray>& rays, View<MovingObject> objects,
            std::vector<Hit>& hits) const override {
    castSorted(rays, 1, objects, hits);
  }

  void castBeams(TimeNs /*begin*/, const std::vector<Ray>& rays, std::size_t rays_a_beam,
                 View<MovingObject> objects, std::vector<Hit>& hits) const override {
    castSorted(rays, rays_a_beam, objects, hits);
  }

  void renderImage(const ImageGrid& grid, const Pose& X_WS, double range_max,
                   View<MovingObject> objects, std::vector<Hit>& hits) const override {
    grid.validate("image grid");
    const MovingObjects moving(objects, level_);
    hits.assign(grid.size(), Hit{});
    if (!(range_max > 0.0) || !X_WS.p.allFinite()) return;
    const ImageDirections directions(grid);
    const Eigen::Matrix3d R_WS = X_WS.q.toRotationMatrix();
    const auto rows = static_cast<std::size_t>((grid.height + kGroupSide - 1) / kGroupSide);
    workers_.forRanges(rows, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t row = begin; row < end; ++row) {
        castTiles(grid, directions, R_WS, X_WS.p, range_max, static_cast<int>(row) * kGroupSide,
                  hits);
      }
    });
    moving.renderImage(grid, X_WS, range_max, workers_, hits);
  }

 private:
  void castSorted(const std::vector<Ray>& rays, std::size_t rays_a_beam, View<MovingObject> objects,
                  std::vector<Hit>& hits) const {
    const MovingObjects moving(objects, level_);
    resizeForRandomAccess(hits, rays.size());
    thread_local RayOrder order_of_thread;  // kept for the next scan
    RayOrder& order = order_of_thread;      // for the workers, which have none of their own
    if (rays_a_beam <= 1) {
      sortByDirection(rays, workers_, order);
    } else {
      sortBeams(rays, rays_a_beam, workers_, order);
    }
    const std::vector<GroupRange> groups = groupsOf(order);
    // Tasks are the same for any number of threads; each begins a new group.
    const std::size_t tasks = (groups.size() + kGroupsPerTask - 1) / kGroupsPerTask;
    workers_.forRanges(tasks, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t task = begin; task < end; ++task) {
        const std::size_t first = task * kGroupsPerTask;
        castGroups(rays, order, groups, first, std::min(first + kGroupsPerTask, groups.size()),
                   rays_a_beam > 1, hits);
      }
    });
    for (std::size_t i = order.octant_end[RayOrder::kUnusable - 1]; i < rays.size(); ++i) {
      hits[order.index[i]] = Hit{};
    }
    moving.cast(rays, order, workers_, hits);
  }

  static std::vector<GroupRange> groupsOf(const RayOrder& order) {
    std::vector<GroupRange> groups;
    groups.reserve(order.index.size() / kGroupSize + 2 * RayOrder::kUnusable);
    for (std::size_t octant = 0; octant < RayOrder::kUnusable; ++octant) {
      const std::size_t end = order.octant_end[octant];
      for (std::size_t i = order.begin(octant); i < end; i += kGroupSize) {
        groups.push_back({i, std::min(i + kGroupSize, end), octant});
      }
    }
    return groups;
  }

  void castGroups(const std::vector<Ray>& rays, const RayOrder& order,
                  const std::vector<GroupRange>& groups, std::size_t begin, std::size_t end,
                  bool of_beams, std::vector<Hit>& hits) const {
    Grouper grouper(view_, blending_, kernel_, hits, of_beams);
    const std::size_t last = groups[end - 1].end;
    for (std::size_t g = begin; g < end; ++g) {
      grouper.setOctant(groups[g].octant);
      for (std::size_t i = groups[g].begin; i < groups[g].end; ++i) {
        if (i + kGroupSize < last) __builtin_prefetch(&rays[order.index[i + kGroupSize]]);
        const std::uint32_t index = order.index[i];
        of_beams ? grouper.addOfBeam(rays[index], index) : grouper.add(rays[index], index);
      }
    }
    grouper.flush();
  }

  // Casts a row of tiles.
  void castTiles(const ImageGrid& grid, const ImageDirections& directions,
                 const Eigen::Matrix3d& R_WS, const Eigen::Vector3d& p_WS, double range_max,
                 int first_row, std::vector<Hit>& hits) const {
    Grouper grouper(view_, blending_, kernel_, hits);
    const float limit = floatBelow(range_max);
    const int end_row = std::min(first_row + kGroupSide, grid.height);
    std::size_t octant = RayOrder::kUnusable;
    for (int tile = 0; tile < grid.width; tile += kGroupSide) {
      for (int row = first_row; row < end_row; ++row) {
        for (int column = tile; column < std::min(tile + kGroupSide, grid.width); ++column) {
          const Eigen::Vector3d direction = R_WS * directions.at(row, column);
          if (octantOf(direction) != octant) {
            octant = octantOf(direction);
            grouper.setOctant(octant);
          }
          grouper.add(p_WS, direction, limit,
                      static_cast<std::size_t>(row) * static_cast<std::size_t>(grid.width) +
                          static_cast<std::size_t>(column));
        }
      }
    }
    grouper.flush();
  }

  template <class Vector>
  static std::size_t octantOf(const Vector& direction) {
    return (std::signbit(direction.x()) ? 1U : 0U) | (std::signbit(direction.y()) ? 2U : 0U) |
           (std::signbit(direction.z()) ? 4U : 0U);
  }

  std::shared_ptr<const map::SurfelMap> map_;
  const map::SurfelTreeView view_;
  const CastBlending blending_;
  const SimdLevel level_;
  const CastKernel kernel_;
  Workers workers_;
};

}  // namespace

void RendererConfig::validate(const std::string& where) const {
  Validator(where).within("threads", threads, 0, 1024);
}

std::unique_ptr<RayCaster> makeRayCaster(std::shared_ptr<const map::SurfelMap> map,
                                         const RendererConfig& config) {
  config.validate("renderer");
  return std::make_unique<TreeRayCaster>(std::move(map), config);
}

}  // namespace marsim::lidar
