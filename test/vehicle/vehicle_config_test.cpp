// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/vehicle/vehicle_config.hpp"

#include <functional>

#include <gtest/gtest.h>
#include <Eigen/LU>

#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"
#include "marsim/vehicle/imu.hpp"
#include "vehicle/vehicles.hpp"

namespace marsim::vehicle {
namespace {

template <class Config>
std::string messageOf(const Config& config) {
  try {
    config.validate("x.yaml");
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

std::string afterChange(const std::function<void(VehicleConfig&)>& change) {
  VehicleConfig config = hummingbird();
  change(config);
  return messageOf(config);
}

const char* const kNoEquilibrium =
    "x.yaml: rotors is a layout without hover equilibrium, allowed: positions and spins whose "
    "thrusts and torques about all three axes can balance";

TEST(VehicleConfig, PublishedAirframesAreValid) {
  std::vector<VehicleConfig> vehicles = allVehicles();
  vehicles.push_back(firefly());
  for (const VehicleConfig& config : vehicles) {
    EXPECT_EQ(messageOf(config), "");
    EXPECT_NEAR(config.hoverSpeeds().square().mean(), std::pow(config.hoverSpeed(), 2), 1e-6);
  }
}

TEST(VehicleConfig, MessagesNameFileFieldValueAndBound) {
  EXPECT_EQ(afterChange([](auto& c) { c.mass = -1.0; }),
            "x.yaml: mass is -1, allowed: more than 0 kg");
  EXPECT_EQ(afterChange([](auto& c) { c.inertia.y() = 0.0; }),
            "x.yaml: inertia[1] is 0, allowed: more than 0 kg m^2");
  EXPECT_EQ(afterChange([](auto& c) { c.rotors.pop_back(); }),
            "x.yaml: rotors is a list of 3, allowed: a list of 4 to 8");
  EXPECT_EQ(afterChange([](auto& c) { c.rotors.resize(9, c.rotors[0]); }),
            "x.yaml: rotors is a list of 9, allowed: a list of 4 to 8");
  EXPECT_EQ(afterChange([](auto& c) { c.rotors[2].spin = 0; }),
            "x.yaml: rotors[2].spin is 0, allowed: 1 or -1");
  EXPECT_EQ(afterChange([](auto& c) { c.rotors[2].spin = 1; }), kNoEquilibrium);
  EXPECT_EQ(afterChange([](auto& c) { c.motor.speed_min = 900.0; }),
            "x.yaml: motor.speed_min is 900, allowed: less than motor.speed_max (838 rad/s)");
  EXPECT_EQ(afterChange([](auto& c) { c.motor.damping = std::nan(""); }),
            "x.yaml: motor.damping is nan, allowed: 0.1 to 10");
  EXPECT_EQ(afterChange([](auto& c) { c.motor.natural_frequency_up = 3000.0; }),
            "x.yaml: motor is of a pole of 3000 rad/s (natural frequency and damping), "
            "allowed: up to 2000 rad/s");
  EXPECT_EQ(afterChange([](auto& c) { c.linear_drag.z() = -0.1; }),
            "x.yaml: linear_drag[2] is -0.1, allowed: 0 or more N/(m/s)");
}

TEST(VehicleConfig, RefusesWhatCannotHover) {
  EXPECT_EQ(afterChange([](auto& c) { c.mass = 3.0; }),
            "x.yaml: mass is 3, allowed: less than 2.449 kg: the rotors' thrust at "
            "motor.speed_max is 24.01 N");
  EXPECT_EQ(afterChange([](auto& c) { c.rotors[0].position = {-0.17, 0.0, 0.0}; }), kNoEquilibrium);
  EXPECT_EQ(afterChange([](auto& c) {
              for (auto& rotor : c.rotors) rotor.position.y() = 0.0;
            }),
            kNoEquilibrium)
      << "in one line: no roll";
  EXPECT_EQ(afterChange([](auto& c) {
              for (auto& rotor : c.rotors) rotor.spin = 1;
            }),
            kNoEquilibrium)
      << "no yaw";
  EXPECT_EQ(afterChange([](auto& c) { c.motor.speed_min = 600.0; }),
            "x.yaml: rotors[0] hover speed is 453.1, allowed: between motor.speed_min (600) and "
            "motor.speed_max (838 rad/s)");
}

// Six squares of speeds, four equations: any other solution, by a step in the null space, has a
// larger norm.
TEST(VehicleConfig, HoverSpeedsOfSixRotorsAreTheLeast) {
  VehicleConfig config = firefly();
  config.rotors[1].position = {0.03, 0.25, 0.0};
  const RotorArray squares = config.hoverSpeeds().square();
  Eigen::Matrix<double, 4, 6> wrench;
  for (int i = 0; i < 6; ++i) {
    const RotorConfig& rotor = config.rotors[static_cast<std::size_t>(i)];
    wrench.col(i) << 1.0, rotor.position.y(), -rotor.position.x(), -rotor.spin;
  }
  const Eigen::Vector4d balance = wrench * squares.matrix();
  EXPECT_NEAR(config.thrust_coefficient * balance[0], config.mass * kGravity, 1e-9);
  EXPECT_LT(balance.tail<3>().norm(), 1e-6);
  const Eigen::MatrixXd null_space = Eigen::FullPivLU<Eigen::MatrixXd>(wrench).kernel();
  ASSERT_EQ(null_space.cols(), 2);
  EXPECT_LT((null_space.transpose() * squares.matrix()).norm(), 1e-6 * squares.matrix().norm());
}

TEST(ImuConfig, MessagesNameFileFieldValueAndBound) {
  ImuConfig config;
  config.rate = 0.0;
  EXPECT_EQ(messageOf(config), "x.yaml: rate is 0, allowed: more than 0 Hz");
  config.rate = 200.0;
  config.accelerometer.noise_density = -1e-3;
  EXPECT_EQ(messageOf(config),
            "x.yaml: accelerometer.noise_density is -0.001, allowed: 0 or more m/s^2/sqrt(Hz)");
  config.accelerometer.noise_density = 0.0;
  config.gyroscope.gauss_markov_sigma = 1e-4;
  EXPECT_EQ(messageOf(config),
            "x.yaml: gyroscope.gauss_markov.correlation_time is 0, allowed: more than 0 s");
}

}  // namespace
}  // namespace marsim::vehicle
