// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/sim/camera_rig.hpp"

#include <algorithm>
#include <atomic>
#include <future>
#include <thread>
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
  const SensorClock stamps(config.clock, config.seed, "clock of the cameras");
  return ImageClock(config.rate, stamps, before, after, 1.0 / config.rate + before);
}

lidar::CameraRigConfig validated(lidar::CameraRigConfig config) {
  config.validate(config.name);
  return config;
}

std::size_t threadsOf(const lidar::CameraRenderers& renderers) {
  const auto cores = static_cast<int>(std::thread::hardware_concurrency());
  return static_cast<std::size_t>(renderers.threads == 0 ? cores : renderers.threads);
}

}  // namespace

CameraRig::CameraRig(lidar::CameraRigConfig config, const lidar::CameraRenderers& renderers)
    : config_(validated(std::move(config))),
      threads_(threadsOf(renderers)),
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
  std::vector<lidar::CameraImage> images(cameras.size());
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < images.size(); i = next++) {
      images[i] = cameras_[cameras[i]].imageAlong(instant.time, instant.motion, objects);
      images[i].stamp = instant.stamp;
    }
  };
  std::vector<std::future<void>> others;
  for (std::size_t i = 1; i < std::min(threads_, images.size()); ++i) {
    others.push_back(std::async(std::launch::async, work));
  }
  work();
  for (std::future<void>& other : others) other.get();
  return images;
}

void CameraRig::setWeather(const lidar::Weather& weather) {
  for (lidar::Camera& camera : cameras_) camera.setWeather(weather);
}

TimeNs CameraRig::beginOf(const Instant& instant) const {
  return std::max(instant.time - period(), TimeNs{0});
}

TimeNs CameraRig::endOf(const Instant& instant) const { return instant.time + toNs(after_); }

}  // namespace marsim::sim
