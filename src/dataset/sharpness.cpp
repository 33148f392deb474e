// SPDX-License-Identifier: BSD-3-Clause
#include "dataset/sharpness.hpp"

#include "dataset/statistics.hpp"

namespace marsim::dataset {

Look lookOf(const std::vector<std::uint8_t>& pixels, int width, int bytes) {
  const auto step = static_cast<std::size_t>(width) * static_cast<std::size_t>(bytes);
  const auto columns = static_cast<std::size_t>(width / 2), rows = pixels.size() / step / 2;
  const auto pixel = static_cast<std::size_t>(bytes), middle = pixel / 2;
  std::vector<double> grey(rows * columns);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      const std::size_t at = 2 * row * step + 2 * column * pixel + middle;
      grey[row * columns + column] =
          0.25 * (pixels[at] + pixels[at + pixel] + pixels[at + step] + pixels[at + step + pixel]);
    }
  }
  Moments levels, laplacian;
  for (std::size_t row = 1; row + 1 < rows; ++row) {
    for (std::size_t i = row * columns + 1; i + 1 < (row + 1) * columns; ++i) {
      levels.add(grey[i]);
      laplacian.add(grey[i - 1] + grey[i + 1] + grey[i - columns] + grey[i + columns] -
                    4.0 * grey[i]);
    }
  }
  return {levels.deviation(), laplacian.deviation() * laplacian.deviation()};
}

}  // namespace marsim::dataset
