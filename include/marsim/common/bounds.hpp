// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace marsim {

/// Allowed values of a setting, in SI units (radians for angles).
struct Bounds {
  double low;
  double high;
  bool above = false;  ///< `low` itself is not allowed

  /// Whether `value` is within the bounds; false for NaN.
  bool hold(double value) const;
  /// The bounds as text: "0.1 to 5 m", "more than 0, up to 5 m".
  std::string text(std::string_view unit = "") const;
  /// Throws ConfigError, as Validator does, where `value` is out of bounds.
  void require(std::string_view where, std::string_view field, double value,
               std::string_view unit = "") const;
};

/// UAVs that one launch may start. Each is three nodes, and a process may have 1024 files open by
/// default: what every node holds a connection to (/rosout, /clock) could not serve more.
constexpr int kMostUavs = 200;

}  // namespace marsim
