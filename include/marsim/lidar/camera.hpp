// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "marsim/common/sensor_clock.hpp"
#include "marsim/common/settings.hpp"
#include "marsim/common/time.hpp"
#include "marsim/geometry/kinematic_state.hpp"
#include "marsim/geometry/pose.hpp"
#include "marsim/lidar/camera_model.hpp"
#include "marsim/lidar/depth_camera.hpp"
#include "marsim/lidar/renderer.hpp"
#include "marsim/lidar/weather.hpp"

namespace marsim::lidar {

/// The format of an image's pixels.
enum class ImageEncoding {
  kMono8,  ///< "mono8"
  kBgr8,   ///< "bgr8"
  kRgb8,   ///< "rgb8"
};
const char* nameOf(ImageEncoding encoding);
/// Bytes of a pixel.
std::size_t bytesOf(ImageEncoding encoding);

/// The light on a place and the look of its surfaces.
enum class CameraLight {
  kSun,   ///< "sun": a sun with shadows, sky or lamps with darker corners, textures of materials
  kFlat,  ///< "flat": an overcast sky without shadows, one texture
};

/// The texture that fills space, by which surfaces' colours are multiplied.
struct TextureConfig {
  double amplitude = 0.12;  ///< standard deviation of each octave, of the colour; 0: none
  double coarsest = 0.32;   ///< [m] wave length of the first octave; each next one is half as long
  double finest = 0.01;     ///< [m] no octave's wave length is shorter
};

/// A camera as its file describes it.
struct CameraConfig {
  std::string name;  ///< part of its topics and its frame; may be empty for a single camera
  CameraModel model;
  Pose X_BC;                 ///< optical frame (z forward, x right) in body
  double range_max = 200.0;  ///< [m] along the ray; beyond is the sky
  ImageEncoding encoding = ImageEncoding::kBgr8;
  double exposure = 0.01;      ///< [s]
  double gain = 1.0;           ///< factor
  double full_well = 10000.0;  ///< [electrons] of white at gain 1: shot noise; 0: no noise at all
  double read_noise = 10.0;    ///< [electrons] standard deviation
  bool antialiasing = true;    ///< edges between surfaces are blurred a little
  /// [s] from the first row's exposure to the last one's; 0: global shutter.
  double readout = 0.0;
  /// Motion blur: instants of the exposure whose light is averaged; 1: none.
  int subframes = 1;
  TextureConfig texture;
  CameraLight light = CameraLight::kSun;
  double vignetting = 0.0;     ///< share of the light that is lost in the image's corners
  bool auto_exposure = false;  ///< the gain makes each image's mean a medium grey
  /// Depth of the same pixels beside the colour, as of an RGB-D camera: its limits, encoding and
  /// stereo noise. Name, size, intrinsics, pose and seed are the camera's, see Camera.
  std::optional<DepthCameraConfig> aligned_depth;

  /// [s] of light taken in before and after the stamp, which is the middle of the first row's
  /// exposure. The exposure's length counts only with motion blur.
  double before() const { return subframes > 1 ? 0.5 * exposure : 0.0; }
  double after() const { return readout + before(); }
  /// Namespace of its aligned depth's topics, beside the cameras' names.
  std::string depthTopic() const;
  /// Declares the settings of exposure and light, which all cameras of a rig may share.
  void declareTaking(Settings& settings);
  /// Declares the settings of one camera of a rig, except its pose.
  void declare(Settings& settings);
  /// Throws ConfigError.
  void validate(const std::string& where) const;
};

/// Cameras that take their images at the same instants.
struct CameraRigConfig {
  std::string name;
  double rate = 20.0;  ///< [Hz] images a second
  ClockErrors clock;   ///< of the images' stamps, which all cameras share
  std::vector<CameraConfig> cameras;
  std::uint64_t seed = 1;

  /// Number of the camera whose optical frame a camera's images name: its own, but the first one
  /// (0) for the second camera of a rectified pair, as image_geometry demands and RViz shows it: P
  /// then projects points of that frame. The cameras of a pair look the same way, one beside the
  /// other, with the same fx, fy, cy.
  std::size_t imageFrameOf(std::size_t camera) const;
  /// [px m] Tx of a camera's projection matrix: -fx B where it names the first one's frame and
  /// stands B to the right of it, as stereo_image_proc reads it; else 0.
  double shiftOf(std::size_t camera) const;
  /// Whether a camera of this name would publish where another publishes its aligned depth.
  bool isDepthTopic(const std::string& word) const;
  /// Throws ConfigError.
  void validate(const std::string& where) const;
};

/// An image of one instant.
struct CameraImage {
  TimeNs stamp = 0;                  ///< by the cameras' clock
  Pose X_WC;                         ///< true optical frame in world at `time`
  std::vector<Pose> X_WC_of_rows;    ///< rolling shutter: the pose of each row
  std::vector<std::uint8_t> pixels;  ///< row by row from the top left
  std::vector<Hit> hits;             ///< what the centre of each pixel meets
  TimeNs time = 0;                   ///< simulated time

  const Pose& poseOfRow(int row) const {
    return X_WC_of_rows.empty() ? X_WC : X_WC_of_rows[static_cast<std::size_t>(row)];
  }
};

/// The renderers of a map for cameras: all of one map, and of one vegetation if there is some.
struct CameraRenderers {
  std::shared_ptr<const map::SurfelMap> map;
  std::shared_ptr<const RayRenderer> rays;
  std::shared_ptr<const ImageRenderer> images;
  int threads = 1;  ///< that shade; 0: all cores
};

struct Frame;

/// A camera. Casts the rays of the pixels and colours the surfaces that they meet: the colour of
/// the surfel or of its class, averaged over the surfels around, times a texture that is fixed in
/// space, in the light of CameraLight. Images depend on configuration, seed, stamp, poses and the
/// world only, not on the number of threads.
class Camera {
 public:
  /// Throws ConfigError, Error.
  Camera(CameraConfig config, CameraRenderers renderers, std::uint64_t seed);

  /// The image from the body at rest at X_WB. Times of objects count from `stamp`. Throws
  /// ConfigError for an invalid object.
  CameraImage image(TimeNs stamp, const Pose& X_WB, View<MovingObject> objects = {}) const;
  /// The image from a moving body; `motion` covers the time in which light is taken in.
  CameraImage imageAlong(TimeNs stamp, const StateHistory& motion,
                         View<MovingObject> objects = {}) const;
  /// Returns an image with stamp and poses, but without hits and pixels.
  CameraImage empty(TimeNs stamp, const StateHistory& motion) const;
  /// Sets the weather of all later images; at first clear air. Air with an `extinction` [1/m] adds
  /// its own light, as bright as the horizon: exp(-extinction * range) of a surface's light is left
  /// (Koschmieder's law), of the sky's as at `range_max`. For alignedDepth see
  /// DepthCamera::setWeather. Throws ConfigError.
  void setWeather(const Weather& weather);
  /// Depth along the axis (also for a fisheye) at an image's pixels; only with aligned_depth.
  DepthImage alignedDepth(const CameraImage& image) const;
  /// Configuration with all fields of aligned_depth set.
  const CameraConfig& config() const { return config_; }
  const RayRenderer& rays() const;
  /// Unit directions in C through the pixels' centres, row by row.
  const std::vector<Eigen::Vector3f>& directions() const;
  /// Time [s] since the stamp at which a row is taken.
  double timeOf(int row) const;

 private:
  struct Parts;
  using BodyAt = std::function<Pose(double)>;  // X_WB at a time [s] since the stamp
  CameraImage imageOf(TimeNs stamp, const BodyAt& bodyAt, View<MovingObject> objects) const;
  CameraImage emptyOf(TimeNs stamp, const BodyAt& bodyAt) const;
  Frame frameAt(TimeNs stamp, double offset, const BodyAt& bodyAt) const;
  bool castCentres(const Frame& frame, View<MovingObject> objects, std::vector<Hit>& hits,
                   SurfaceLooks& looks) const;

  std::shared_ptr<const Parts> parts_;
  CameraConfig config_;
  float extinction_ = 0.0F;  // [1/m] of the air
};

/// Source of the colours of a map's surfaces.
enum class ColourSource { kColours, kClasses, kReflectivity, kNone };
ColourSource colourSourceOf(const map::SurfelChannelViews& channels);
/// The colour of a class (map::semantic), sRGB.
map::Colour colourOfClass(std::uint8_t semantic_class);

}  // namespace marsim::lidar
