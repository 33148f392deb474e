// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace marsim::physics {

/// A figure, and its bounds.
struct LimitRow {
  std::string name;
  double value = 0.0;
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();

  bool ok() const { return value >= low && value <= high; }
};

/// [{name, value, limit: [low, high], ok}], null for no bound.
nlohmann::ordered_json toJson(const std::vector<LimitRow>& rows);
/// Prints a table, with the rows out of bounds again at its end. Returns whether all are in bounds.
bool printRows(const std::vector<LimitRow>& rows);

}  // namespace marsim::physics
