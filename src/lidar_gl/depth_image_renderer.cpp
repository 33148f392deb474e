#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "described.hpp"
#include "device_tree.hpp"
#include "gl.hpp"
#include "image_directions.hpp"
#include "image_frame.hpp"
#include "leaf_blocks.hpp"
#include "marsim/common/error.hpp"
#include "marsim/lidar_gl/renderer.hpp"
#include "moving_things.hpp"
#include "objects.hpp"
#include "project_program.hpp"
#include "simd_level.hpp"
#include "stream_buffer.hpp"
#include "texture_buffer.hpp"
#include "tile_lists.hpp"
#include "workers.hpp"

namespace marsim::lidar_gl {
namespace {

using lidar::Hit;
using lidar::ImageDirections;
using lidar::ImageGrid;
using lidar::MovingThings;

constexpr std::size_t kGroup = 64;  // invocations
constexpr int kSide = TileLists::kSide;

// As the shader writes it.
struct Cell {
  float range;         // [m]
  std::uint32_t code;  // leaf's record times 16, and the surfel's number there; or kNoSurfel
};
static_assert(sizeof(Cell) == 8);

class GlDepthImageRenderer final : public lidar::Renderer, public Described {
 public:
  GlDepthImageRenderer(std::shared_ptr<const map::SurfelMap> map,
                       const lidar::RendererConfig& config, const GlOptions& options)
      : map_(std::move(map)),
        tree_(map_->tree()),
        kernels_{lidar::leafKernel(config.simd), lidar::maskKernel(config.simd)},
        thing_kernel_(lidar::castKernel(config.simd)),
        workers_(config.threads),
        fault_(options.fault),
        context_(Context::shared(options.context)) {
    block_bytes_ = context_->info().block_bytes;
    if (options.block_bytes != 0) block_bytes_ = std::min(block_bytes_, options.block_bytes);
    context_->run([this] { prepare(); });
  }

  ~GlDepthImageRenderer() override {
    context_->release([this] { device_.reset(); });
  }

  std::string name() const override { return "opengl"; }
  bool castsRays() const override { return false; }
  std::string deviceText() const override {
    return fmt::format("{}; {:.1f} MiB of the device hold the map", context_->info().text(),
                       static_cast<double>(device_->map->bytes()) / (1 << 20));
  }
  View<std::uint8_t> reflectivity() const override { return map_->reflectivity(); }

  void cast(const std::vector<lidar::Ray>&, View<lidar::MovingThing>,
            std::vector<Hit>&) const override {
    throw Error("the renderer of images by OpenGL renders images only");
  }

  void renderImage(const ImageGrid& grid, const Pose& X_WS, double range_max,
                   View<lidar::MovingThing> things, std::vector<Hit>& hits) const override {
    grid.validate("image grid");
    const MovingThings moving(things, thing_kernel_);
    if (!(range_max > 0.0) || !X_WS.p.allFinite()) {
      hits.assign(grid.size(), Hit{});
      return;
    }
    hits.resize(grid.size());
    const float range = lidar::floatBelow(range_max);
    std::unique_ptr<TileLists> lists =
        lists_.take(grid, [&] { return std::make_unique<TileLists>(grid); });
    lists->make(tree_, kernels_, X_WS, range, workers_);
    context_->run([&] { draw(*lists, X_WS, range, hits); });
    lists_.giveBack(std::move(lists));
    moving.renderImage(grid, X_WS, range_max, workers_, hits);
  }

 private:
  // What lies on the device.
  struct Device {
    std::shared_ptr<const DeviceTree> map;
    std::vector<std::unique_ptr<TextureBuffer>> words;  // the map's parts
    TextureBuffer leaves, entries, begins, shares;
    StreamBuffer cells;
    std::size_t room = 0;  // cells
  };

  // Jobs of the context from here on.

  void prepare() {
    if (fault_ == Fault::kMemory) {
      map::SurfelTreeView endless = tree_;
      endless.header.node_count = std::size_t{1} << 40;
      DeviceTree(endless, std::size_t{1} << 47);
    }
    device_ = std::make_unique<Device>();
    try {
      upload();
    } catch (...) {
      device_.reset();
      throw;
    }
    requireNoGlError("preparing to render");
  }

  void upload() {
    device_->map = context_->objects().tree(tree_, block_bytes_);
    const DeviceParts& words = device_->map->words();
    GLint units = 0;
    glGetIntegerv(GL_MAX_COMPUTE_TEXTURE_IMAGE_UNITS, &units);
    const std::size_t needed = words.buffers.size() + ProjectVariant::kWords;
    if (needed > static_cast<std::size_t>(units)) {
      throw GlError(fmt::format(
          "OpenGL: the map needs {} buffers of {} KiB, the device lets a shader read {}", needed,
          block_bytes_ >> 10, units));
    }
    for (const GLuint buffer : words.buffers) {
      device_->words.push_back(std::make_unique<TextureBuffer>());
      device_->words.back()->show(buffer, std::size_t{4} << words.shift, GL_RGBA32UI);
    }
    program(false);
    if (map_->blending().on()) program(true);
  }

  GLuint program(bool sums) const {
    const ProjectVariant variant{tree_.header.storage == map::SurfelStorage::kCompact, sums};
    std::string text = projectProgramText(variant, *device_->map);
    if (fault_ == Fault::kShader) text += "\na fault on purpose\n";
    return context_->objects().program(text);
  }

  void draw(const TileLists& lists, const Pose& X_WS, float range_max,
            std::vector<Hit>& hits) const {
    if (fault_ == Fault::kLoss) context_->loseForTest();
    context_->requireAlive();
    writeLists(lists);
    writeShares(lists.grid());
    const auto width = static_cast<std::size_t>(lists.grid().width);
    const std::size_t most = block_bytes_ / (width * kSide * sizeof(Cell));
    if (most == 0) throw GlError("OpenGL: four rows of the image fill more than a buffer");
    const int batch = static_cast<int>(std::min(most, static_cast<std::size_t>(lists.rows())));
    const std::size_t room = width * static_cast<std::size_t>(batch * kSide);
    if (room > device_->room) device_->cells.reserve(room * sizeof(Cell), GL_STREAM_READ);
    device_->room = std::max(room, device_->room);
    bind();
    for (int first = 0; first < lists.rows(); first += batch) {
      const int end = std::min(first + batch, lists.rows());
      drawRows(lists, X_WS, range_max, first, end);
      read(lists, X_WS, first * kSide, std::min(end * kSide, lists.grid().height), hits);
    }
    context_->requireAlive();
    requireNoGlError("drawing an image");
  }

  void writeLists(const TileLists& lists) const {
    device_->leaves.fill<LeafRecord>(lists.leafCount(), GL_RGBA32UI, [&](LeafRecord* to) {
      for (const auto& strip : lists.strips()) {
        to = std::copy(strip.leaves.begin(), strip.leaves.end(), to);
      }
    });
    device_->entries.fill<TileEntry>(lists.entryCount(), GL_RGBA32UI, [&](TileEntry* to) {
      for (const auto& strip : lists.strips()) {
        const auto before = static_cast<std::uint32_t>(strip.leaves_before);
        for (TileEntry entry : strip.entries) {
          if (entry.leaf != TileEntry::kNone) entry.leaf += before;
          *to++ = entry;
        }
      }
    });
    const auto tiles = static_cast<std::size_t>(lists.rows() * lists.columns());
    device_->begins.fill<std::uint32_t>(tiles + 1, GL_R32UI, [&](std::uint32_t* to) {
      for (const auto& strip : lists.strips()) {
        const auto before = static_cast<std::uint32_t>(strip.entries_before);
        for (std::size_t i = 0; i + 1 < strip.begins.size(); ++i) *to++ = strip.begins[i] + before;
      }
      *to = static_cast<std::uint32_t>(lists.entryCount());
    });
  }

  void writeShares(const ImageGrid& grid) const {
    struct Texel {
      float sine, cosine, slope, unused;
    };
    const auto count = static_cast<std::size_t>(grid.height + grid.width);
    device_->shares.fill<Texel>(count, GL_RGBA32F, [&](Texel* to) {
      const auto put = [&](const ImageDirections::Share& share) {
        *to++ = {static_cast<float>(share.sine), static_cast<float>(share.cosine),
                 static_cast<float>(share.slope), 0.0F};
      };
      for (int row = 0; row < grid.height; ++row) put(ImageDirections::shareOfRow(grid, row));
      for (int column = 0; column < grid.width; ++column) {
        put(ImageDirections::shareOfColumn(grid, column));
      }
    });
  }

  void bind() const {
    device_->leaves.bind(ProjectVariant::kLeaves);
    device_->entries.bind(ProjectVariant::kEntries);
    device_->begins.bind(ProjectVariant::kBegins);
    device_->shares.bind(ProjectVariant::kShares);
    GLuint unit = ProjectVariant::kWords;
    for (const auto& part : device_->words) part->bind(unit++);
    device_->cells.bind(ProjectVariant::kCells);
  }

  // Tiles' rows.
  void drawRows(const TileLists& lists, const Pose& X_WS, float range_max, int first,
                int end) const {
    use(false, lists.grid(), X_WS, range_max, first, end);
    const auto groups = [](int tiles) { return static_cast<std::size_t>((tiles + 7) / 8); };
    dispatch(groups(lists.columns()) * groups(end - first));
    if (!map_->blending().on()) return;
    glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
    use(true, lists.grid(), X_WS, range_max, first, end);
    const auto tiles = static_cast<std::size_t>(lists.columns() * (end - first));
    dispatch((tiles * kSide * kSide + kGroup - 1) / kGroup);
  }

  void use(bool sums, const ImageGrid& grid, const Pose& X_WS, float range_max, int first,
           int end) const {
    glUseProgram(program(sums));
    lidar::ImageStrip view{};
    lidar::placeSensor(X_WS, map_->origin(), view);
    const Eigen::Matrix3f R_WS = X_WS.q.toRotationMatrix().cast<float>();
    glUniformMatrix3fv(ProjectVariant::kRotation, 1, GL_FALSE, R_WS.data());
    glUniform2i(ProjectVariant::kSize, grid.width, grid.height);
    glUniform2i(ProjectVariant::kTileRows, first, end);
    glUniform1i(ProjectVariant::kPinhole,
                grid.projection == ImageGrid::Projection::kPinhole ? 1 : 0);
    glUniform1f(ProjectVariant::kRangeMax, range_max);
    glUniform3fv(ProjectVariant::kEye, 1, view.eye);
    glUniform3fv(ProjectVariant::kEyeRest, 1, view.eye_rest);
    glUniform1f(ProjectVariant::kRadius, tree_.header.radius);
    glUniform1f(ProjectVariant::kDisorder, range_max * TileLists::kDisorder);
    const map::Blending& blending = map_->blending();
    if (sums) {
      glUniform3f(ProjectVariant::kBlending, blending.depth, blending.min_cosine,
                  blending.max_offset);
    }
  }

  // Rows of cells into hits.
  void read(const TileLists& lists, const Pose& X_WS, int first, int end,
            std::vector<Hit>& hits) const {
    const auto width = static_cast<std::size_t>(lists.grid().width);
    const std::size_t count = width * static_cast<std::size_t>(end - first);
    const HitMaker maker(*this, lists, X_WS);
    device_->cells.mapped<const Cell>(count, GL_MAP_READ_BIT, [&](const Cell* cells) {
      constexpr std::size_t kRows = 16;
      workers_.forRanges(static_cast<std::size_t>(end - first), kRows,
                         [&](std::size_t begin, std::size_t stop) {
                           for (std::size_t row = begin; row < stop; ++row) {
                             maker.makeRow(cells + row * width, first + static_cast<int>(row),
                                           &hits[(row + static_cast<std::size_t>(first)) * width]);
                           }
                         });
    });
  }

  // Hits of what the shader found, with the surfels' normals.
  class HitMaker {
   public:
    HitMaker(const GlDepthImageRenderer& renderer, const TileLists& lists, const Pose& X_WS)
        : tree_(renderer.tree_), lists_(lists), R_WS_(X_WS.q.toRotationMatrix()) {
      eye_ = X_WS.p - renderer.map_->origin();
    }

    void makeRow(const Cell* cells, int row, Hit* hits) const {
      if (tree_.header.storage == map::SurfelStorage::kCompact) {
        makeRow<lidar::CompactLeaves>(cells, row, hits);
      } else {
        makeRow<lidar::FloatLeaves>(cells, row, hits);
      }
    }

   private:
    template <class Leaves>
    void makeRow(const Cell* cells, int row, Hit* hits) const {
      const auto& strips = lists_.strips();
      const auto strip = std::find_if(strips.begin(), strips.end(),
                                      [&](const auto& one) { return row < one.end_row * kSide; });
      std::uint32_t last = lidar::kNoSurfel;  // the planar one that the cells before met
      Hit hit;
      for (int column = 0; column < lists_.grid().width; ++column, ++cells) {
        if (cells->code == lidar::kNoSurfel) {
          *hits++ = Hit{};
          continue;
        }
        hit.range = cells->range;
        if (cells->code != last) {
          const LeafRecord& leaf = strip->leaves[(cells->code >> 4) - strip->leaves_before];
          hit.surfel = leaf.first + (cells->code & 15U);
          const bool planar = writeNormal<Leaves>(leaf.child, cells->code & 15U, row, column, hit);
          last = planar ? cells->code : lidar::kNoSurfel;
        }
        *hits++ = hit;
      }
    }

    // Returns whether the surfel is planar; else its normal is the cell's.
    template <class Leaves>
    bool writeNormal(std::uint32_t child, std::uint32_t i, int row, int column, Hit& hit) const {
      const lidar::Leaf leaf(tree_.nodes[child >> 3], static_cast<int>(child & 7U));
      const float zero[3] = {0.0F, 0.0F, 0.0F};
      const lidar::ExactSurfel surfel = Leaves(tree_, leaf, zero, zero).exact(i);
      if (!surfel.planar) {
        hit.normal = -(R_WS_ * lists_.directions().at(row, column)).cast<float>();
        return false;
      }
      const Eigen::Map<const Eigen::Vector3d> n(surfel.n), p(surfel.p);
      // The ray meets the side that the sensor is on.
      hit.normal = (n * ((n.dot(p - eye_) > 0.0 ? -1.0 : 1.0) / n.norm())).cast<float>();
      return true;
    }

    const map::SurfelTreeView& tree_;
    const TileLists& lists_;
    const Eigen::Matrix3d R_WS_;
    Eigen::Vector3d eye_;  // [m] relative to the tree's origin
  };

  const std::shared_ptr<const map::SurfelMap> map_;
  const map::SurfelTreeView tree_;
  const TileLists::Kernels kernels_;
  const lidar::CastKernel thing_kernel_;
  const lidar::Workers workers_;
  const Fault fault_;
  const std::shared_ptr<Context> context_;
  std::size_t block_bytes_ = 0;
  std::unique_ptr<Device> device_;
  mutable lidar::GridPool<TileLists> lists_;
};

}  // namespace

std::unique_ptr<lidar::Renderer> makeDepthImageRenderer(std::shared_ptr<const map::SurfelMap> map,
                                                        const lidar::RendererConfig& config,
                                                        const GlOptions& options) {
  config.validate("renderer");
  if (map->resolution() <= 0.999 * lidar::kFinestProjected) {
    return makeRayCaster(std::move(map), config, options);
  }
  return std::make_unique<GlDepthImageRenderer>(std::move(map), config, options);
}

}  // namespace marsim::lidar_gl
