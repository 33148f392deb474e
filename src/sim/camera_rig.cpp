#include "marsim/sim/camera_rig.hpp"

#include <algorithm>
#include <future>
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
    : config_(validated(std::move(config))),
      at_once_(renderers.threads != 1),
      clock_(clockOf(config_)) {
  for (const lidar::CameraConfig& camera : config_.cameras) {
    const std::uint64_t seed = RandomStream(config_.seed, "camera " + camera.name).next();
    cameras_.emplace_back(camera, renderers, seed);
    after_ = std::max(after_, camera.after());
  }
}

std::vector<lidar::CameraImage> CameraRig::images(const std::vector<std::size_t>& cameras,
                                                  const Instant& instant,
                                                  View<scene::MovingObject> objects) const {
  const auto policy = at_once_ ? std::launch::async : std::launch::deferred;
  std::vector<std::future<lidar::CameraImage>> begun;
  for (const std::size_t camera : cameras) {
    // The last one is this thread's.
    begun.push_back(std::async(
        begun.size() + 1 < cameras.size() ? policy : std::launch::deferred, [=, &instant] {
          return cameras_[camera].imageAlong(instant.stamp, instant.motion, objects);
        }));
  }
  std::vector<lidar::CameraImage> images(cameras.size());
  for (std::size_t i = cameras.size(); i-- > 0;) images[i] = begun[i].get();
  return images;
}

void CameraRig::setWeather(const lidar::Weather& weather) {
  for (lidar::Camera& camera : cameras_) camera.setWeather(weather);
}

TimeNs CameraRig::beginOf(const Instant& instant) const {
  return std::max(instant.stamp - period(), TimeNs{0});
}

TimeNs CameraRig::endOf(const Instant& instant) const { return instant.stamp + toNs(after_); }

}  // namespace marsim::sim
