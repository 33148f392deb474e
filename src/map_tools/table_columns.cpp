// SPDX-License-Identifier: BSD-3-Clause
#include "map_tools/table_columns.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "map/files/point_records.hpp"

namespace marsim::map_tools {
namespace {

/// Three columns, from `at` on.
struct Triple {
  Triple(const std::vector<ColumnValues>& columns, std::size_t at) {
    if (at + 3 > columns.size()) return;
    first = columns.data() + at;
    end = first + 3;
  }
  template <class Holds>
  bool all(const Holds& holds) const {
    return first != end && std::all_of(first, end, holds);
  }
  /// Whole numbers of 8 or 16 bits, or 0 to 1 and no normals.
  bool mayBeColours() const {
    const auto within = [this](double low, double high) {
      return all([=](const ColumnValues& c) { return c.most >= low && c.most <= high; });
    };
    if (!all([](const ColumnValues& c) { return c.numbers && c.least >= 0.0; })) return false;
    if (!all([](const ColumnValues& c) { return c.whole; })) return !first->unit && within(0, 1);
    return within(0, 255) || within(256, 65535);
  }
  bool areColours() const {
    return mayBeColours() && !all([](const ColumnValues& c) { return c.most == c.least; });
  }

  const ColumnValues *first = nullptr, *end = nullptr;
};

/// The first column of the colours; 0: none.
std::size_t colourColumn(const std::vector<ColumnValues>& columns, bool is_pts) {
  if (is_pts && columns.size() == 7 && Triple(columns, 4).mayBeColours()) return 4;
  const bool third = Triple(columns, 3).areColours(), fourth = Triple(columns, 4).areColours();
  if (third && fourth) return columns[3].step <= columns[5].step ? 3 : 4;
  if (third || fourth) return third ? 3 : 4;
  return Triple(columns, 6).areColours() ? 6 : 0;  // behind a normal
}

}  // namespace

void ColumnValues::add(std::string_view text, double value) {
  if (!std::isfinite(value)) return;
  whole = whole && text.find('.') == std::string_view::npos && value == std::floor(value);
  least = std::min(least, value);
  most = std::max(most, value);
}

void addRow(const std::vector<std::string_view>& cells, std::vector<ColumnValues>& columns) {
  columns.resize(cells.size());
  double before = 0.0, square = 0.0, square_before = 0.0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::optional<double> number = map::numberOf(cells[i]);
    const double value = number.value_or(std::numeric_limits<double>::quiet_NaN());
    columns[i].numbers = columns[i].numbers && (number || cells[i].empty());
    if (number) columns[i].add(cells[i], value);
    if (i >= 1 && std::isfinite(value - before)) columns[i - 1].step += std::abs(value - before);
    constexpr double kRounding = 0.02;
    if (i >= 2 && std::abs(square_before + square + value * value - 1.0) > kRounding) {
      columns[i - 2].unit = false;
    }
    square_before = square;
    square = value * value;
    before = value;
  }
}

std::vector<std::string> judgedNames(const std::vector<ColumnValues>& columns, bool is_pts) {
  std::vector<std::string> names(columns.size(), "-");
  std::copy_n(std::array{"x", "y", "z"}.begin(), 3, names.begin());
  const std::size_t colours = colourColumn(columns, is_pts);
  if (colours > 0) {
    std::copy_n(std::array{"r", "g", "b"}.begin(), 3,
                names.begin() + static_cast<std::ptrdiff_t>(colours));
  }
  if (columns.size() == 4 || colours == 4) names[3] = "intensity";
  return names;
}

}  // namespace marsim::map_tools
