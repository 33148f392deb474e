#pragma once

#include <cstddef>
#include <cstdint>

#include "marsim/map/surfel_tree_layout.hpp"

/// What the projections compiled for several instruction sets share with the rest. Plain
/// declarations only, as in cast_kernel.hpp.
namespace marsim::lidar {

/// Cells of an image, ends included.
struct CellRange {
  int first_row, last_row, first_column, last_column;
};

/// A strip of an image, some rows that are one thread's, and what surfels are projected with.
/// Arrays hold all of the image, `stride` cells from a row to the next; rows are padded by eight
/// cells or more, whose directions are NaN.
struct ImageStrip {
  static constexpr int kTile = 8;  ///< cells of a side; what is behind all of a tile is passed over
  static constexpr std::uint32_t kNothing = 0xffffffffU;

  int first_row, end_row;  ///< whole tiles, but for the image's last
  int width, height, stride;
  const float* direction[3];  ///< unit, sensor (camera) frame
  float* depth;               ///< [m] at first just above the maximum; below 0 in padding
  std::uint32_t* surfel;      ///< in tree order, at first kNothing
  float* normal[3];           ///< at the end: unit, in W, towards the sensor; of cells with surfels
  float* tile_depth;          ///< [m] farthest of a tile's cells
  std::uint8_t* tile_changed;
  int tile_stride;

  float eye[3], eye_rest[3];  ///< [m] sensor, relative to the tree's origin, as sums of two floats
  float R_SW[3][3];
  float range_max;  ///< [m]

  bool spherical;
  float columns_per_rad, rows_per_rad, columns_per_turn, left, top;  ///< as in FootprintFinder
  float fx, fy, cx, cy;
  /// Cells of a ball near a pole, the seam or the sensor: up to two ranges, returns their number.
  int (*footprint)(const void* finder, const float* centre, float radius, CellRange* ranges);
  const void* finder;
};

/// A leaf that rows of an image may see.
struct SeenLeaf {
  std::uint32_t node;
  int slot;
  float distance;  ///< [m] of its box from the sensor, from below
  int range_count;
  CellRange cells[2];  ///< that it may fill
};

struct LeafSink {
  void (*take)(void* to, const SeenLeaf& leaf);
  void* to;
};

/// Tiles of an image, row by row, and cones that hold their rays: axes (unit, in the tree's frame)
/// and the widest one's angle; `whole`: one is so wide that nothing is known. What is behind
/// `farthest` [m] of a tile is hidden there.
struct TileCones {
  static constexpr int kSide = 4;  ///< cells of a tile
  const float* axis[3];
  float tangent, secant;
  bool whole;
  int columns;
  const float* farthest;
};

/// Ends included.
struct TileRange {
  int first_row, last_row, first_column, last_column;
};

/// Surfels of a leaf, a bit each, that the rays of a tile may meet.
struct TileMask {
  std::uint32_t tile, mask;
};

using ProjectKernel = void (*)(const map::SurfelTreeView&, ImageStrip&);
/// Hands over the leaves that a strip's rows may see within its range, in no order. Of the strip it
/// reads the rows, the size, the view and the footprints; it has no cells.
using LeafKernel = void (*)(const map::SurfelTreeView&, const ImageStrip&, const LeafSink&);
/// Writes the masks of a leaf's surfels for those of the tiles whose rays may meet one, and returns
/// their number; `to` has room for all of the tiles.
using MaskKernel = std::size_t (*)(const map::SurfelTreeView&, const ImageStrip&, const SeenLeaf&,
                                   const TileCones&, const TileRange&, TileMask* to);

namespace portable {
void projectStrip(const map::SurfelTreeView& tree, ImageStrip& strip);
void listLeaves(const map::SurfelTreeView& tree, const ImageStrip& strip, const LeafSink& sink);
std::size_t maskTiles(const map::SurfelTreeView& tree, const ImageStrip& view, const SeenLeaf& leaf,
                      const TileCones& cones, const TileRange& tiles, TileMask* to);
}  // namespace portable
namespace baseline {
void projectStrip(const map::SurfelTreeView& tree, ImageStrip& strip);
void listLeaves(const map::SurfelTreeView& tree, const ImageStrip& strip, const LeafSink& sink);
std::size_t maskTiles(const map::SurfelTreeView& tree, const ImageStrip& view, const SeenLeaf& leaf,
                      const TileCones& cones, const TileRange& tiles, TileMask* to);
}  // namespace baseline
namespace avx2 {
void projectStrip(const map::SurfelTreeView& tree, ImageStrip& strip);
void listLeaves(const map::SurfelTreeView& tree, const ImageStrip& strip, const LeafSink& sink);
std::size_t maskTiles(const map::SurfelTreeView& tree, const ImageStrip& view, const SeenLeaf& leaf,
                      const TileCones& cones, const TileRange& tiles, TileMask* to);
}  // namespace avx2
namespace avx512 {
void projectStrip(const map::SurfelTreeView& tree, ImageStrip& strip);
void listLeaves(const map::SurfelTreeView& tree, const ImageStrip& strip, const LeafSink& sink);
std::size_t maskTiles(const map::SurfelTreeView& tree, const ImageStrip& view, const SeenLeaf& leaf,
                      const TileCones& cones, const TileRange& tiles, TileMask* to);
}  // namespace avx512

}  // namespace marsim::lidar
