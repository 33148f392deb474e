#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "lidar/cast/moving_objects.hpp"
#include "lidar/cast/simd_level.hpp"
#include "lidar/cast/workers.hpp"
#include "lidar/image/image_frame.hpp"
#include "lidar_gl/described.hpp"
#include "lidar_gl/device_tree.hpp"
#include "lidar_gl/gl.hpp"
#include "lidar_gl/image_hits.hpp"
#include "lidar_gl/list_textures.hpp"
#include "lidar_gl/objects.hpp"
#include "lidar_gl/project_program.hpp"
#include "lidar_gl/stream_buffer.hpp"
#include "lidar_gl/texture_buffer.hpp"
#include "lidar_gl/tile_lists.hpp"
#include "marsim/common/error.hpp"
#include "marsim/lidar_gl/renderer.hpp"

namespace marsim::lidar_gl {
namespace {

using lidar::Hit;
using lidar::ImageGrid;
using lidar::MovingObjects;

constexpr std::size_t kGroup = 64;  // invocations
constexpr int kSide = TileLists::kSide;

class GlDepthImageRenderer final : public lidar::Renderer, public Described {
 public:
  GlDepthImageRenderer(std::shared_ptr<const map::SurfelMap> map,
                       const lidar::RendererConfig& config, const GlOptions& options)
      : map_(std::move(map)),
        tree_(map_->tree()),
        kernels_{lidar::leafKernel(config.simd), lidar::placeKernel(config.simd),
                 map_->blending().on()},
        object_kernel_(lidar::castKernel(config.simd)),
        workers_(config.threads),
        leaves_a_pass_(options.leaves_a_pass),
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
    if (device_->map == nullptr) {
      return fmt::format("{}; the map stays with the processor", context_->info().text());
    }
    return fmt::format("{}; {:.1f} MiB of the device hold the map", context_->info().text(),
                       static_cast<double>(device_->map->bytes()) / (1 << 20));
  }
  View<std::uint8_t> reflectivity() const override { return map_->reflectivity(); }

  void cast(const std::vector<lidar::Ray>&, View<lidar::MovingObject>,
            std::vector<Hit>&) const override {
    throw Error("the renderer of images by OpenGL renders images only");
  }

  void renderImage(const ImageGrid& grid, const Pose& X_WS, double range_max,
                   View<lidar::MovingObject> objects, std::vector<Hit>& hits) const override {
    grid.validate("image grid");
    const MovingObjects moving(objects, object_kernel_);
    if (!(range_max > 0.0) || !X_WS.p.allFinite()) {
      hits.assign(grid.size(), Hit{});
      return;
    }
    hits.resize(grid.size());
    const float range = lidar::floatBelow(range_max);
    std::unique_ptr<TileLists> lists =
        lists_.take(grid, [&] { return std::make_unique<TileLists>(grid); });
    // What a later pass goes on with must be there.
    const bool whole = rowsAtOnce(*lists) == lists->rows();
    lists->begin(tree_, kernels_, X_WS, range, whole ? leaves_a_pass_ : TileLists::kOnePass,
                 workers_);
    context_->run([&] { draw(*lists, X_WS, range, hits); });
    lists_.giveBack(std::move(lists));
    moving.renderImage(grid, X_WS, range_max, workers_, hits);
  }

 private:
  using Run = ProjectVariant::Run;

  // What lies on the device.
  struct Device {
    explicit Device(map::SurfelStorage storage) : textures(storage) {}

    std::shared_ptr<const DeviceTree> map;              // for blended surfaces
    std::vector<std::unique_ptr<TextureBuffer>> words;  // its parts
    ListTextures textures;
    TextureBuffer order;
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
    device_ = std::make_unique<Device>(tree_.header.storage);
    try {
      if (map_->blending().on()) upload();
      for (const Run run : {ProjectVariant::kNearest, ProjectVariant::kGoesOn}) program(run);
      if (map_->blending().on()) {
        for (const Run run : {ProjectVariant::kSums, ProjectVariant::kExact}) program(run);
      }
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
  }

  GLuint program(Run run) const {
    const ProjectVariant variant{tree_.header.storage == map::SurfelStorage::kCompact, run};
    std::string text = projectProgramText(variant, device_->map.get());
    if (fault_ == Fault::kShader) text += "\na fault on purpose\n";
    return context_->objects().program(text);
  }

  // Rows of tiles whose cells fit into one buffer.
  int rowsAtOnce(const TileLists& lists) const {
    const auto width = static_cast<std::size_t>(lists.grid().width);
    const std::size_t most = block_bytes_ / (width * kSide * sizeof(ImageCell));
    if (most == 0) throw GlError("OpenGL: four rows of the image fill more than a buffer");
    return static_cast<int>(std::min(most, static_cast<std::size_t>(lists.rows())));
  }

  void draw(TileLists& lists, const Pose& X_WS, float range_max, std::vector<Hit>& hits) const {
    if (fault_ == Fault::kLoss) context_->loseForTest();
    context_->requireAlive();
    device_->textures.writeShares(lists.grid());
    const int batch = rowsAtOnce(lists);
    const std::size_t room =
        static_cast<std::size_t>(lists.grid().width) * static_cast<std::size_t>(batch * kSide);
    if (room > device_->room) device_->cells.reserve(room * sizeof(ImageCell), GL_STREAM_READ);
    device_->room = std::max(room, device_->room);
    device_->textures.writeLists(lists, 0, 1, workers_);
    for (int first = 0; first < lists.rows(); first += batch) {
      const int end = std::min(first + batch, lists.rows());
      drawNearest(lists, 0, X_WS, range_max, first, end);
      while (lists.made() < lists.passes()) drawNextPass(lists, X_WS, range_max);
      if (map_->blending().on()) addSums(lists, X_WS, range_max, first, end);
      read(lists, X_WS, first * kSide, std::min(end * kSide, lists.grid().height), hits);
    }
    context_->requireAlive();
    requireNoGlError("drawing an image");
  }

  void drawNextPass(TileLists& lists, const Pose& X_WS, float range_max) const {
    findFarthest(lists);
    lists.next(workers_);
    const int pass = lists.made() - 1;
    if (lists.foursBefore(pass + 1) == lists.foursBefore(pass)) return;
    device_->textures.writeLists(lists, pass, pass + 1, workers_);
    drawNearest(lists, pass, X_WS, range_max, 0, lists.rows());
  }

  // What blends with the nearest lies behind it.
  void findFarthest(TileLists& lists) const {
    const ImageGrid& grid = lists.grid();
    const auto width = static_cast<std::size_t>(grid.width);
    const float depth = map_->blending().on() ? map_->blending().depth : 0.0F;
    device_->cells.mapped<const ImageCell>(
        grid.size(), GL_MAP_READ_BIT, [&](const ImageCell* cells) {
          workers_.forRanges(static_cast<std::size_t>(grid.height), 32,
                             [&](std::size_t begin, std::size_t end) {
                               for (std::size_t row = begin; row < end; ++row) {
                                 const ImageCell* of_row = cells + row * width;
                                 float* farthest = lists.farthest(static_cast<int>(row));
                                 for (std::size_t i = 0; i < width; ++i) {
                                   farthest[i] = 1.0001F * of_row[i].range + depth;
                                 }
                               }
                             });
        });
  }

  void bind() const {
    device_->textures.bind();
    device_->order.bind(ProjectVariant::kOrder);
    GLuint unit = ProjectVariant::kWords;
    for (const auto& part : device_->words) part->bind(unit++);
    device_->cells.bind(ProjectVariant::kCells);
  }

  // Neighbouring invocations wait for each other: tiles with lists of about one length follow each
  // other. In later passes those without a list are left out.
  void orderTiles(const TileLists& lists, int pass, int first, int end) const {
    constexpr std::size_t kLongest = 1023;  // fours, told apart
    const auto each = [&](const auto& work) {
      for (const auto& strip : lists.strips()) {
        const TileLists::Part& part = strip.parts[pass];
        const auto columns = static_cast<std::size_t>(lists.columns());
        for (int row = std::max(first, strip.first_row); row < std::min(end, strip.end_row);
             ++row) {
          const std::size_t begin = static_cast<std::size_t>(row - strip.first_row) * columns;
          for (std::size_t i = begin; i < begin + columns; ++i) {
            const std::size_t fours = part.begins[i + 1] - part.begins[i];
            if (pass > 0 && fours == 0) continue;
            const std::size_t bin = kLongest - std::min(fours, kLongest);
            work(bin,
                 static_cast<std::uint32_t>(static_cast<std::size_t>(row) * columns + i - begin));
          }
        }
      }
    };
    std::uint32_t ends[kLongest + 2] = {};
    each([&](std::size_t bin, std::uint32_t) { ++ends[bin + 1]; });
    for (std::size_t bin = 0; bin <= kLongest; ++bin) ends[bin + 1] += ends[bin];
    order_.resize(ends[kLongest + 1]);
    each([&](std::size_t bin, std::uint32_t tile) { order_[ends[bin]++] = tile; });
  }

  // Software gives each of its threads a share of groups that follow each other: long and short
  // ones take turns.
  void dealGroups(std::uint32_t* to) const {
    constexpr std::size_t kTurns = 16;
    const std::size_t whole = order_.size() / kGroup;
    for (std::size_t turn = 0; turn < kTurns; ++turn) {
      for (std::size_t group = turn; group < whole; group += kTurns) {
        to = std::copy_n(order_.begin() + static_cast<std::ptrdiff_t>(group * kGroup), kGroup, to);
      }
    }
    std::copy(order_.begin() + static_cast<std::ptrdiff_t>(whole * kGroup), order_.end(), to);
  }

  // Of rows of tiles.
  void drawNearest(const TileLists& lists, int pass, const Pose& X_WS, float range_max, int first,
                   int end) const {
    orderTiles(lists, pass, first, end);
    device_->order.fill<std::uint32_t>(order_.size(), GL_R32UI,
                                       [&](std::uint32_t* to) { dealGroups(to); });
    bind();
    use(pass > 0 ? ProjectVariant::kGoesOn : ProjectVariant::kNearest, lists.grid(), X_WS,
        range_max, first, end);
    glUniform1ui(ProjectVariant::kSurfelsBefore, static_cast<GLuint>(lists.surfelsBefore(pass)));
    const std::size_t tiles = order_.size();
    glUniform1i(ProjectVariant::kCount, static_cast<GLint>(tiles));
    dispatch((tiles + kGroup - 1) / kGroup);
  }

  void addSums(const TileLists& lists, const Pose& X_WS, float range_max, int first,
               int end) const {
    if (first == 0) {
      if (lists.made() > 1) device_->textures.writeLists(lists, 0, lists.made(), workers_);
      device_->textures.writeCells(lists, workers_);
    }
    bind();
    use(ProjectVariant::kSums, lists.grid(), X_WS, range_max, first, end);
    glUniform1i(ProjectVariant::kPasses, lists.made());
    const auto tiles = static_cast<std::size_t>(lists.columns() * (end - first));
    dispatch((tiles * kSide * kSide + kGroup - 1) / kGroup);

    findUnsure(cellCount(lists, first, end));
    if (order_.empty()) return;
    device_->textures.writeSources(lists, workers_);
    device_->order.fill<std::uint32_t>(order_.size(), GL_R32UI, [&](std::uint32_t* to) {
      std::copy(order_.begin(), order_.end(), to);
    });
    bind();
    use(ProjectVariant::kExact, lists.grid(), X_WS, range_max, first, end);
    glUniform1i(ProjectVariant::kPasses, lists.made());
    glUniform1i(ProjectVariant::kCount, static_cast<GLint>(order_.size()));
    dispatch((order_.size() + kGroup - 1) / kGroup);
  }

  void findUnsure(std::size_t count) const {
    order_.clear();
    device_->cells.mapped<const ImageCell>(count, GL_MAP_READ_BIT, [&](const ImageCell* cells) {
      for (std::size_t i = 0; i < count; ++i) {
        if (cells[i].code >= ImageCell::kUnsure && cells[i].code != lidar::kNoSurfel) {
          order_.push_back(static_cast<std::uint32_t>(i));
        }
      }
    });
  }

  // Of rows of tiles.
  static std::size_t cellCount(const TileLists& lists, int first, int end) {
    const ImageGrid& grid = lists.grid();
    return static_cast<std::size_t>(grid.width *
                                    (std::min(end * kSide, grid.height) - first * kSide));
  }

  void use(Run run, const ImageGrid& grid, const Pose& X_WS, float range_max, int first,
           int end) const {
    glUseProgram(program(run));
    const Eigen::Matrix3f R_WS = X_WS.q.toRotationMatrix().cast<float>();
    glUniformMatrix3fv(ProjectVariant::kRotation, 1, GL_FALSE, R_WS.data());
    glUniform2i(ProjectVariant::kSize, grid.width, grid.height);
    glUniform2i(ProjectVariant::kTileRows, first, end);
    glUniform1i(ProjectVariant::kPinhole,
                grid.projection == ImageGrid::Projection::kPinhole ? 1 : 0);
    glUniform1f(ProjectVariant::kRangeMax, range_max);
    glUniform1f(ProjectVariant::kRadius, tree_.header.radius);
    glUniform1f(ProjectVariant::kDisorder, range_max * TileLists::kDisorder);
    const map::Blending& blending = map_->blending();
    if (run == ProjectVariant::kSums || run == ProjectVariant::kExact) {
      glUniform3f(ProjectVariant::kBlending, blending.depth, blending.min_cosine,
                  blending.max_offset);
    }
  }

  // Rows of cells into hits.
  void read(const TileLists& lists, const Pose& X_WS, int first, int end,
            std::vector<Hit>& hits) const {
    const auto width = static_cast<std::size_t>(lists.grid().width);
    const std::size_t count = width * static_cast<std::size_t>(end - first);
    device_->cells.mapped<const ImageCell>(count, GL_MAP_READ_BIT, [&](const ImageCell* cells) {
      constexpr std::size_t kRows = 16;
      workers_.forRanges(static_cast<std::size_t>(end - first), kRows,
                         [&](std::size_t begin, std::size_t stop) {
                           HitMaker maker(lists, tree_.header.storage, X_WS);
                           for (std::size_t row = begin; row < stop; ++row) {
                             maker.makeRow(cells + row * width, first + static_cast<int>(row),
                                           &hits[(row + static_cast<std::size_t>(first)) * width]);
                           }
                         });
    });
  }

  const std::shared_ptr<const map::SurfelMap> map_;
  const map::SurfelTreeView tree_;
  const TileLists::Kernels kernels_;
  const lidar::CastKernel object_kernel_;
  const lidar::Workers workers_;
  const std::size_t leaves_a_pass_;
  const Fault fault_;
  const std::shared_ptr<Context> context_;
  std::size_t block_bytes_ = 0;
  std::unique_ptr<Device> device_;
  mutable std::vector<std::uint32_t>
      order_;  // of a dispatch's tiles or cells; the context's jobs' alone
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
