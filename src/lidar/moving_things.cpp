#include "moving_things.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include <Eigen/Geometry>

#include "image_footprint.hpp"

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

}  // namespace

// Collects rays that one thing may stop, casts them in its frame, sixteen of an octant at a time,
// and keeps what is nearer than before.
class MovingThings::Caster {
 public:
  Caster(CastKernel kernel, std::vector<Hit>& hits) : kernel_(kernel), hits_(hits) {
    for (RayGroup& group : groups_) group.count = 0;
    for (std::size_t octant = 0; octant < kOctants; ++octant) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        groups_[octant].negative[axis] = (octant >> axis & 1U) != 0;
      }
    }
  }

  void setThing(const Thing& thing) { thing_ = &thing; }

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
    const double* tree_origin = thing_->tree.header.origin;
    for (int axis = 0; axis < 3; ++axis) {
      split(origin_M[axis] - tree_origin[axis], lane.origin[axis], lane.origin_rest[axis]);
      split(direction_M[axis], lane.direction[axis], lane.direction_rest[axis]);
    }
    lane.origin[3] = std::max(range_min, 0.0F);
    lane.direction[3] = limit(range_max, hits_[index]);
    rays_[octant][static_cast<std::size_t>(group.count)] = {index, X_WM.q};
    if (++group.count == kGroupSize) flush(octant);
  }

  /// Before another thing's turn.
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

  // First surfaces behind the present answer lose; a blend may begin before it and still do.
  float limit(float range_max, const Hit& hit) const {
    return std::min(range_max, hit.range + thing_->blending.depth);
  }

  void flush(std::size_t octant) {
    RayGroup& group = groups_[octant];
    GroupHits found;
    kernel_(thing_->tree, thing_->blending, group, found);
    for (int i = 0; i < group.count; ++i) {
      const Added& ray = rays_[octant][static_cast<std::size_t>(i)];
      Hit& hit = hits_[ray.index];
      if (found.surfel[i] == GroupHits::kNothing || !(found.range[i] < hit.range)) continue;
      hit.range = found.range[i];
      hit.surfel = found.surfel[i];
      hit.identity = thing_->thing->identity;
      const Eigen::Vector3d normal_M(found.normal[0][i], found.normal[1][i], found.normal[2][i]);
      hit.normal = (ray.q_WM * normal_M).cast<float>();
    }
    group.count = 0;
  }

  const CastKernel kernel_;
  std::vector<Hit>& hits_;
  const Thing* thing_ = nullptr;
  RayGroup groups_[kOctants];
  std::array<std::array<Added, kGroupSize>, kOctants> rays_;
};

// A thing as the rays of one scan may see it.
struct MovingThings::Sight {
  const Thing* thing;
  PoseTrack track;
  Ball ball;
  StraightBox box;
};

MovingThings::MovingThings(View<MovingThing> things, CastKernel kernel) : kernel_(kernel) {
  things_.reserve(things.size());
  const map::SurfelMap* last_shape = nullptr;
  for (std::size_t i = 0; i < things.size(); ++i) {
    const MovingThing& thing = things[i];
    thing.validate("thing " + std::to_string(i));
    if (thing.shape->size() == 0) continue;
    if (thing.shape.get() == last_shape) {
      things_.push_back(things_.back());
      things_.back().thing = &thing;
      continue;
    }
    last_shape = thing.shape.get();
    const Eigen::AlignedBox3d box = boxOf(*thing.shape);
    const map::Blending& blending = thing.shape->blending();
    things_.push_back({&thing,
                       thing.shape->tree(),
                       box,
                       ballAbout(box),
                       {blending.depth, blending.min_cosine, blending.max_offset}});
  }
}

std::vector<MovingThings::Sight> MovingThings::sightsOf(const RaySpan& span) const {
  const RayBundle all = span.bundle();
  std::vector<Sight> sights;
  for (const Thing& thing : things_) {
    if (thing.thing->until <= span.first || thing.thing->from > span.last) continue;
    if (!all.mayMeet(roughBall(*thing.thing, thing.ball_M))) continue;
    PoseTrack track(*thing.thing);
    const Ball ball = sweptBall(track, thing.ball_M, span.first, span.last);
    if (!all.mayMeet(ball)) continue;
    const StraightBox box = straightBox(track, thing.box_M, span.first, span.last);
    sights.push_back({&thing, std::move(track), ball, box});
  }
  return sights;
}

void MovingThings::cast(const std::vector<Ray>& rays, const RayOrder& order, const Workers& workers,
                        std::vector<Hit>& hits) const {
  const std::size_t count = order.octant_end[RayOrder::kUnusable - 1];
  if (things_.empty() || count == 0) return;
  const RaySpan span(rays, order, hits);
  const std::vector<Sight> sights = sightsOf(span);
  if (sights.empty()) return;
  const std::size_t clusters = (count + RayCluster::kRays - 1) / RayCluster::kRays;
  workers.forRanges(clusters, 1, [&](std::size_t begin, std::size_t end) {
    Caster caster(kernel_, hits);
    for (std::size_t c = begin; c < end; ++c) {
      const std::size_t first = c * RayCluster::kRays;
      const RayCluster cluster(rays, order, hits, span, first, count);
      for (const Sight& sight : sights) {
        if (!cluster.whole().mayMeet(sight.ball)) continue;
        castCluster(rays, &order.index[first], cluster, sight, caster);
      }
    }
  });
}

void MovingThings::castCluster(const std::vector<Ray>& rays, const std::uint32_t* index,
                               const RayCluster& cluster, const Sight& sight,
                               Caster& caster) const {
  caster.setThing(*sight.thing);
  bool may[RayCluster::kBundles], meets[RayCluster::kBundle];
  cluster.meet(sight.ball, may);
  const MovingThing& thing = *sight.thing->thing;
  for (std::size_t b = 0; b < cluster.bundleCount(); ++b) {
    if (!may[b]) continue;
    cluster.meet(b, sight.box, meets);
    for (std::size_t i = 0; i < RayCluster::kBundle; ++i) {
      if (!meets[i]) continue;
      const std::uint32_t number = index[b * RayCluster::kBundle + i];
      const auto time = static_cast<double>(rays[number].time);
      if (!thing.isThere(time)) continue;
      caster.add(sight.track.at(time), rays[number], number);
    }
  }
  caster.flush();
}

// A thing as an image sees it.
struct MovingThings::Picture {
  const Thing* thing;
  Pose X_WM;
  float distance;  // [m] to its ball, from below
  Footprint footprint;
};

std::vector<MovingThings::Picture> MovingThings::picturesIn(const ImageGrid& grid, const Pose& X_WS,
                                                            double range_max) const {
  const FootprintFinder footprints(grid);
  std::vector<Picture> pictures;
  for (const Thing& thing : things_) {
    if (!thing.thing->isThere(0.0)) continue;
    const Pose X_WM = thing.thing->at(0.0);
    const double radius = thing.ball_M.radius * 1.00001;
    const Eigen::Vector3d centre = X_WS.inverse() * (X_WM * thing.ball_M.centre);
    const double distance = centre.norm() * 0.99999 - radius;
    if (distance > range_max) continue;
    const Footprint footprint = footprints.of(centre.cast<float>(), static_cast<float>(radius));
    if (footprint.empty()) continue;
    pictures.push_back({&thing, X_WM, static_cast<float>(distance), footprint});
  }
  return pictures;
}

void MovingThings::renderImage(const ImageGrid& grid, const Pose& X_WS, double range_max,
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
  // Every row is one thread's.
  constexpr std::size_t kRows = 8;
  workers.forRanges(
      static_cast<std::size_t>(grid.height), kRows, [&](std::size_t begin, std::size_t end) {
        Caster caster(kernel_, hits);
        for (const Picture& picture : pictures) {
          caster.setThing(*picture.thing);
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
