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
  /// The images of some cameras; times of `objects` count from the instant's stamp. Several at
  /// once where the renderers have several threads, as many. May run in another thread than take().
  std::vector<lidar::CameraImage> images(const std::vector<std::size_t>& cameras,
                                         const Instant& instant,
                                         View<scene::MovingObject> objects) const;
  /// As lidar::Camera, of all of them.
  void setWeather(const lidar::Weather& weather);
  /// The interval of an instant in which it matters how objects move.
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
  double after_ = 0.0;  // [s] the longest
  ImageClock clock_;
};

}  // namespace marsim::sim
