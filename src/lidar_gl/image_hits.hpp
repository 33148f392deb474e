#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <Eigen/Core>

#include "lidar_gl/tile_lists.hpp"
#include "marsim/geometry/pose.hpp"
#include "marsim/lidar/renderer.hpp"
#include "marsim/map/surfel_tree_layout.hpp"

namespace marsim::lidar_gl {

/// Of an image, as project.glsl writes it.
struct ImageCell {
  static constexpr std::uint32_t kUnsure = 0x80000000U;

  float range;         ///< [m]
  std::uint32_t code;  ///< a surfel's number in the lists, with kUnsure where it is; or kNoSurfel
};
static_assert(sizeof(ImageCell) == 8, "as in project.glsl");

/// Hits of what the shader found, with the surfels' normals in W.
class HitMaker {
 public:
  HitMaker(const TileLists& lists, map::SurfelStorage storage, const Pose& X_WS);

  /// Of an image's row.
  void makeRow(const ImageCell* cells, int row, lidar::Hit* hits);

 private:
  // Surfels that were met last: the cells and rows beside mostly meet them, too.
  struct Met {
    std::uint32_t code = lidar::kNoSurfel;
    bool planar = false;
    lidar::Hit hit;
  };
  static constexpr std::size_t kMet = 1024;

  void meet(const TileLists::Strip& strip, std::uint32_t code, Met& met) const;
  // Against a cell's ray.
  Eigen::Vector3f backAlong(int row, int column) const;

  const bool compact_;
  const TileLists& lists_;
  const Eigen::Matrix3f R_WS_;
  std::unique_ptr<std::array<Met, kMet>> met_ = std::make_unique<std::array<Met, kMet>>();
};

}  // namespace marsim::lidar_gl
