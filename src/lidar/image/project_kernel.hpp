// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "lidar/cast/cell_scale.hpp"
#include "lidar/cast/simd_kernel.hpp"
#include "map/tree/leaf_storage.hpp"

/// Declarations that the projections, compiled for several instruction sets, share with other code.
/// Plain declarations only, as in cast_kernel.hpp.
namespace marsim::lidar {

/// Cells of an image, ends included.
struct CellRange {
  int first_row, last_row, first_column, last_column;
};

/// A surfel that cells of a strip have met, kept for blending until all are known.
struct SeenSurfel {
  float v[3], n[3];       ///< [m] position, and unit normal (0: not planar), in the sensor's frame
  float nv;               ///< n . v
  float inverse_radius2;  ///< [1/m^2]
  std::uint32_t surfel, leaf;
  CellRange cells;
};

/// SurfelColours, and the arrays for each cell's sums of colours and normals.
struct ImageLooks {
  const std::uint8_t* bytes[3];
  std::size_t step, to_back;
  const float* values[3];  ///< null: no looks are wanted
  float *colour[3], *normal[3];
};

/// Parameters and arrays for blending (map::Blending).
struct ImageBlending {
  float depth, min_cosine, max_offset;  ///< [m], -, [m]; depth 0: no blending
  SeenSurfel* seen;
  std::uint32_t seen_count, seen_capacity;
  void (*makeRoom)(ImageBlending&);  ///< enlarges `seen`
  void* owner;
  std::uint32_t* first;             ///< for each cell: place in `seen` of the nearest
  float *weights, *mean, *largest;  ///< for each cell, see ImageBlend
  ImageLooks looks;
};

/// Some rows of an image, with the parameters of projection. A row begins `stride` cells after the
/// one before; each is padded by eight cells or more, whose directions are NaN.
struct ImageStrip {
  static constexpr int kTile = kImageTile;  ///< what is behind a whole tile is skipped
  static constexpr std::uint32_t kNothing = 0xffffffffU;

  int first_row;  ///< in the image; all other rows are the strip's
  int width, height, stride;
  const float* direction[3];  ///< unit, sensor (camera) frame
  float* depth;               ///< [m] at first just above the maximum; below 0 in padding
  std::uint32_t* surfel;      ///< in tree order, at first kNothing
  float* normal[3];           ///< unit, in W, towards the sensor; for cells with surfels
  float* tile_depth;          ///< [m] farthest in a tile
  std::uint8_t* tile_changed;
  int tile_stride;
  ImageBlending blending;

  float eye[3], eye_rest[3];  ///< [m] sensor, relative to the tree's origin, as sums of two floats
  float R_SW[3][3];
  float range_max;  ///< [m]

  CellScale scale;  ///< `top` and `cy` count from the strip's first row
  /// Cells of a sphere near a pole, the seam or the sensor: up to two ranges; returns their number.
  int (*footprint)(const ImageStrip& strip, const float* centre, float radius, CellRange* ranges);
  const void* owner;
};

using ProjectKernel = void (*)(const map::SurfelTreeView&, ImageStrip&);
MARSIM_KERNEL(void projectStrip(const map::SurfelTreeView& tree, ImageStrip& strip))

}  // namespace marsim::lidar
