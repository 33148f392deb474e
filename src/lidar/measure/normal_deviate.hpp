// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace marsim::lidar {

/// Standard normal deviates from random bits by the inverse distribution function: linear between
/// the corners of a table, within 0.003 of the exact value, which the outermost cells compute. Made
/// for shots: takes a tenth of the time of Box and Muller's method.
class NormalDeviate {
 public:
  static const NormalDeviate& table();

  float of(std::uint32_t bits) const {
    const std::size_t cell = bits >> kFractionBits;
    if (cell - kTail >= kCells - 2 * kTail) return tail(bits);
    const float share = static_cast<float>(bits & kFractionMask) * (1.0F / (kFractionMask + 1));
    return corners_[cell] + share * (corners_[cell + 1] - corners_[cell]);
  }

 private:
  NormalDeviate();
  static float tail(std::uint32_t bits);

  static constexpr int kFractionBits = 21;
  static constexpr std::uint32_t kFractionMask = (1U << kFractionBits) - 1;
  static constexpr std::size_t kCells = std::size_t{1} << (32 - kFractionBits);
  static constexpr std::size_t kTail = 4;  // cells at either end
  std::array<float, kCells + 1> corners_{};
};

}  // namespace marsim::lidar
