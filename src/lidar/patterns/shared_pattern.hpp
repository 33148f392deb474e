// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "marsim/lidar/scan_pattern.hpp"

namespace marsim::lidar {

/// Makes a pattern as makePattern() does, whose shots are computed once for all equal patterns of
/// the process that ask for the same interval: the UAVs of a swarm scan in step. A single user
/// computes them anew, since keeping them would cost more. Safe from any thread.
std::unique_ptr<ScanPattern> sharePattern(const PatternConfig& config);

}  // namespace marsim::lidar
