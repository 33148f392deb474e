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

  /// Makes a lidar::Camera for each camera in `config`; their noise has different seeds.
  CameraRig(lidar::CameraRigConfig config, const lidar::CameraRenderers& renderers);

  /// Returns the instants whose images a report makes due.
  std::vector<Instant> take(const VehicleReport& report) { return clock_.take(report); }
  /// Renders images of some cameras, as many in parallel as the renderer has threads; times of
  /// `objects` count from the instant's time. May run in another thread than take().
  std::vector<lidar::CameraImage> images(const std::vector<std::size_t>& cameras,
                                         const Instant& instant,
                                         View<scene::MovingObject> objects) const;
  /// Sets the weather of all cameras, see lidar::Camera.
  void setWeather(const lidar::Weather& weather);
  /// Begin and end of the interval for which an instant's images need the moving objects: from the
  /// image before, for the optical flow, to the end of this one's exposure and readout.
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
  double after_ = 0.0;  // [s] motion needed after an image's time, the most of all cameras
  ImageClock clock_;
};

}  // namespace marsim::sim
