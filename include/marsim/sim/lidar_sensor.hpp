// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "marsim/lidar/lidar.hpp"
#include "marsim/sim/motion_track.hpp"

namespace marsim::sim {

/// The LiDAR of a vehicle: vehicle reports in, scans out. A scan lasts from one multiple of the
/// scan period to the next, counted from simulated time 0, and is made once the vehicle's motion
/// covers it.
class LidarSensor {
 public:
  /// An interval whose scan is due, with the motion that covers it.
  struct Interval {
    TimeNs begin = 0, end = 0;  ///< simulated time
    StateHistory motion;
    TimeNs stamp = 0;  ///< of `begin`, by the LiDAR's clock
  };

  /// Takes the arguments of lidar::Lidar.
  LidarSensor(lidar::LidarConfig config, std::shared_ptr<const lidar::RayRenderer> renderer,
              std::uint64_t seed, bool noise = true);

  /// Returns the intervals that a report completes, without those to which the clock gives no stamp
  /// (SensorClock::stampOf(): scans lost by ClockErrors::drops, or stamps below 0).
  std::vector<Interval> take(const VehicleReport& report);
  /// Casts an interval's scan, with the `objects` of that interval. May run in another thread than
  /// take().
  lidar::Scan scan(const Interval& interval, View<scene::MovingObject> objects);
  lidar::Lidar& lidar() { return lidar_; }
  const lidar::LidarConfig& config() const { return lidar_.config(); }

 private:
  TimeNs boundary(std::int64_t scan) const;

  lidar::Lidar lidar_;
  SensorClock clock_;
  MotionTrack motion_;
  std::int64_t next_ = -1;  ///< number of the interval since simulated time 0; < 0: no report yet
};

}  // namespace marsim::sim
