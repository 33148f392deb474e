#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "image_directions.hpp"
#include "image_footprint.hpp"
#include "marsim/geometry/pose.hpp"
#include "marsim/lidar/renderer.hpp"
#include "marsim/map/surfel_tree_layout.hpp"
#include "project_kernel.hpp"
#include "workers.hpp"

namespace marsim::lidar_gl {

/// A leaf that an image may see, as project.glsl reads it: two texels of four words.
struct LeafRecord {
  float lower[3];  ///< [m] corner that compact positions count from, in the tree's frame
  std::uint32_t first;
  std::uint32_t shape;  ///< exponent fields of the steps of x, y, z; 2^24 times the count
  std::uint32_t child;  ///< its parent's number times 8, and its slot
  std::uint32_t unused[2];
};

/// Surfels of a leaf that a tile may see, as project.glsl reads it.
struct TileEntry {
  std::uint32_t leaf;     ///< number of its record; kNone: fills up a pair
  std::uint32_t surfels;  ///< a bit each; 2^16 times the distance in steps, from below
  static constexpr std::uint32_t kNone = 0xffffffffU;
};
static_assert(sizeof(LeafRecord) == 32 && sizeof(TileEntry) == 8, "as in project.glsl");

/// What the tiles of an image, kSide x kSide cells, may see: for each the leaves, nearest first,
/// and which of their surfels. The map's tree is walked on the processor past boxes out of view or
/// of range, and the balls about surfels are held against cones that hold the tiles' rays.
class TileLists {
 public:
  static constexpr int kSide = lidar::TileCones::kSide;  ///< cells
  static constexpr int kSteps = 65536;  ///< of the range, that distances are told in

  /// An entry may be nearer than one before it by this share of the range: bins of a 1024th, told
  /// from below.
  static constexpr float kDisorder = 3.0F / 1024.0F;

  explicit TileLists(const lidar::ImageGrid& grid);

  struct Kernels {
    lidar::LeafKernel leaves;
    lidar::MaskKernel masks;
  };
  /// Makes the lists for a place of the sensor. range_max [m] > 0.
  void make(const map::SurfelTreeView& tree, const Kernels& kernels, const Pose& X_WS,
            float range_max, const lidar::Workers& workers);

  /// Rows of tiles that one thread made.
  struct Strip {
    int first_row, end_row;             ///< of tiles
    std::vector<LeafRecord> leaves;     ///< nearest first, but for the width of a bin
    std::vector<std::uint32_t> begins;  ///< of the tiles' entries, two and two; one more than tiles
    std::vector<TileEntry> entries;     ///< numbers of leaves count from the strip's first
    std::size_t leaves_before, entries_before;  ///< of the strips before

   private:
    friend class TileLists;
    std::vector<lidar::SeenLeaf> seen;
    std::vector<std::uint32_t> order, ends;
    std::vector<lidar::TileMask> masks;      // of the leaves in their order
    std::vector<std::size_t> masks_of_leaf;  // where a leaf's masks end
  };
  const std::vector<Strip>& strips() const { return strips_; }
  std::size_t leafCount() const { return leaf_count_; }
  std::size_t entryCount() const { return entry_count_; }

  const lidar::ImageGrid& grid() const { return grid_; }
  const lidar::ImageDirections& directions() const { return directions_; }
  int columns() const { return columns_; }  ///< of tiles
  int rows() const { return rows_; }

 private:
  /// Of the places in an image, that its strips share.
  struct View {
    const map::SurfelTreeView& tree;
    const Kernels& kernels;
    lidar::ImageStrip strip;
    lidar::TileCones cones;
  };

  void measureCones();
  void makeStrip(const View& view, Strip& strip) const;
  static void sortLeaves(const View& view, Strip& strip);
  void maskLeaves(const View& view, Strip& strip) const;
  void fillTiles(const View& view, Strip& strip) const;

  const lidar::ImageGrid grid_;
  const lidar::ImageDirections directions_;
  const lidar::FootprintFinder footprints_;
  const int columns_, rows_;
  // Cones about the tiles' rays: axes in the sensor's frame and in the tree's; see TileCones.
  std::vector<Eigen::Vector3f> axes_;
  std::vector<float> turned_[3];
  float tangent_ = 0.0F, secant_ = 1.0F;
  bool whole_ = false;
  std::vector<Strip> strips_;
  std::size_t leaf_count_ = 0, entry_count_ = 0;
};

}  // namespace marsim::lidar_gl
