#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "marsim/lidar/depth_camera.hpp"
#include "marsim/sim/motion_track.hpp"

namespace marsim::sim {

/// The depth camera of a vehicle: vehicle reports in, images out, one at every multiple of the
/// image period since simulated time 0.
class ImageSensor {
 public:
  /// An instant whose image is due.
  struct Instant {
    TimeNs stamp = 0;
    Pose X_WB;
  };

  /// As lidar::DepthCamera.
  ImageSensor(lidar::DepthCameraConfig config,
              std::shared_ptr<const lidar::ImageRenderer> renderer);

  /// The images that a report makes due.
  std::vector<Instant> take(const VehicleReport& report);
  /// `objects` are those of the instant. May run in another thread than take().
  lidar::DepthImage image(const Instant& instant, View<scene::MovingObject> objects) {
    return camera_.image(instant.stamp, instant.X_WB, objects);
  }

  /// As lidar::DepthCamera's.
  void setWeather(const lidar::Weather& weather) { camera_.setWeather(weather); }
  const lidar::DepthCameraConfig& config() const { return camera_.config(); }

 private:
  lidar::DepthCamera camera_;
  MotionTrack motion_;
  std::int64_t next_ = 0;  ///< number of the image since simulated time 0
};

}  // namespace marsim::sim
