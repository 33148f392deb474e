#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "image_directions.hpp"
#include "image_footprint.hpp"
#include "marsim/common/error.hpp"
#include "marsim/lidar/renderer.hpp"
#include "simd.hpp"
#include "surfel_bvh.hpp"
#include "surfel_test.hpp"
#include "workers.hpp"

namespace marsim::lidar {
namespace {

constexpr int kTile = ImageDirections::kTile;

// What one rendering shares between its threads. Each writes only the cells of its own columns.
struct Frame {
  Frame(const ImageGrid& image_grid, const Pose& X_WS, double maximum)
      : grid(image_grid),
        directions(image_grid),
        footprints(image_grid),
        R_SW(X_WS.q.toRotationMatrix().transpose()),
        p_WS(X_WS.p),
        range_max(maximum),
        depth(directions.stride() * static_cast<std::size_t>(image_grid.height),
              static_cast<float>(maximum)),
        surfel(depth.size(), kNoSurfel),
        tile_columns(static_cast<int>(directions.stride()) / kTile),
        tile_rows((image_grid.height + kTile - 1) / kTile),
        tile_depth(static_cast<std::size_t>(tile_columns * tile_rows), depth.front()),
        tile_changed(tile_depth.size(), 0) {
    for (int row = 0; row < grid.height; ++row) {  // padding never holds a tile open
      for (std::size_t i = directions.cell(row, grid.width); i < directions.cell(row + 1, 0); ++i) {
        depth[i] = -1.0F;
      }
    }
  }

  const ImageGrid& grid;
  const ImageDirections directions;
  const FootprintFinder footprints;
  const Eigen::Matrix3d R_SW;
  const Eigen::Vector3d p_WS;
  const double range_max;
  std::vector<float> depth;  // [m] nearest range so far, at first the maximum
  std::vector<std::uint32_t> surfel;
  const int tile_columns, tile_rows;
  std::vector<float> tile_depth;  // [m] farthest depth of a tile's cells
  std::vector<char> tile_changed;
};

// Renders the columns [first_column, last_column], a run of whole tiles.
class StripRenderer {
 public:
  StripRenderer(const SurfelBvh& bvh, Frame& frame, int first_column, int last_column)
      : bvh_(bvh),
        frame_(frame),
        first_column_(first_column),
        last_column_(last_column),
        squared_radius_(static_cast<double>(bvh.radius()) * static_cast<double>(bvh.radius())),
        ball_(bvh.radius() * 1.00002F) {}

  void run() {
    if (!bvh_.empty()) renderNode(bvh_.nodes().front());
  }

 private:
  struct Child {
    float distance;
    int slot;
  };

  // Nearest children first, so that what lies behind them is skipped.
  void renderNode(const SurfelBvh::Node& node) {
    std::array<Child, SurfelBvh::kWidth> children{};
    const int count = childrenInRange(node, children);
    for (int i = 0; i < count; ++i) {
      const auto [distance, slot] = children[static_cast<std::size_t>(i)];
      if (hidden(footprintOf(node, slot), distance)) continue;
      const std::uint32_t child = node.child[slot];
      if (SurfelBvh::isLeaf(child)) {
        renderLeaf(child);
      } else {
        renderNode(bvh_.nodes()[child]);
      }
    }
  }

  // Children with their least distances [m] to the sensor, from below, in rising order.
  int childrenInRange(const SurfelBvh::Node& node, std::array<Child, SurfelBvh::kWidth>& children) {
    Float4 squared = broadcast(0.0F);
    for (int axis = 0; axis < 3; ++axis) {
      const Float4 sensor = broadcast(static_cast<float>(frame_.p_WS[axis]));
      const Float4 below = load4(node.bounds[axis]) - sensor;
      const Float4 above = sensor - load4(node.bounds[axis + 3]);
      squared += square(max4(max4(below, above), broadcast(0.0F)));
    }
    int count = 0;
    for (int slot = 0; slot < SurfelBvh::kWidth; ++slot) {
      if (node.child[slot] == SurfelBvh::kEmpty) continue;
      const float distance = std::sqrt(squared[slot]) - sensorRounding();
      if (static_cast<double>(distance) * 0.999999 > frame_.range_max) continue;
      int at = count++;
      for (; at > 0 && children[static_cast<std::size_t>(at - 1)].distance > distance; --at) {
        children[static_cast<std::size_t>(at)] = children[static_cast<std::size_t>(at - 1)];
      }
      children[static_cast<std::size_t>(at)] = {distance, slot};
    }
    return count;
  }

  // [m] error of the sensor's position in single precision, from above.
  float sensorRounding() const {
    return 1.2e-7F * static_cast<float>(frame_.p_WS.cwiseAbs().sum());
  }

  Footprint footprintOf(const SurfelBvh::Node& node, int slot) const {
    Eigen::Vector3d lower, upper;
    for (int axis = 0; axis < 3; ++axis) {
      lower[axis] = node.bounds[axis][slot];
      upper[axis] = node.bounds[axis + 3][slot];
    }
    const Eigen::Vector3d centre = frame_.R_SW * (0.5 * (lower + upper) - frame_.p_WS);
    const double radius = 0.5 * (upper - lower).norm();
    return frame_.footprints.of(centre.cast<float>(), static_cast<float>(radius * 1.00001));
  }

  // The part of a run of columns in this strip.
  Footprint::Run inStrip(const Footprint::Run& run) const {
    return {std::max(run.first, first_column_), std::min(run.last, last_column_)};
  }

  // Whether every cell of a footprint in this strip has a surface nearer than `distance` [m].
  bool hidden(const Footprint& footprint, float distance) {
    if (footprint.empty()) return true;
    const float depth = distance * 0.99999F;
    for (int r = 0; r < footprint.run_count; ++r) {
      const Footprint::Run run = inStrip(footprint.runs[r]);
      if (run.first > run.last) continue;
      for (int row = footprint.first_row / kTile; row <= footprint.last_row / kTile; ++row) {
        for (int column = run.first / kTile; column <= run.last / kTile; ++column) {
          if (tileDepth(row, column) >= depth) return false;
        }
      }
    }
    return true;
  }

  float tileDepth(int tile_row, int tile_column) {
    const auto tile = static_cast<std::size_t>(tile_row * frame_.tile_columns + tile_column);
    if (frame_.tile_changed[tile] == 0) return frame_.tile_depth[tile];
    Float4 farthest = broadcast(-1.0F);
    const int end = std::min((tile_row + 1) * kTile, frame_.grid.height);
    for (int row = tile_row * kTile; row < end; ++row) {
      const float* depth = &frame_.depth[frame_.directions.cell(row, tile_column * kTile)];
      farthest = max4(farthest, max4(load4(depth), load4(depth + 4)));
    }
    frame_.tile_changed[tile] = 0;
    frame_.tile_depth[tile] =
        std::max(std::max(farthest[0], farthest[1]), std::max(farthest[2], farthest[3]));
    return frame_.tile_depth[tile];
  }

  void renderLeaf(std::uint32_t leaf) {
    const std::uint32_t first = SurfelBvh::firstBlock(leaf);
    for (std::uint32_t b = first; b < first + SurfelBvh::blockCount(leaf); ++b) {
      const SurfelBvh::Block& block = bvh_.blocks()[b];
      for (int lane = 0; lane < SurfelBvh::kWidth; ++lane) {
        if (!std::isnan(block.position[0][lane])) renderSurfel(block, lane);
      }
    }
  }

  // A surfel in the sensor's frame.
  struct Splat {
    Eigen::Vector3d v, n;  // position [m], normal
    Vector4 v4, n4;
    Int4 planar4;
    bool planar;
    std::uint32_t index;
  };

  void renderSurfel(const SurfelBvh::Block& block, int lane) {
    Splat splat;
    splat.v = frame_.R_SW * (Eigen::Vector3d(block.position[0][lane], block.position[1][lane],
                                             block.position[2][lane]) -
                             frame_.p_WS);
    const Eigen::Vector3f v = splat.v.cast<float>();
    const Footprint footprint = frame_.footprints.of(v, ball_);
    if (footprint.empty()) return;

    splat.n = frame_.R_SW *
              Eigen::Vector3d(block.normal[0][lane], block.normal[1][lane], block.normal[2][lane]);
    const Eigen::Vector3f n = splat.n.cast<float>();
    splat.v4 = {broadcast(v.x()), broadcast(v.y()), broadcast(v.z())};
    splat.n4 = {broadcast(n.x()), broadcast(n.y()), broadcast(n.z())};
    splat.planar = (block.id[lane] & SurfelBvh::kPlanar) != 0;
    const std::int32_t planar = splat.planar ? -1 : 0;
    splat.planar4 = Int4{planar, planar, planar, planar};
    splat.index = block.id[lane] & ~SurfelBvh::kPlanar;
    for (int r = 0; r < footprint.run_count; ++r) {
      const Footprint::Run run = inStrip(footprint.runs[r]);
      if (run.first > run.last) continue;
      for (int row = footprint.first_row; row <= footprint.last_row; ++row) {
        renderRun(splat, row, run);
      }
    }
  }

  void renderRun(const Splat& splat, int row, const Footprint::Run& run) {
    // Whole groups of four; those outside the footprint are tested as well and do no harm.
    for (int column = run.first & ~3; column <= run.last; column += 4) {
      const std::size_t cell = frame_.directions.cell(row, column);
      const Vector4 d{load4(frame_.directions.x() + cell), load4(frame_.directions.y() + cell),
                      load4(frame_.directions.z() + cell)};
      const Float4 depth = load4(&frame_.depth[cell]);
      int lanes = mayMeet(splat.v4, splat.n4, splat.planar4, d, bvh_.radius(), depth);
      for (; lanes != 0; lanes &= lanes - 1) {
        merge(splat, row, column + __builtin_ctz(static_cast<unsigned>(lanes)));
      }
    }
  }

  void merge(const Splat& splat, int row, int column) {
    const double range =
        rangeOf(splat.v, splat.n, splat.planar, frame_.directions.at(row, column), squared_radius_);
    if (!(range > 0.0 && range <= frame_.range_max)) return;
    const std::size_t cell = frame_.directions.cell(row, column);
    const auto rounded = static_cast<float>(range);
    float& depth = frame_.depth[cell];
    std::uint32_t& surfel = frame_.surfel[cell];
    if (rounded > depth || (rounded == depth && splat.index >= surfel)) return;
    depth = rounded;
    surfel = splat.index;
    frame_.tile_changed[static_cast<std::size_t>(row / kTile * frame_.tile_columns +
                                                 column / kTile)] = 1;
  }

  const SurfelBvh& bvh_;
  Frame& frame_;
  const int first_column_, last_column_;
  const double squared_radius_;
  const float ball_;  // [m] R, from above
};

class DepthImageRenderer final : public Renderer {
 public:
  DepthImageRenderer(std::shared_ptr<const map::SurfelMap> map, const RendererConfig& config)
      : map_(std::move(map)), bvh_(*map_), workers_(config.threads) {}

  std::string name() const override { return "projection"; }
  bool castsRays() const override { return false; }

  void cast(const std::vector<Ray>&, std::vector<Hit>&) const override {
    throw Error("the renderer 'projection' renders images only, use 'ray_caster' for single rays");
  }

  void renderImage(const ImageGrid& grid, const Pose& X_WS, double range_max,
                   std::vector<Hit>& hits) const override {
    grid.validate("image grid");
    Frame frame(grid, {X_WS.q, X_WS.p - map_->origin()}, range_max);
    const auto tiles = static_cast<std::size_t>(frame.tile_columns);
    // A few strips a thread even out their work; every strip walks the upper tree again.
    const auto threads = static_cast<std::size_t>(workers_.count());
    const std::size_t strips = threads == 1 ? 1 : std::min(4 * threads, tiles);
    workers_.forRanges(tiles, (tiles + strips - 1) / strips,
                       [&](std::size_t begin, std::size_t end) {
                         StripRenderer(bvh_, frame, static_cast<int>(begin) * kTile,
                                       static_cast<int>(end) * kTile - 1)
                             .run();
                       });
    collect(frame, hits);
  }

 private:
  static void collect(const Frame& frame, std::vector<Hit>& hits) {
    hits.resize(frame.grid.size());
    std::size_t i = 0;
    for (int row = 0; row < frame.grid.height; ++row) {
      for (int column = 0; column < frame.grid.width; ++column, ++i) {
        const std::size_t cell = frame.directions.cell(row, column);
        const std::uint32_t surfel = frame.surfel[cell];
        hits[i] = surfel == kNoSurfel ? Hit{} : Hit{frame.depth[cell], surfel};
      }
    }
  }

  std::shared_ptr<const map::SurfelMap> map_;
  SurfelBvh bvh_;
  Workers workers_;
};

}  // namespace

std::unique_ptr<Renderer> makeDepthImageRenderer(std::shared_ptr<const map::SurfelMap> map,
                                                 const RendererConfig& config) {
  config.validate("renderer");
  return std::make_unique<DepthImageRenderer>(std::move(map), config);
}

}  // namespace marsim::lidar
