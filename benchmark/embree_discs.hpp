// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "marsim/lidar/renderer.hpp"
#include "marsim/map/surfel_map.hpp"

namespace marsim::benchmarks {

/// The surfels as Embree's disc points: oriented discs if planar, else discs that face the ray,
/// which is the same function. Keeps Embree's memory.
class EmbreeDiscs {
 public:
  explicit EmbreeDiscs(const map::SurfelMap& map);
  ~EmbreeDiscs();

  enum class Mode { kSingle, kPacket8, kPacket16 };
  /// Ranges [m] of rays in the given order, on `threads` threads with a piece each.
  void cast(const std::vector<lidar::Ray>& rays, Mode mode, int threads,
            std::vector<float>& ranges) const;
  /// Bytes that Embree uses for the scene, and those of its vertex and normal buffers.
  std::int64_t bytes() const;

 private:
  struct Scene;
  std::unique_ptr<Scene> scene_;
};

}  // namespace marsim::benchmarks
