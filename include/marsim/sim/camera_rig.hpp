// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "marsim/lidar/camera.hpp"
#include "marsim/sim/image_clock.hpp"

namespace marsim::sim {

/// The cameras of a vehicle that take their images together: vehicle reports in, images out.
class CameraRig {
 public:
  using Instant = ImageClock::Instant;

  /// Makes a lidar::Camera of each camera in `config`, with noise of its own.
  CameraRig(lidar::CameraRigConfig config, const lidar::CameraRenderers& renderers);

  /// Returns the instants whose images a report makes due.
  std::vector<Instant> take(const VehicleReport& report) { return clock_.take(report); }
  /// Renders images of some cameras; times of `objects` count from the instant's time. With several
  /// renderer threads, as many images are rendered at once. May run in another thread than take().
  std::vector<lidar::CameraImage> images(const std::vector<std::size_t>& cameras,
                                         const Instant& instant,
                                         View<scene::MovingObject> objects) const;
  /// Sets the weather of all cameras, see lidar::Camera.
  void setWeather(const lidar::Weather& weather);
  /// Begin and end of the interval in which the motion of objects affects an instant's images.
  TimeNs beginOf(const Instant& instant) const;
  TimeNs endOf(const Instant& instant) const;
  /// [ns] between two images.
  TimeNs period() const { return toNs(1.0 / config_.rate); }

  const lidar::CameraRigConfig& config() const { return config_; }
  const std::vector<lidar::Camera>& cameras() const { return cameras_; }

 private:
  lidar::CameraRigConfig config_;
  std::vector<lidar::Camera> cameras_;
  std::size_t threads_;
  double after_ = 0.0;  // [s] the longest CameraConfig::after()
  ImageClock clock_;
};

}  // namespace marsim::sim
