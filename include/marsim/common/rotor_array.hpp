#pragma once

#include <Eigen/Core>

namespace marsim {

/// Rotors of a vehicle at most.
constexpr int kMostRotors = 8;

/// A number for each rotor, in the order of the vehicle file's rotors; without memory of the heap.
using RotorArray = Eigen::Array<double, Eigen::Dynamic, 1, Eigen::ColMajor, kMostRotors, 1>;

}  // namespace marsim
