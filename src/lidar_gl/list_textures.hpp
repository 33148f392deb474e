#pragma once

#include "lidar/cast/workers.hpp"
#include "lidar_gl/texture_buffer.hpp"
#include "lidar_gl/tile_lists.hpp"
#include "marsim/map/surfel_tree_layout.hpp"

namespace marsim::lidar_gl {

/// A grid's rays and the lists of its tiles on the device, as project.glsl reads them. For jobs of
/// the context alone. All write*() throw GlError.
class ListTextures {
 public:
  explicit ListTextures(map::SurfelStorage storage)
      : compact_(storage == map::SurfelStorage::kCompact) {}

  void writeShares(const lidar::ImageGrid& grid);
  /// Of the passes [first, end); numbers count from the first of them.
  void writeLists(const TileLists& lists, int first, int end, const lidar::Workers& workers);
  /// Of all passes: which cells of their tiles the surfels may be seen in.
  void writeCells(const TileLists& lists, const lidar::Workers& workers);
  /// Of all passes: where the surfels are in the map.
  void writeSources(const TileLists& lists, const lidar::Workers& workers);
  /// To their units.
  void bind() const;

 private:
  const bool compact_;
  TextureBuffer surfels_, lists_, begins_, shares_, sources_, leaves_, cells_;
};

}  // namespace marsim::lidar_gl
