#pragma once

#include <memory>
#include <string>

#include "marsim/lidar/scan_pattern.hpp"

/// The pattern kinds, for makePattern() and validatePattern().
namespace marsim::lidar {

void validateRisley(const RisleyPatternConfig& config, const std::string& where);
void validateMid360(const Mid360PatternConfig& config, const std::string& where);
void validateSpinning(const SpinningPatternConfig& config, const std::string& where);
void validateCsv(const CsvPatternConfig& config, const std::string& where);
void validateGrid(const GridPatternConfig& config, const std::string& where);
/// A prism's speed, wedge angle, index and phase; `field` is its path in the file.
void validatePrism(const RotatingPrism& prism, const std::string& where, const std::string& field);

std::unique_ptr<ScanPattern> makeRisleyPattern(const RisleyPatternConfig& config);
std::unique_ptr<ScanPattern> makeMid360Pattern(const Mid360PatternConfig& config);
std::unique_ptr<ScanPattern> makeSpinningPattern(const SpinningPatternConfig& config);
std::unique_ptr<ScanPattern> makeCsvPattern(const CsvPatternConfig& config);
std::unique_ptr<ScanPattern> makeGridPattern(const GridPatternConfig& config);

/// Upper bound of shots a second and of turning speeds [rad/s]: far beyond any device, and safely
/// within the arithmetic.
constexpr double kPointsPerSecondMax = 1e8;
constexpr double kTurningSpeedMax = 1e5;

}  // namespace marsim::lidar
