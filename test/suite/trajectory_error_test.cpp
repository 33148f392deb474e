// SPDX-License-Identifier: BSD-3-Clause
#include "suite/trajectory_error.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "marsim/common/units.hpp"

// Comparison with numpy: trajectory_error_reference.py.
namespace marsim::suite {
namespace {

constexpr TimeNs kMs = kNsPerSecond / 1000;

// A screw line of 10 s, a sample every 10 ms.
std::vector<scenario::MotionSample> screw() {
  std::vector<scenario::MotionSample> truth;
  for (TimeNs t = 0; t <= 10 * kNsPerSecond; t += 10 * kMs) {
    const double s = toSeconds(t);
    scenario::MotionSample sample;
    sample.stamp = t;
    sample.X_WB = {fromRollPitchYaw(0.0, 0.0, s), {std::cos(s), std::sin(s), 0.3 * s}};
    truth.push_back(sample);
  }
  return truth;
}

std::vector<StampedPose> copyOf(const std::vector<scenario::MotionSample>& truth, const Pose& X_EW,
                                const Pose& X_BF, std::size_t step) {
  std::vector<StampedPose> estimate;
  for (std::size_t i = 0; i < truth.size(); i += step) {
    estimate.push_back({truth[i].stamp, X_EW * truth[i].X_WB * X_BF});
  }
  return estimate;
}

const Pose kMoved{fromRollPitchYaw(0.3, -0.2, 2.0), {4.0, -5.0, 6.0}};

TEST(TrajectoryError, NoneOfAMovedCopyInAnyOrder) {
  TrajectoryErrorConfig config;
  config.X_BF = {fromRollPitchYaw(0.1, 0.2, 0.3), {0.1, 0.0, -0.05}};
  std::vector<StampedPose> estimate = copyOf(screw(), kMoved, config.X_BF, 10);
  std::swap(estimate[3], estimate[50]);
  const TrajectoryError error = trajectoryError(screw(), estimate, config);
  EXPECT_EQ(error.stamps.size(), 101U);
  EXPECT_NEAR(error.ate_rms.value(), 0.0, 1e-12);
  EXPECT_NEAR(error.rpe_rms.value(), 0.0, 1e-12);
  EXPECT_NEAR(error.rpe_angle_rms.value(), 0.0, 1e-7);
  EXPECT_EQ(error.rpe_pairs, 91U);
  EXPECT_DOUBLE_EQ(error.completeness, 1.0);
}

TEST(TrajectoryError, AConstantOffsetWithoutAlignment) {
  TrajectoryErrorConfig config;
  config.align = false;
  Pose aside;
  aside.p = {0.3, 0.0, 0.4};
  const TrajectoryError error = trajectoryError(screw(), copyOf(screw(), aside, {}, 10), config);
  EXPECT_NEAR(error.ate_rms.value(), 0.5, 1e-12);
  EXPECT_NEAR(error.ate_max.value(), 0.5, 1e-12);
  EXPECT_NEAR(error.rpe_rms.value(), 0.0, 1e-12);
}

// A yaw that drifts by 0.01 rad/s turns every relative pose by that much a second.
TEST(TrajectoryError, ADriftIsTheRelativeAngle) {
  std::vector<StampedPose> estimate = copyOf(screw(), {}, {}, 10);
  for (StampedPose& pose : estimate) {
    pose.X_WB.q = pose.X_WB.q * fromRollPitchYaw(0.0, 0.0, 0.01 * toSeconds(pose.stamp));
  }
  TrajectoryErrorConfig config;
  config.rpe_delta = 2 * kNsPerSecond;
  const TrajectoryError error = trajectoryError(screw(), estimate, config);
  EXPECT_NEAR(error.rpe_angle_rms.value(), 0.02, 1e-9);
  EXPECT_NEAR(error.ate_rms.value(), 0.0, 1e-9);
}

TEST(TrajectoryError, StampsThatAreOffAreMended) {
  std::vector<StampedPose> estimate = copyOf(screw(), {}, {}, 10);
  for (StampedPose& pose : estimate) pose.stamp += 70 * kMs;
  TrajectoryErrorConfig config;
  config.align = false;  // a moved screw line is one
  EXPECT_NEAR(trajectoryError(screw(), estimate, config).ate_rms.value(),
              0.07 * std::hypot(1.0, 0.3), 1e-4);
  config.offset = -70 * kMs;
  EXPECT_NEAR(trajectoryError(screw(), estimate, config).ate_rms.value(), 0.0, 1e-12);
}

TEST(TrajectoryError, CompletenessCountsTimeWithPoses) {
  std::vector<StampedPose> estimate = copyOf(screw(), {}, {}, 10);
  estimate.erase(estimate.begin() + 21, estimate.begin() + 41);  // none from 2.0 to 4.1 s
  EXPECT_NEAR(trajectoryError(screw(), estimate, {}).completeness, 0.79, 1e-12);
  EXPECT_EQ(trajectoryError(screw(), copyOf(screw(), {}, {}, 51), {}).completeness, 0.0);
}

TEST(TrajectoryError, FiguresThatCannotBeComputedAreAbsent) {
  EXPECT_TRUE(trajectoryError({}, copyOf(screw(), {}, {}, 10), {}).stamps.empty());
  EXPECT_TRUE(trajectoryError(screw(), {}, {}).stamps.empty());
  std::vector<StampedPose> estimate = copyOf(screw(), {}, {}, 10);
  estimate[5].X_WB.p.x() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(trajectoryError(screw(), estimate, {}).stamps.size(), 100U);
  estimate.resize(2);
  const TrajectoryError two = trajectoryError(screw(), estimate, {});
  EXPECT_FALSE(two.ate_rms);
  EXPECT_FALSE(two.rpe_rms);
  EXPECT_TRUE(two.error.empty());
}

}  // namespace
}  // namespace marsim::suite
