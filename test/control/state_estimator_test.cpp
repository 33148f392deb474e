// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/control/state_estimator.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "marsim/common/error.hpp"
#include "marsim/common/random.hpp"
#include "marsim/common/units.hpp"

namespace marsim::control {
namespace {

using Eigen::Vector3d;

// A smooth motion in closed form.
KinematicState truthAt(TimeNs stamp) {
  const double t = toSeconds(stamp);
  KinematicState state;
  state.stamp = stamp;
  const Vector3d size(2.0, 1.0, 0.5), rate(0.9, 1.3, 0.7);
  for (int i = 0; i < 3; ++i) {
    state.X_WB.p[i] = size[i] * std::sin(rate[i] * t);
    state.v_WB[i] = size[i] * rate[i] * std::cos(rate[i] * t);
    state.a_WB[i] = -size[i] * rate[i] * rate[i] * std::sin(rate[i] * t);
  }
  const double angle = 0.4 * std::sin(1.1 * t);  // about a fixed axis, so that the rate is plain
  const Vector3d axis = Vector3d(1.0, -2.0, 3.0).normalized();
  state.X_WB.q = expMap(angle * axis);
  state.w_WB_B = 0.44 * std::cos(1.1 * t) * axis;
  return state;
}

InertialReading readingAt(TimeNs stamp) {
  const KinematicState truth = truthAt(stamp);
  return {stamp, truth.w_WB_B,
          truth.X_WB.q.conjugate() * (truth.a_WB + Vector3d(0.0, 0.0, kGravity))};
}

constexpr TimeNs kImuPeriod = kNsPerSecond / 200, kPosePeriod = kNsPerSecond / 10;

struct Errors {
  double position = 0.0, velocity = 0.0, angle = 0.0;  // RMS
};

// Runs an estimator over the motion; poses are noisy, IMU readings wrong by constants.
Errors run(StateEstimator& estimator, TimeNs delay, double noise, double angle_noise,
           const Vector3d& bias_f, const Vector3d& bias_w) {
  RandomStream random(7, "estimates");
  const auto deviate = [&random](double sigma) {
    const double x = random.normal(), y = random.normal(), z = random.normal();
    return Vector3d(sigma * Vector3d(x, y, z));
  };
  std::deque<StampedPose> poses;
  Errors squares;
  int samples = 0;
  estimator.reset(truthAt(0));
  for (TimeNs t = kImuPeriod; t <= 60 * kNsPerSecond; t += kImuPeriod) {
    InertialReading reading = readingAt(t);
    reading.f_B += bias_f + deviate(0.01);
    reading.w_WB_B += bias_w + deviate(0.001);
    estimator.propagate(reading);
    if (t % kPosePeriod == 0) {
      Pose X = truthAt(t).X_WB;
      X.p += deviate(noise);
      X.q = X.q * expMap(deviate(angle_noise));
      poses.push_back({t, X});
    }
    while (!poses.empty() && poses.front().stamp + delay <= t) {
      EXPECT_EQ(estimator.correct(poses.front()), StateEstimator::Verdict::kUsed);
      poses.pop_front();
    }
    if (t < 10 * kNsPerSecond) continue;  // until it has learnt the biases
    const KinematicState truth = truthAt(t), known = estimator.at(t);
    squares.position += (known.X_WB.p - truth.X_WB.p).squaredNorm();
    squares.velocity += (known.v_WB - truth.v_WB).squaredNorm();
    squares.angle += logMap(truth.X_WB.q.conjugate() * known.X_WB.q).squaredNorm();
    ++samples;
  }
  return {std::sqrt(squares.position / samples), std::sqrt(squares.velocity / samples),
          std::sqrt(squares.angle / samples)};
}

TEST(StateEstimator, FollowsExactInputsExactly) {
  StateEstimator estimator{EstimatorConfig{}};
  estimator.reset(truthAt(0));
  for (TimeNs t = kImuPeriod; t <= 10 * kNsPerSecond; t += kImuPeriod) {
    estimator.propagate(readingAt(t));
    if (t % kPosePeriod == 0) estimator.correct({t, truthAt(t).X_WB});
    const KinematicState truth = truthAt(t), known = estimator.at(t);
    ASSERT_LT((known.X_WB.p - truth.X_WB.p).norm(), 1e-4) << toSeconds(t);
    ASSERT_LT((known.v_WB - truth.v_WB).norm(), 1e-3) << toSeconds(t);
    ASSERT_LT(logMap(truth.X_WB.q.conjugate() * known.X_WB.q).norm(), 1e-5) << toSeconds(t);
  }
}

TEST(StateEstimator, NoisyAndLatePosesGiveLessErrorThanTheyHave) {
  StateEstimator estimator{EstimatorConfig{}};
  const Errors errors =
      run(estimator, kNsPerSecond / 20, 0.01, 0.01, {0.1, -0.05, 0.08}, {0.005, -0.003, 0.004});
  EXPECT_LT(errors.position, 0.014);  // of three axes; the poses' own: 0.017
  EXPECT_LT(errors.velocity, 0.05);
  EXPECT_LT(errors.angle, 0.008);
}

TEST(StateEstimator, LatePosesEndInTheSameStateAsPosesInTime) {
  const EstimatorConfig config;
  StateEstimator in_time(config), late(config);
  in_time.reset(truthAt(0));
  late.reset(truthAt(0));
  std::vector<StampedPose> poses;
  for (TimeNs t = kImuPeriod; t <= kNsPerSecond / 2; t += kImuPeriod) {
    InertialReading reading = readingAt(t);
    reading.f_B += Vector3d(0.2, 0.0, -0.1);
    in_time.propagate(reading);
    late.propagate(reading);
    if (t % kPosePeriod != 0) continue;
    poses.push_back({t, truthAt(t).X_WB});
    in_time.correct(poses.back());
  }
  for (const StampedPose& pose : poses) {
    EXPECT_EQ(late.correct(pose), StateEstimator::Verdict::kUsed);
  }
  const KinematicState a = in_time.at(kNsPerSecond / 2), b = late.at(kNsPerSecond / 2);
  EXPECT_LT((a.X_WB.p - b.X_WB.p).norm(), 1e-12);
  EXPECT_LT((a.v_WB - b.v_WB).norm(), 1e-12);
  EXPECT_LT(logMap(a.X_WB.q.conjugate() * b.X_WB.q).norm(), 1e-12);
}

TEST(StateEstimator, RefusesPosesThatJumpOrComeTooLateOrTooSoon) {
  using Verdict = StateEstimator::Verdict;
  StateEstimator estimator{EstimatorConfig{}};
  EXPECT_EQ(estimator.correct({0, {}}), Verdict::kTooLate);
  estimator.reset(truthAt(0));
  for (TimeNs t = kImuPeriod; t <= 3 * kNsPerSecond; t += kImuPeriod) {
    estimator.propagate(readingAt(t));
  }
  const TimeNs now = 3 * kNsPerSecond;
  Pose far = truthAt(now).X_WB;
  far.p.x() += 1.0;
  EXPECT_EQ(estimator.correct({now, far}), Verdict::kJumped);
  EXPECT_NEAR(estimator.residual(), 1.0, 0.01);
  Pose turned = truthAt(now).X_WB;
  turned.q = turned.q * expMap({0.0, 0.0, 1.0});
  EXPECT_EQ(estimator.correct({now, turned}), Verdict::kJumped);
  Pose none;
  none.p.x() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(estimator.correct({now, none}), Verdict::kJumped);
  EXPECT_EQ(estimator.correct({kNsPerSecond, truthAt(kNsPerSecond).X_WB}), Verdict::kTooLate);
  EXPECT_EQ(estimator.correct({now + kNsPerSecond, truthAt(now).X_WB}), Verdict::kTooNew);
  EXPECT_EQ(estimator.correct({now, truthAt(now).X_WB}), Verdict::kUsed);
  EXPECT_EQ(estimator.correct({now, truthAt(now).X_WB}), Verdict::kTooLate);
}

TEST(EstimatorConfig, NamesWhatIsWrong) {
  EstimatorConfig config;
  config.position_noise = 0.0;
  try {
    config.validate("x.yaml");
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(), "x.yaml: estimator.position_noise is 0, allowed: more than 0 m");
  }
}

}  // namespace
}  // namespace marsim::control
