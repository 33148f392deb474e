// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include <Eigen/Core>

namespace marsim::scene {

/// Smooth noise in space, 0 to 1: hash values at whole coordinates, interpolated by cubic weights
/// (value noise). The same on every machine.
double solidNoise(const Eigen::Vector3d& p, std::uint64_t seed);

}  // namespace marsim::scene
