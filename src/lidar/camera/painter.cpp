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
  const TimeNs stamp;
  const Pose& X_WC;
  const Eigen::Matrix3f R_WC;
  View<MovingObject> objects;
  const std::vector<Hit>& hits;
};

Painter::Painter(const CameraConfig& config, const std::vector<Eigen::Vector3f>& directions,
                 const SurfaceShader& shader, const RayRenderer& rays, const Workers& workers)
    : config_(config),
      directions_(directions),
      shader_(shader),
      rays_(rays),
      workers_(workers),
      width_(config.model.width),
      height_(config.model.height),
      pixel_angle_(static_cast<float>(1.0 / std::sqrt(config.model.fx * config.model.fy))) {}

Radiance Painter::radianceOf(SurfaceShader::Job& job, const Hit& hit,
                             const Eigen::Vector3f& direction_W, const Scene& scene) const {
  if (!hit.valid()) return SurfaceShader::sky(direction_W);
  const Eigen::Vector3d p_W =
      scene.X_WC.p + direction_W.cast<double>() * static_cast<double>(hit.range);
  return job.radianceOf({hit, p_W, direction_W, hit.range * pixel_angle_});
}

std::vector<Radiance> Painter::paint(TimeNs stamp, const Pose& X_WC, View<MovingObject> objects,
                                     const std::vector<Hit>& hits) const {
  const Scene scene{stamp, X_WC, X_WC.q.toRotationMatrix().cast<float>(), objects, hits};
  std::vector<Radiance> radiances(hits.size());
  const auto paintTile = [&](SurfaceShader::Job& job, int top, int left) {
    for (int row = top; row < std::min(top + kTile, height_); ++row) {
      for (int column = left; column < std::min(left + kTile, width_); ++column) {
        const auto i = static_cast<std::size_t>(row) * static_cast<std::size_t>(width_) +
                       static_cast<std::size_t>(column);
        radiances[i] = radianceOf(job, hits[i], scene.R_WC * directions_[i], scene);
      }
    }
  };
  const auto tile_rows = static_cast<std::size_t>((height_ + kTile - 1) / kTile);
  workers_.forRanges(tile_rows, 1, [&](std::size_t begin, std::size_t end) {
    SurfaceShader::Job job(shader_, objects);
    for (std::size_t row = begin; row < end; ++row) {
      for (int left = 0; left < width_; left += kTile) {
        paintTile(job, static_cast<int>(row) * kTile, left);
      }
    }
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
  const Eigen::Vector3f step =
      scene.R_WC * (second.range * directions_[b] - first.range * directions_[a]);
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
  std::vector<std::uint32_t> pixels;
  for (std::size_t i = 0; i < is_edge.size(); ++i) {
    if (is_edge[i]) pixels.push_back(static_cast<std::uint32_t>(i));
  }
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
    for (const auto& [right, down] : kPlaces) {
      rays.push_back({scene.X_WC.p.cast<float>(), range_max,
                      scene.R_WC * directionBeside(pixel, right, down), 0.0F});
    }
  }
  std::vector<Hit> hits;
  rays_.castBeams(scene.stamp, rays, kSamples, scene.objects, hits);
  workers_.forRanges(pixels.size(), kPixelsPerTask, [&](std::size_t begin, std::size_t end) {
    SurfaceShader::Job job(shader_, scene.objects);
    for (std::size_t i = begin; i < end; ++i) {
      Radiance sum = Radiance::Zero();
      for (std::size_t ray = kSamples * i; ray < kSamples * (i + 1); ++ray) {
        sum += radianceOf(job, hits[ray], rays[ray].direction, scene);
      }
      radiances[pixels[i]] = sum / static_cast<float>(kSamples);
    }
  });
}

}  // namespace marsim::lidar
