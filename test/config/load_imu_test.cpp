// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <vector>

#include "common/data_dir.hpp"
#include "marsim/config/load.hpp"
#include "support.hpp"
#include "vehicle/allan.hpp"

namespace marsim::config {
namespace {

using vehicle::allanDeviation;
using vehicle::Imu;
using vehicle::ImuConfig;
using vehicle::InertialErrors;

class LoadImuTest : public ConfigTest {};

// All three axes' readings and biases of a body at rest.
struct Record {
  std::vector<double> readings[3], biases[3];
};
struct Records {
  Record gyroscope, accelerometer;
};

Records recordOf(const ImuConfig& config, double seconds) {
  Imu imu(config, 11);
  Records records;
  const auto add = [](Record& record, const Eigen::Vector3d& reading, const Eigen::Vector3d& bias) {
    for (int axis = 0; axis < 3; ++axis) {
      record.readings[axis].push_back(reading[axis]);
      record.biases[axis].push_back(bias[axis]);
    }
  };
  for (int i = 0; i < static_cast<int>(seconds * config.rate); ++i) {
    const Eigen::Vector3d gyro_bias = imu.gyroscope().bias();
    const Eigen::Vector3d accel_bias = imu.accelerometer().bias();
    const vehicle::ImuSample sample = imu.sample(KinematicState{});
    add(records.gyroscope, sample.angular_velocity, gyro_bias);
    add(records.accelerometer, sample.specific_force, accel_bias);
  }
  return records;
}

double meanAllanDeviation(const std::vector<double> (&axes)[3], std::size_t n) {
  double sum = 0.0;
  for (const auto& axis : axes) sum += allanDeviation(axis, n) / 3.0;
  return sum;
}

// White noise of density N: N / sqrt(tau); a random walk of K: K sqrt(tau / 3) (IEEE 952-1997).
void expectDensities(const InertialErrors& errors, const Record& record, double rate) {
  const double tau = 10.0 / rate;
  EXPECT_NEAR(meanAllanDeviation(record.readings, 10) * std::sqrt(tau), errors.noise_density,
              0.05 * errors.noise_density);
  const bool wanders = errors.random_walk > 0.0;
  if (errors.gauss_markov_sigma > 0.0) return;
  const double walk = meanAllanDeviation(record.biases, 100) / std::sqrt(100.0 / rate / 3.0);
  EXPECT_NEAR(walk, errors.random_walk, wanders ? 0.2 * errors.random_walk : 1e-12);
}

TEST_F(LoadImuTest, TenMinutesOfEveryPresetHaveItsDensities) {
  const std::vector<std::string> names = knownNames("imu");
  EXPECT_GE(names.size(), 8U);
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    const ImuConfig config = loadImu(name);
    const Records records = recordOf(config, 600.0);
    expectDensities(config.gyroscope, records.gyroscope, config.rate);
    expectDensities(config.accelerometer, records.accelerometer, config.rate);
  }
}

// The walk also shows in the readings themselves, at windows where it outgrows the white noise.
TEST_F(LoadImuTest, RandomWalkShowsInTheReadings) {
  const ImuConfig config = loadImu("euroc_adis16448");
  const double n = config.gyroscope.noise_density, k = config.gyroscope.random_walk;
  const Records records = recordOf(config, 400.0 * n / k);
  const double tau = 6.0 * n / k;
  const double deviation =
      meanAllanDeviation(records.gyroscope.readings, static_cast<std::size_t>(tau * config.rate));
  EXPECT_NEAR(std::sqrt((deviation * deviation - n * n / tau) / (tau / 3.0)), k, 0.2 * k);
}

// Steady state K sqrt(tau / 2) of gazebo_imu_plugin.h's K and tau.
TEST_F(LoadImuTest, RotorsBiasHasTheSteadyStateOfItsSource) {
  const ImuConfig config = loadImu("rotors_adis16448");
  EXPECT_NEAR(config.gyroscope.gauss_markov_sigma, 3.8785e-5 * std::sqrt(500.0), 1e-7);
  EXPECT_NEAR(config.accelerometer.gauss_markov_sigma, 6.0e-3 * std::sqrt(150.0), 1e-5);
  double gyro = 0.0, accel = 0.0;
  ImuConfig fast = config;
  fast.gyroscope.turn_on_bias = fast.accelerometer.turn_on_bias = 0.0;
  fast.rate = 0.01;  // most of a correlation time a sample
  Imu imu(fast, 5);
  constexpr int kCount = 20000;
  for (int i = 0; i < kCount; ++i) {
    gyro += imu.gyroscope().bias().squaredNorm() / 3.0 / kCount;
    accel += imu.accelerometer().bias().squaredNorm() / 3.0 / kCount;
    imu.sample(KinematicState{});
  }
  EXPECT_NEAR(std::sqrt(gyro), config.gyroscope.gauss_markov_sigma,
              0.1 * config.gyroscope.gauss_markov_sigma);
  EXPECT_NEAR(std::sqrt(accel), config.accelerometer.gauss_markov_sigma,
              0.1 * config.accelerometer.gauss_markov_sigma);
}

// AirLib's ImuSimpleParams.hpp in its own units.
TEST_F(LoadImuTest, AirSimUnitsAreConverted) {
  const ImuConfig config = loadImu("airsim_mpu6000");
  const double degree = std::acos(-1.0) / 180.0, g = 9.80665;
  EXPECT_NEAR(config.gyroscope.noise_density, 0.30 * degree / std::sqrt(3600.0), 1e-9);
  EXPECT_NEAR(config.accelerometer.noise_density, 0.24e-3 * g, 1e-7);
  EXPECT_NEAR(config.gyroscope.random_walk, 4.6 * degree / 3600.0 / std::sqrt(500.0), 1e-10);
  EXPECT_NEAR(config.accelerometer.random_walk, 36e-6 * g / std::sqrt(800.0), 1e-9);
}

TEST_F(LoadImuTest, VehiclesOverrideTheModel) {
  const std::string good = contents(dataDir() / "config/vehicle/hummingbird.yaml");
  const auto path = write("vehicle.yaml", good + "  rate: 100Hz\n  gyroscope: {range: 2000deg}\n");
  EXPECT_THROW(loadVehicle(path), ConfigError);  // range is a plain number
  const auto mended = write("vehicle.yaml", good + "  rate: 100Hz\n  gyroscope: {range: 34.9}\n");
  const ImuConfig imu = loadVehicle(mended).imu;
  EXPECT_DOUBLE_EQ(imu.rate, 100.0);
  EXPECT_DOUBLE_EQ(imu.gyroscope.range, 34.9);
  EXPECT_DOUBLE_EQ(imu.gyroscope.noise_density, 1.6968e-4);
}

TEST_F(LoadImuTest, BadInputIsNamed) {
  const auto path = write("imu.yaml", "name: x\ngyroscope: {noise_densty: 1}\n");
  try {
    loadImu(path);
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("gyroscope.noise_densty"), std::string::npos)
        << error.what();
    EXPECT_NE(std::string(error.what()).find("noise_density"), std::string::npos);
  }
  EXPECT_THROW(loadImu("bmi99"), UnknownNameError);
}

}  // namespace
}  // namespace marsim::config
