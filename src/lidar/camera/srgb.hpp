// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace marsim::lidar {

/// The transfer function of sRGB (IEC 61966-2-1): a byte as light, 0 to 1.
inline float linearOfSrgb(std::uint8_t byte) {
  static const std::array<float, 256> table = [] {
    std::array<float, 256> made{};
    for (std::size_t i = 0; i < made.size(); ++i) {
      const double c = static_cast<double>(i) / 255.0;
      made[i] = static_cast<float>(c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4));
    }
    return made;
  }();
  return table[byte];
}

/// The byte of any amount of light, the nearest one within a thousandth of the light.
inline std::uint8_t srgbOfLinear(float light) {
  constexpr std::size_t kCells = 8192;
  static const std::array<std::uint8_t, kCells + 1> table = [] {
    std::array<std::uint8_t, kCells + 1> made{};
    for (std::size_t i = 0; i <= kCells; ++i) {
      const double c = static_cast<double>(i) / kCells;
      const double s = c <= 0.0031308 ? 12.92 * c : 1.055 * std::pow(c, 1.0 / 2.4) - 0.055;
      made[i] = static_cast<std::uint8_t>(std::lround(255.0 * s));
    }
    return made;
  }();
  if (!(light > 0.0F)) return 0;
  return light >= 1.0F ? 255 : table[static_cast<std::size_t>(light * kCells + 0.5F)];
}

}  // namespace marsim::lidar
