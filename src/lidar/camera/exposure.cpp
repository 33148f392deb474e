// SPDX-License-Identifier: BSD-3-Clause
#include "lidar/camera/exposure.hpp"

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

/// The electrons of a pixel.
class Well {
 public:
  Well(const CameraConfig& config, std::uint64_t key)
      : exposure_(static_cast<float>(config.exposure / kWhiteExposure * config.gain)),
        capacity_(static_cast<float>(config.full_well / config.gain)),
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
  const Well well(config, key);
  const std::size_t bytes = bytesOf(config.encoding);
  const bool is_bgr = config.encoding == ImageEncoding::kBgr8;
  std::vector<std::uint8_t> pixels(radiances.size() * bytes);
  workers.forRanges(radiances.size(), kRadiancesPerTask, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Radiance& light = radiances[i];
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
