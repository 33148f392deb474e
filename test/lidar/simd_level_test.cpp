// SPDX-License-Identifier: BSD-3-Clause
#include <cstdlib>

#include <gtest/gtest.h>

#include "lidar/surfel_sets.hpp"
#include "marsim/common/error.hpp"
#include "marsim/lidar/renderer.hpp"

namespace marsim::lidar {
namespace {

TEST(SimdLevel, TheEnvironmentsNameIsChecked) {
  const auto map = scatteredMap(1, 10, 1.0, 0.1, Kind::kPlanar);
  const auto messageOf = [&](const char* name) -> std::string {
    setenv("MARSIM_SIMD", name, 1);
    try {
      makeRayCaster(map, {});
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  };
  for (const SimdLevel level : simdLevels()) EXPECT_EQ(messageOf(nameOf(level)), "none");
  EXPECT_EQ(messageOf("avx3").find("MARSIM_SIMD: unknown instruction set 'avx3'"), 0U);
  unsetenv("MARSIM_SIMD");
}

}  // namespace
}  // namespace marsim::lidar
