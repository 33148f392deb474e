// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace marsim::viz {

/// Red, green and blue, 0 to 1.
struct Rgb {
  float r, g, b;
};

inline Rgb mix(const Rgb& a, const Rgb& b, float share) {
  return {a.r + share * (b.r - a.r), a.g + share * (b.g - a.g), a.b + share * (b.b - a.b)};
}

/// Interpolates between evenly spaced colours; `value` from 0 to 1.
template <std::size_t N>
Rgb ramp(const std::array<Rgb, N>& colours, float value) {
  const float at = std::clamp(value, 0.0F, 1.0F) * static_cast<float>(N - 1);
  const auto low = std::min(static_cast<std::size_t>(at), N - 2);
  return mix(colours[low], colours[low + 1], at - static_cast<float>(low));
}

constexpr Rgb rgb(int hex) {
  return {static_cast<float>(hex >> 16 & 0xff) / 255.0F,
          static_cast<float>(hex >> 8 & 0xff) / 255.0F, static_cast<float>(hex & 0xff) / 255.0F};
}

constexpr Rgb kBackground = rgb(0x10151b);
constexpr Rgb kStrip = rgb(0x181f27);
constexpr Rgb kText = rgb(0xdfe6ee);
constexpr Rgb kFaintText = rgb(0x93a1b0);
constexpr Rgb kPath = rgb(0xff4f6d);
constexpr Rgb kStart = rgb(0x5dff9b);
constexpr Rgb kGoal = rgb(0xffffff);
constexpr Rgb kSensor = rgb(0x3fd8ff);

/// Map points by height: muted grey-blue.
constexpr std::array<Rgb, 4> kHeights = {rgb(0x3a4756), rgb(0x566779), rgb(0x7d8fa2),
                                         rgb(0xb3c0cd)};
/// Scan points by range: viridis (van der Walt and Smith, matplotlib, CC0) without its darkest
/// quarter, which does not show on a dark ground.
constexpr std::array<Rgb, 7> kRanges = {rgb(0xfde725), rgb(0xaddc30), rgb(0x5ec962), rgb(0x28ae80),
                                        rgb(0x21918c), rgb(0x2c728e), rgb(0x4a66b8)};

}  // namespace marsim::viz
