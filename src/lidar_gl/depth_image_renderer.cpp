#include <algorithm>
#include <array>
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

using lidar::CompactLeaves;
using lidar::FloatLeaves;
using lidar::Hit;
using lidar::ImageDirections;
using lidar::ImageGrid;
using lidar::MovingThings;
using lidar::PlacedSurfels;

constexpr std::size_t kGroup = 64;  // invocations
constexpr int kSide = TileLists::kSide;

// As the shader writes it.
struct Cell {
  static constexpr std::uint32_t kUnsure = 0x80000000U;

  float range;         // [m]
  std::uint32_t code;  // a surfel's number in the lists, with kUnsure where it is; or kNoSurfel
};
static_assert(sizeof(Cell) == 8);

class GlDepthImageRenderer final : public lidar::Renderer, public Described {
 public:
  GlDepthImageRenderer(std::shared_ptr<const map::SurfelMap> map,
                       const lidar::RendererConfig& config, const GlOptions& options)
      : map_(std::move(map)),
        tree_(map_->tree()),
        kernels_{lidar::leafKernel(config.simd), lidar::placeKernel(config.simd),
                 map_->blending().on()},
        thing_kernel_(lidar::castKernel(config.simd)),
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
    std::shared_ptr<const DeviceTree> map;              // for blended surfaces
    std::vector<std::unique_ptr<TextureBuffer>> words;  // its parts
    TextureBuffer surfels, lists, begins, shares, order, sources, leaves, cell_masks;
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
    const std::size_t most = block_bytes_ / (width * kSide * sizeof(Cell));
    if (most == 0) throw GlError("OpenGL: four rows of the image fill more than a buffer");
    return static_cast<int>(std::min(most, static_cast<std::size_t>(lists.rows())));
  }

  void draw(TileLists& lists, const Pose& X_WS, float range_max, std::vector<Hit>& hits) const {
    if (fault_ == Fault::kLoss) context_->loseForTest();
    context_->requireAlive();
    writeShares(lists.grid());
    const int batch = rowsAtOnce(lists);
    const std::size_t room =
        static_cast<std::size_t>(lists.grid().width) * static_cast<std::size_t>(batch * kSide);
    if (room > device_->room) device_->cells.reserve(room * sizeof(Cell), GL_STREAM_READ);
    device_->room = std::max(room, device_->room);
    writeLists(lists, 0, 1);
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
    writeLists(lists, pass, pass + 1);
    drawNearest(lists, pass, X_WS, range_max, 0, lists.rows());
  }

  // What blends with the nearest lies behind it.
  void findFarthest(TileLists& lists) const {
    const ImageGrid& grid = lists.grid();
    const auto width = static_cast<std::size_t>(grid.width);
    const float depth = map_->blending().on() ? map_->blending().depth : 0.0F;
    device_->cells.mapped<const Cell>(grid.size(), GL_MAP_READ_BIT, [&](const Cell* cells) {
      workers_.forRanges(static_cast<std::size_t>(grid.height), 32,
                         [&](std::size_t begin, std::size_t end) {
                           for (std::size_t row = begin; row < end; ++row) {
                             const Cell* of_row = cells + row * width;
                             float* farthest = lists.farthest(static_cast<int>(row));
                             for (std::size_t i = 0; i < width; ++i) {
                               farthest[i] = 1.0001F * of_row[i].range + depth;
                             }
                           }
                         });
    });
  }

  // Of some passes; numbers count from the first of them.
  void writeLists(const TileLists& lists, int first, int end) const {
    const std::size_t surfels = lists.surfelsBefore(first), fours = lists.foursBefore(first);
    const std::size_t texels = tree_.header.storage == map::SurfelStorage::kCompact ? 1 : 2;
    device_->surfels.fill<Texel>(
        texels * (lists.surfelsBefore(end) - surfels), GL_RGBA32UI, [&](Texel* to) {
          forParts(lists, first, end, [&](const TileLists::Strip&, const TileLists::Part& part) {
            Texel* own = to + texels * (part.surfels_before - surfels);
            texels == 1 ? writeCompact(part, own) : writeFloat(part, own);
          });
        });
    device_->lists.fill<std::uint32_t>(
        TileLists::kFour * (lists.foursBefore(end) - fours), GL_RGBA32UI, [&](std::uint32_t* to) {
          forParts(lists, first, end, [&](const TileLists::Strip&, const TileLists::Part& part) {
            const auto before = static_cast<std::uint32_t>(part.surfels_before - surfels);
            std::uint32_t* own = to + TileLists::kFour * (part.fours_before - fours);
            for (const std::uint32_t number : part.numbers) *own++ = number + before;
          });
        });
    // Of every pass those of all tiles, and the end.
    const auto tiles = static_cast<std::size_t>(lists.rows() * lists.columns());
    device_->begins.fill<std::uint32_t>(
        static_cast<std::size_t>(end - first) * tiles + 1, GL_R32UI, [&](std::uint32_t* to) {
          forParts(
              lists, first, end, [&](const TileLists::Strip& strip, const TileLists::Part& part) {
                const auto before = static_cast<std::uint32_t>(part.fours_before - fours);
                const auto pass = static_cast<std::size_t>(&part - strip.parts - first);
                std::uint32_t* own =
                    to + pass * tiles + static_cast<std::size_t>(strip.first_row * lists.columns());
                std::transform(part.begins.begin(), part.begins.end() - 1, own,
                               [&](std::uint32_t begin) { return begin + before; });
              });
          to[static_cast<std::size_t>(end - first) * tiles] =
              static_cast<std::uint32_t>(lists.foursBefore(end) - fours);
        });
    bind();
  }

  // work(strip, part of a pass) for those of some passes, by the renderer's threads.
  template <class Work>
  void forParts(const TileLists& lists, int first, int end, const Work& work) const {
    const auto& strips = lists.strips();
    workers_.forRanges(strips.size() * static_cast<std::size_t>(end - first), 1,
                       [&](std::size_t begin, std::size_t stop) {
                         for (std::size_t i = begin; i < stop; ++i) {
                           const TileLists::Strip& strip = strips[i % strips.size()];
                           work(strip,
                                strip.parts[static_cast<std::size_t>(first) + i / strips.size()]);
                         }
                       });
  }

  struct Texel {
    std::uint32_t words[4];
  };

  static void writeCompact(const TileLists::Part& part, Texel* to) {
    const std::uint32_t* words[4];
    for (int k = 0; k < 4; ++k) words[k] = part.field(PlacedSurfels::kWords + k);
    const std::size_t count = part.surfelCount();
    for (std::size_t i = 0; i < count; ++i) {
      *to++ = {{words[0][i], words[1][i], words[2][i], words[3][i]}};
    }
  }
  static void writeFloat(const TileLists::Part& part, Texel* to) {
    const std::uint32_t* words[6];
    for (int k = 0; k < 6; ++k) words[k] = part.field(PlacedSurfels::kWords + k);
    const std::size_t count = part.surfelCount();
    for (std::size_t i = 0; i < count; ++i) {
      *to++ = {{words[0][i], words[1][i], words[2][i], words[3][i]}};
      *to++ = {{words[4][i], words[5][i], 0, 0}};
    }
  }

  // Of all passes: which cells of their tiles the surfels may be seen in.
  void writeCells(const TileLists& lists) const {
    const int end = lists.made();
    device_->cell_masks.fill<std::uint8_t>(
        TileLists::kFour * lists.foursBefore(end), GL_R32UI, [&](std::uint8_t* to) {
          forParts(lists, 0, end, [&](const TileLists::Strip&, const TileLists::Part& part) {
            std::copy(part.cells.begin(), part.cells.end(),
                      to + TileLists::kFour * part.fours_before);
          });
        });
  }

  // Of all passes: where the surfels are in the map.
  void writeSources(const TileLists& lists) const {
    const int end = lists.made();
    device_->sources.fill<std::uint32_t>(
        lists.surfelsBefore(end), GL_R32UI, [&](std::uint32_t* to) {
          forParts(lists, 0, end, [&](const TileLists::Strip&, const TileLists::Part& part) {
            const std::uint32_t* sources = part.field(PlacedSurfels::kNumber);
            const auto before = static_cast<std::uint32_t>(part.leaves_before) << 4;
            std::transform(sources, sources + part.surfelCount(), to + part.surfels_before,
                           [&](std::uint32_t source) { return source + before; });
          });
        });
    device_->leaves.fill<LeafRecord>(lists.leavesBefore(end), GL_RGBA32UI, [&](LeafRecord* to) {
      forParts(lists, 0, end, [&](const TileLists::Strip&, const TileLists::Part& part) {
        std::copy(part.leaves().begin(), part.leaves().end(), to + part.leaves_before);
      });
    });
  }

  void writeShares(const ImageGrid& grid) const {
    struct Share {
      float sine, cosine, slope, unused;
    };
    const auto count = static_cast<std::size_t>(grid.height + grid.width);
    device_->shares.fill<Share>(count, GL_RGBA32F, [&](Share* to) {
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
    device_->surfels.bind(ProjectVariant::kSurfels);
    device_->lists.bind(ProjectVariant::kLists);
    device_->begins.bind(ProjectVariant::kBegins);
    device_->shares.bind(ProjectVariant::kShares);
    device_->order.bind(ProjectVariant::kOrder);
    device_->sources.bind(ProjectVariant::kSources);
    device_->leaves.bind(ProjectVariant::kLeaves);
    device_->cell_masks.bind(ProjectVariant::kCellMasks);
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
      if (lists.made() > 1) writeLists(lists, 0, lists.made());
      writeCells(lists);
    }
    bind();
    use(ProjectVariant::kSums, lists.grid(), X_WS, range_max, first, end);
    glUniform1i(ProjectVariant::kPasses, lists.made());
    const auto tiles = static_cast<std::size_t>(lists.columns() * (end - first));
    dispatch((tiles * kSide * kSide + kGroup - 1) / kGroup);

    findUnsure(cellCount(lists, first, end));
    if (order_.empty()) return;
    writeSources(lists);
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
    device_->cells.mapped<const Cell>(count, GL_MAP_READ_BIT, [&](const Cell* cells) {
      for (std::size_t i = 0; i < count; ++i) {
        if (cells[i].code >= Cell::kUnsure && cells[i].code != lidar::kNoSurfel) {
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
    device_->cells.mapped<const Cell>(count, GL_MAP_READ_BIT, [&](const Cell* cells) {
      constexpr std::size_t kRows = 16;
      workers_.forRanges(static_cast<std::size_t>(end - first), kRows,
                         [&](std::size_t begin, std::size_t stop) {
                           HitMaker maker(*this, lists, X_WS);
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
        : compact_(renderer.tree_.header.storage == map::SurfelStorage::kCompact),
          lists_(lists),
          R_WS_(X_WS.q.toRotationMatrix().cast<float>()) {}

    void makeRow(const Cell* cells, int row, Hit* hits) {
      const auto& strips = lists_.strips();
      const auto strip = std::find_if(strips.begin(), strips.end(),
                                      [&](const auto& one) { return row < one.end_row * kSide; });
      for (int column = 0; column < lists_.grid().width; ++column, ++cells, ++hits) {
        if (cells->code == lidar::kNoSurfel) {
          *hits = Hit{};
          continue;
        }
        Met& met = (*met_)[(cells->code ^ cells->code >> 9) % kMet];
        if (met.code != cells->code) meet(*strip, cells->code, met);
        *hits = met.hit;
        hits->range = cells->range;
        if (!met.planar) hits->normal = backAlong(row, column);
      }
    }

   private:
    // Surfels that were met last: the cells and rows beside mostly meet them, too.
    struct Met {
      std::uint32_t code = lidar::kNoSurfel;
      bool planar = false;
      Hit hit;
    };
    static constexpr std::size_t kMet = 1024;

    void meet(const TileLists::Strip& strip, std::uint32_t code, Met& met) const {
      int pass = lists_.made() - 1;
      while (strip.parts[pass].surfels_before > code) --pass;
      const TileLists::Part& part = strip.parts[pass];
      const std::size_t number = code - part.surfels_before;
      std::uint32_t words[PlacedSurfels::kFields - PlacedSurfels::kWords];
      const int count = compact_ ? CompactLeaves::kPlacedWords : FloatLeaves::kPlacedWords;
      for (int k = 0; k < count; ++k) words[k] = part.field(PlacedSurfels::kWords + k)[number];
      const lidar::OneSurfel surfel =
          compact_ ? CompactLeaves::ofPlacedWords(words) : FloatLeaves::ofPlacedWords(words);
      const Eigen::Map<const Eigen::Vector3f> n(surfel.n), v(surfel.v);
      met.code = code;
      met.planar = surfel.planar;
      met.hit.surfel = part.surfel(number);
      // The ray meets the side that the sensor is on.
      met.hit.normal = n * ((n.dot(v) > 0.0F ? -1.0F : 1.0F) / n.norm());
    }

    // Against a cell's ray.
    Eigen::Vector3f backAlong(int row, int column) const {
      const ImageDirections& directions = lists_.directions();
      const std::size_t cell = directions.cell(row, column);
      return -(R_WS_ *
               Eigen::Vector3f(directions.x()[cell], directions.y()[cell], directions.z()[cell]));
    }

    const bool compact_;
    const TileLists& lists_;
    const Eigen::Matrix3f R_WS_;
    std::unique_ptr<std::array<Met, kMet>> met_ = std::make_unique<std::array<Met, kMet>>();
  };

  const std::shared_ptr<const map::SurfelMap> map_;
  const map::SurfelTreeView tree_;
  const TileLists::Kernels kernels_;
  const lidar::CastKernel thing_kernel_;
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
