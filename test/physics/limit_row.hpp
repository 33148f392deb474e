#pragma once

#include <limits>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace marsim::physics {

/// A figure, and the bounds within which it is right.
struct LimitRow {
  std::string name;
  double value = 0.0;
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();

  bool ok() const { return value >= low && value <= high; }
};

/// [{name, value, limit: [low, high], ok}], null for no bound.
nlohmann::ordered_json toJson(const std::vector<LimitRow>& rows);
/// A table; the rows that are not right once more at its end. Whether all are.
bool printRows(const std::vector<LimitRow>& rows);

}  // namespace marsim::physics
