// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/lidar/depth_camera.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "lidar/image/image_size.hpp"
#include "lidar/measure/stereo_depth.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/random.hpp"
#include "marsim/common/units.hpp"
#include "marsim/geometry/pose_settings.hpp"

namespace marsim::lidar {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// sigma_z = z^2 s / (f B): the first-order error of z = f B / disparity (Keselman et al., Intel
/// RealSense stereoscopic depth cameras, arXiv:1705.05548).
void addNoise(const DepthCameraConfig& config, const std::vector<Hit>& hits, float extinction,
              DepthImage& image) {
  const double factor = config.subpixel_error / (config.fx * config.baseline);  // [1/m]
  const std::uint64_t key =
      mixBits(config.seed + static_cast<std::uint64_t>(image.stamp) * kGoldenGamma);
  const std::vector<float> errors = matchingErrors(config, key);
  for (std::size_t i = 0; i < image.depth.size(); ++i) {
    float& depth = image.depth[i];
    if (!std::isfinite(depth)) continue;
    const double z = static_cast<double>(depth);
    double sigma = z * z * factor;
    if (extinction > 0.0F) sigma *= static_cast<double>(std::exp(extinction * hits[i].range));
    const double measured = z + sigma * static_cast<double>(errors[i]);
    depth = measured < config.range_min   ? -kInfinity
            : measured > config.range_max ? kInfinity
                                          : static_cast<float>(measured);
  }
}

}  // namespace

DepthImage measureDepth(const DepthCameraConfig& config, TimeNs stamp, const Pose& X_WC,
                        const std::vector<Hit>& hits, const std::vector<float>& cosines,
                        float extinction) {
  DepthImage image;
  image.stamp = stamp;
  image.X_WC = X_WC;
  image.depth.resize(hits.size());
  const auto range_min = static_cast<float>(config.range_min);
  const auto range_max = static_cast<float>(config.range_max);
  const float visibility = extinction > 0.0F ? std::log(20.0F) / extinction : kInfinity;
  for (std::size_t i = 0; i < hits.size(); ++i) {
    const float depth = hits[i].range * cosines[i];
    const bool is_seen = hits[i].valid() && depth <= range_max && hits[i].range <= visibility;
    image.depth[i] = !is_seen ? kInfinity : depth < range_min ? -kInfinity : depth;
  }
  if (config.baseline <= 0.0) return image;
  const std::vector<bool> is_hidden =
      config.occlusions ? hiddenFromSecond(config, image.depth) : std::vector<bool>();
  if (config.subpixel_error > 0.0) addNoise(config, hits, extinction, image);
  if (config.disparity_step > 0.0) quantise(config, image.depth);
  for (std::size_t i = 0; i < is_hidden.size(); ++i) {
    if (is_hidden[i]) image.depth[i] = kInfinity;
  }
  return image;
}

Eigen::Quaterniond opticalRotation() { return fromRollPitchYaw(-kPi / 2.0, 0.0, -kPi / 2.0); }

ImageGrid DepthCameraConfig::grid() const {
  ImageGrid grid;
  grid.projection = ImageGrid::Projection::kPinhole;
  grid.width = width;
  grid.height = height;
  grid.fx = fx;
  grid.fy = fy;
  grid.cx = cx;
  grid.cy = cy;
  return grid;
}

void DepthCameraConfig::declare(Settings& settings) {
  settings.required("name", name);
  settings.required("image", [&](Settings& image) {
    declareImageSize(image, width, height);
    image.required("fx", fx, "px", kPositive);
    image.required("fy", fy, "px", kPositive);
    image.required("cx", cx, "px");
    image.required("cy", cy, "px");
  });
  settings.required("range", [&](Settings& range) { declareRange(range); });
  settings.optional("rate", rate, "Hz", {0.1, 1000.0});
  settings.optional("clock", clock);
  settings.optional("mounting", [&](Settings& mounting) { declarePose(mounting, X_BC); });
  declareStereo(settings, false);
}

void DepthCameraConfig::declareRange(Settings& range) {
  range.required("min", range_min, "m", kNotNegative);
  range.required("max", range_max, "m");
}

void DepthCameraConfig::declareStereo(Settings& settings, bool with_image) {
  settings.optional("encoding", encoding,
                    {{"16UC1", DepthEncoding::kMillimetres}, {"32FC1", DepthEncoding::kMetres}});
  settings.optional("stereo", [&](Settings& stereo) {
    stereo.optional("subpixel_error", subpixel_error, "px", kNotNegative);
    stereo.optional("baseline", baseline, "m", kNotNegative);
    stereo.optional("window", window, "px", {1.0, 63.0});
    stereo.optional("disparity_step", disparity_step, "px", kShare);
    stereo.optional("occlusions", occlusions);
    if (!with_image) return;
    stereo.optional("least_contrast", least_contrast, "grey levels", {0.0, 128.0});
  });
}

void DepthCameraConfig::validate(const std::string& where) const {
  checkSettings(where, *this);
  const Validator check(where);
  check.require(!name.empty(), "name", "empty", "a name");
  requireImageSize(where, width, height);
  check.require(X_BC.q.coeffs().allFinite(), "mounting", "not finite",
                "finite position and rotation");
  clock.validate(where, rate);
  validateDepth(where, "range.", "stereo.");
  grid().validate(where);
}

void DepthCameraConfig::validateDepth(const std::string& where, const std::string& range,
                                      const std::string& stereo) const {
  const Validator check(where);
  check.require(range_max > range_min, range + "max", fmt::format("{} m", range_max),
                fmt::format("more than {}min, {} m", range, range_min));
  check.require(encoding != DepthEncoding::kMillimetres || range_max <= 65.535, range + "max",
                fmt::format("{} m", range_max), "up to 65.535 m with encoding 16UC1");
  check.require(window % 2 == 1, stereo + "window", fmt::format("{} px", window), "odd");
  check.require(baseline > 0.0 || (disparity_step == 0.0 && !occlusions), stereo + "baseline",
                fmt::format("{} m", baseline),
                "more than 0 m where there are disparity_step or occlusions");
}

DepthCamera::DepthCamera(DepthCameraConfig config, std::shared_ptr<const ImageRenderer> renderer)
    : config_(std::move(config)), renderer_(std::move(renderer)) {
  config_.validate(config_.name);
  if (!renderer_) throw Error(fmt::format("{}: a depth camera needs a renderer", config_.name));
  config_.X_BC.q.normalize();
  const ImageGrid grid = config_.grid();
  cosines_.reserve(grid.size());
  float least = 1.0F;
  for (int row = 0; row < grid.height; ++row) {
    for (int column = 0; column < grid.width; ++column) {
      cosines_.push_back(static_cast<float>(grid.direction(row, column).z()));
      least = std::min(least, cosines_.back());
    }
  }
  range_max_ = static_cast<float>(config_.range_max) / least;
}

void DepthCamera::setWeather(const Weather& weather) {
  weather.validate(config_.name);
  extinction_ = static_cast<float>(weather.extinction());
}

DepthImage DepthCamera::image(TimeNs stamp, const Pose& X_WB, View<MovingObject> objects) {
  const Pose X_WC = X_WB * config_.X_BC;
  renderer_->renderImageAt(stamp, config_.grid(), X_WC, static_cast<double>(range_max_), objects,
                           hits_);
  return measureDepth(config_, stamp, X_WC, hits_, cosines_, extinction_);
}

}  // namespace marsim::lidar
