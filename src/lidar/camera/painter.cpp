#include "lidar/camera/painter.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace marsim::lidar {
namespace {

constexpr int kTile = 16;  // [px] side of what is shaded together: neighbours share surfels
constexpr std::size_t kSamples = 4;  // rays of a pixel at an edge
constexpr std::size_t kPixelsPerTask = 512;
/// Pixels whose surfaces stand apart by more, or are turned by more, are at an edge.
constexpr float kEdgeWidth = 1.0F;  // [pixels]
constexpr float kEdgeCosine = 0.9F;

}  // namespace

/// The world as an image sees it.
struct Painter::Scene {
  Scene(const Frame& of, View<MovingObject> with, const std::vector<Hit>& met)
      : frame(of), objects(with), hits(met) {
    for (const Pose& X_WC : frame.X_WC) R_WC.emplace_back(X_WC.q.toRotationMatrix().cast<float>());
  }
  const Eigen::Matrix3f& rotationOf(int row) const { return R_WC[frame.numberOf(row)]; }
  const Eigen::Vector3d& originOf(int row) const { return frame.X_WC[frame.numberOf(row)].p; }
  float timeOf(int row) const { return frame.times[frame.numberOf(row)]; }

  const Frame& frame;
  View<MovingObject> objects;
  const std::vector<Hit>& hits;
  std::vector<Eigen::Matrix3f> R_WC;  // of the frame's poses
};

Painter::Painter(const CameraConfig& config, const std::vector<Eigen::Vector3f>& directions,
                 const SurfaceShader& shader, const RayRenderer& rays, const Workers& workers,
                 float extinction)
    : config_(config),
      directions_(directions),
      shader_(shader),
      rays_(rays),
      workers_(workers),
      width_(config.model.width),
      height_(config.model.height),
      pixel_angle_(static_cast<float>(1.0 / std::sqrt(config.model.fx * config.model.fy))),
      extinction_(extinction) {}

Radiance Painter::radianceOf(SurfaceShader::Job& job, const Hit& hit,
                             const Eigen::Vector3f& direction_W, int row,
                             const Scene& scene) const {
  if (!hit.valid()) {
    return throughAir(SurfaceShader::sky(direction_W), static_cast<float>(config_.range_max));
  }
  const Eigen::Vector3d p_W =
      scene.originOf(row) + direction_W.cast<double>() * static_cast<double>(hit.range);
  return throughAir(
      job.radianceOf({hit, p_W, direction_W, hit.range * pixel_angle_, scene.timeOf(row)}),
      hit.range);
}

Radiance Painter::throughAir(const Radiance& radiance, float range) const {
  if (extinction_ == 0.0F) return radiance;
  const Radiance air = SurfaceShader::sky(Eigen::Vector3f::UnitX());
  return air + std::exp(-extinction_ * range) * (radiance - air);
}

// Calls act(pixel, row) for the pixels of some rows, a multiple of tiles from the first on.
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

std::vector<Radiance> Painter::paint(const Frame& frame, View<MovingObject> objects,
                                     const std::vector<Hit>& hits) const {
  const Scene scene(frame, objects, hits);
  std::vector<Radiance> radiances(hits.size());
  const auto tile_rows = static_cast<std::size_t>((height_ + kTile - 1) / kTile);
  workers_.forRanges(tile_rows, 1, [&](std::size_t begin, std::size_t end) {
    SurfaceShader::Job job(shader_, objects);
    const int end_row = std::min(static_cast<int>(end) * kTile, height_);
    forTiles(static_cast<int>(begin) * kTile, end_row, [&](std::size_t i, int row) {
      radiances[i] = radianceOf(job, hits[i], scene.rotationOf(row) * directions_[i], row, scene);
    });
  });
  if (config_.antialiasing) smooth(scene, edges(scene), radiances);
  return radiances;
}

// Whether two pixels beside each other see parts of the world that do not go on from one to the
// other: different things, surfaces that are turned, or one before the other.
bool Painter::parts(const Scene& scene, std::size_t a, std::size_t b) const {
  const Hit &first = scene.hits[a], &second = scene.hits[b];
  if (!first.valid() && !second.valid()) return false;
  if (first.valid() != second.valid() || first.identity != second.identity) return true;
  if (first.surfel == second.surfel) return false;
  if (first.normal.dot(second.normal) < kEdgeCosine) return true;
  const Eigen::Vector3f step = scene.rotationOf(static_cast<int>(a) / width_) *
                               (second.range * directions_[b] - first.range * directions_[a]);
  const float width = pixel_angle_ * std::min(first.range, second.range);
  return std::abs(first.normal.dot(step)) > kEdgeWidth * width;
}

std::vector<std::uint32_t> Painter::edges(const Scene& scene) const {
  std::vector<bool> is_edge(scene.hits.size());
  const auto mark = [&](std::size_t a, std::size_t b) {
    if (parts(scene, a, b)) is_edge[a] = is_edge[b] = true;
  };
  for (int row = 0; row < height_; ++row) {
    for (int column = 0; column < width_; ++column) {
      const auto i = static_cast<std::size_t>(row) * static_cast<std::size_t>(width_) +
                     static_cast<std::size_t>(column);
      if (column + 1 < width_) mark(i, i + 1);
      if (row + 1 < height_) mark(i, i + static_cast<std::size_t>(width_));
    }
  }
  std::vector<std::uint32_t> pixels;  // tile by tile: neighbours share surfels
  forTiles(0, height_, [&](std::size_t i, int) {
    if (is_edge[i]) pixels.push_back(static_cast<std::uint32_t>(i));
  });
  return pixels;
}

// By the directions of the pixels around; `right` and `down` in pixels, less than one.
Eigen::Vector3f Painter::directionBeside(std::uint32_t pixel, float right, float down) const {
  const int column = static_cast<int>(pixel) % width_, row = static_cast<int>(pixel) / width_;
  const auto slope = [&](int place, int size, std::uint32_t step) -> Eigen::Vector3f {
    if (size == 1) return Eigen::Vector3f::Zero();
    const std::uint32_t before = place > 0 ? pixel - step : pixel;
    const std::uint32_t after = place + 1 < size ? pixel + step : pixel;
    const float steps = place > 0 && place + 1 < size ? 2.0F : 1.0F;
    return (directions_[after] - directions_[before]) / steps;
  };
  return (directions_[pixel] + right * slope(column, width_, 1) +
          down * slope(row, height_, static_cast<std::uint32_t>(width_)))
      .normalized();
}

void Painter::smooth(const Scene& scene, const std::vector<std::uint32_t>& pixels,
                     std::vector<Radiance>& radiances) const {
  static constexpr std::array<std::array<float, 2>, kSamples> kPlaces = {
      {{-0.25F, -0.25F}, {0.25F, -0.25F}, {-0.25F, 0.25F}, {0.25F, 0.25F}}};
  std::vector<Ray> rays;
  rays.reserve(kSamples * pixels.size());
  const auto range_max = static_cast<float>(config_.range_max);
  for (const std::uint32_t pixel : pixels) {
    const int row = static_cast<int>(pixel) / width_;
    for (const auto& [right, down] : kPlaces) {
      rays.push_back({scene.originOf(row).cast<float>(), range_max,
                      scene.rotationOf(row) * directionBeside(pixel, right, down),
                      scene.timeOf(row)});
    }
  }
  std::vector<Hit> hits;
  rays_.castBeams(scene.frame.stamp, rays, kSamples, scene.objects, hits);
  workers_.forRanges(pixels.size(), kPixelsPerTask, [&](std::size_t begin, std::size_t end) {
    SurfaceShader::Job job(shader_, scene.objects);
    for (std::size_t i = begin; i < end; ++i) {
      const int row = static_cast<int>(pixels[i]) / width_;
      Radiance sum = Radiance::Zero();
      for (std::size_t ray = kSamples * i; ray < kSamples * (i + 1); ++ray) {
        sum += radianceOf(job, hits[ray], rays[ray].direction, row, scene);
      }
      radiances[pixels[i]] = sum / static_cast<float>(kSamples);
    }
  });
}

}  // namespace marsim::lidar
