#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "marsim/lidar/renderer.hpp"
#include "marsim/map/surfel_map.hpp"

namespace marsim::benchmarks {

/// The surfels as Embree's disc points: oriented ones where planar, ones that face the ray where
/// not, which is the same function. Keeps Embree's memory.
class EmbreeDiscs {
 public:
  explicit EmbreeDiscs(const map::SurfelMap& map);
  ~EmbreeDiscs();

  enum class Mode { kSingle, kPacket8, kPacket16 };
  /// Ranges [m] of rays in the order given, on one thread a piece of `threads`.
  void cast(const std::vector<lidar::Ray>& rays, Mode mode, int threads,
            std::vector<float>& ranges) const;
  /// Bytes that Embree holds for the scene, and those of its vertex and normal buffers.
  std::int64_t bytes() const;

 private:
  struct Scene;
  std::unique_ptr<Scene> scene_;
};

}  // namespace marsim::benchmarks
