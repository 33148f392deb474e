// SPDX-License-Identifier: BSD-3-Clause
#include "lidar/camera/painter.hpp"

#include <algorithm>
#include <cmath>

#include "lidar/cast/simd_level.hpp"

namespace marsim::lidar {
namespace {

constexpr int kTile = 16;  // [px] side of a tile, shaded together: neighbours share surfels
constexpr std::size_t kPixelsPerTask = 4096;
/// Pixels whose surfaces are farther apart, or turned by more, are at an edge.
constexpr float kEdgeWidth = 1.0F;  // [pixels]
constexpr float kEdgeCosine = 0.9F;

}  // namespace

/// The world as an image sees it.
struct Painter::Scene {
  Scene(const Frame& of, View<MovingObject> with, const std::vector<Hit>& met)
      : frame(of), objects(with), hits(met) {
    for (const Pose& X_WC : frame.X_WC) R_WC.emplace_back(X_WC.q.toRotationMatrix().cast<float>());
    for (const MovingObject& object : objects) {
      if (object.print) printed.push_back(object.identity);
    }
    std::sort(printed.begin(), printed.end());
  }
  bool isPrinted(const Hit& hit) const {
    return hit.valid() && std::binary_search(printed.begin(), printed.end(), hit.identity);
  }
  const Eigen::Matrix3f& rotationOf(int row) const { return R_WC[frame.numberOf(row)]; }
  const Eigen::Vector3d& originOf(int row) const { return frame.X_WC[frame.numberOf(row)].p; }
  float timeOf(int row) const { return frame.times[frame.numberOf(row)]; }

  const Frame& frame;
  View<MovingObject> objects;
  const std::vector<Hit>& hits;
  std::vector<Eigen::Matrix3f> R_WC;   // rotations of the frame's poses
  std::vector<std::uint32_t> printed;  // identities of objects with a print, sorted
};

ShadeKernel shadeKernel(SimdLevel level) { return MARSIM_KERNEL_FOR(level, shadePixels); }

Painter::Painter(const CameraConfig& config, const std::vector<Eigen::Vector3f>& directions,
                 const SurfaceShader& shader, const Workers& workers, float extinction)
    : config_(config),
      directions_(directions),
      shader_(shader),
      workers_(workers),
      width_(config.model.width),
      height_(config.model.height),
      pixel_angle_(static_cast<float>(1.0 / std::sqrt(config.model.fx * config.model.fy))),
      extinction_(extinction),
      shade_(shadeKernel(simdLevelFor(SimdLevel::kAuto))) {}

Radiance Painter::radianceOf(SurfaceShader::Job& job, std::size_t pixel, int row,
                             const Scene& scene) const {
  const Hit& hit = scene.hits[pixel];
  const Eigen::Matrix3f& R_WC = scene.rotationOf(row);
  const Eigen::Vector3f direction_W = R_WC * directions_[pixel];
  if (!hit.valid()) {
    return throughAir(shader_.sky(direction_W), static_cast<float>(config_.range_max));
  }
  const Eigen::Vector3d p_W =
      scene.originOf(row) + direction_W.cast<double>() * static_cast<double>(hit.range);
  SeenSurface surface{hit, p_W, direction_W, hit.range * pixel_angle_, scene.timeOf(row)};
  if (hit.identity != kMapIdentity) {
    const int column = static_cast<int>(pixel) - row * width_;
    surface.right_W = R_WC * differenceAt(pixel, column, width_, 1);
    surface.down_W = R_WC * differenceAt(pixel, row, height_, static_cast<std::size_t>(width_));
  }
  return throughAir(job.radianceOf(surface), hit.range);
}

Eigen::Vector3f Painter::differenceAt(std::size_t pixel, int place, int count,
                                      std::size_t step) const {
  const std::size_t first = place > 0 ? pixel - step : pixel;
  const std::size_t last = place + 1 < count ? pixel + step : pixel;
  return (directions_[last] - directions_[first]) /
         static_cast<float>(std::max<std::size_t>((last - first) / step, 1));
}

Radiance Painter::throughAir(const Radiance& radiance, float range) const {
  if (extinction_ == 0.0F) return radiance;
  const Radiance air = shader_.sky(Eigen::Vector3f::UnitX());
  return air + std::exp(-extinction_ * range) * (radiance - air);
}

// Calls act(pixel, row) for the pixels of some rows; the first row begins a tile.
template <class Act>
void Painter::forTiles(int first_row, int end_row, const Act& act) const {
  for (int top = first_row; top < end_row; top += kTile) {
    for (int left = 0; left < width_; left += kTile) {
      for (int row = top; row < std::min(top + kTile, end_row); ++row) {
        for (int column = left; column < std::min(left + kTile, width_); ++column) {
          act(static_cast<std::size_t>(row) * static_cast<std::size_t>(width_) +
                  static_cast<std::size_t>(column),
              row);
        }
      }
    }
  }
}

ShadeSettings Painter::settingsOf(const Pose& X_WC) const {
  ShadeSettings settings{};
  shader_.describe(X_WC.p, settings);
  settings.pixel_angle = pixel_angle_;
  const Eigen::Matrix3f R_WC = X_WC.q.toRotationMatrix().cast<float>();
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) settings.R_WC[i][j] = R_WC(i, j);
  }
  return settings;
}

void Painter::shadeRow(int row, const ShadeSettings& settings, const Scene& scene,
                       const SurfaceLooks& looks, std::vector<Radiance>& radiances) const {
  ShadedPixels pixels{};
  const auto begin = static_cast<std::size_t>(row) * static_cast<std::size_t>(width_);
  const std::size_t end = begin + static_cast<std::size_t>(width_);
  for (std::size_t first = begin; first < end; first += ShadedPixels::kMost) {
    const std::size_t count = std::min<std::size_t>(end - first, ShadedPixels::kMost);
    for (std::size_t k = 0; k < count; ++k) {
      const Hit& hit = scene.hits[first + k];
      const bool is_map = hit.valid() && hit.identity == kMapIdentity;
      pixels.range[k] = hit.valid() ? hit.range : 1.0F;
      pixels.texture[k] = is_map ? shader_.textureOf(hit.surfel) : 0;
    }
    for (int axis = 0; axis < 3; ++axis) {
      for (std::size_t k = 0; k < count; ++k) {
        pixels.direction[axis][k] = directions_[first + k][axis];
      }
      std::copy_n(looks.colour[axis].begin() + static_cast<std::ptrdiff_t>(first), count,
                  pixels.colour[axis]);
      std::copy_n(looks.normal[axis].begin() + static_cast<std::ptrdiff_t>(first), count,
                  pixels.normal[axis]);
    }
    pixels.count = static_cast<int>(count);
    shade_(settings, pixels);
    for (std::size_t k = 0; k < count; ++k) {
      radiances[first + k] =
          throughAir({pixels.radiance[0][k], pixels.radiance[1][k], pixels.radiance[2][k]},
                     scene.hits[first + k].range);
    }
  }
}

void Painter::paint(const Frame& frame, View<MovingObject> objects, const std::vector<Hit>& hits,
                    const SurfaceLooks* looks, std::vector<Radiance>& radiances) const {
  const Scene scene(frame, objects, hits);
  const ShadeSettings settings = settingsOf(frame.X_WC.front());
  const auto isShaded = [&](const Hit& hit) {
    return looks != nullptr && hit.valid() && hit.identity == kMapIdentity;
  };
  radiances.resize(hits.size());
  const auto tile_rows = static_cast<std::size_t>((height_ + kTile - 1) / kTile);
  workers_.forRanges(tile_rows, 1, [&](std::size_t begin, std::size_t end) {
    SurfaceShader::Job job(shader_, objects);
    const int first_row = static_cast<int>(begin) * kTile;
    const int end_row = std::min(static_cast<int>(end) * kTile, height_);
    if (looks != nullptr) {
      for (int row = first_row; row < end_row; ++row) {
        shadeRow(row, settings, scene, *looks, radiances);
      }
    }
    forTiles(first_row, end_row, [&](std::size_t i, int row) {
      if (isShaded(hits[i])) return;
      radiances[i] = radianceOf(job, i, row, scene);
    });
  });
  if (config_.antialiasing) smooth(edges(scene), radiances);
}

// Whether two adjacent pixels see different parts of the world: different objects, surfaces turned
// against each other, or one before the other.
bool Painter::parts(const Scene& scene, std::size_t a, std::size_t b) const {
  const Hit &first = scene.hits[a], &second = scene.hits[b];
  if (first.valid() != second.valid() || first.identity != second.identity) return true;
  if (first.surfel == second.surfel) return false;
  if (first.normal.dot(second.normal) < kEdgeCosine) return true;
  const Eigen::Vector3f step = scene.rotationOf(static_cast<int>(a) / width_) *
                               (second.range * directions_[b] - first.range * directions_[a]);
  const float width = pixel_angle_ * std::min(first.range, second.range);
  return std::abs(first.normal.dot(step)) > kEdgeWidth * width;
}

std::vector<std::uint32_t> Painter::edges(const Scene& scene) const {
  std::vector<std::uint8_t> is_edge(scene.hits.size());
  const auto width = static_cast<std::size_t>(width_), height = static_cast<std::size_t>(height_);
  workers_.forRanges(height, kTile, [&](std::size_t begin, std::size_t end) {
    // Only the pixels of these rows are marked.
    const auto mark = [&, first = begin * width, last = end * width](std::size_t a, std::size_t b) {
      if (!parts(scene, a, b)) return;
      if (a >= first) is_edge[a] = 1;
      if (b < last) is_edge[b] = 1;
    };
    for (std::size_t row = begin; row < end; ++row) {
      for (std::size_t column = 0; column < width; ++column) {
        const std::size_t i = row * width + column;
        if (row == begin && row > 0) mark(i - width, i);
        if (column + 1 < width) mark(i, i + 1);
        if (row + 1 < height) mark(i, i + width);
        if (scene.isPrinted(scene.hits[i])) is_edge[i] = 1;
      }
    }
  });
  std::vector<std::uint32_t> pixels;  // tile by tile: neighbours share surfels
  forTiles(0, height_, [&](std::size_t i, int) {
    if (is_edge[i] != 0) pixels.push_back(static_cast<std::uint32_t>(i));
  });
  return pixels;
}

// Blurs like a lens: spreads the light of a pixel over its neighbours, by 1 2 1 across and down.
void Painter::smooth(const std::vector<std::uint32_t>& pixels,
                     std::vector<Radiance>& radiances) const {
  std::vector<Radiance> smoothed(pixels.size());
  workers_.forRanges(pixels.size(), kPixelsPerTask, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) smoothed[i] = smoothAt(pixels[i], radiances);
  });
  for (std::size_t i = 0; i < pixels.size(); ++i) radiances[pixels[i]] = smoothed[i];
}

Radiance Painter::smoothAt(std::uint32_t pixel, const std::vector<Radiance>& radiances) const {
  const int column = static_cast<int>(pixel) % width_, row = static_cast<int>(pixel) / width_;
  Radiance sum = Radiance::Zero();
  float weights = 0.0F;
  for (int y = std::max(row - 1, 0); y <= std::min(row + 1, height_ - 1); ++y) {
    for (int x = std::max(column - 1, 0); x <= std::min(column + 1, width_ - 1); ++x) {
      const float weight = (x == column ? 2.0F : 1.0F) * (y == row ? 2.0F : 1.0F);
      sum += weight * radiances[static_cast<std::size_t>(y * width_ + x)];
      weights += weight;
    }
  }
  return sum / weights;
}

}  // namespace marsim::lidar
