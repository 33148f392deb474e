// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/lidar/scan_pattern.hpp"

#include <array>

#include "lidar/patterns/patterns.hpp"

namespace marsim::lidar {

const char* nameOf(const PatternConfig& config) {
  constexpr std::array<const char*, std::variant_size_v<PatternConfig>> kNames = {
      "risley", "mid360", "spinning", "csv", "grid"};
  return kNames[config.index()];
}

void validatePattern(const PatternConfig& config, const std::string& where) {
  std::visit([&](const auto& kind) { validateKind(kind, where); }, config);
}

std::unique_ptr<ScanPattern> makePattern(const PatternConfig& config) {
  return std::visit([](const auto& kind) { return makeKind(kind); }, config);
}

}  // namespace marsim::lidar
