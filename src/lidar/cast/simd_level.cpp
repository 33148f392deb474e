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
  CastKernel cast;
  ProjectKernel project;
  PlantKernel plants;
  ShadeKernel shade;
  const CullKernels* cull;
};

// Fastest first.
constexpr Level kLevels[] = {
#ifdef MARSIM_HAS_X86_KERNELS
    {SimdLevel::kAvx2, "avx2", avx2::castGroup, avx2::projectStrip, avx2::castAtPlants,
     avx2::shadePixels, &avx2::kCullKernels},
    {SimdLevel::kBaseline, "baseline", baseline::castGroup, baseline::projectStrip,
     baseline::castAtPlants, baseline::shadePixels, &baseline::kCullKernels},
#endif
    {SimdLevel::kPortable, "portable", portable::castGroup, portable::projectStrip,
     portable::castAtPlants, portable::shadePixels, &portable::kCullKernels},
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
  if (name == std::string("avx512")) {
    throw ConfigError("", "MARSIM_SIMD", "'avx512' (removed; 'avx2' is as fast)", join(known));
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

namespace {

const Level& chosen(SimdLevel level) {
  if (level == SimdLevel::kAuto) level = levelOfEnvironment();
  if (level == SimdLevel::kAuto) level = simdLevels().front();
  for (const Level& known : kLevels) {
    if (known.level == level && processorHas(level)) return known;
  }
  throw ConfigError("renderer", "simd", nameOf(level), "what this processor has");
}

}  // namespace

const char* nameOf(SimdLevel level) {
  for (const Level& known : kLevels) {
    if (known.level == level) return known.name;
  }
  return "auto";
}

CastKernel castKernel(SimdLevel level) { return chosen(level).cast; }

ProjectKernel projectKernel(SimdLevel level) { return chosen(level).project; }

PlantKernel plantKernel(SimdLevel level) { return chosen(level).plants; }

ShadeKernel shadeKernel(SimdLevel level) { return chosen(level).shade; }

const CullKernels& cullKernelsOf(CastKernel kernel) {
  for (const Level& known : kLevels) {
    if (known.cast == kernel) return *known.cull;
  }
  return portable::kCullKernels;
}

}  // namespace marsim::lidar
