// SPDX-License-Identifier: BSD-3-Clause
#include "errors.hpp"

#include <algorithm>
#include <cmath>

namespace vision {

using Eigen::Isometry3d;

Statistics statisticsOf(std::vector<double> errors) {
  Statistics result;
  if (errors.empty()) return result;
  const auto count = static_cast<double>(errors.size());
  double squares = 0.0;
  for (const double error : errors) {
    result.mean += error / count;
    squares += error * error / count;
  }
  result.rms = std::sqrt(squares);
  result.deviation = std::sqrt(std::max(squares - result.mean * result.mean, 0.0));
  const auto middle = errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2);
  std::nth_element(errors.begin(), middle, errors.end());
  result.median = *middle;
  return result;
}

std::vector<double> absoluteErrors(const std::vector<PosePair>& poses) {
  const auto count = static_cast<Eigen::Index>(poses.size());
  Eigen::Matrix3Xd truth(3, count), estimate(3, count);
  for (Eigen::Index i = 0; i < count; ++i) {
    truth.col(i) = poses[static_cast<std::size_t>(i)].truth.translation();
    estimate.col(i) = poses[static_cast<std::size_t>(i)].estimate.translation();
  }
  if (count < 3) return {};
  const Isometry3d X(Eigen::umeyama(estimate, truth, false));
  std::vector<double> errors;
  for (const PosePair& pair : poses) {
    errors.push_back((X * pair.estimate.translation() - pair.truth.translation()).norm());
  }
  return errors;
}

std::vector<double> relativeErrors(const std::vector<PosePair>& poses, double delta) {
  std::vector<double> errors;
  for (std::size_t i = 0, k = 0; i < poses.size(); ++i) {
    while (k < poses.size() && poses[k].time < poses[i].time + delta - 1e-6) ++k;
    if (k == poses.size()) break;
    const Isometry3d truth = poses[i].truth.inverse() * poses[k].truth,
                     estimate = poses[i].estimate.inverse() * poses[k].estimate;
    errors.push_back((truth.inverse() * estimate).translation().norm());
  }
  return errors;
}

}  // namespace vision
