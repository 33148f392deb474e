#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
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
/// of range, surfels that lie between the rays are left out. The lists are made in passes, nearest
/// leaves first: what is behind all that a tile has seen since then is in no list of a later pass.
class TileLists {
 public:
  static constexpr int kSide = lidar::TileCones::kSide;  ///< cells
  static constexpr int kSteps = 65536;  ///< of the range, that distances are told in

  /// An entry may be nearer than one before it by this share of the range: bins of a 1024th, told
  /// from below.
  static constexpr float kDisorder = 3.0F / 1024.0F;

  static constexpr int kMostPasses = 3;
  static constexpr std::size_t kOnePass = std::numeric_limits<std::size_t>::max();

  explicit TileLists(const lidar::ImageGrid& grid);

  struct Kernels {
    lidar::LeafKernel leaves;
    lidar::MaskKernel masks;
  };
  /// Finds the leaves for a place of the sensor and makes the first pass. range_max [m] > 0. There
  /// is one more for every `leaves_a_pass`, up to kMostPasses.
  void begin(const map::SurfelTreeView& tree, const Kernels& kernels, const Pose& X_WS,
             float range_max, std::size_t leaves_a_pass, const lidar::Workers& workers);
  /// Makes the next one, by what farthest() has become.
  void next(const lidar::Workers& workers);

  /// One that is in a tile's list.
  struct KeptLeaf {
    float distance;            ///< [m] from below
    std::uint32_t begin, end;  ///< of its masks
  };
  /// What a strip has of a pass.
  struct Part {
    std::vector<LeafRecord> leaves;     ///< in the order of the tree
    std::vector<std::uint32_t> begins;  ///< of the tiles' entries, two and two; one more than tiles
    std::vector<TileEntry> entries;     ///< numbers of leaves count from the part's first
    std::size_t leaves_before;          ///< of the passes and strips before
    std::size_t entries_before;         ///< likewise
  };
  /// Rows of tiles that one thread made.
  struct Strip {
    int first_row, end_row;  ///< of tiles
    Part parts[kMostPasses];

   private:
    friend class TileLists;
    std::vector<lidar::SeenLeaf> seen;
    std::uint32_t pass_ends[kMostPasses];  // bins of the range
    // Of a part, reused:
    std::vector<KeptLeaf> kept;
    std::vector<std::uint32_t> order, ends;
    std::vector<lidar::TileMask> masks;
  };
  const std::vector<Strip>& strips() const { return strips_; }
  int passes() const { return passes_; }
  int made() const { return made_; }  ///< of the passes
  /// Of a pass, or of those before it.
  std::size_t leavesBefore(int pass) const { return leaves_before_[pass]; }
  std::size_t entriesBefore(int pass) const { return entries_before_[pass]; }
  /// Of each tile, row by row [m]: behind it nothing counts. Without bounds in the first pass.
  std::vector<float>& farthest() { return farthest_; }

  const lidar::ImageGrid& grid() const { return grid_; }
  const lidar::ImageDirections& directions() const { return directions_; }
  int columns() const { return columns_; }  ///< of tiles
  int rows() const { return rows_; }

 private:
  /// Of the places in an image, that its strips share.
  struct View {
    map::SurfelTreeView tree;
    Kernels kernels;
    lidar::ImageStrip strip;
    lidar::TileCones cones;
  };

  void measureCones();
  void findLeaves(Strip& strip) const;
  void splitPasses(Strip& strip) const;
  void maskLeaves(Strip& strip) const;
  void sortLeaves(Strip& strip) const;
  std::uint32_t binOf(float distance) const;
  bool isHidden(const lidar::SeenLeaf& leaf, const lidar::TileRange& tiles) const;
  void fillTiles(Strip& strip) const;
  void count();

  const lidar::ImageGrid grid_;
  const lidar::ImageDirections directions_;
  const lidar::FootprintFinder footprints_;
  const int columns_, rows_;
  // Cones about the tiles' rays: axes in the sensor's frame and in the tree's; see TileCones.
  std::vector<Eigen::Vector3f> axes_;
  std::vector<float> turned_[3];
  float tangent_ = 0.0F, secant_ = 1.0F;
  bool whole_ = false;
  View view_{};
  std::vector<float> farthest_;
  std::vector<Strip> strips_;
  int passes_ = 1, made_ = 0;
  std::size_t leaves_before_[kMostPasses + 1] = {}, entries_before_[kMostPasses + 1] = {};
};

}  // namespace marsim::lidar_gl
