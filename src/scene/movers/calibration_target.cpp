// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/scene/calibration_target.hpp"

#include <algorithm>
#include <utility>

#include "scene/movers/tag36h11.hpp"

namespace marsim::scene {
namespace {

constexpr int kTagBits = 6;                           // cells of a tag's code in a row
constexpr int kTagBorder = 2;                         // [cells]
constexpr int kTagCells = kTagBits + 2 * kTagBorder;  // in a row
constexpr int kTagPitch = kTagCells + 1;              // cells from a tag to the next

static_assert(kTag36h11.size() == AprilGrid::kMostTags);

/// Whether the cell of a tag is dark; counted from the tag's bottom left.
bool isDark(std::uint64_t tag, int column, int row) {
  const int x = column - kTagBorder, y = kTagCells - 1 - row - kTagBorder;  // from the top left
  if (std::min(x, y) < 0 || std::max(x, y) >= kTagBits) return true;
  return (tag >> (kTagBits * kTagBits - 1 - (y * kTagBits + x)) & 1U) == 0;
}

}  // namespace

Print::Print(std::vector<double> y, std::vector<double> z, const std::vector<bool>& dark)
    : y_(std::move(y)), z_(std::move(z)) {
  const std::size_t width = y_.size();
  sums_.assign(width * z_.size(), 0.0);
  for (std::size_t row = 0; row + 1 < z_.size(); ++row) {
    double of_row = 0.0;
    for (std::size_t column = 0; column + 1 < width; ++column) {
      if (dark[row * (width - 1) + column]) of_row += y_[column + 1] - y_[column];
      const std::size_t below = row * width + column + 1;
      sums_[below + width] = sums_[below] + of_row * (z_[row + 1] - z_[row]);
    }
  }
}

// Bilinear within a cell.
double Print::darkBelow(double y, double z) const {
  // The cell of a place between lines, and the place in it from 0 to 1; the nearest for one
  // outside.
  const auto locate = [](const std::vector<double>& lines, double place) {
    const auto next = std::upper_bound(lines.begin() + 1, lines.end() - 1, place);
    const double part = (place - *(next - 1)) / (*next - *(next - 1));
    return std::pair(static_cast<std::size_t>(next - lines.begin()) - 1,
                     std::clamp(part, 0.0, 1.0));
  };
  const auto [column, u] = locate(y_, y);
  const auto [row, v] = locate(z_, z);
  const double* const low = &sums_[row * y_.size() + column];
  const double* const high = low + y_.size();
  return (1.0 - v) * ((1.0 - u) * low[0] + u * low[1]) + v * ((1.0 - u) * high[0] + u * high[1]);
}

double Print::darkShare(const Eigen::Vector2d& middle, const Eigen::Vector2d& half) const {
  const Eigen::Vector2d low = middle - half, high = middle + half;
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

Eigen::Vector2d Chessboard::size() const {
  return (square * Eigen::Vector2d(columns + 1, rows + 1)).array() + 2.0 * margin;
}

Print Chessboard::print() const {
  const auto lines = [this](int squares) {
    std::vector<double> places;
    for (int i = 0; i <= squares; ++i) places.push_back(square * (i - 0.5 * squares));
    return places;
  };
  std::vector<bool> dark;
  for (int row = 0; row <= rows; ++row) {
    for (int column = 0; column <= columns; ++column) dark.push_back((row + column) % 2 == 0);
  }
  return {lines(columns + 1), lines(rows + 1), dark};
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

void AprilGrid::declare(Settings& settings) {
  settings.optional("tag_columns", tag_columns, "", {1.0, kMostTags});
  settings.optional("tag_rows", tag_rows, "", {1.0, kMostTags});
  settings.optional("tag_size", tag_size, "m", {0.01, 5.0});
  settings.optional("tag_spacing", tag_spacing, "", {0.05, 1.0});
  settings.optional("margin", margin, "m", {0.0, 2.0});
}

Eigen::Vector2d AprilGrid::size() const {
  return (tag_size * (1.0 + tag_spacing) * Eigen::Vector2d(tag_columns, tag_rows)).array() +
         tag_size * tag_spacing + 2.0 * margin;
}

/// Lines between cells in one direction: a space, then the cells of a tag and a space for each tag.
std::vector<double> AprilGrid::lines(int tags) const {
  const double space = tag_spacing * tag_size, pitch = tag_size + space;
  const double start = -0.5 * (tags * pitch + space);
  std::vector<double> places = {start};
  for (int tag = 0; tag < tags; ++tag) {
    for (int cell = 0; cell <= kTagCells; ++cell) {
      places.push_back(start + space + tag * pitch + cell * tag_size / kTagCells);
    }
  }
  places.push_back(-start);
  return places;
}

Print AprilGrid::print() const {
  std::vector<bool> dark;
  for (int row = 0; row <= tag_rows * kTagPitch; ++row) {
    for (int column = 0; column <= tag_columns * kTagPitch; ++column) {
      const int x = column % kTagPitch - 1, y = row % kTagPitch - 1;  // -1: between the tags
      if (x < 0 || y < 0) {
        dark.push_back(x == y);
        continue;
      }
      const int number = row / kTagPitch * tag_columns + column / kTagPitch;
      dark.push_back(isDark(kTag36h11[static_cast<std::size_t>(number)], x, y));
    }
  }
  return {lines(tag_columns), lines(tag_rows), dark};
}

std::vector<Eigen::Vector3d> AprilGrid::corners() const {
  const std::vector<double> y = lines(tag_columns), z = lines(tag_rows);
  // The line at the left or right side of tags, or at their bottom or top.
  const auto line = [](int corner) {
    return static_cast<std::size_t>(corner / 2 * kTagPitch + 1 + corner % 2 * kTagCells);
  };
  std::vector<Eigen::Vector3d> places;
  for (int row = 0; row < 2 * tag_rows; ++row) {
    for (int column = 0; column < 2 * tag_columns; ++column) {
      places.emplace_back(0.0, y[line(column)], z[line(row)]);
    }
  }
  return places;
}

}  // namespace marsim::scene
