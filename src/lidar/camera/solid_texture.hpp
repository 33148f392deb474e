// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include <Eigen/Core>

#include "lidar/camera/shade_kernel.hpp"

namespace marsim::lidar {

/// A texture that fills space, so that each surface has a texture fixed to it: octaves of value
/// noise. Octaves finer than a pixel are faded out, so that nothing flickers from image to image.
class SolidTexture {
 public:
  /// `amplitude`: standard deviation of an octave, in the colour's logarithm; octaves from
  /// `coarsest` down to `finest` [m], each half as long as the one before.
  SolidTexture(double amplitude, double coarsest, double finest)
      : amplitude_(static_cast<float>(amplitude)) {
    for (double length = coarsest; length >= finest * 0.999; length *= 0.5) {
      inverse_lengths_.push_back(1.0 / length);
    }
  }

  /// Describes the texture for the shading of places relative to `about` [m].
  void describe(const Eigen::Vector3d& about, ShadeSettings& settings) const {
    settings.amplitude = amplitude_;
    settings.octave_count = static_cast<int>(inverse_lengths_.size());
    for (std::size_t i = 0; i < inverse_lengths_.size(); ++i) {
      ShadeOctave& octave = settings.octaves[i];
      octave.inverse_length = static_cast<float>(inverse_lengths_[i]);
      for (int axis = 0; axis < 3; ++axis) {
        const double place = about[axis] * inverse_lengths_[i], whole = std::floor(place);
        octave.base[axis] = static_cast<std::uint32_t>(static_cast<std::int64_t>(whole));
        octave.part[axis] = static_cast<float>(place - whole);
      }
    }
  }

  /// Factors around 1 for a surface's red, green and blue. `p`: place [m]; `width` [m]: of the
  /// pixel.
  Eigen::Vector3f at(const Eigen::Vector3d& p, float width) const {
    float sum = 0.0F, first = 0.0F;
    for (std::size_t i = 0; i < inverse_lengths_.size(); ++i) {
      // In full at three pixels a wave, not at all at two.
      const float pixels = 1.0F / (static_cast<float>(inverse_lengths_[i]) * width);
      const float share = std::min(pixels - 2.0F, 1.0F);
      if (share <= 0.0F) break;
      const float value = share * noise(p * inverse_lengths_[i], static_cast<std::uint32_t>(i));
      sum += value;
      if (i == 0) first = value;
    }
    const float shade = amplitude_ * sum, tint = kTextureTint * amplitude_ * first;
    return {std::exp(shade + tint), std::exp(shade), std::exp(shade - tint)};
  }

 private:
  // Values at whole coordinates, interpolated by cubic weights; standard deviation about 1.
  static float noise(const Eigen::Vector3d& p, std::uint32_t octave) {
    std::array<std::uint32_t, 3> low{};
    std::array<float, 3> share{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double place = p[static_cast<Eigen::Index>(axis)];
      const double whole = std::floor(place);
      low[axis] = static_cast<std::uint32_t>(static_cast<std::int64_t>(whole));
      const auto f = static_cast<float>(place - whole);
      share[axis] = f * f * (3.0F - 2.0F * f);
    }
    std::array<float, 4> along_z{};
    for (std::uint32_t corner = 0; corner < 4; ++corner) {
      const std::uint32_t x = low[0] + (corner & 1U), y = low[1] + (corner >> 1U);
      const float a = valueAt(x, y, low[2], octave), b = valueAt(x, y, low[2] + 1U, octave);
      along_z[corner] = a + share[2] * (b - a);
    }
    const float near_y = along_z[0] + share[0] * (along_z[1] - along_z[0]);
    const float far_y = along_z[2] + share[0] * (along_z[3] - along_z[2]);
    return kTextureSpread * (near_y + share[1] * (far_y - near_y));
  }

  // A value from -1 to 1.
  static float valueAt(std::uint32_t x, std::uint32_t y, std::uint32_t z, std::uint32_t octave) {
    std::uint32_t bits = x * kTextureFactors[0] + y * kTextureFactors[1] + z * kTextureFactors[2] +
                         octave * kTextureOctave;
    bits ^= bits >> 16U;
    bits *= kTextureMix[0];
    bits ^= bits >> 13U;
    bits *= kTextureMix[1];
    bits ^= bits >> 16U;
    return static_cast<float>(bits >> 8U) * 0x1p-23F - 1.0F;
  }

  float amplitude_;
  std::vector<double> inverse_lengths_;  // [1/m], from coarse to fine
};

}  // namespace marsim::lidar
