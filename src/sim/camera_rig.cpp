#include "marsim/sim/camera_rig.hpp"

#include <algorithm>
#include <utility>

#include "marsim/common/random.hpp"

namespace marsim::sim {

namespace {

ImageClock clockOf(const lidar::CameraRigConfig& config) {
  double before = 0.0, after = 0.0;
  for (const lidar::CameraConfig& camera : config.cameras) {
    before = std::max(before, camera.before());
    after = std::max(after, camera.after());
  }
  return ImageClock(config.rate, before, after, 1.0 / config.rate + before);
}

lidar::CameraRigConfig validated(lidar::CameraRigConfig config) {
  config.validate(config.name);
  return config;
}

}  // namespace

CameraRig::CameraRig(lidar::CameraRigConfig config, const lidar::CameraRenderers& renderers)
    : config_(validated(std::move(config))), clock_(clockOf(config_)) {
  for (const lidar::CameraConfig& camera : config_.cameras) {
    const std::uint64_t seed = RandomStream(config_.seed, "camera " + camera.name).next();
    cameras_.emplace_back(camera, renderers, seed);
    after_ = std::max(after_, camera.after());
  }
}

void CameraRig::setWeather(const lidar::Weather& weather) {
  for (lidar::Camera& camera : cameras_) camera.setWeather(weather);
}

TimeNs CameraRig::beginOf(const Instant& instant) const {
  return std::max(instant.stamp - period(), TimeNs{0});
}

TimeNs CameraRig::endOf(const Instant& instant) const { return instant.stamp + toNs(after_); }

}  // namespace marsim::sim
