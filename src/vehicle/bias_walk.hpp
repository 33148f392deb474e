// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

#include "marsim/vehicle/imu.hpp"

namespace marsim::vehicle {

/// [u/s/sqrt(Hz)] of the bias in the IMU model of Kalibr and of ASL data sets, which has white
/// noise and a random walk of the bias. A Gauss-Markov bias of standard deviation sigma and
/// correlation time tau is driven by white noise of density sigma sqrt(2 / tau) (db/dt = -b / tau +
/// w) and walks like that for times much shorter than tau. Independent walks add by squares.
inline double biasWalk(const InertialErrors& errors) {
  if (!(errors.gauss_markov_sigma > 0.0)) return errors.random_walk;
  return std::hypot(errors.random_walk,
                    errors.gauss_markov_sigma * std::sqrt(2.0 / errors.gauss_markov_time));
}

}  // namespace marsim::vehicle
