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

  /// As lidar::Camera. Each camera has noise of its own.
  CameraRig(lidar::CameraRigConfig config, const lidar::CameraRenderers& renderers);

  /// The images that a report makes due.
  std::vector<Instant> take(const VehicleReport& report) { return clock_.take(report); }
  /// One camera's image; `objects` are those of the instant. May run in another thread than take().
  lidar::CameraImage image(std::size_t camera, const Instant& instant,
                           View<scene::MovingObject> objects) const {
    return cameras_[camera].image(instant.stamp, instant.X_WB, objects);
  }

  const lidar::CameraRigConfig& config() const { return config_; }
  const std::vector<lidar::Camera>& cameras() const { return cameras_; }

 private:
  lidar::CameraRigConfig config_;
  std::vector<lidar::Camera> cameras_;
  ImageClock clock_;
};

}  // namespace marsim::sim
