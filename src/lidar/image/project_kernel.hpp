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

/// Where surfels are seen in an image whose tiles have kSide cells a side: an array for each field,
/// that the next ones are written to.
struct PlacedSurfels {
  static constexpr int kSide = 4;  ///< cells of a tile
  /// Surfels that there must be room for, for each leaf.
  static constexpr int kRoom = 2 * map::kMaxLeafSize + 8;
  enum Field {
    kDistance,  ///< [m] from the sensor, from below, as a float
    kRows,      ///< of cells: the first, and 2^16 times the last
    kColumns,   ///< likewise
    kNumber,    ///< in the leaf, plus `added`
    kWords,     ///< what Leaves::placedWords() makes, for shaders
    kFields = kWords + 6
  };
  std::uint32_t* fields[kFields];
  std::uint32_t added;
};

using ProjectKernel = void (*)(const map::SurfelTreeView&, ImageStrip&);
/// Hands over the leaves that a strip's rows may see within its range, in no order. Of the strip it
/// reads the rows, the size, the view and the footprints; it has no cells.
using LeafKernel = void (*)(const map::SurfelTreeView&, const ImageStrip&, const LeafSink&);
/// Writes in which cells the surfels of a leaf may be seen that the strip's rows may see, and maybe
/// some more, and returns their number; one at the seam may be there twice, in different tiles. Of
/// the strip it reads the same.
using PlaceKernel = std::size_t (*)(const map::SurfelTreeView&, const ImageStrip&, const SeenLeaf&,
                                    const PlacedSurfels& to);

namespace portable {
void projectStrip(const map::SurfelTreeView& tree, ImageStrip& strip);
void listLeaves(const map::SurfelTreeView& tree, const ImageStrip& strip, const LeafSink& sink);
std::size_t placeSurfels(const map::SurfelTreeView& tree, const ImageStrip& strip,
                         const SeenLeaf& leaf, const PlacedSurfels& to);
}  // namespace portable
namespace baseline {
void projectStrip(const map::SurfelTreeView& tree, ImageStrip& strip);
void listLeaves(const map::SurfelTreeView& tree, const ImageStrip& strip, const LeafSink& sink);
std::size_t placeSurfels(const map::SurfelTreeView& tree, const ImageStrip& strip,
                         const SeenLeaf& leaf, const PlacedSurfels& to);
}  // namespace baseline
namespace avx2 {
void projectStrip(const map::SurfelTreeView& tree, ImageStrip& strip);
void listLeaves(const map::SurfelTreeView& tree, const ImageStrip& strip, const LeafSink& sink);
std::size_t placeSurfels(const map::SurfelTreeView& tree, const ImageStrip& strip,
                         const SeenLeaf& leaf, const PlacedSurfels& to);
}  // namespace avx2
namespace avx512 {
void projectStrip(const map::SurfelTreeView& tree, ImageStrip& strip);
void listLeaves(const map::SurfelTreeView& tree, const ImageStrip& strip, const LeafSink& sink);
std::size_t placeSurfels(const map::SurfelTreeView& tree, const ImageStrip& strip,
                         const SeenLeaf& leaf, const PlacedSurfels& to);
}  // namespace avx512

}  // namespace marsim::lidar
