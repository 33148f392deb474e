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
/// Checks the rate of a Livox pattern and the beams of its lines.
void validateBeams(double points_per_second, const std::vector<double>& beam_angles,
                   const std::string& where);
/// Checks a prism's speed, wedge angle, index and phase; `field` is its path in the file.
void validatePrism(const RotatingPrism& prism, const std::string& where, const std::string& field);

std::unique_ptr<ScanPattern> makeKind(const RisleyPatternConfig& config);
std::unique_ptr<ScanPattern> makeKind(const Mid360PatternConfig& config);
std::unique_ptr<ScanPattern> makeKind(const SpinningPatternConfig& config);
std::unique_ptr<ScanPattern> makeKind(const CsvPatternConfig& config);
std::unique_ptr<ScanPattern> makeKind(const GridPatternConfig& config);

/// Upper bounds of shots a second and of turning speeds [rad/s]: far beyond any device, and safe in
/// the arithmetic.
constexpr double kPointsPerSecondMax = 1e8;
constexpr double kTurningSpeedMax = 1e5;

}  // namespace marsim::lidar
