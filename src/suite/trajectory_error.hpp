// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "marsim/common/time.hpp"
#include "marsim/geometry/pose.hpp"
#include "scenario/recording.hpp"

namespace marsim::suite {

/// Settings of the comparison of an estimated trajectory with the true one.
struct TrajectoryErrorConfig {
  Pose X_BF;          ///< of the estimated frame in the body
  TimeNs offset = 0;  ///< added to the estimate's stamps
  bool align = true;  ///< by a rigid motion (Umeyama, without scale)
  TimeNs rpe_delta = kNsPerSecond;
  TimeNs longest_gap = kNsPerSecond / 2;  ///< between poses that cover the time between them
};

/// Whether a pose is finite and its quaternion has length 1, to rounding.
bool isPose(const Pose& X);

/// The error of an estimated trajectory of a frame F in W, given as poses in the estimator's own
/// frame E.
struct TrajectoryError {
  std::vector<TimeNs> stamps;           ///< of the poses within the flight, rising
  std::vector<Eigen::Vector3d> p_WF;    ///< [m] estimated, aligned
  std::vector<double> error;            ///< [m] distances from the truth
  std::optional<double> ate_rms;        ///< [m] none: too few poses to align
  std::optional<double> ate_max;        ///< [m]
  std::size_t rpe_pairs = 0;            ///< poses with one at least rpe_delta later
  std::optional<double> rpe_rms;        ///< [m] of the translations; none: no pairs
  std::optional<double> rpe_angle_rms;  ///< [rad]
  double completeness = 0.0;            ///< covered share of the truth's time
};

/// Compares an estimate with the truth at the estimate's stamps; between two samples the truth is
/// linear in position and takes the shortest rotation. Estimates may come in any order. Invalid
/// poses, those outside of the truth's time and those with the stamp of an earlier one are ignored.
///
/// With Q the true and P the estimated poses of F, the absolute trajectory error is the distance of
/// their positions after alignment, and the relative pose error that of E = (Q_i^-1 Q_j)^-1 (P_i^-1
/// P_j) from identity, j being the first pose at least rpe_delta after i (Sturm et al., "A
/// Benchmark for the Evaluation of RGB-D SLAM Systems", IROS 2012, eq. 1 and 2).
TrajectoryError trajectoryError(const std::vector<scenario::MotionSample>& truth,
                                const std::vector<StampedPose>& estimate,
                                const TrajectoryErrorConfig& config);

}  // namespace marsim::suite
