// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "marsim/common/settings.hpp"

namespace marsim::lidar {

/// The cone of light of one shot, and how many rays stand for it.
struct BeamConfig {
  enum class Shape {
    kCircle,     ///< "circle": the same divergence both ways
    kEllipse,    ///< "ellipse"
    kRectangle,  ///< "rectangle": the image of an emitter's die
  };

  double divergence_horizontal = 0.0;  ///< [rad] full angle, along the sensor's horizon
  double divergence_vertical = 0.0;    ///< [rad] full angle, across it
  Shape shape = Shape::kCircle;
  int rays = 1;               ///< 1, 7, 9, 19, 37
  double pulse_length = 0.0;  ///< [s] reflections nearer together than light travels in half of it
                              ///< are one echo; 0: each ray has an echo of its own, as bright as if
                              ///< it were the whole beam

  /// The fewest rays that are at most 1 mrad apart across the wider divergence, else 37; "auto" in
  /// files.
  int raysBySpot() const;
  void declare(Settings& settings);
  /// Throws ConfigError.
  void validate(const std::string& where) const;
};

/// Which echoes of a shot are reported.
enum class ReturnMode {
  kStrongest,  ///< "strongest": the most energy
  kFirst,      ///< "first": the nearest
  kLast,       ///< "last": the farthest
  kDual,       ///< "dual": the strongest and the last, or the two strongest if these are the same
  kTriple,     ///< "triple": the three strongest
  kTwoStrongest,  ///< "two_strongest", as an Ouster reports
};

/// Words of YAML files, in the order of the enumeration.
const std::vector<std::pair<std::string, ReturnMode>>& returnModes();
const char* nameOf(ReturnMode mode);
/// Most returns of a shot: 1 to 3.
int mostReturns(ReturnMode mode);

/// Which echoes of a shot a receiver detects and reports.
struct ReturnsConfig {
  ReturnMode mode = ReturnMode::kStrongest;
  double signal_cutoff = 0.0;  ///< [m] mode first: range is the mean over all light from the
                               ///< nearest surface to this far behind it; 0: over the first echo
  double threshold = 0.0;      ///< [1/m^2] reflectivity along the beam / range^2 that is detected
  double separation = 0.0;     ///< [m] dual, triple: of nearer echoes only the stronger is reported

  void declare(Settings& settings);
  /// Throws ConfigError.
  void validate(const std::string& where) const;
};

}  // namespace marsim::lidar
