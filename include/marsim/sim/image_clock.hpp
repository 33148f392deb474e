// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "marsim/common/sensor_clock.hpp"
#include "marsim/sim/motion_track.hpp"

namespace marsim::sim {

/// The instants at which a vehicle's cameras take their images: every multiple of the image period
/// since simulated time 0, each delivered once the reports cover the motion that it needs. Instants
/// to which the clock gives no stamp are skipped (SensorClock::stampOf(): images lost by
/// ClockErrors::drops, or stamps below 0).
class ImageClock {
 public:
  /// An instant whose image is due.
  struct Instant {
    TimeNs time = 0;  ///< simulated
    Pose X_WB;
    StateHistory motion;  ///< around `time`, see the constructor
    TimeNs stamp = 0;     ///< by the cameras' clock
  };

  /// `rate` [Hz]. An image is due once the motion is known from `before` [s] before the image's
  /// time to `after` [s] after it; before simulated time 0 the vehicle stands. After a reset or
  /// teleport images whose motion would begin before it are left out. Instant::motion reaches back
  /// at least `kept` [s], where known.
  ImageClock(double rate, const SensorClock& stamps, double before = 0.0, double after = 0.0,
             double kept = 0.0)
      : rate_(rate),
        clock_(stamps),
        before_(toNs(before)),
        after_(toNs(after)),
        kept_(toNs(kept)) {}
  /// Returns the instants whose images a report makes due.
  std::vector<Instant> take(const VehicleReport& report);

 private:
  double rate_;
  SensorClock clock_;
  TimeNs before_, after_, kept_;
  MotionTrack motion_;
  std::int64_t next_ = 0;  ///< number of the image since simulated time 0
};

}  // namespace marsim::sim
