// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>

namespace marsim {

/// Largest number of rotors of a vehicle.
constexpr int kMostRotors = 8;

/// One number per rotor, in the order of the vehicle file's rotors; uses no heap memory.
using RotorArray = Eigen::Array<double, Eigen::Dynamic, 1, Eigen::ColMajor, kMostRotors, 1>;

}  // namespace marsim
