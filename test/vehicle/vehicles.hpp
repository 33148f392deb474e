// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "marsim/vehicle/vehicle_config.hpp"

/// Airframes of published simulators, slow and fast motors among them, for tests.
namespace marsim::vehicle {

/// AscTec Hummingbird of RotorS (Furrer et al., 2016): plus layout, motors of 12.5 ms up and 25 ms
/// down.
inline VehicleConfig hummingbird() {
  VehicleConfig config;
  config.name = "hummingbird";
  config.mass = 0.716;
  config.inertia = {0.007, 0.007, 0.012};
  config.rotors = {{{0.17, 0, 0}, -1}, {{0, 0.17, 0}, 1}, {{-0.17, 0, 0}, -1}, {{0, -0.17, 0}, 1}};
  config.thrust_coefficient = 8.54858e-6;
  config.torque_coefficient = 0.016 * 8.54858e-6;
  config.motor = {2.0 / 0.0125, 2.0 / 0.025, 1.0, 0.0, 838.0};
  config.rotor_drag_coefficient = 8.06428e-5;
  return config;
}

/// Iris of PX4's simulator: arms of unequal length in front and behind.
inline VehicleConfig iris() {
  VehicleConfig config;
  config.name = "iris";
  config.mass = 1.535;
  config.inertia = {0.029125, 0.029125, 0.055225};
  config.rotors = {{{0.13, -0.22, 0.023}, 1},
                   {{-0.13, 0.20, 0.023}, 1},
                   {{0.13, 0.22, 0.023}, -1},
                   {{-0.13, -0.20, 0.023}, -1}};
  config.thrust_coefficient = 5.84e-6;
  config.torque_coefficient = 0.06 * 5.84e-6;
  config.motor = {2.0 / 0.0125, 2.0 / 0.025, 1.0, 0.0, 1100.0};
  config.rotor_drag_coefficient = 1.75e-4;
  return config;
}

/// Five-inch racer of the Agilicious flight stack (Foehn et al., 2022): 33 ms.
inline VehicleConfig racer() {
  VehicleConfig config;
  config.name = "racer";
  config.mass = 0.752;
  config.inertia = {0.0025, 0.0021, 0.0043};
  config.rotors = {{{0.075, -0.10, 0}, 1},
                   {{-0.075, 0.10, 0}, 1},
                   {{0.075, 0.10, 0}, -1},
                   {{-0.075, -0.10, 0}, -1}};
  config.thrust_coefficient = 1.562522e-6;
  config.torque_coefficient = 0.022 * 1.562522e-6;
  config.motor = {2.0 / 0.033, 2.0 / 0.033, 1.0, 150.0, 2332.0};
  config.linear_drag = {0.26, 0.26, 0.30};
  return config;
}

/// A vehicle on wheels, of the size of a Clearpath Jackal.
inline VehicleConfig rover() {
  VehicleConfig config;
  config.name = "rover";
  config.mass = 17.0;
  config.inertia = {0.31, 0.41, 0.63};
  config.radius = 0.35;
  config.ground_clearance = 0.16;
  config.differential_drive = {0.38, 0.26, 0.1, 2.0, 4.0, radians(30.0), 0.08, {0.5, 0.43, 0.185}};
  return config;
}

/// Crazyflie of RotorPy: slow motors, 72 ms.
inline VehicleConfig crazyflie() {
  VehicleConfig config;
  config.name = "crazyflie";
  config.mass = 0.030;
  config.inertia = {1.43e-5, 1.43e-5, 2.89e-5};
  const double arm = 0.043 * 0.70710678118654752;
  config.rotors = {
      {{arm, arm, 0}, 1}, {{arm, -arm, 0}, -1}, {{-arm, -arm, 0}, 1}, {{-arm, arm, 0}, -1}};
  config.thrust_coefficient = 2.3e-8;
  config.torque_coefficient = 7.8e-10;
  config.motor = {2.0 / 0.072, 2.0 / 0.072, 1.0, 0.0, 2500.0};
  config.rotor_drag_coefficient = 1.02506e-6;
  config.ground_clearance = 0.02;
  config.radius = 0.07;
  return config;
}

/// AscTec Firefly of RotorS, a hexarotor.
inline VehicleConfig firefly() {
  VehicleConfig config = hummingbird();
  config.name = "firefly";
  config.mass = 1.53;
  config.inertia = {0.0347563, 0.0458929, 0.0977};
  const double arm = 0.215, x = arm * 0.866025403784, y = 0.5 * arm;
  config.rotors = {{{x, y, 0.037}, 1},    {{0, arm, 0.037}, -1}, {{-x, y, 0.037}, 1},
                   {{-x, -y, 0.037}, -1}, {{0, -arm, 0.037}, 1}, {{x, -y, 0.037}, -1}};
  return config;
}

/// The vehicles with four rotors.
inline std::vector<VehicleConfig> allVehicles() {
  return {hummingbird(), iris(), racer(), crazyflie()};
}

}  // namespace marsim::vehicle
