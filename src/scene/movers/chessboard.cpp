// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/scene/chessboard.hpp"

#include <algorithm>
#include <cmath>

namespace marsim::scene {

Print::Print(int columns, int rows, double side, const std::vector<bool>& dark)
    : columns_(columns), rows_(rows), side_(side) {
  const auto width = static_cast<std::size_t>(columns), height = static_cast<std::size_t>(rows);
  sums_.assign((width + 1) * (height + 1), 0.0);
  for (std::size_t row = 0; row < height; ++row) {
    double of_row = 0.0;
    for (std::size_t column = 0; column < width; ++column) {
      of_row += dark[row * width + column] ? 1.0 : 0.0;
      const std::size_t below = row * (width + 1) + column + 1;
      sums_[below + width + 1] = sums_[below] + of_row;
    }
  }
}

// The dark area left of and below a place, all in cells: bilinear within a cell.
double Print::darkBelow(double column, double row) const {
  const double x = std::clamp(column, 0.0, static_cast<double>(columns_));
  const double y = std::clamp(row, 0.0, static_cast<double>(rows_));
  const int i = std::min(static_cast<int>(x), columns_ - 1);
  const int j = std::min(static_cast<int>(y), rows_ - 1);
  const double u = x - i, v = y - j;
  const double* const low = &sums_[static_cast<std::size_t>(j * (columns_ + 1) + i)];
  const double* const high = low + columns_ + 1;
  return (1.0 - v) * ((1.0 - u) * low[0] + u * low[1]) + v * ((1.0 - u) * high[0] + u * high[1]);
}

double Print::darkShare(const Eigen::Vector2d& middle, const Eigen::Vector2d& half) const {
  const Eigen::Vector2d corner(0.5 * columns_, 0.5 * rows_);
  const Eigen::Vector2d low = (middle - half) / side_ + corner;
  const Eigen::Vector2d high = (middle + half) / side_ + corner;
  const double area = darkBelow(high.x(), high.y()) - darkBelow(low.x(), high.y()) -
                      darkBelow(high.x(), low.y()) + darkBelow(low.x(), low.y());
  return std::clamp(area / (high - low).prod(), 0.0, 1.0);
}

void Chessboard::declare(Settings& settings) {
  settings.optional("columns", columns, "", {2.0, 100.0});
  settings.optional("rows", rows, "", {2.0, 100.0});
  settings.optional("square", square, "m", {0.005, 2.0});
  settings.optional("margin", margin, "m", {0.0, 2.0});
}

double Chessboard::diagonal() const { return std::hypot(width(), height()); }

Print Chessboard::print() const {
  std::vector<bool> dark;
  for (int row = 0; row <= rows; ++row) {
    for (int column = 0; column <= columns; ++column) dark.push_back((row + column) % 2 == 0);
  }
  return {columns + 1, rows + 1, square, dark};
}

std::vector<Eigen::Vector3d> Chessboard::corners() const {
  std::vector<Eigen::Vector3d> places;
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      places.emplace_back(0.0, square * (column - 0.5 * (columns - 1)),
                          square * (0.5 * (rows - 1) - row));
    }
  }
  return places;
}

}  // namespace marsim::scene
