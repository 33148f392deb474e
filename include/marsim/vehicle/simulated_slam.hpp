// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>

#include "marsim/common/random.hpp"
#include "marsim/common/settings.hpp"
#include "marsim/geometry/pose_track.hpp"

namespace marsim::vehicle {

/// Settings of a simulated SLAM, by default those of LiDAR-inertial odometry (docs/control.md).
struct SlamConfig {
  double rate = 10.0;             ///< [Hz]
  double position_noise = 0.01;   ///< [m] standard deviation, each axis
  double attitude_noise = 0.005;  ///< [rad] standard deviation, each axis
  double drift = 0.0;             ///< [m/s] of the position along x, from simulated time 0 on
  double delay = 0.05;            ///< [s] from a pose's stamp to its first use
  std::optional<double> lost_at, back_at;  ///< [s] simulated times between which no poses come
  std::optional<double> jump_at;           ///< [s] simulated time from which `jump` is added
  double jump = 1.0;                       ///< [m] error of the position along x

  void declare(Settings& settings);
};

/// Estimates a vehicle's pose as a SLAM does: the true pose with noise and drift, at a rate of its
/// own. It can be made to lose itself or to jump.
class SimulatedSlam {
 public:
  /// Throws ConfigError.
  SimulatedSlam(const SlamConfig& config, std::uint64_t seed);
  /// Returns the estimate at the first stamp of each period, nothing at others and while lost.
  /// Stamps ascend, except where time is set back.
  std::optional<StampedPose> at(TimeNs stamp, const Pose& X_WB);

 private:
  Eigen::Vector3d deviate(double sigma);

  SlamConfig config_;
  TimeNs period_ = 0;
  RandomStream random_;
  std::optional<TimeNs> last_;  ///< stamp of the last call
};

}  // namespace marsim::vehicle
