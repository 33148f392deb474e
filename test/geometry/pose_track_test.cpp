// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/geometry/pose_track.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "marsim/common/error.hpp"
#include "marsim/common/random.hpp"
#include "marsim/common/units.hpp"

namespace marsim {
namespace {

using Eigen::Vector3d;

constexpr double kRadius = 3.0, kRate = 0.8;  // [m], [rad/s] of the circle
constexpr TimeNs kStart = 1'403'636'579'758'555'392;

// A circle flown with the nose forward, tilted by a fixed angle about the body's x axis.
KinematicState circleAt(double t) {
  const double angle = kRate * t;
  KinematicState state;
  state.X_WB.p = {kRadius * std::cos(angle), kRadius * std::sin(angle), 2.0};
  state.v_WB = kRate * kRadius * Vector3d(-std::sin(angle), std::cos(angle), 0.0);
  state.a_WB = -kRate * kRate * kRadius * Vector3d(std::cos(angle), std::sin(angle), 0.0);
  state.X_WB.q = fromRollPitchYaw(0.3, 0.0, angle + 0.5 * kPi);
  state.w_WB_B = state.X_WB.q.conjugate() * Vector3d(0.0, 0.0, kRate);
  return state;
}

std::vector<StampedPose> circlePoses(int count, double period) {
  std::vector<StampedPose> poses;
  for (int i = 0; i < count; ++i) {
    StampedPose pose{kStart + toNs(i * period), circleAt(i * period).X_WB};
    if (i % 3 == 0) pose.X_WB.q.coeffs() *= -1.0;  // the same orientation
    poses.push_back(pose);
  }
  return poses;
}

// Irregular in time, anywhere, turned by up to some 60 degrees from one to the next.
std::vector<StampedPose> randomPoses() {
  RandomStream random(1, "poses");
  std::vector<StampedPose> poses;
  StampedPose pose;
  for (int i = 0; i < 30; ++i) {
    pose.stamp += toNs(random.uniform(0.02, 0.3));
    for (int axis = 0; axis < 3; ++axis) pose.X_WB.p[axis] = random.uniform(-2.0, 2.0);
    const Vector3d turn(random.normal(), random.normal(), random.normal());
    pose.X_WB.q = (pose.X_WB.q * expMap(0.3 * turn)).normalized();
    poses.push_back(pose);
  }
  return poses;
}

double angleBetween(const Eigen::Quaterniond& a, const Eigen::Quaterniond& b) {
  return logMap(a.conjugate() * b).norm();
}

std::string problemOfTrack(const std::vector<StampedPose>& poses) {
  try {
    PoseTrack track(poses, "flight.tum");
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(PoseTrack, PassesThroughItsPoses) {
  const std::vector<StampedPose> poses = randomPoses();
  const PoseTrack track(poses);
  EXPECT_EQ(track.begin(), poses.front().stamp);
  EXPECT_EQ(track.end(), poses.back().stamp);
  for (const StampedPose& pose : poses) {
    const KinematicState state = track.at(pose.stamp);
    EXPECT_EQ(state.stamp, pose.stamp);
    EXPECT_LT((state.X_WB.p - pose.X_WB.p).norm(), 1e-12);
    EXPECT_LT(angleBetween(state.X_WB.q, pose.X_WB.q), 1e-12);
  }
}

TEST(PoseTrack, DerivativesAreThoseOfFiniteDifferences) {
  const PoseTrack track(randomPoses());
  constexpr TimeNs kStep = 10'000;  // 10 us
  const double span = toSeconds(2 * kStep);
  for (TimeNs t = track.begin() + kStep; t < track.end() - kStep; t += 7'654'321) {
    const KinematicState before = track.at(t - kStep), here = track.at(t),
                         after = track.at(t + kStep);
    EXPECT_LT(((after.X_WB.p - before.X_WB.p) / span - here.v_WB).norm(), 1e-4);
    EXPECT_LT(((after.v_WB - before.v_WB) / span - here.a_WB).norm(), 0.05);
    const Vector3d turn = logMap(before.X_WB.q.conjugate() * after.X_WB.q);
    EXPECT_LT((turn / span - here.w_WB_B).norm(), 1e-4);
    EXPECT_LT(((after.w_WB_B - before.w_WB_B) / span - here.dw_WB_B).norm(), 0.05);
  }
}

TEST(PoseTrack, AccelerationsAreContinuousAtThePoses) {
  const std::vector<StampedPose> poses = randomPoses();
  const PoseTrack track(poses);
  for (std::size_t i = 1; i + 1 < poses.size(); ++i) {
    const KinematicState before = track.at(poses[i].stamp - 1), after = track.at(poses[i].stamp);
    EXPECT_LT((after.v_WB - before.v_WB).norm(), 1e-4);
    EXPECT_LT((after.a_WB - before.a_WB).norm(), 1e-3);
    EXPECT_LT((after.w_WB_B - before.w_WB_B).norm(), 1e-4);
    EXPECT_LT((after.dw_WB_B - before.dw_WB_B).norm(), 1e-3);
  }
}

// Errors of a cubic spline through a function with fourth derivative f4 every h seconds: 5/384 h^4
// f4 in value, h^3 f4 / 24 in slope, 3/8 h^2 f4 in curvature (Hall and Meyer, 1976). The effect of
// the natural ends falls to less than a quarter from each pose to the next.
TEST(PoseTrack, FollowsACircleWithinTheBoundsOfASpline) {
  constexpr double kPeriod = 0.05;
  constexpr int kPoses = 200, kFromEnds = 15;
  const PoseTrack track(circlePoses(kPoses, kPeriod));
  const double f4 = kRadius * std::pow(kRate, 4), h = kPeriod;
  const double turn4 = std::pow(0.5 * kRate, 4);  // of a quaternion's four numbers, twice the angle
  for (double t = kFromEnds * h; t < (kPoses - kFromEnds) * h; t += 0.0031) {
    const KinematicState state = track.at(kStart + toNs(t)), truth = circleAt(t);
    EXPECT_LT((state.X_WB.p - truth.X_WB.p).norm(), 1.5 * 5.0 / 384.0 * std::pow(h, 4) * f4);
    EXPECT_LT((state.v_WB - truth.v_WB).norm(), 1.5 * std::pow(h, 3) * f4 / 24.0);
    EXPECT_LT((state.a_WB - truth.a_WB).norm(), 1.5 * 3.0 / 8.0 * h * h * f4);
    EXPECT_LT(angleBetween(state.X_WB.q, truth.X_WB.q),
              3.0 * 5.0 / 384.0 * std::pow(h, 4) * turn4 + 1e-9);
    EXPECT_LT((state.w_WB_B - truth.w_WB_B).norm(), 3.0 * std::pow(h, 3) * turn4 / 24.0);
    EXPECT_LT(state.dw_WB_B.norm(), 3.0 * 3.0 / 8.0 * h * h * turn4);
  }
}

TEST(PoseTrack, RestsBeforeItsFirstPoseAndAfterItsLast) {
  const std::vector<StampedPose> poses = circlePoses(20, 0.05);
  const PoseTrack track(poses);
  for (const TimeNs t : {track.begin() - kNsPerSecond, track.begin() - 1, track.end() + 1}) {
    const KinematicState state = track.at(t);
    const Pose& pose = t < track.begin() ? poses.front().X_WB : poses.back().X_WB;
    EXPECT_EQ(state.X_WB.p, pose.p);
    EXPECT_LT(angleBetween(state.X_WB.q, pose.q), 1e-12);
    EXPECT_TRUE(state.v_WB.isZero() && state.a_WB.isZero());
    EXPECT_TRUE(state.w_WB_B.isZero() && state.dw_WB_B.isZero());
  }
}

TEST(PoseTrack, TwoPosesMakeAStraightLine) {
  const PoseTrack track({{0, {Eigen::Quaterniond::Identity(), {0.0, 0.0, 1.0}}},
                         {kNsPerSecond, {Eigen::Quaterniond::Identity(), {4.0, 0.0, 1.0}}}});
  const KinematicState state = track.at(kNsPerSecond / 4);
  EXPECT_TRUE(state.X_WB.p.isApprox(Vector3d(1.0, 0.0, 1.0)));
  EXPECT_TRUE(state.v_WB.isApprox(Vector3d(4.0, 0.0, 0.0)));
  EXPECT_TRUE(state.a_WB.isZero());
}

TEST(PoseTrack, RefusesWhatIsNoMotion) {
  const std::vector<StampedPose> good = circlePoses(3, 0.05);
  EXPECT_EQ(problemOfTrack(good), "");
  EXPECT_EQ(problemOfTrack({good.front()}), "flight.tum: number of poses is 1, allowed: 2 or more");

  std::vector<StampedPose> bad = good;
  bad[2].stamp = bad[1].stamp;
  EXPECT_EQ(problemOfTrack(bad),
            "flight.tum: pose 3: stamp is 0.000000000 s after that of the pose before, allowed: "
            "more than 0");
  bad[2].stamp = bad[1].stamp + 6 * kNsPerSecond;
  EXPECT_EQ(problemOfTrack(bad),
            "flight.tum: pose 3: stamp is 6 s after that of the pose before, allowed: up to 5 s");
  bad = good;
  bad[1].X_WB.q.coeffs() *= 1.02;
  EXPECT_EQ(problemOfTrack(bad),
            "flight.tum: pose 2: quaternion is of length 1.02, allowed: 1 within 1 %");
  bad = good;
  bad[0].X_WB.p.x() = std::nan("");
  EXPECT_NE(problemOfTrack(bad).find("flight.tum: pose 1: position is"), std::string::npos);
  bad = good;
  bad[2].X_WB.q = bad[1].X_WB.q * expMap({0.0, 0.0, radians(130.0)});
  EXPECT_EQ(problemOfTrack(bad),
            "flight.tum: pose 3: quaternion is turned by 130.0 deg since the pose before, allowed: "
            "up to 120");
}

}  // namespace
}  // namespace marsim
