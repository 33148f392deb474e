#include "marsim/sim/image_sensor.hpp"

#include <cmath>
#include <utility>

namespace marsim::sim {

ImageSensor::ImageSensor(lidar::DepthCameraConfig config,
                         std::shared_ptr<const lidar::ImageRenderer> renderer)
    : camera_(std::move(config), std::move(renderer)) {}

std::vector<ImageSensor::Instant> ImageSensor::take(const VehicleReport& report) {
  std::vector<Instant> due;
  const MotionTrack::Effect effect = motion_.push(report);
  if (effect == MotionTrack::Effect::kIgnored) return due;
  StateHistory& history = motion_.history();
  const TimeNs now = history.back().stamp;
  const double rate = config().rate;
  if (effect == MotionTrack::Effect::kBegun) next_ = std::llround(std::ceil(toSeconds(now) * rate));
  for (TimeNs stamp = toNs(static_cast<double>(next_) / rate); stamp <= now;
       stamp = toNs(static_cast<double>(++next_) / rate)) {
    if (history.covers(stamp, stamp)) due.push_back({stamp, history.poseAt(stamp)});
  }
  history.discardBefore(now);
  return due;
}

}  // namespace marsim::sim
