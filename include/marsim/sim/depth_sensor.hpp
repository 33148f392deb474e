// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "marsim/lidar/depth_camera.hpp"
#include "marsim/sim/image_clock.hpp"

namespace marsim::sim {

/// The depth camera of a vehicle: vehicle reports in, images out, one at every instant of an
/// ImageClock.
class DepthSensor {
 public:
  using Instant = ImageClock::Instant;

  /// Takes the arguments of lidar::DepthCamera.
  DepthSensor(lidar::DepthCameraConfig config,
              std::shared_ptr<const lidar::ImageRenderer> renderer);

  /// Returns the instants whose images a report makes due, without those that ImageClock skips.
  std::vector<Instant> take(const VehicleReport& report) { return clock_.take(report); }
  /// Renders the image of an instant, with the `objects` of that instant. May run in another thread
  /// than take().
  lidar::DepthImage image(const Instant& instant, View<scene::MovingObject> objects) {
    lidar::DepthImage image = camera_.image(instant.time, instant.X_WB, objects);
    image.stamp = instant.stamp;
    return image;
  }

  /// See lidar::DepthCamera::setWeather().
  void setWeather(const lidar::Weather& weather) { camera_.setWeather(weather); }
  const lidar::DepthCameraConfig& config() const { return camera_.config(); }

 private:
  lidar::DepthCamera camera_;
  ImageClock clock_;
};

}  // namespace marsim::sim
