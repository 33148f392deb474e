// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "marsim/common/sensor_clock.hpp"
#include "marsim/common/settings.hpp"
#include "marsim/common/units.hpp"
#include "marsim/geometry/kinematic_state.hpp"
#include "marsim/lidar/beam.hpp"
#include "marsim/lidar/intensity.hpp"
#include "marsim/lidar/noise.hpp"
#include "marsim/lidar/output.hpp"
#include "marsim/lidar/renderer.hpp"
#include "marsim/lidar/scan.hpp"
#include "marsim/lidar/scan_pattern.hpp"
#include "marsim/lidar/surfaces.hpp"
#include "marsim/lidar/weather.hpp"

namespace marsim::lidar {

/// Directions between two azimuths (counter-clockwise from the first) and two elevations [rad].
struct AngularSector {
  double azimuth_min = -kPi, azimuth_max = kPi;
  double elevation_min = -1.57079632679489661923, elevation_max = 1.57079632679489661923;
  void declare(Settings& settings);
};

/// A LiDAR as described by its YAML file.
struct LidarConfig {
  std::string name;          ///< for messages and diagnostics
  double range_min = 0.1;    ///< [m] nearer surfaces give no return
  double range_max = 100.0;  ///< [m]
  double rate = 10.0;        ///< [Hz] scans a second
  ClockErrors clock;         ///< of the scans' stamps
  // Field of view: shots outside are not made [rad].
  double azimuth_min = -kPi, azimuth_max = kPi;
  double elevation_min = -1.57079632679489661923, elevation_max = 1.57079632679489661923;
  std::vector<AngularSector> blind_zones;                ///< in S; shots inside are not made
  Pose X_BS;                                             ///< mounting: sensor in body
  std::vector<OutputConfig> outputs = {OutputConfig{}};  ///< at least one
  BeamConfig beam;
  ReturnsConfig returns;
  NoiseConfig noise;
  IntensityConfig intensity;
  SurfacesConfig surfaces;     ///< mirrors, panes and retro-reflectors
  double reflectivity = 0.5;   ///< where map or object have none; 1: 100 %
  bool instantaneous = false;  ///< the whole scan from the pose at its stamp, all times 0
  PatternConfig pattern;

  void declare(Settings& settings);
  void validate(const std::string& where) const;
};

class RangeLimit;
class ShotNoise;
class ShotWeather;
class SurfaceChannels;
class SurfaceLight;
struct ScanRays;

/// A LiDAR, which turns motion into scans: fires the pattern, casts every shot from the sensor's
/// pose at its own firing time, measures as the sensor does and collects the returns.
class Lidar {
 public:
  /// `seed` decides the noise; `noise` false leaves the configuration's errors out, not its ranges
  /// by reflectivity. Throws ConfigError, Error.
  Lidar(LidarConfig config, std::shared_ptr<const RayRenderer> renderer, std::uint64_t seed = 1,
        bool noise = true);

  /// The scan of [begin, end), which `motion` must cover (an instantaneous sensor: its stamp).
  /// Times of objects count from `begin`. Throws Error, and ConfigError for an invalid object.
  Scan scan(TimeNs begin, TimeNs end, const StateHistory& motion, View<MovingObject> objects = {});
  /// The scan of one period from `begin` on by a body at rest.
  Scan scan(const Pose& X_WB, TimeNs begin = 0, View<MovingObject> objects = {});

  /// Whether scans list the shots without a return (organised clouds and some drivers need them).
  void keepMisses(bool keep) { keep_misses_ = keep; }
  /// Sets the weather of all later scans; at first clear air. Throws ConfigError.
  void setWeather(const Weather& weather);
  const LidarConfig& config() const { return config_; }

 private:
  void collect(const SurfaceChannels& surfaces, Scan& scan) const;
  float intensityOf(float reflectivity, float range) const;

  LidarConfig config_;
  std::shared_ptr<const RayRenderer> renderer_;
  std::unique_ptr<ScanPattern> pattern_;
  std::uint64_t seed_;
  std::shared_ptr<const RangeLimit> limit_;
  std::shared_ptr<const ShotNoise> noise_;      // null: none
  std::shared_ptr<SurfaceLight> light_;         // null: all surfaces scatter their light
  std::shared_ptr<const ShotWeather> weather_;  // null: none
  bool keep_misses_ = false;
  // Kept between scans so that a scan does not allocate.
  std::uint32_t first_column_ = 0;
  std::vector<Firing> firings_;
  std::shared_ptr<ScanRays> rays_;
  std::vector<Hit> hits_;
};

}  // namespace marsim::lidar
