#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace marsim::map_tools {

/// Common traits of all values of a table's column.
struct ColumnValues {
  bool numbers = true;  ///< or empty cells
  bool whole = true;    ///< without a decimal point
  double least = std::numeric_limits<double>::infinity();
  double most = -std::numeric_limits<double>::infinity();
  double step = 0.0;  ///< sum of the distances to the next column's values
  bool unit = true;   ///< this column and the next two are vectors of length 1

  void add(std::string_view text, double value);
};

/// Adds a row to the values of its columns.
void addRow(const std::vector<std::string_view>& cells, std::vector<ColumnValues>& columns);

/// Names of columns that have none: x, y, z, and intensity, r, g, b where the values look like
/// them, "-" for others. Where both x y z i r g b and x y z r g b s would do, PTS is the first, and
/// of others the values decide: red, green and blue are near each other.
std::vector<std::string> judgedNames(const std::vector<ColumnValues>& columns, bool is_pts);

}  // namespace marsim::map_tools
