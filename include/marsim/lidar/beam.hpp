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
  int rays = 1;               ///< 1, 7, 9, 19; of a rectangle 1 or 9
  double pulse_length = 0.0;  ///< [s] what is nearer together than light goes in half of it is one
                              ///< echo; above 0 where there are several rays

  void declare(Settings& settings);
  /// Throws ConfigError.
  void validate(const std::string& where) const;
};

/// Which echoes of a shot are reported.
enum class ReturnMode {
  kStrongest,  ///< "strongest": of the most energy
  kFirst,      ///< "first": the nearest
  kLast,       ///< "last": the farthest
  kDual,       ///< "dual": the strongest and the last; where that is one, the second strongest, too
  kTriple,     ///< "triple": the three strongest
  kTwoStrongest,  ///< "two_strongest", as of an Ouster
};

/// Words of YAML files, in the order of the enumeration.
const std::vector<std::pair<std::string, ReturnMode>>& returnModes();
const char* nameOf(ReturnMode mode);
/// Returns of a shot at most: 1 to 3.
int mostReturns(ReturnMode mode);

/// What a receiver makes of echoes.
struct ReturnsConfig {
  ReturnMode mode = ReturnMode::kStrongest;
  double signal_cutoff = 0.0;  ///< [m] mode first: the mean range of all light that comes from the
                               ///< nearest surface to this far behind it; 0: the first echo's own
  double threshold = 0.0;      ///< [1/m^2] reflectivity along the beam / range^2 that is detected
  double separation = 0.0;     ///< [m] dual, triple: of nearer echoes the stronger is reported

  void declare(Settings& settings);
  /// Throws ConfigError.
  void validate(const std::string& where) const;
};

}  // namespace marsim::lidar
