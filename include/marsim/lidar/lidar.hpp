#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "marsim/geometry/kinematic_state.hpp"
#include "marsim/lidar/renderer.hpp"
#include "marsim/lidar/scan_pattern.hpp"

namespace marsim::lidar {

/// Layout of the cloud message a sensor's driver publishes.
enum class CloudLayout {
  kVelodyne,  ///< x y z intensity f32, ring u16, time f32: 22 bytes, packed
  kXyzit,     ///< x y z intensity time f32: 20 bytes, packed
};

/// A LiDAR as described by its YAML file.
struct LidarConfig {
  std::string name;          ///< for messages and diagnostics
  double range_min = 0.1;    ///< [m] nearer first surfaces give no return
  double range_max = 100.0;  ///< [m]
  double rate = 10.0;        ///< [Hz] scans a second
  // Field of view: shots outside are not made [rad].
  double azimuth_min = -3.14159265358979323846, azimuth_max = 3.14159265358979323846;
  double elevation_min = -1.57079632679489661923, elevation_max = 1.57079632679489661923;
  Pose X_BS;  ///< mounting: sensor in body
  CloudLayout layout = CloudLayout::kXyzit;
  double intensity = 100.0;  ///< constant reflectivity reported, 0 to 255
  PatternConfig pattern;

  void validate(const std::string& where) const;
};

/// One return.
struct ScanPoint {
  Eigen::Vector3f p_S;   ///< [m] in the sensor frame at this point's own firing time
  Eigen::Vector3f p_W;   ///< [m] in the world frame
  float range;           ///< [m]
  float intensity;       ///< 0 to 255
  float time;            ///< [s] since the scan's stamp
  std::uint32_t surfel;  ///< index into the map
  std::uint16_t ring;
  std::uint8_t line;
};

/// The returns of one scan in firing order.
struct Scan {
  TimeNs stamp = 0;  ///< first firing
  TimeNs end = 0;    ///< end of the scan's interval
  Pose X_WS;         ///< sensor in world at `stamp`
  std::vector<ScanPoint> points;
  std::size_t rays = 0;      ///< shots made
  std::size_t too_near = 0;  ///< first surface nearer than range_min
};

/// Turns motion into scans: fires the pattern, casts every shot from the sensor's pose at its own
/// firing time and collects the returns.
class Lidar {
 public:
  /// Throws ConfigError, Error.
  Lidar(LidarConfig config, std::shared_ptr<const Renderer> renderer);

  /// The scan of [begin, end); `motion` must cover it.
  Scan scan(TimeNs begin, TimeNs end, const StateHistory& motion);

  const LidarConfig& config() const { return config_; }

 private:
  LidarConfig config_;
  std::shared_ptr<const Renderer> renderer_;
  std::unique_ptr<ScanPattern> pattern_;
  // Kept between scans so that a scan does not allocate.
  std::vector<Firing> firings_;
  std::vector<Ray> rays_;
  std::vector<Hit> hits_;
};

}  // namespace marsim::lidar
