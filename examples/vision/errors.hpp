// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include <Eigen/Geometry>

namespace vision {

/// Root mean square, mean, median and standard deviation of errors.
struct Statistics {
  double rms = 0.0, mean = 0.0, median = 0.0, deviation = 0.0;
};
Statistics statisticsOf(std::vector<double> errors);

/// A true and an estimated pose of one time.
struct PosePair {
  double time;  ///< [s]
  Eigen::Isometry3d truth, estimate;
};

/// Absolute trajectory errors (Zhong 2023, section 2.2.6, eq. 2-26): distances [m] between true and
/// estimated positions, after alignment by a rigid motion (Umeyama 1991).
std::vector<double> absoluteErrors(const std::vector<PosePair>& poses);
/// Relative pose errors (eq. 2-26): [m] in the translation over `delta` [s]. As the tools of the
/// TUM benchmark and evo do, both leave out rotations.
std::vector<double> relativeErrors(const std::vector<PosePair>& poses, double delta = 1.0);

}  // namespace vision
