#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "image_directions.hpp"
#include "marsim/common/error.hpp"
#include "marsim/lidar/renderer.hpp"
#include "simd.hpp"
#include "surfel_bvh.hpp"
#include "surfel_test.hpp"
#include "workers.hpp"

namespace marsim::lidar {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr std::size_t kRaysPerTask = 512;

// A ray as the traversal wants it, with single-precision bounds of its origin.
struct TraversalRay {
  Eigen::Vector3d origin, direction;
  Vector4 origin4, direction4;
  Float4 near_origin[3], far_origin[3];  // to subtract from a box's near and far planes
  Float4 inverse[3];
  int near_bound[3], far_bound[3];  // rows of Node::bounds
  float radius;                     // R and the uncertainty of origin4
  double range_max;

  TraversalRay(const Eigen::Vector3d& o, const Eigen::Vector3d& d, double maximum, float r)
      : origin(o), direction(d), range_max(maximum) {
    float uncertainty = 0.0F;
    for (int axis = 0; axis < 3; ++axis) {
      const auto rounded = static_cast<float>(o[axis]);
      // Equal for origins given as floats.
      const float low = rounded > o[axis] ? std::nextafter(rounded, -kInfinity) : rounded;
      const float high = rounded < o[axis] ? std::nextafter(rounded, kInfinity) : rounded;
      uncertainty += high - low;
      const bool backward = d[axis] < 0.0;
      near_origin[axis] = broadcast(backward ? low : high);
      far_origin[axis] = broadcast(backward ? high : low);
      near_bound[axis] = backward ? axis + 3 : axis;
      far_bound[axis] = backward ? axis : axis + 3;
      // Finite also for a component of zero: no NaN where a box's plane holds the origin.
      const double component = std::max(std::abs(d[axis]), 1e-18);
      inverse[axis] = broadcast(static_cast<float>((backward ? -1.0 : 1.0) / component));
    }
    radius = r + uncertainty;
    const Eigen::Vector3f of = o.cast<float>(), df = d.cast<float>();
    origin4 = {broadcast(of.x()), broadcast(of.y()), broadcast(of.z())};
    direction4 = {broadcast(df.x()), broadcast(df.y()), broadcast(df.z())};
  }
};

class Traversal {
 public:
  Traversal(const SurfelBvh& bvh, const TraversalRay& ray)
      : bvh_(bvh),
        ray_(ray),
        squared_radius_(static_cast<double>(bvh.radius()) * static_cast<double>(bvh.radius())),
        best_(static_cast<float>(ray.range_max)) {}

  Hit run() {
    if (bvh_.empty()) return {};
    std::uint32_t child = 0;
    for (;;) {
      if (SurfelBvh::isLeaf(child)) {
        testLeaf(child);
      } else if (descend(child)) {
        continue;
      }
      do {
        if (stack_size_ == 0) return surfel_ == kNoSurfel ? Hit{} : Hit{best_, surfel_};
        --stack_size_;
      } while (stack_[stack_size_].entry > limit());
      child = stack_[stack_size_].child;
    }
  }

 private:
  struct Entry {
    float entry;  // [m] lower bound of the ranges in the box, but for rounding
    std::uint32_t child;
  };

  // Entries are computed with a relative error of a few 2^-24; equal ranges must still be seen.
  float limit() const { return best_ * 1.000002F; }

  // Goes on to the nearest child that the ray meets, pushing the others; false where it meets none.
  bool descend(std::uint32_t& child) {
    const SurfelBvh::Node& node = bvh_.nodes()[child];
    Float4 entry = broadcast(0.0F), exit = broadcast(limit());
    for (int axis = 0; axis < 3; ++axis) {
      const Float4 near_plane = load4(node.bounds[ray_.near_bound[axis]]);
      const Float4 far_plane = load4(node.bounds[ray_.far_bound[axis]]);
      entry = max4((near_plane - ray_.near_origin[axis]) * ray_.inverse[axis], entry);
      exit = min4((far_plane - ray_.far_origin[axis]) * ray_.inverse[axis] * 1.000002F, exit);
    }
    int met = bitsOf(entry <= exit);
    if (met == 0) return false;
    const int first = __builtin_ctz(static_cast<unsigned>(met));
    met &= met - 1;
    if (met == 0) {
      child = node.child[first];
      return true;
    }
    float entries[4];
    store4(entries, entry);
    Entry nearest{entries[first], node.child[first]};
    const int base = stack_size_;
    for (; met != 0; met &= met - 1) {
      const int i = __builtin_ctz(static_cast<unsigned>(met));
      Entry next{entries[i], node.child[i]};
      if (next.entry < nearest.entry) std::swap(next, nearest);
      push(next, base);
    }
    child = nearest.child;
    return true;
  }

  // Keeps the entries of one node with the nearest on top.
  void push(const Entry& entry, int base) {
    int at = stack_size_++;
    for (; at > base && stack_[at - 1].entry < entry.entry; --at) stack_[at] = stack_[at - 1];
    stack_[at] = entry;
  }

  void testLeaf(std::uint32_t leaf) {
    const SurfelBvh::Block* block = &bvh_.blocks()[SurfelBvh::firstBlock(leaf)];
    const SurfelBvh::Block* const end = block + SurfelBvh::blockCount(leaf);
    for (; block != end; ++block) {
      const Vector4 v{load4(block->position[0]) - ray_.origin4.x,
                      load4(block->position[1]) - ray_.origin4.y,
                      load4(block->position[2]) - ray_.origin4.z};
      const Vector4 n{load4(block->normal[0]), load4(block->normal[1]), load4(block->normal[2])};
      Int4 id;
      __builtin_memcpy(&id, block->id, sizeof(id));
      int lanes = mayMeet(v, n, id, ray_.direction4, ray_.radius, broadcast(limit()));
      for (; lanes != 0; lanes &= lanes - 1) {
        testSurfel(*block, __builtin_ctz(static_cast<unsigned>(lanes)));
      }
    }
  }

  void testSurfel(const SurfelBvh::Block& block, int lane) {
    const Eigen::Vector3d p(block.position[0][lane], block.position[1][lane],
                            block.position[2][lane]);
    const Eigen::Vector3d n(block.normal[0][lane], block.normal[1][lane], block.normal[2][lane]);
    const bool planar = (block.id[lane] & SurfelBvh::kPlanar) != 0;
    const double range = rangeOf(p - ray_.origin, n, planar, ray_.direction, squared_radius_);
    if (!(range > 0.0 && range <= ray_.range_max)) return;
    const auto rounded = static_cast<float>(range);
    const std::uint32_t surfel = block.id[lane] & ~SurfelBvh::kPlanar;
    if (rounded < best_ || (rounded == best_ && surfel < surfel_)) {
      best_ = rounded;
      surfel_ = surfel;
    }
  }

  const SurfelBvh& bvh_;
  const TraversalRay& ray_;
  const double squared_radius_;
  float best_;  // [m] nearest range so far, at first the maximum
  std::uint32_t surfel_ = kNoSurfel;
  int stack_size_ = 0;
  Entry stack_[(SurfelBvh::kWidth - 1) * SurfelBvh::kMaxDepth + 1];
};

class RayCaster final : public Renderer {
 public:
  RayCaster(std::shared_ptr<const map::SurfelMap> map, const RendererConfig& config)
      : map_(std::move(map)), bvh_(*map_), workers_(config.threads) {}

  std::string name() const override { return "ray_caster"; }
  bool castsRays() const override { return true; }

  void cast(const std::vector<Ray>& rays, std::vector<Hit>& hits) const override {
    hits.resize(rays.size());
    workers_.forRanges(rays.size(), kRaysPerTask, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const Ray& ray = rays[i];
        hits[i] = castOne(ray.origin.cast<double>(), ray.direction.cast<double>(),
                          static_cast<double>(ray.range_max));
      }
    });
  }

  void renderImage(const ImageGrid& grid, const Pose& X_WS, double range_max,
                   std::vector<Hit>& hits) const override {
    grid.validate("image grid");
    hits.resize(grid.size());
    const ImageDirections directions(grid);
    const Eigen::Matrix3d R_WS = X_WS.q.toRotationMatrix();
    const auto width = static_cast<std::size_t>(grid.width);
    workers_.forRanges(grid.size(), kRaysPerTask, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const auto row = static_cast<int>(i / width), column = static_cast<int>(i % width);
        hits[i] = castOne(X_WS.p, R_WS * directions.at(row, column), range_max);
      }
    });
  }

 private:
  Hit castOne(const Eigen::Vector3d& origin, const Eigen::Vector3d& direction,
              double range_max) const {
    const TraversalRay ray(origin, direction, range_max, bvh_.radius());
    return Traversal(bvh_, ray).run();
  }

  std::shared_ptr<const map::SurfelMap> map_;
  SurfelBvh bvh_;
  Workers workers_;
};

}  // namespace

std::unique_ptr<Renderer> makeRayCaster(std::shared_ptr<const map::SurfelMap> map,
                                        const RendererConfig& config) {
  config.validate("renderer");
  return std::make_unique<RayCaster>(std::move(map), config);
}

}  // namespace marsim::lidar
