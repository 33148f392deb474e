// SPDX-License-Identifier: BSD-3-Clause
#include "lidar/cast/moving_objects.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>

#include <Eigen/Geometry>

#include "lidar/cast/image_footprint.hpp"
#include "lidar/cast/simd_level.hpp"

namespace marsim::lidar {
namespace {

std::size_t octantOf(const Eigen::Vector3d& direction) {
  return (std::signbit(direction.x()) ? 1U : 0U) | (std::signbit(direction.y()) ? 2U : 0U) |
         (std::signbit(direction.z()) ? 4U : 0U);
}

void split(double value, float& high, float& rest) {
  high = static_cast<float>(value);
  rest = static_cast<float>(value - static_cast<double>(high));
}

// Calls work(number) for every set bit.
template <class Work>
void forBits(std::uint32_t bits, const Work& work) {
  for (; bits != 0; bits &= bits - 1) work(static_cast<unsigned>(__builtin_ctz(bits)));
}

// A ray's first eight floats have the layout of RayFields.
static_assert(offsetof(Ray, origin) == 0 && offsetof(Ray, range_max) == 3 * sizeof(float) &&
              offsetof(Ray, direction) == 4 * sizeof(float) &&
              offsetof(Ray, time) == 7 * sizeof(float));

}  // namespace

// Collects rays that one object may stop, casts them in its frame, sixteen of an octant at a time,
// and keeps what is nearer than before.
class MovingObjects::Caster {
 public:
  Caster(CastKernel kernel, std::vector<Hit>& hits) : kernel_(kernel), hits_(hits) {
    for (RayGroup& group : groups_) {
      group.count = 0;
      group.of_beams = false;
    }
    for (std::size_t octant = 0; octant < kOctants; ++octant) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        groups_[octant].negative[axis] = (octant >> axis & 1U) != 0;
      }
    }
  }

  void setObject(const Object& object) { object_ = &object; }

  void add(const Pose& X_WM, const Ray& ray, std::size_t index) {
    add(X_WM, ray.origin.cast<double>(), ray.direction.cast<double>(), ray.range_min, ray.range_max,
        index);
  }

  /// The ray in W; its answer so far is hits[index]. range_max > 0.
  void add(const Pose& X_WM, const Eigen::Vector3d& origin, const Eigen::Vector3d& direction,
           float range_min, float range_max, std::size_t index) {
    const Eigen::Vector3d direction_M = X_WM.q.conjugate() * direction;
    const Eigen::Vector3d origin_M = X_WM.q.conjugate() * (origin - X_WM.p);
    const std::size_t octant = octantOf(direction_M);
    RayGroup& group = groups_[octant];
    RayGroup::Lane& lane = group.lanes[group.count];
    const double* tree_origin = object_->tree.header.origin;
    for (int axis = 0; axis < 3; ++axis) {
      split(origin_M[axis] - tree_origin[axis], lane.origin[axis], lane.origin_rest[axis]);
      split(direction_M[axis], lane.direction[axis], lane.direction_rest[axis]);
    }
    lane.origin[3] = std::max(range_min, 0.0F);
    lane.direction[3] = limit(range_max, hits_[index]);
    rays_[octant][static_cast<std::size_t>(group.count)] = {index, X_WM.q};
    if (++group.count == kGroupSize) flush(octant);
  }

  /// Call it before the next object.
  void flush() {
    for (std::size_t octant = 0; octant < kOctants; ++octant) {
      if (groups_[octant].count > 0) flush(octant);
    }
  }

 private:
  static constexpr std::size_t kOctants = 8;
  struct Added {
    std::size_t index;
    Eigen::Quaterniond q_WM;
  };

  // First surfaces behind the present hit lose; a blend may begin before it and still lose.
  float limit(float range_max, const Hit& hit) const {
    return std::min(range_max, hit.range + object_->blending.depth);
  }

  void flush(std::size_t octant) {
    RayGroup& group = groups_[octant];
    GroupHits found;
    kernel_(object_->tree, object_->blending, group, found);
    for (int i = 0; i < group.count; ++i) {
      const Added& ray = rays_[octant][static_cast<std::size_t>(i)];
      Hit& hit = hits_[ray.index];
      if (found.surfel[i] == GroupHits::kNothing || !(found.range[i] < hit.range)) continue;
      hit.range = found.range[i];
      hit.surfel = found.surfel[i];
      hit.identity = object_->object->identity;
      const Eigen::Vector3d normal_M(found.normal[0][i], found.normal[1][i], found.normal[2][i]);
      hit.normal = (ray.q_WM * normal_M).cast<float>();
    }
    group.count = 0;
  }

  const CastKernel kernel_;
  std::vector<Hit>& hits_;
  const Object* object_ = nullptr;
  RayGroup groups_[kOctants];
  std::array<std::array<Added, kGroupSize>, kOctants> rays_;
};

// Bounds of origin, time and range over the rays of a scan that can meet anything.
struct MovingObjects::Extent {
  Eigen::Vector3f origin;  // [m] middle of the rays' origins
  float spread;            // [m] no origin is farther from it
  double first, last;      // [s] times
  float reach;             // [m] largest range

  bool mayReach(const BoundingSphere& ball) const {
    const double most = (static_cast<double>(reach) + static_cast<double>(spread) + ball.radius);
    return (ball.centre - origin.cast<double>()).squaredNorm() <= most * most * 1.00001;
  }
};

// A moving object that rays of a scan may meet.
struct MovingObjects::Candidate {
  const Object* object;
  ObjectMotion track;
  MovingBox box;
};

// All candidates of a scan, with their spheres field by field.
struct MovingObjects::Candidates {
  std::vector<Candidate> candidates;
  std::vector<float> centre[3], radius;

  void add(Candidate candidate, const BoundingSphere& ball, const Extent& extent) {
    candidates.push_back(std::move(candidate));
    const Eigen::Vector3d from = ball.centre - extent.origin.cast<double>();
    for (int axis = 0; axis < 3; ++axis) centre[axis].push_back(static_cast<float>(from[axis]));
    radius.push_back((static_cast<float>(ball.radius) + extent.spread) * 1.00001F);
  }
  std::size_t words() const { return (candidates.size() + 31) / 32; }
  /// Pads to whole words.
  void fillUp() {
    for (auto& values : centre) values.resize(32 * words());
    radius.resize(32 * words());
  }
  BallFields balls() const {
    return {{centre[0].data(), centre[1].data(), centre[2].data()}, radius.data()};
  }
};

struct MovingObjects::Cluster {
  int bundles;
  RayCone whole;
  ClusterCones cones;
  ClusterRays rays;
};

MovingObjects::MovingObjects(View<MovingObject> objects, SimdLevel level)
    : kernel_(castKernel(level)), cull_(cullKernels(level)) {
  objects_.reserve(objects.size());
  const map::SurfelMap* last_shape = nullptr;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const MovingObject& object = objects[i];
    object.validate("object " + std::to_string(i));
    if (object.shape->size() == 0) continue;
    if (object.shape.get() == last_shape) {
      objects_.push_back(objects_.back());
      objects_.back().object = &object;
      continue;
    }
    last_shape = object.shape.get();
    const Eigen::AlignedBox3d box = boxOf(*object.shape);
    const map::Blending& blending = object.shape->blending();
    objects_.push_back({&object,
                        object.shape->tree(),
                        box,
                        ballAbout(box),
                        {blending.depth, blending.min_cosine, blending.max_offset}});
  }
}

MovingObjects::Extent MovingObjects::spanOf(const RayFields& fields, const RayOrder& order,
                                            std::size_t count) const {
  const bool all = count == order.index.size();  // then in memory order
  RayBounds bounds;
  cull_.bounds(fields, all ? nullptr : order.index.data(), count, bounds);
  const Eigen::AlignedBox3f origins(Eigen::Map<const Eigen::Vector3f>(bounds.low),
                                    Eigen::Map<const Eigen::Vector3f>(bounds.high));
  const Eigen::Vector3f origin = origins.center();
  return {origin, 0.5001F * origins.diagonal().norm() + 1e-6F * origin.norm(),
          static_cast<double>(bounds.low[7]), static_cast<double>(bounds.high[7]), bounds.high[3]};
}

MovingObjects::Candidates MovingObjects::sightsOf(const Extent& extent) const {
  Candidates found;
  found.candidates.reserve(objects_.size());
  for (const Object& object : objects_) {
    if (object.object->until <= extent.first || object.object->from > extent.last) continue;
    if (!extent.mayReach(roughBall(*object.object, object.ball_M))) continue;
    ObjectMotion track(*object.object);
    const Sweep sweep = sweepOf(track, object.box_M, extent.first, extent.last,
                                extent.origin.cast<double>(), static_cast<double>(extent.spread));
    if (!extent.mayReach(sweep.ball)) continue;
    found.add({&object, std::move(track), sweep.box}, sweep.ball, extent);
  }
  found.fillUp();
  return found;
}

void MovingObjects::cast(const std::vector<Ray>& rays, const RayOrder& order,
                         const Workers& workers, std::vector<Hit>& hits) const {
  const std::size_t count = order.octant_end[RayOrder::kUnusable - 1];
  if (objects_.empty() || count == 0) return;
  const RayFields fields{reinterpret_cast<const char*>(rays.data()),
                         reinterpret_cast<const char*>(hits.data()) + offsetof(Hit, range),
                         sizeof(Ray), sizeof(Hit)};
  const Extent extent = spanOf(fields, order, count);
  const Candidates candidates = sightsOf(extent);
  if (candidates.candidates.empty()) return;
  const std::size_t clusters = (count + kClusterSize - 1) / kClusterSize;
  workers.forRanges(clusters, 1, [&](std::size_t begin, std::size_t end) {
    Caster caster(kernel_, hits);
    Cluster cluster;
    std::vector<std::uint32_t> may(candidates.words());
    for (std::size_t c = begin; c < end; ++c) {
      const std::size_t first = c * kClusterSize;
      const std::uint32_t* const index = &order.index[first];
      cluster.bundles = cull_.gather(
          fields, index, static_cast<int>(std::min<std::size_t>(count - first, kClusterSize)),
          extent.origin.data(), cluster.rays);
      cull_.cones(cluster.rays, cluster.bundles, cluster.cones, cluster.whole);
      cull_.meetBalls(cluster.whole, candidates.balls(), candidates.candidates.size(), may.data());
      for (std::size_t word = 0; word < may.size(); ++word) {
        forBits(may[word], [&](unsigned bit) {
          castCluster(rays, index, cluster, candidates, 32 * word + bit, caster);
        });
      }
    }
  });
}

void MovingObjects::castCluster(const std::vector<Ray>& rays, const std::uint32_t* index,
                                const Cluster& cluster, const Candidates& candidates,
                                std::size_t number, Caster& caster) const {
  const Candidate& candidate = candidates.candidates[number];
  const MovingObject& object = *candidate.object->object;
  caster.setObject(*candidate.object);
  forBits(cull_.meetCones(cluster.cones, cluster.bundles, candidates.balls(), number),
          [&](unsigned bundle) {
            forBits(cull_.meetBox(cluster.rays, static_cast<int>(bundle), candidate.box),
                    [&](unsigned i) {
                      const std::uint32_t ray = index[bundle * kBundleSize + i];
                      const auto time = static_cast<double>(rays[ray].time);
                      if (object.isThere(time))
                        caster.add(candidate.track.at(time), rays[ray], ray);
                    });
          });
  caster.flush();
}

// An object as an image sees it.
struct MovingObjects::Picture {
  const Object* object;
  Pose X_WM;
  float distance;  // [m] lower bound of the distance to its sphere
  Footprint footprint;
};

std::vector<MovingObjects::Picture> MovingObjects::picturesIn(const ImageGrid& grid,
                                                              const Pose& X_WS,
                                                              double range_max) const {
  const FootprintFinder footprints(grid);
  std::vector<Picture> pictures;
  for (const Object& object : objects_) {
    if (!object.object->isThere(0.0)) continue;
    const Pose X_WM = object.object->at(0.0);
    const double radius = object.ball_M.radius * 1.00001;
    const Eigen::Vector3d centre = X_WS.inverse() * (X_WM * object.ball_M.centre);
    const double distance = centre.norm() * 0.99999 - radius;
    if (distance > range_max) continue;
    const Footprint footprint = footprints.of(centre.cast<float>(), static_cast<float>(radius));
    if (footprint.empty()) continue;
    pictures.push_back({&object, X_WM, static_cast<float>(distance), footprint});
  }
  return pictures;
}

void MovingObjects::renderImage(const ImageGrid& grid, const Pose& X_WS, double range_max,
                                const Workers& workers, std::vector<Hit>& hits) const {
  if (!(range_max > 0.0) || !X_WS.p.allFinite()) return;
  const std::vector<Picture> pictures = picturesIn(grid, X_WS, range_max);
  if (pictures.empty()) return;
  const ImageDirections directions(grid);
  const float reach = floatBelow(range_max);
  const auto addRun = [&](const Picture& picture, int row, const Footprint::Run& run,
                          Caster& caster) {
    for (int column = run.first; column <= run.last; ++column) {
      const std::size_t cell =
          static_cast<std::size_t>(row) * static_cast<std::size_t>(grid.width) +
          static_cast<std::size_t>(column);
      if (hits[cell].range < picture.distance) continue;
      caster.add(picture.X_WM, X_WS.p, X_WS.q * directions.at(row, column), 0.0F, reach, cell);
    }
  };
  // A row belongs to one thread.
  constexpr std::size_t kRows = 8;
  workers.forRanges(
      static_cast<std::size_t>(grid.height), kRows, [&](std::size_t begin, std::size_t end) {
        Caster caster(kernel_, hits);
        for (const Picture& picture : pictures) {
          caster.setObject(*picture.object);
          const int last = std::min(picture.footprint.last_row, static_cast<int>(end) - 1);
          for (int row = std::max(picture.footprint.first_row, static_cast<int>(begin));
               row <= last; ++row) {
            for (int r = 0; r < picture.footprint.run_count; ++r) {
              addRun(picture, row, picture.footprint.runs[r], caster);
            }
          }
          caster.flush();
        }
      });
}

}  // namespace marsim::lidar
