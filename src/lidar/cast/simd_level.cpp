// SPDX-License-Identifier: BSD-3-Clause
#include "lidar/cast/simd_level.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>

#include "common/text.hpp"
#include "marsim/common/error.hpp"

namespace marsim::lidar {
namespace {

struct Level {
  SimdLevel level;
  const char* name;
};

// Fastest first.
constexpr Level kLevels[] = {
#ifdef MARSIM_HAS_X86_KERNELS
    {SimdLevel::kAvx2, "avx2"},
    {SimdLevel::kBaseline, "baseline"},
#endif
    {SimdLevel::kPortable, "portable"},
};

bool processorHas([[maybe_unused]] SimdLevel level) {
#ifdef MARSIM_HAS_X86_KERNELS
  if (level == SimdLevel::kAvx2) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  }
#endif
  return true;
}

// kAuto if the environment variable is not set.
SimdLevel levelOfEnvironment() {
  const char* name = std::getenv("MARSIM_SIMD");
  if (name == nullptr || *name == '\0') return SimdLevel::kAuto;
  std::vector<std::string> known;
  for (const Level& level : kLevels) {
    if (name == std::string(level.name)) return level.level;
    known.emplace_back(level.name);
  }
  throw UnknownNameError("MARSIM_SIMD", "instruction set", name, known);
}

}  // namespace

std::vector<SimdLevel> simdLevels() {
  std::vector<SimdLevel> levels;
  for (const Level& level : kLevels) {
    if (processorHas(level.level)) levels.push_back(level.level);
  }
  return levels;
}

SimdLevel simdLevelFor(SimdLevel level) {
  if (level == SimdLevel::kAuto) level = levelOfEnvironment();
  const std::vector<SimdLevel> levels = simdLevels();
  if (level == SimdLevel::kAuto) return levels.front();
  if (std::find(levels.begin(), levels.end(), level) != levels.end()) return level;
  throw ConfigError("renderer", "simd", nameOf(level), "what this processor has");
}

const char* nameOf(SimdLevel level) {
  for (const Level& known : kLevels) {
    if (known.level == level) return known.name;
  }
  return "auto";
}

CastKernel castKernel(SimdLevel level) { return MARSIM_KERNEL_FOR(level, castGroup); }

PlantKernel plantKernel(SimdLevel level) { return MARSIM_KERNEL_FOR(level, castAtPlants); }

const CullKernels& cullKernels(SimdLevel level) { return MARSIM_KERNEL_FOR(level, kCullKernels); }

}  // namespace marsim::lidar
