// SPDX-License-Identifier: BSD-3-Clause
#include "lidar/measure/stereo_depth.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lidar/measure/normal_deviate.hpp"
#include "marsim/common/random.hpp"

namespace marsim::lidar {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
/// [px] least difference of disparities with which a surface hides another: neighbouring pixels of
/// one surface differ less.
constexpr float kStep = 1.0F;
constexpr int kReach = 3;  // [px] half the window of contrast

}  // namespace

// A surface of disparity d at column u lies at u - d in the second image. A pixel of lower
// disparity at that column is behind it.
std::vector<bool> hiddenFromSecond(const DepthCameraConfig& config,
                                   const std::vector<float>& depth) {
  const auto width = static_cast<std::size_t>(config.width);
  const auto focal = static_cast<float>(config.fx * config.baseline);
  std::vector<bool> is_hidden(depth.size());
  std::vector<float> nearest(width);  // disparities, by columns of the second image
  for (std::size_t row = 0; row < depth.size(); row += width) {
    const auto forEach = [&](const auto& act) {
      for (std::size_t column = 0; column < width; ++column) {
        const float z = depth[row + column];
        if (!std::isfinite(z)) continue;
        const float disparity = focal / z;
        act(row + column, std::lround(static_cast<float>(column) - disparity), disparity);
      }
    };
    std::fill(nearest.begin(), nearest.end(), 0.0F);
    forEach([&](std::size_t, long place, float disparity) {
      if (place < 0) return;
      float& there = nearest[static_cast<std::size_t>(place)];
      there = std::max(there, disparity);
    });
    forEach([&](std::size_t pixel, long place, float disparity) {
      is_hidden[pixel] = place < 0 || nearest[static_cast<std::size_t>(place)] > disparity + kStep;
    });
  }
  return is_hidden;
}

void quantise(const DepthCameraConfig& config, std::vector<float>& depth) {
  const double focal = config.fx * config.baseline;
  for (float& z : depth) {
    if (!std::isfinite(z)) continue;
    const double steps = std::round(focal / static_cast<double>(z) / config.disparity_step);
    const double rounded = focal / (steps * config.disparity_step);  // infinite if rounded to 0
    z = rounded > config.range_max   ? kInfinity
        : rounded < config.range_min ? -kInfinity
                                     : static_cast<float>(rounded);
  }
}

std::vector<float> matchingErrors(const DepthCameraConfig& config, std::uint64_t key) {
  const NormalDeviate& normal = NormalDeviate::table();
  const int width = config.width, height = config.height, half = config.window / 2;
  std::vector<float> errors(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  for (std::size_t i = 0; i < errors.size(); ++i) {
    errors[i] = normal.of(static_cast<std::uint32_t>(mixBits(key + i * kGoldenGamma) >> 32U));
  }
  if (half == 0) return errors;
  // The sum over a row's or column's window, by the square root of its number of pixels.
  std::vector<double> sums;
  const auto average = [&](std::size_t first, std::size_t step, int count) {
    sums.assign(1, 0.0);
    for (int i = 0; i < count; ++i) {
      sums.push_back(sums.back() +
                     static_cast<double>(errors[first + static_cast<std::size_t>(i) * step]));
    }
    for (int i = 0; i < count; ++i) {
      const auto from = static_cast<std::size_t>(std::max(i - half, 0));
      const auto to = static_cast<std::size_t>(std::min(i + half + 1, count));
      errors[first + static_cast<std::size_t>(i) * step] =
          static_cast<float>((sums[to] - sums[from]) / std::sqrt(static_cast<double>(to - from)));
    }
  };
  const auto row_length = static_cast<std::size_t>(width);
  for (std::size_t first = 0; first < errors.size(); first += row_length) average(first, 1, width);
  for (std::size_t column = 0; column < row_length; ++column) average(column, row_length, height);
  return errors;
}

void dropWithoutTexture(const DepthCameraConfig& config, const std::vector<std::uint8_t>& grey,
                        std::vector<float>& depth) {
  const int width = config.width, height = config.height;
  const double least = config.least_contrast * config.least_contrast;
  for (int row = 0; row < height; ++row) {
    for (int column = 0; column < width; ++column) {
      int number = 0, sum = 0, squares = 0;
      for (int y = std::max(row - kReach, 0); y <= std::min(row + kReach, height - 1); ++y) {
        for (int x = std::max(column - kReach, 0); x <= std::min(column + kReach, width - 1); ++x) {
          const int value = grey[static_cast<std::size_t>(y * width + x)];
          ++number;
          sum += value;
          squares += value * value;
        }
      }
      const double mean = static_cast<double>(sum) / number;
      const double variance = static_cast<double>(squares) / number - mean * mean;
      float& z = depth[static_cast<std::size_t>(row * width + column)];
      if (variance < least && std::isfinite(z)) z = kInfinity;
    }
  }
}

}  // namespace marsim::lidar
