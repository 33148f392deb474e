#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include <Eigen/Core>

#include "marsim/common/time.hpp"

namespace marsim::lidar {

/// One laser shot of a scan pattern.
struct Firing {
  TimeNs stamp;               ///< simulated time of the shot
  Eigen::Vector3f direction;  ///< unit, sensor frame S (FLU)
  std::uint16_t ring;         ///< spinning: rank by elevation, 0 = lowest; else the line
  std::uint8_t line;          ///< Livox: laser line of the shot; spinning: 0
};

/// Rotating prisms (Risley) in front of a fan of lasers. Model: refraction at the plane and the
/// inclined face of each prism (Li, Liu, Sun, Opt. Express 25:7677, 2017).
struct RisleyPatternConfig {
  struct Prism {
    double speed = 0.0;        ///< [rad/s] rotation about the optical axis, signed
    double wedge_angle = 0.0;  ///< [rad] > 0: the inclined face meets the beam first
    double refractive_index = 1.51;
    double phase = 0.0;  ///< [rad] at simulated time 0
  };
  std::vector<Prism> prisms;
  std::vector<double> beam_angles = {0.0};  ///< [rad] of each line in the fan, vertical, + up
  double points_per_second = 0.0;           ///< over all lines
  bool lines_fire_together = true;          ///< lines at one instant; else evenly spread
};

/// Livox Mid-360: four lines in a fan that turns with the mirror while its elevation sweeps up and
/// down.
struct Mid360PatternConfig {
  double points_per_second = 200000.0;
  double rotation_rate = 0.0;  ///< [rad/s] of azimuth, negative: clockwise from above
  double sweep_rate = 0.0;     ///< [Hz] of the elevation sweep
  double elevation_min = 0.0;  ///< [rad] of the whole field of view
  double elevation_max = 0.0;  ///< [rad]
  int lines = 4;
  double fan_spacing = 0.0;  ///< [rad] between neighbouring lines
};

/// Channels in a column that turns about z.
struct SpinningPatternConfig {
  struct Channel {
    double elevation = 0.0;       ///< [rad]
    double azimuth_offset = 0.0;  ///< [rad] counter-clockwise
    double fire_time = 0.0;       ///< [s] within the firing cycle
  };
  std::vector<Channel> channels;  ///< in firing order
  double cycle_period = 0.0;      ///< [s] between columns
  double rotation_rate = 0.0;     ///< [rad/s], negative: clockwise from above
};

using PatternConfig = std::variant<RisleyPatternConfig, Mid360PatternConfig, SpinningPatternConfig>;

/// When a sensor shoots where. The pattern is a function of simulated time alone: intervals that
/// adjoin give, together, the shots of their union.
class ScanPattern {
 public:
  virtual ~ScanPattern() = default;
  /// Appends the shots with begin <= stamp < end, in the order of their stamps.
  virtual void fire(TimeNs begin, TimeNs end, std::vector<Firing>& firings) const = 0;
  /// Mean number of shots a second.
  virtual double pointsPerSecond() const = 0;
};

/// Throws ConfigError.
void validatePattern(const PatternConfig& config, const std::string& where);
std::unique_ptr<ScanPattern> makePattern(const PatternConfig& config);

}  // namespace marsim::lidar
