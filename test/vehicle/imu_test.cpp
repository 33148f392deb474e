// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/vehicle/imu.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "marsim/common/units.hpp"
#include "marsim/vehicle/quadrotor.hpp"
#include "vehicle/allan.hpp"
#include "vehicle/vehicles.hpp"

namespace marsim::vehicle {
namespace {

using Eigen::Vector3d;

TEST(Imu, AtRestReadsGravityUpwards) {
  Imu imu(ImuConfig{}, 1);
  const ImuSample sample = imu.sample(KinematicState{});
  EXPECT_EQ(sample.specific_force, Vector3d(0.0, 0.0, 9.80665));
  EXPECT_EQ(sample.angular_velocity, Vector3d::Zero());
}

TEST(Imu, ReadsInItsOwnFrame) {
  ImuConfig config;
  config.X_BI.q = fromRollPitchYaw(kPi, 0.0, 0.0);  // upside down
  KinematicState state;
  state.w_WB_B = {1.0, 2.0, 3.0};
  const ImuSample sample = Imu(config, 1).sample(state);
  EXPECT_NEAR(sample.specific_force.z(), -9.80665, 1e-12);
  EXPECT_LT((sample.angular_velocity - Vector3d(1.0, -2.0, -3.0)).norm(), 1e-12);
}

// Differentiates the mounting point's own path twice, 0.3 m off the centre, on a wild flight.
TEST(Imu, AgreesWithDifferentiatedMotionOffCentre) {
  ImuConfig config;
  config.X_BI.p = {0.2, -0.2, 0.1};
  config.X_BI.q = fromRollPitchYaw(0.3, -0.4, 1.2);
  Imu imu(config, 1);
  const VehicleConfig vehicle = racer();
  Quadrotor quadrotor(vehicle);
  quadrotor.setMotion(fromRollPitchYaw(0.5, 0.2, 0.1), {5.0, 0.0, 2.0}, {4.0, -6.0, 3.0});
  const TimeNs step = 250'000;
  const double dt = toSeconds(step);
  std::vector<Pose> poses;  // of the IMU in W
  std::vector<ImuSample> samples;
  for (int i = 0; i < 2000; ++i) {
    const double t = dt * i;
    const Eigen::Array4d phases(0.0, 1.0, 2.0, 3.0);
    quadrotor.command(vehicle.hoverSpeeds() * (1.7 + 0.3 * (15.0 * t + phases).sin()));
    quadrotor.step(step);
    poses.push_back(quadrotor.state().X_WB * config.X_BI);
    samples.push_back(imu.sample(quadrotor.state()));
  }
  double strongest = 0.0;
  for (std::size_t i = 1; i + 1 < poses.size(); ++i) {
    const Vector3d a_W = (poses[i + 1].p - 2.0 * poses[i].p + poses[i - 1].p) / (dt * dt);
    const Vector3d force = poses[i].q.conjugate() * (a_W + Vector3d(0.0, 0.0, kGravity));
    const Vector3d rate = logMap(poses[i - 1].q.conjugate() * poses[i + 1].q) / (2.0 * dt);
    ASSERT_LT((samples[i].specific_force - force).norm(), 2e-3) << i;
    ASSERT_LT((samples[i].angular_velocity - rate).norm(), 2e-3) << i;
    ASSERT_LT(logMap(samples[i].q_WI.conjugate() * poses[i].q).norm(), 1e-9);
    strongest = std::max(strongest, force.norm());
  }
  EXPECT_GT(strongest, 20.0) << "not an aggressive motion";
}

// White noise of density N: N / sqrt(tau); a random walk of K: K sqrt(tau / 3) (IEEE 952-1997).
TEST(Imu, NoiseHasTheDensitiesAsked) {
  ImuConfig white;
  white.gyroscope.noise_density = 1.7e-4;
  white.accelerometer.noise_density = 2.0e-3;
  ImuConfig walk;
  walk.gyroscope.random_walk = 1.9e-5;
  walk.accelerometer.random_walk = 3.0e-3;
  Imu white_imu(white, 7), walking_imu(walk, 8);
  constexpr int kCount = 400'000;
  std::vector<double> gyro_white, accel_white, gyro_walk, accel_walk;
  Vector3d products = Vector3d::Zero();
  for (int i = 0; i < kCount; ++i) {
    const ImuSample a = white_imu.sample(KinematicState{});
    const ImuSample b = walking_imu.sample(KinematicState{});
    gyro_white.push_back(a.angular_velocity.x());
    accel_white.push_back(a.specific_force.y());
    gyro_walk.push_back(b.angular_velocity.z());
    accel_walk.push_back(b.specific_force.x());
    const Vector3d& w = a.angular_velocity;
    products += Vector3d(w.x() * w.y(), w.y() * w.z(), w.z() * w.x());
  }
  const double one = 200.0;  // samples a second
  const auto n = static_cast<std::size_t>(one);
  EXPECT_NEAR(allanDeviation(gyro_white, n), 1.7e-4, 0.06 * 1.7e-4);
  EXPECT_NEAR(allanDeviation(accel_white, n), 2.0e-3, 0.06 * 2.0e-3);
  EXPECT_NEAR(allanDeviation(gyro_white, 1), 1.7e-4 * std::sqrt(one), 0.01 * 1.7e-4 * 14.1);
  EXPECT_NEAR(allanDeviation(gyro_walk, n), 1.9e-5 / std::sqrt(3.0), 0.1 * 1.1e-5);
  EXPECT_NEAR(allanDeviation(accel_walk, 4 * n), 3.0e-3 * std::sqrt(4.0 / 3.0), 0.1 * 3.5e-3);
  // Axes independent: the correlation of n samples is about 1/sqrt(n).
  const double variance = 1.7e-4 * 1.7e-4 * one;
  EXPECT_LT((products / kCount / variance).cwiseAbs().maxCoeff(), 0.01);
}

// A stationary process: the same spread at every time, correlated as exp(-t / tau).
TEST(Imu, GaussMarkovBiasHasItsSteadyState) {
  ImuConfig config;
  config.gyroscope.gauss_markov_sigma = 2e-3;
  config.gyroscope.gauss_markov_time = 0.5;
  config.accelerometer.gauss_markov_sigma = 0.04;
  config.accelerometer.gauss_markov_time = 1.0;
  double gyro = 0.0, accel = 0.0, first = 0.0, lagged = 0.0;
  constexpr int kRuns = 2000, kSamples = 200;  // of 1 s
  for (int run = 0; run < kRuns; ++run) {
    Imu imu(config, static_cast<std::uint64_t>(run));
    const Vector3d start = imu.accelerometer().bias();
    for (int i = 0; i < kSamples; ++i) imu.sample(KinematicState{});
    first += start.squaredNorm();
    lagged += start.dot(imu.accelerometer().bias());
    gyro += imu.gyroscope().bias().squaredNorm();
    accel += imu.accelerometer().bias().squaredNorm();
  }
  const double n = 3.0 * kRuns;
  EXPECT_NEAR(std::sqrt(gyro / n), 2e-3, 0.03 * 2e-3);
  EXPECT_NEAR(std::sqrt(accel / n), 0.04, 0.03 * 0.04);
  EXPECT_NEAR(std::sqrt(first / n), 0.04, 0.03 * 0.04);
  EXPECT_NEAR(lagged / first, std::exp(-1.0), 0.04);
}

TEST(Imu, TurnOnBiasIsConstantAndSpreadAsAsked) {
  ImuConfig config;
  config.gyroscope.turn_on_bias = 8.7e-3;
  double sum = 0.0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Imu imu(config, seed);
    const Vector3d reading = imu.sample(KinematicState{}).angular_velocity;
    EXPECT_EQ(imu.sample(KinematicState{}).angular_velocity, reading);
    sum += reading.squaredNorm();
  }
  EXPECT_NEAR(std::sqrt(sum / 6000.0), 8.7e-3, 0.03 * 8.7e-3);
}

TEST(Imu, ScaleMisalignmentRangeAndResolution) {
  ImuConfig config;
  config.gyroscope.scale = {0.01, 0.0, -0.02};
  config.gyroscope.misalignment = {0.0, 0.0, 0.003};
  config.gyroscope.g_sensitivity = 1e-3;
  config.accelerometer.range = 9.0;
  config.accelerometer.resolution = 0.25;
  KinematicState state;
  state.w_WB_B = {1.0, 2.0, 3.0};
  state.a_WB = {0.3, -0.4, 0.0};
  const ImuSample sample = Imu(config, 1).sample(state);
  EXPECT_NEAR(sample.angular_velocity.x(), 1.01 * (1.0 - 0.003 * 2.0 + 1e-3 * 0.3), 1e-12);
  EXPECT_NEAR(sample.angular_velocity.y(), 2.0 + 0.003 * 1.0 - 1e-3 * 0.4, 1e-12);
  EXPECT_NEAR(sample.angular_velocity.z(), 0.98 * (3.0 + 1e-3 * kGravity), 1e-12);
  EXPECT_EQ(sample.specific_force, Vector3d(0.25, -0.5, 9.0));
}

TEST(Imu, OrientationHasTheNoiseAsked) {
  ImuConfig config;
  config.orientation_noise = 0.02;
  Imu imu(config, 3);
  double sum = 0.0;
  for (int i = 0; i < 2000; ++i) sum += logMap(imu.sample(KinematicState{}).q_WI).squaredNorm();
  EXPECT_NEAR(std::sqrt(sum / 6000.0), 0.02, 0.03 * 0.02);
}

TEST(Imu, OneTermLeavesTheOthersNoiseAsItWas) {
  ImuConfig config;
  config.gyroscope.noise_density = 1e-3;
  Imu plain(config, 5);
  config.gyroscope.gauss_markov_sigma = 1e-9;
  config.gyroscope.gauss_markov_time = 1.0;
  Imu with_bias(config, 5);
  for (int i = 0; i < 10; ++i) {
    EXPECT_LT((plain.sample(KinematicState{}).angular_velocity -
               with_bias.sample(KinematicState{}).angular_velocity)
                  .norm(),
              1e-7);
  }
}

TEST(Imu, SeedDecidesTheNoise) {
  ImuConfig config;
  config.gyroscope.noise_density = 1e-3;
  Imu a(config, 5), b(config, 5), c(config, 6);
  for (int i = 0; i < 100; ++i) {
    const Vector3d from_a = a.sample(KinematicState{}).angular_velocity;
    EXPECT_EQ(from_a, b.sample(KinematicState{}).angular_velocity);
    EXPECT_NE(from_a, c.sample(KinematicState{}).angular_velocity);
  }
}

}  // namespace
}  // namespace marsim::vehicle
