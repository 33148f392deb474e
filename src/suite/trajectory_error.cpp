// SPDX-License-Identifier: BSD-3-Clause
#include "suite/trajectory_error.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

namespace marsim::suite {
namespace {

constexpr std::size_t kFewestToAlign = 3;

/// Pairs of true and estimated poses with the same stamps.
struct Associated {
  std::vector<TimeNs> stamps;
  std::vector<Pose> truth;     // X_WF
  std::vector<Pose> estimate;  // X_EF
};

Pose truthAt(const std::vector<scenario::MotionSample>& truth, TimeNs t) {
  const auto after = std::lower_bound(
      truth.begin(), truth.end(), t,
      [](const scenario::MotionSample& sample, TimeNs stamp) { return sample.stamp < stamp; });
  if (after->stamp == t) return after->X_WB;
  const scenario::MotionSample& from = *std::prev(after);
  const double share = toSeconds(t - from.stamp) / toSeconds(after->stamp - from.stamp);
  return {from.X_WB.q.slerp(share, after->X_WB.q),
          from.X_WB.p + share * (after->X_WB.p - from.X_WB.p)};
}

Associated associate(const std::vector<scenario::MotionSample>& truth,
                     std::vector<StampedPose> estimate, const TrajectoryErrorConfig& config) {
  std::stable_sort(estimate.begin(), estimate.end(),
                   [](const StampedPose& a, const StampedPose& b) { return a.stamp < b.stamp; });
  Associated associated;
  for (const StampedPose& pose : estimate) {
    const TimeNs stamp = pose.stamp + config.offset;
    if (truth.empty() || stamp < truth.front().stamp || stamp > truth.back().stamp) continue;
    if (!isPose(pose.X_WB)) continue;
    if (!associated.stamps.empty() && associated.stamps.back() == stamp) continue;
    associated.stamps.push_back(stamp);
    associated.truth.push_back(truthAt(truth, stamp) * config.X_BF);
    associated.estimate.push_back({pose.X_WB.q.normalized(), pose.X_WB.p});
  }
  return associated;
}

// X_WE from all positions, the identity without alignment; none if there are too few.
std::optional<Eigen::Isometry3d> alignment(const Associated& poses, bool align) {
  if (poses.stamps.empty()) return std::nullopt;
  if (!align) return Eigen::Isometry3d::Identity();
  if (poses.stamps.size() < kFewestToAlign) return std::nullopt;
  const auto count = static_cast<Eigen::Index>(poses.stamps.size());
  Eigen::Matrix3Xd from(3, count), to(3, count);
  for (Eigen::Index i = 0; i < count; ++i) {
    from.col(i) = poses.estimate[static_cast<std::size_t>(i)].p;
    to.col(i) = poses.truth[static_cast<std::size_t>(i)].p;
  }
  return Eigen::Isometry3d(Eigen::umeyama(from, to, false));
}

void measureAbsolute(const Associated& poses, const Eigen::Isometry3d& X_WE,
                     TrajectoryError& result) {
  double sum = 0.0, largest = 0.0;
  for (std::size_t i = 0; i < poses.stamps.size(); ++i) {
    result.p_WF.emplace_back(X_WE * poses.estimate[i].p);
    const double error = (result.p_WF.back() - poses.truth[i].p).norm();
    result.error.push_back(error);
    sum += error * error;
    largest = std::max(largest, error);
  }
  result.ate_rms = std::sqrt(sum / static_cast<double>(poses.stamps.size()));
  result.ate_max = largest;
}

void measureRelative(const Associated& poses, TimeNs delta, TrajectoryError& result) {
  double sum = 0.0, sum_angles = 0.0;
  std::size_t j = 0;
  for (std::size_t i = 0; i < poses.stamps.size(); ++i) {
    while (j < poses.stamps.size() && poses.stamps[j] - poses.stamps[i] < delta) ++j;
    if (j == poses.stamps.size()) break;
    const Pose truth = poses.truth[i].inverse() * poses.truth[j];
    const Pose estimate = poses.estimate[i].inverse() * poses.estimate[j];
    const Pose error = truth.inverse() * estimate;
    sum += error.p.squaredNorm();
    sum_angles += logMap(error.q).squaredNorm();
    ++result.rpe_pairs;
  }
  if (result.rpe_pairs == 0) return;
  const auto pairs = static_cast<double>(result.rpe_pairs);
  result.rpe_rms = std::sqrt(sum / pairs);
  result.rpe_angle_rms = std::sqrt(sum_angles / pairs);
}

double completeness(const std::vector<TimeNs>& stamps, TimeNs flight, TimeNs longest_gap) {
  if (flight <= 0) return 0.0;
  TimeNs covered = 0;
  for (std::size_t i = 1; i < stamps.size(); ++i) {
    const TimeNs gap = stamps[i] - stamps[i - 1];
    if (gap <= longest_gap) covered += gap;
  }
  return toSeconds(covered) / toSeconds(flight);
}

}  // namespace

bool isPose(const Pose& X) {
  constexpr double kRounding = 0.01;
  return X.p.allFinite() && std::abs(X.q.norm() - 1.0) < kRounding;  // false for NaN
}

TrajectoryError trajectoryError(const std::vector<scenario::MotionSample>& truth,
                                const std::vector<StampedPose>& estimate,
                                const TrajectoryErrorConfig& config) {
  TrajectoryError result;
  const Associated poses = associate(truth, estimate, config);
  result.stamps = poses.stamps;
  if (poses.stamps.empty()) return result;
  if (const auto X_WE = alignment(poses, config.align)) measureAbsolute(poses, *X_WE, result);
  measureRelative(poses, config.rpe_delta, result);
  result.completeness =
      completeness(poses.stamps, truth.back().stamp - truth.front().stamp, config.longest_gap);
  return result;
}

}  // namespace marsim::suite
