// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "marsim/lidar/scan_pattern.hpp"

/// The pattern kinds, for makePattern() and validatePattern().
namespace marsim::lidar {

void validateKind(const RisleyPatternConfig& config, const std::string& where);
void validateKind(const Mid360PatternConfig& config, const std::string& where);
void validateKind(const SpinningPatternConfig& config, const std::string& where);
void validateKind(const CsvPatternConfig& config, const std::string& where);
void validateKind(const GridPatternConfig& config, const std::string& where);
/// The settings of a fan of lines: `points_per_second` and `beam_angles`.
void declareBeams(Settings& settings, double& points_per_second, std::vector<double>& beam_angles);
void requireBeams(const std::vector<double>& beam_angles, const std::string& where);

std::unique_ptr<ScanPattern> makeKind(const RisleyPatternConfig& config);
std::unique_ptr<ScanPattern> makeKind(const Mid360PatternConfig& config);
std::unique_ptr<ScanPattern> makeKind(const SpinningPatternConfig& config);
std::unique_ptr<ScanPattern> makeKind(const CsvPatternConfig& config);
std::unique_ptr<ScanPattern> makeKind(const GridPatternConfig& config);

/// Upper bounds of shots a second and of turning speeds [rad/s]: far beyond any device, and safe in
/// the arithmetic.
constexpr double kPointsPerSecondMax = 1e8;
constexpr Bounds kTurningSpeeds{-1e5, 1e5};

}  // namespace marsim::lidar
