// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "lidar/cast/image_directions.hpp"
#include "lidar/cast/moving_objects.hpp"
#include "lidar/cast/ray_order.hpp"
#include "lidar/cast/simd_level.hpp"
#include "lidar/cast/workers.hpp"
#include "lidar_gl/cast_program.hpp"
#include "lidar_gl/cast_queue.hpp"
#include "lidar_gl/device_tree.hpp"
#include "lidar_gl/fault.hpp"
#include "lidar_gl/gl.hpp"
#include "lidar_gl/resources.hpp"
#include "lidar_gl/transfer_buffer.hpp"
#include "marsim/lidar_gl/renderer.hpp"

namespace marsim::lidar_gl {
namespace {

using lidar::Hit;
using lidar::ImageDirections;
using lidar::ImageGrid;
using lidar::MovingObjects;
using lidar::Ray;
using lidar::RayOrder;

// The layout that the shader reads and writes.
static_assert(sizeof(Ray) == 36 && offsetof(Ray, range_max) == 12 &&
              offsetof(Ray, direction) == 16 && offsetof(Ray, range_min) == 32);
static_assert(sizeof(Hit) == 24 && offsetof(Hit, surfel) == 4 && offsetof(Hit, identity) == 8 &&
              offsetof(Hit, normal) == 12);
static_assert(sizeof(ImageDirections::Share) == 24);

constexpr int kTile = 8;                               // cells of a group's side
constexpr std::size_t kNoRoom = std::size_t{1} << 47;  // bytes; more than any device has
constexpr int kStackStep = 32;  // rounds stack sizes, so that programs are shared

double mebibytes(std::size_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

class ShaderRayCaster final : public GlRayCaster {
 public:
  ShaderRayCaster(std::shared_ptr<const map::SurfelMap> map, const lidar::RendererConfig& config,
                  const GlOptions& options)
      : map_(std::move(map)),
        view_(map_->tree()),
        object_level_(lidar::simdLevelFor(config.simd)),
        workers_(config.threads),
        fault_(faults().fault),
        context_(Context::shared(options.context)) {
    const ContextInfo& info = context_->info();
    block_bytes_ = info.block_bytes;
    if (options.block_bytes != 0) block_bytes_ = std::min(block_bytes_, options.block_bytes);
    context_->run([this] { prepare(); });
  }

  ~ShaderRayCaster() override {
    context_->release([this] {
      images_ = {};
      target_.tree.reset();
    });
  }

  std::string name() const override { return "opengl"; }
  std::string deviceText() const override {
    return fmt::format("{}; {:.1f} MiB of the device hold the map, {:.1f} MiB rays and hits",
                       context_->info().text(), mebibytes(target_.tree->bytes()),
                       mebibytes(context_->castBufferBytes()));
  }
  map::SurfelChannelViews channels() const override { return map_->channels(); }

  void cast(const std::vector<Ray>& rays, View<lidar::MovingObject> objects,
            std::vector<Hit>& hits) const override {
    const MovingObjects moving(objects, object_level_);
    hits.resize(rays.size());
    thread_local RayOrder order;  // kept for the next scan
    sortByDirection(rays, workers_, order);
    const std::size_t usable = order.octant_end[RayOrder::kUnusable - 1];
    if (usable > 0) {
      CastRequest request{&target_, rays.data(), order.index.data(), usable, hits.data()};
      if (fault_ != Fault::kNone) context_->run([this] { fail(); });
      castTogether(*context_, *casts_, request);
    }
    for (std::size_t i = usable; i < rays.size(); ++i) hits[order.index[i]] = Hit{};
    moving.cast(rays, order, workers_, hits);
  }

  void renderImage(const ImageGrid& grid, const Pose& X_WS, double range_max,
                   View<lidar::MovingObject> objects, std::vector<Hit>& hits) const override {
    grid.validate("image grid");
    const MovingObjects moving(objects, object_level_);
    if (!(range_max > 0.0) || !X_WS.p.allFinite()) {
      hits.assign(grid.size(), Hit{});
      return;
    }
    hits.resize(grid.size());
    context_->run([&] { castImage(grid, X_WS, lidar::floatBelow(range_max), hits); });
    moving.renderImage(grid, X_WS, range_max, workers_, hits);
  }

 private:
  struct ImageBuffers {
    std::unique_ptr<TransferBuffer> shares, hits;
  };

  // The functions below are jobs of the context.

  void prepare() {
    if (fault_ == Fault::kMemory) {
      map::SurfelTreeView endless = view_;
      endless.header.node_count = std::size_t{1} << 40;
      DeviceTree(endless, kNoRoom);
    }
    try {
      upload();
      requireNoGlError("preparing to render");
    } catch (...) {
      target_.tree.reset();
      throw;
    }
  }

  void upload() {
    target_.tree = context_->resources().tree(view_, block_bytes_);
    const DeviceTree& tree = *target_.tree;
    const auto parts = tree.nodes().buffers.size() + tree.words().buffers.size();
    const auto most = static_cast<std::size_t>(context_->info().blocks);
    if (parts + CastVariant::kTree > most) {
      throw GlError(fmt::format(
          "OpenGL: the map needs {} buffers of {} KiB, the device lets a shader read {}",
          parts + CastVariant::kTree, block_bytes_ >> 10, most));
    }
    stack_ = (stackNeed(view_) + kStackStep - 1) / kStackStep * kStackStep;
    target_.program = program(false);
    std::copy_n(view_.header.origin, 3, target_.origin);
    target_.radius = view_.header.radius;
    target_.blending = map_->blending();
    target_.most_rays = block_bytes_ / sizeof(Ray);
    casts_ = &context_->resources().casts();
    casts_->prepare(context_->info());
  }

  GLuint program(bool image) const {
    const CastVariant variant{map_->blending().on(), image, stack_};
    std::string text = castProgramText(variant, *target_.tree);
    if (fault_ == Fault::kShader) text += "\na fault on purpose\n";
    return context_->resources().program(text);
  }

  // Fails a cast on purpose, for tests.
  void fail() const {
    if (fault_ == Fault::kLoss) loseOnPurpose(*context_);
    if (fault_ == Fault::kBuffers) {
      TransferBuffer(TransferBuffer::Direction::kToDevice, kNoRoom, context_->info().persistent);
    }
    context_->requireAlive();
  }

  void castImage(const ImageGrid& grid, const Pose& X_WS, float range_max,
                 std::vector<Hit>& hits) const {
    fail();
    const auto width = static_cast<std::size_t>(grid.width);
    const auto tiles = static_cast<std::size_t>((grid.width + kTile - 1) / kTile);
    const std::size_t most_rows = block_bytes_ / (width * sizeof(Hit)) / kTile * kTile;
    if (most_rows == 0) throw GlError("OpenGL: eight rows of the image fill more than a buffer");
    const int batch = static_cast<int>(std::min(most_rows, static_cast<std::size_t>(grid.height)));
    reserve(images_.hits, TransferBuffer::Direction::kFromDevice,
            width * static_cast<std::size_t>(batch) * sizeof(Hit));
    sendShares(grid);
    use(grid, X_WS, range_max);
    for (int first = 0; first < grid.height; first += batch) {
      const int end_row = std::min(first + batch, grid.height);
      const std::size_t count = width * static_cast<std::size_t>(end_row - first);
      glUniform1i(CastVariant::kFirstRow, first);
      glUniform1i(CastVariant::kEndRow, end_row);
      dispatch(tiles * static_cast<std::size_t>((end_row - first + kTile - 1) / kTile));
      images_.hits->fetch(count * sizeof(Hit));
      images_.hits->receive<Hit>(count, [&](const Hit* from) {
        std::copy_n(from, count, hits.data() + width * static_cast<std::size_t>(first));
      });
    }
    context_->requireAlive();
    requireNoGlError("casting rays");
  }

  // Mapped each time, which makes it wait for the device.
  static void reserve(std::unique_ptr<TransferBuffer>& buffer, TransferBuffer::Direction direction,
                      std::size_t bytes) {
    if (buffer != nullptr && buffer->bytes() >= 2 * bytes) return;
    buffer.reset();
    buffer = std::make_unique<TransferBuffer>(direction, bytes, false);
  }

  void sendShares(const ImageGrid& grid) const {
    const auto count = static_cast<std::size_t>(grid.height + grid.width);
    reserve(images_.shares, TransferBuffer::Direction::kToDevice,
            count * sizeof(ImageDirections::Share));
    images_.shares->send<ImageDirections::Share>(count, [&](ImageDirections::Share* to) {
      for (int row = 0; row < grid.height; ++row) *to++ = ImageDirections::shareOfRow(grid, row);
      for (int column = 0; column < grid.width; ++column) {
        *to++ = ImageDirections::shareOfColumn(grid, column);
      }
    });
  }

  void use(const ImageGrid& grid, const Pose& X_WS, float range_max) const {
    glUseProgram(program(true));
    const Eigen::Matrix3d R_WS = X_WS.q.toRotationMatrix();
    const Eigen::Vector3d o = X_WS.p - map_->origin();
    glUniformMatrix3dv(CastVariant::kRotation, 1, GL_FALSE, R_WS.data());
    glUniform3d(CastVariant::kOrigin, o.x(), o.y(), o.z());
    glUniform2i(CastVariant::kSize, grid.width, grid.height);
    glUniform1i(CastVariant::kPinhole, grid.projection == ImageGrid::Projection::kPinhole ? 1 : 0);
    glUniform1f(CastVariant::kRangeMax, range_max);
    setSurface(target_);
    images_.shares->bind(CastVariant::kInput);
    images_.hits->bind(CastVariant::kHits);
    target_.tree->bind(CastVariant::kTree);
  }

  const std::shared_ptr<const map::SurfelMap> map_;
  const map::SurfelTreeView view_;
  const lidar::SimdLevel object_level_;
  const lidar::Workers workers_;
  const Fault fault_;
  const std::shared_ptr<Context> context_;
  std::size_t block_bytes_ = 0;
  int stack_ = 0;
  CastTarget target_;
  CastQueue* casts_ = nullptr;  // owned by the context
  mutable ImageBuffers images_;
};

}  // namespace

bool available() { return true; }

std::unique_ptr<GlRayCaster> makeRayCaster(std::shared_ptr<const map::SurfelMap> map,
                                           const lidar::RendererConfig& config,
                                           const GlOptions& options) {
  config.validate("renderer");
  return std::make_unique<ShaderRayCaster>(std::move(map), config, options);
}

}  // namespace marsim::lidar_gl
