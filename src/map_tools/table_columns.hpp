// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace marsim::map_tools {

/// Traits of all values of a table's column.
struct ColumnValues {
  bool numbers = true;  ///< only numbers or empty cells
  bool whole = true;    ///< no decimal point
  double least = std::numeric_limits<double>::infinity();
  double most = -std::numeric_limits<double>::infinity();
  double step = 0.0;  ///< sum of the distances to the next column's values
  bool unit = true;   ///< this column and the next two are unit vectors

  void add(std::string_view text, double value);
};

/// Adds a row to the traits of its columns.
void addRow(const std::vector<std::string_view>& cells, std::vector<ColumnValues>& columns);

/// Names for unnamed columns: x, y, z, and intensity, r, g, b if the values suggest it, "-" for
/// others. If both x y z i r g b and x y z r g b s are possible, PTS files have the first; for
/// others the values decide: red, green and blue are near each other.
std::vector<std::string> judgedNames(const std::vector<ColumnValues>& columns, bool is_pts);

}  // namespace marsim::map_tools
