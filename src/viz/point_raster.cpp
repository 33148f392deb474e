// SPDX-License-Identifier: BSD-3-Clause
#include "viz/point_raster.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

namespace marsim::viz {
namespace {

constexpr float kEmpty = std::numeric_limits<float>::infinity();
constexpr double kMaxRadius = 12.0;     // [samples] largest radius of a disc
constexpr int kShadeDistance = 3;       // [samples] to the neighbours that shade a point
constexpr float kShadeStrength = 1.1F;  // darkening by one metre of depth step
constexpr float kDarkest = 0.35F;

}  // namespace

PointRaster::PointRaster(int width, int height, const PictureCamera& camera)
    : camera_(camera),
      width_(width * kSamples),
      height_(height * kSamples),
      depth_(static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_), kEmpty),
      colour_(depth_.size(), kBackground) {}

void PointRaster::point(const Eigen::Vector3d& p_W, const Rgb& colour, double diameter,
                        double min_pixels, double bias) {
  const std::optional<PictureCamera::Projected> at = camera_.project(p_W);
  if (!at) return;
  const double x = at->x * kSamples;
  const double y = at->y * kSamples;
  const double radius =
      std::clamp(0.5 * kSamples * std::max(diameter * camera_.scaleAt(at->depth), min_pixels), 0.6,
                 kMaxRadius);
  if (!(x > -radius && y > -radius && x < width_ + radius && y < height_ + radius)) return;
  const auto depth = static_cast<float>(at->depth - bias);
  const int x0 = std::max(0, static_cast<int>(std::ceil(x - radius - 0.5)));
  const int x1 = std::min(width_ - 1, static_cast<int>(std::floor(x + radius - 0.5)));
  const int y0 = std::max(0, static_cast<int>(std::ceil(y - radius - 0.5)));
  const int y1 = std::min(height_ - 1, static_cast<int>(std::floor(y + radius - 0.5)));
  for (int row = y0; row <= y1; ++row) {
    for (int column = x0; column <= x1; ++column) {
      const double dx = column + 0.5 - x;
      const double dy = row + 0.5 - y;
      if (dx * dx + dy * dy > radius * radius) continue;
      const auto i = static_cast<std::size_t>(row) * static_cast<std::size_t>(width_) +
                     static_cast<std::size_t>(column);
      if (depth >= depth_[i]) continue;
      depth_[i] = depth;
      colour_[i] = colour;
    }
  }
}

// How much nearer the surroundings are than the sample, averaged over eight directions.
float PointRaster::shade(int x, int y) const {
  static constexpr std::array<std::array<int, 2>, 8> kDirections = {
      {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, 1}, {1, -1}, {-1, -1}}};
  const auto index = [&](int column, int row) {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(width_) +
           static_cast<std::size_t>(column);
  };
  const float here = depth_[index(x, y)];
  float nearer = 0.0F;
  for (const auto& direction : kDirections) {
    const int column = std::clamp(x + kShadeDistance * direction[0], 0, width_ - 1);
    const int row = std::clamp(y + kShadeDistance * direction[1], 0, height_ - 1);
    // A step counts as at most a metre, so that near objects do not blacken far ones.
    nearer += std::clamp(here - depth_[index(column, row)], 0.0F, 1.0F);
  }
  return std::max(kDarkest, std::exp(-kShadeStrength * nearer * 0.5F));
}

std::vector<std::uint32_t> PointRaster::shaded() const {
  const int width = width_ / kSamples;
  const int height = height_ / kSamples;
  std::vector<std::uint32_t> pixels;
  pixels.reserve(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  for (int row = 0; row < height; ++row) {
    for (int column = 0; column < width; ++column) {
      Rgb sum{0.0F, 0.0F, 0.0F};
      for (int sample = 0; sample < kSamples * kSamples; ++sample) {
        const int x = column * kSamples + sample % kSamples;
        const int y = row * kSamples + sample / kSamples;
        const auto i = static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) +
                       static_cast<std::size_t>(x);
        const float light = depth_[i] == kEmpty ? 1.0F : shade(x, y);
        sum = {sum.r + light * colour_[i].r, sum.g + light * colour_[i].g,
               sum.b + light * colour_[i].b};
      }
      const auto byte = [](float value) {
        return static_cast<std::uint32_t>(
            std::lround(std::clamp(value / (kSamples * kSamples), 0.0F, 1.0F) * 255.0F));
      };
      pixels.push_back(byte(sum.r) << 16 | byte(sum.g) << 8 | byte(sum.b));
    }
  }
  return pixels;
}

}  // namespace marsim::viz
