#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "lidar/cast/workers.hpp"
#include "lidar/image/image_directions.hpp"
#include "lidar/image/image_footprint.hpp"
#include "lidar/image/project_kernel.hpp"
#include "marsim/geometry/pose.hpp"
#include "marsim/lidar/renderer.hpp"
#include "marsim/map/surfel_tree_layout.hpp"

namespace marsim::lidar_gl {

/// A leaf as project.glsl reads it: two texels of four words.
struct LeafRecord {
  float lower[3];  ///< [m] corner that compact positions count from, in the tree's frame
  std::uint32_t first;
  std::uint32_t shape;  ///< exponent fields of the steps of x, y, z; 2^24 times the count
  std::uint32_t unused[3];
};
static_assert(sizeof(LeafRecord) == 32, "as in project.glsl");

/// What the tiles of an image, kSide x kSide cells, may see: for each the surfels, nearest first.
/// The map's tree is walked on the processor past boxes out of view or of range, surfels that lie
/// between the rays are left out. The lists are made in passes, nearest leaves first: what is
/// behind all that has been seen since then in its cells is in no list of a later pass.
class TileLists {
 public:
  static constexpr int kSide = lidar::PlacedSurfels::kSide;  ///< cells
  static constexpr std::size_t kFour = 4;                    ///< surfels that a list is read by

  static constexpr int kBins = 1024;  ///< of the range, that surfels are sorted by
  /// A surfel may be nearer than one before it by this share of the range.
  static constexpr float kDisorder = 2.0F / kBins;

  static constexpr int kMostPasses = 3;
  static constexpr std::size_t kOnePass = std::numeric_limits<std::size_t>::max();

  explicit TileLists(const lidar::ImageGrid& grid);

  struct Kernels {
    lidar::LeafKernel leaves;
    lidar::PlaceKernel place;
    bool sums;  ///< whether the lists are for sums, too: with the surfels' leaves and cells
  };
  /// Finds the leaves for a place of the sensor and makes the first pass. range_max [m] > 0. There
  /// is one more for every `leaves_a_pass`, up to kMostPasses.
  void begin(const map::SurfelTreeView& tree, const Kernels& kernels, const Pose& X_WS,
             float range_max, std::size_t leaves_a_pass, const lidar::Workers& workers);
  /// Makes the next one, by what farthest() has become.
  void next(const lidar::Workers& workers);

  /// What a strip has of a pass.
  class Part {
   public:
    /// In the order of the tree; for sums.
    const std::vector<LeafRecord>& leaves() const { return leaves_; }
    /// In the order of the tree. The first is none: nothing meets it.
    std::size_t surfelCount() const { return count_; }
    const std::uint32_t* field(int k) const { return fields_[k].data(); }
    /// In tree order.
    std::uint32_t surfel(std::size_t number) const {
      const std::uint32_t place = fields_[lidar::PlacedSurfels::kNumber][number];
      return sums_ ? leaves_[place >> 4].first + (place & 15U) : place;
    }

    std::vector<std::uint32_t> begins;   ///< of the tiles' lists, in fours; one more than tiles
    std::vector<std::uint32_t> numbers;  ///< the lists: surfels, nearest first, filled up with 0
    std::vector<std::uint8_t> cells;     ///< for sums: bits of a listed surfel's rows in the tile,
                                         ///< then of its columns; 0 where the lists are filled up
    std::size_t leaves_before;           ///< of the passes and strips before
    std::size_t surfels_before, fours_before;  ///< likewise

   private:
    friend class TileLists;
    void clear(int fields, bool sums);
    void add(const map::SurfelTreeView& tree, const lidar::SeenLeaf& leaf,
             const lidar::ImageStrip& view, lidar::PlaceKernel kernel);

    int field_count_ = 0;
    bool sums_ = false;
    std::size_t count_ = 0;
    std::vector<LeafRecord> leaves_;
    std::vector<std::uint32_t> fields_[lidar::PlacedSurfels::kFields];
  };
  /// Rows of tiles that one thread made.
  struct Strip {
    int first_row, end_row;  ///< of tiles
    Part parts[kMostPasses];

   private:
    friend class TileLists;
    // One to put into lists.
    struct ListedSurfel {
      float distance;  // [m] from below
      std::uint32_t number;
      lidar::CellRange cells;
    };
    lidar::ImageStrip view;
    std::vector<lidar::SeenLeaf> seen;
    std::uint32_t pass_ends[kMostPasses];  // bins of the range
    // Of a part, reused:
    std::vector<ListedSurfel> nearest_first;
    std::vector<std::uint16_t> bins;
    std::vector<std::uint32_t> ends;
  };
  const std::vector<Strip>& strips() const { return strips_; }
  int passes() const { return passes_; }
  int made() const { return made_; }  ///< of the passes
  /// Of a pass, or of those before it.
  std::size_t leavesBefore(int pass) const { return leaves_before_[pass]; }
  std::size_t surfelsBefore(int pass) const { return surfels_before_[pass]; }
  std::size_t foursBefore(int pass) const { return fours_before_[pass]; }
  /// Of a row's cells [m]: behind it nothing counts. Read from the second pass on.
  float* farthest(int row) { return farthest_.data() + row * stride_; }

  const lidar::ImageGrid& grid() const { return grid_; }
  const lidar::ImageDirections& directions() const { return directions_; }
  int columns() const { return columns_; }  ///< of tiles
  int rows() const { return rows_; }

 private:
  void findLeaves(Strip& strip) const;
  void splitPasses(Strip& strip) const;
  void placeLeaves(Strip& strip) const;
  void sortSurfels(Strip& strip) const;
  bool isHidden(const lidar::CellRange& cells, float distance) const;
  bool isHidden(const lidar::SeenLeaf& leaf) const;
  void findFarthest(Strip& strip);
  template <bool kAll, class Work>
  void forTiles(const Strip& strip, const Work& work) const;
  template <bool kAll>
  void fillTiles(Strip& strip) const;
  void count();

  const lidar::ImageGrid grid_;
  const lidar::ImageDirections directions_;
  const lidar::FootprintFinder footprints_;
  const int columns_, rows_;
  const int stride_;  // cells from a row to the next; those beyond the image hide everything
  map::SurfelTreeView tree_{};
  Kernels kernels_{};
  float range_max_ = 0.0F;
  std::vector<float> farthest_, tile_farthest_;
  std::vector<Strip> strips_;
  int passes_ = 1, made_ = 0;
  std::size_t leaves_before_[kMostPasses + 1] = {};
  std::size_t surfels_before_[kMostPasses + 1] = {}, fours_before_[kMostPasses + 1] = {};
};

}  // namespace marsim::lidar_gl
