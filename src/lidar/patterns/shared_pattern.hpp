#pragma once

#include <memory>

#include "marsim/lidar/scan_pattern.hpp"

namespace marsim::lidar {

/// A pattern as makePattern() makes it whose shots are worked out once for all equal patterns of
/// the process that ask for the same interval: the UAVs of a swarm scan in step. Alone it works
/// them out anew, as keeping them would cost more. From any thread.
std::unique_ptr<ScanPattern> sharePattern(const PatternConfig& config);

}  // namespace marsim::lidar
