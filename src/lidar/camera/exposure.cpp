// SPDX-License-Identifier: BSD-3-Clause
#include "lidar/camera/exposure.hpp"

#include <algorithm>
#include <cmath>

#include "lidar/camera/srgb.hpp"
#include "lidar/measure/normal_deviate.hpp"
#include "marsim/common/random.hpp"

namespace marsim::lidar {
namespace {

constexpr std::size_t kRadiancesPerTask = 16384;
/// [s] exposure at gain 1 with which white ground under the sky is just white.
constexpr double kWhiteExposure = 0.0115;
/// Luma by ITU-R BT.709.
const Radiance kLuma(0.2126F, 0.7152F, 0.0722F);

/// Mean light of an image whose exposure adapts: a grey of 18 %.
constexpr double kMediumGrey = 0.18;
constexpr double kLeastGain = 0.1, kMostGain = 16.0;

/// The gain of an image: the camera's, or that which makes the mean of its light a medium grey.
double gainOf(const std::vector<Radiance>& radiances, const CameraConfig& config) {
  if (!config.auto_exposure || radiances.empty()) return config.gain;
  double sum = 0.0;
  for (const Radiance& light : radiances) sum += static_cast<double>(light.dot(kLuma));
  const double mean = sum / static_cast<double>(radiances.size());
  const double taken = mean * config.exposure / kWhiteExposure;
  return std::clamp(kMediumGrey / std::max(taken, 1e-9), kLeastGain, kMostGain);
}

/// The share of the light that the lens lets through to a pixel: 1 in the middle of the image, less
/// by the square of the distance from it, 1 - vignetting in the corners.
class Vignette {
 public:
  explicit Vignette(const CameraConfig& config)
      : width_(static_cast<std::size_t>(config.model.width)),
        x_(0.5F * static_cast<float>(config.model.width - 1)),
        y_(0.5F * static_cast<float>(config.model.height - 1)),
        loss_(static_cast<float>(config.vignetting) / std::max(x_ * x_ + y_ * y_, 1.0F)) {}

  float at(std::size_t pixel) const {
    const float x = static_cast<float>(pixel % width_) - x_;
    const float y = static_cast<float>(pixel / width_) - y_;
    return 1.0F - loss_ * (x * x + y * y);
  }

 private:
  std::size_t width_;
  float x_, y_, loss_;
};

/// The electrons of a pixel.
class Well {
 public:
  Well(const CameraConfig& config, double gain, std::uint64_t key)
      : exposure_(static_cast<float>(config.exposure / kWhiteExposure * gain)),
        capacity_(static_cast<float>(config.full_well / gain)),
        read2_(static_cast<float>(config.read_noise * config.read_noise)),
        key_(key),
        normal_(NormalDeviate::table()) {}

  /// `light`: 1 is white under the sky; `number`: index of the pixel's channel.
  std::uint8_t byteOf(float light, std::size_t number) const {
    const float share = light * exposure_;
    if (capacity_ <= 0.0F) return srgbOfLinear(share);
    const float sigma = std::sqrt(share * capacity_ + read2_);
    const std::uint64_t bits = mixBits(key_ + number * kGoldenGamma);
    return srgbOfLinear(share + sigma * normal_.of(static_cast<std::uint32_t>(bits)) / capacity_);
  }

 private:
  float exposure_, capacity_, read2_;
  std::uint64_t key_;
  const NormalDeviate& normal_;
};

}  // namespace

std::vector<std::uint8_t> expose(const std::vector<Radiance>& radiances, const CameraConfig& config,
                                 std::uint64_t key, const Workers& workers) {
  const Well well(config, gainOf(radiances, config), key);
  const Vignette vignette(config);
  const std::size_t bytes = bytesOf(config.encoding);
  const bool is_bgr = config.encoding == ImageEncoding::kBgr8;
  std::vector<std::uint8_t> pixels(radiances.size() * bytes);
  workers.forRanges(radiances.size(), kRadiancesPerTask, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Radiance light =
          config.vignetting > 0.0 ? Radiance(vignette.at(i) * radiances[i]) : radiances[i];
      if (bytes == 1) {
        pixels[i] = well.byteOf(light.dot(kLuma), i);
        continue;
      }
      for (std::size_t channel = 0; channel < 3; ++channel) {
        const std::size_t place = is_bgr ? 2 - channel : channel;
        pixels[3 * i + place] =
            well.byteOf(light[static_cast<Eigen::Index>(channel)], 3 * i + channel);
      }
    }
  });
  return pixels;
}

}  // namespace marsim::lidar
