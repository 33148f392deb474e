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
  std::uint32_t column;       ///< number of the firing cycle since simulated time 0, wrapping
};

/// A glass wedge with one plane and one inclined face, turning about the optical axis.
struct RotatingPrism {
  double speed = 0.0;        ///< [rad/s] about the optical axis, signed
  double wedge_angle = 0.0;  ///< [rad] > 0: the inclined face meets the beam first
  double refractive_index = 1.51;
  double phase = 0.0;  ///< [rad] at simulated time 0
};

/// Rotating prisms (Risley) in front of a fan of lasers. Model: refraction at the plane and the
/// inclined face of each prism (Li, Liu, Sun, Opt. Express 25:7677, 2017). The optical axis is +x.
struct RisleyPatternConfig {
  using Prism = RotatingPrism;
  std::vector<Prism> prisms;
  std::vector<double> beam_angles = {0.0};  ///< [rad] of each line in the fan, vertical, + up
  double points_per_second = 0.0;           ///< over all lines
  bool lines_fire_together = true;          ///< lines at one instant; else evenly spread
};

/// Livox Mid-360: a fan of lasers shines up the z axis through a rotating prism onto a mirror that
/// turns at another speed. The mirror sweeps azimuth; the prism, turning against the mirror at the
/// difference of their speeds, sweeps elevation up and down; the fan turns in the image once a
/// revolution, as it stands still in the body. The lines of a group follow one another evenly, all
/// through the deflector as it stands at the group's first.
struct Mid360PatternConfig {
  double points_per_second = 200000.0;  ///< over all lines
  std::vector<double> beam_angles;      ///< [rad] of each line in the fan, before the prism
  double fan_azimuth = 0.0;             ///< [rad] direction to which positive beam angles lean
  RotatingPrism prism;                  ///< its optical axis is +z
  double mirror_speed = 0.0;            ///< [rad/s] negative: clockwise from above
  double mirror_phase = 0.0;            ///< [rad] azimuth of the mirror at simulated time 0
  double mirror_tilt = 0.0;             ///< [rad] between the mirror's normal and -z
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
  /// One more than the highest ring.
  virtual std::uint16_t rings() const = 0;
};

/// Throws ConfigError.
void validatePattern(const PatternConfig& config, const std::string& where);
std::unique_ptr<ScanPattern> makePattern(const PatternConfig& config);

}  // namespace marsim::lidar
