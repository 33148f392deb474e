// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "marsim/common/sensor_clock.hpp"
#include "marsim/common/settings.hpp"
#include "marsim/common/time.hpp"
#include "marsim/geometry/pose.hpp"
#include "marsim/lidar/renderer.hpp"
#include "marsim/lidar/weather.hpp"

namespace marsim::lidar {

/// The encoding of depth in an image.
enum class DepthEncoding {
  kMillimetres,  ///< "16UC1": whole mm, 0 invalid
  kMetres,       ///< "32FC1": m; too near -inf, nothing +inf (REP-117, REP-118)
};

/// A depth camera as described by its YAML file.
struct DepthCameraConfig {
  std::string name;
  int width = 640, height = 480;  ///< [px]
  double fx = 0.0, fy = 0.0;      ///< [px]
  double cx = 0.0, cy = 0.0;      ///< [px] pixel centres at integer coordinates
  double rate = 30.0;             ///< [Hz] images a second
  ClockErrors clock;              ///< of the images' stamps
  double range_min = 0.1;         ///< [m] along the optical axis
  double range_max = 10.0;        ///< [m] along the optical axis
  Pose X_BC;                      ///< optical frame (z forward, x right) in body
  DepthEncoding encoding = DepthEncoding::kMillimetres;
  // Stereo noise, none where either is 0: sigma_z = z^2 s / (f B).
  double subpixel_error = 0.0;  ///< [px] s, standard deviation of the disparity
  double baseline = 0.0;        ///< [m] B
  /// [px] side of the window that the matcher compares: errors of pixels nearer together are
  /// correlated, as means over windows of a white error are. Odd; 1: white.
  int window = 9;
  // Further errors of depth from stereo. The second camera stands B to the right.
  double disparity_step = 0.0;  ///< [px] disparities are whole multiples of it; 0: any
  bool occlusions = false;      ///< no depth where the second camera does not see the place
  /// [grey levels] no depth where the image's standard deviation in 7 x 7 pixels is less. For a
  /// camera's aligned depth only; 0: depth everywhere.
  double least_contrast = 0.0;
  std::uint64_t seed = 1;

  ImageGrid grid() const;
  void declare(Settings& settings);
  /// `min` and `max`.
  void declareRange(Settings& range);
  /// `encoding` and `stereo`; `with_image`: also errors that depend on an image of the same pixels.
  void declareStereo(Settings& settings, bool with_image);
  void validate(const std::string& where) const;
  /// Checks limits and stereo noise only; errors name fields with these prefixes: "range.min",
  /// "stereo.baseline".
  void validateDepth(const std::string& where, const std::string& range,
                     const std::string& stereo) const;
};

/// Orientation of the optical frame in a frame with x forward and z up (REP-103).
Eigen::Quaterniond opticalRotation();

/// An image of one instant.
struct DepthImage {
  TimeNs stamp = 0;          ///< by the camera's clock
  Pose X_WC;                 ///< true optical frame in world
  std::vector<float> depth;  ///< [m] along the optical axis, row by row from the top left, as
                             ///< measured; nothing in range +inf, too near -inf
};

/// Returns the depth that a camera measures at its pixels' hits, noise included. `cosines`: of the
/// angles between the pixels' rays and the optical axis. `extinction` [1/m]: of the air, see
/// DepthCamera::setWeather.
DepthImage measureDepth(const DepthCameraConfig& config, TimeNs stamp, const Pose& X_WC,
                        const std::vector<Hit>& hits, const std::vector<float>& cosines,
                        float extinction = 0.0F);

/// A depth camera, which takes images of one instant.
class DepthCamera {
 public:
  /// `renderer` may be any; that of makeDepthImageRenderer() is the fastest. Throws ConfigError,
  /// Error.
  DepthCamera(DepthCameraConfig config, std::shared_ptr<const ImageRenderer> renderer);

  /// The image from the body at X_WB. Its noise depends on seed and stamp alone. Objects stand at
  /// their poses of time 0. Throws ConfigError for an invalid object.
  DepthImage image(TimeNs stamp, const Pose& X_WB, View<MovingObject> objects = {});
  /// Sets the weather of all later images; at first clear air. In air with an `extinction` [1/m]
  /// contrast falls as exp(-extinction * range): stereo's disparities are that much less certain,
  /// and nothing is matched where less than 5 % is left (the visibility). Throws ConfigError.
  void setWeather(const Weather& weather);
  const DepthCameraConfig& config() const { return config_; }

 private:
  DepthCameraConfig config_;
  std::shared_ptr<const ImageRenderer> renderer_;
  std::vector<float> cosines_;  ///< of each pixel's ray with the optical axis
  float range_max_ = 0.0F;      ///< [m] along the ray of the farthest corner
  float extinction_ = 0.0F;     ///< [1/m] of the air
  std::vector<Hit> hits_;       ///< kept between images
};

}  // namespace marsim::lidar
