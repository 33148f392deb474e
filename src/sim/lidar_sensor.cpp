// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/sim/lidar_sensor.hpp"

#include <utility>

namespace marsim::sim {

LidarSensor::LidarSensor(lidar::LidarConfig config,
                         std::shared_ptr<const lidar::RayRenderer> renderer, std::uint64_t seed,
                         bool noise)
    : lidar_(std::move(config), std::move(renderer), seed, noise),
      clock_(lidar_.config().clock, seed, "clock of the LiDAR") {}

lidar::Scan LidarSensor::scan(const Interval& interval, View<scene::MovingObject> objects) {
  lidar::Scan scan = lidar_.scan(interval.begin, interval.end, interval.motion, objects);
  scan.stamp += interval.stamp - interval.begin;
  return scan;
}

std::vector<LidarSensor::Interval> LidarSensor::take(const VehicleReport& report) {
  std::vector<Interval> due;
  const MotionTrack::Effect effect = motion_.push(report);
  if (effect == MotionTrack::Effect::kIgnored) return due;
  StateHistory& history = motion_.history();
  if (effect == MotionTrack::Effect::kBegun) {
    next_ = static_cast<std::int64_t>(toSeconds(history.front().stamp) * config().rate);
    while (boundary(next_) < history.front().stamp) ++next_;
  }
  while (history.back().stamp >= boundary(next_ + 1)) {
    const TimeNs begin = boundary(next_), end = boundary(next_ + 1);
    ++next_;
    const auto stamp = clock_.stampOf(begin);
    if (stamp && history.covers(begin, end)) due.push_back({begin, end, history, *stamp});
    history.discardBefore(end);
  }
  return due;
}

TimeNs LidarSensor::boundary(std::int64_t scan) const {
  return toNs(static_cast<double>(scan) / config().rate);
}

}  // namespace marsim::sim
