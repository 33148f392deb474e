#pragma once

#include <cstdint>
#include <vector>

#include "marsim/sim/motion_track.hpp"

namespace marsim::sim {

/// The instants at which a vehicle's cameras take their images: every multiple of the image period
/// since simulated time 0, as soon as the vehicle's reports cover it.
class ImageClock {
 public:
  /// An instant whose image is due.
  struct Instant {
    TimeNs stamp = 0;
    Pose X_WB;
  };

  explicit ImageClock(double rate) : rate_(rate) {}  ///< [Hz]
  /// What a report makes due.
  std::vector<Instant> take(const VehicleReport& report);

 private:
  double rate_;
  MotionTrack motion_;
  std::int64_t next_ = 0;  ///< number of the image since simulated time 0
};

}  // namespace marsim::sim
