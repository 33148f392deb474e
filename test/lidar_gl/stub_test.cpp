// SPDX-License-Identifier: BSD-3-Clause
// A build without OpenGL: compiled with stub.cpp in place of what needs it.

#include <gtest/gtest.h>

#include "lidar/surfel_sets.hpp"
#include "marsim/lidar_gl/renderer.hpp"

namespace marsim::lidar_gl {
namespace {

TEST(GlStub, SaysThatThereIsNoOpenGl) {
  EXPECT_FALSE(available());
  EXPECT_THROW(Context{ContextOptions{}}, GlError);
  const auto map = lidar::roomMap({1.0, 1.0, 1.0}, 0.1, lidar::Kind::kMixed);
  std::vector<std::string> lines;
  const auto make = [&](RendererChoice choice) {
    return makeRayRenderer(choice, map, {},
                           [&](const std::string& line, bool) { lines.push_back(line); });
  };
  EXPECT_EQ(make(RendererChoice::kCpu)->name(), "ray_caster");
  EXPECT_TRUE(lines.empty());
  EXPECT_EQ(make(RendererChoice::kAuto)->name(), "ray_caster");
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_NE(lines[0].find("this build has no OpenGL"), std::string::npos) << lines[0];
  try {
    make(RendererChoice::kOpenGl);
    ADD_FAILURE() << "no error";
  } catch (const GlError& error) {
    EXPECT_NE(std::string(error.what()).find("this build has no OpenGL"), std::string::npos);
  }
}

}  // namespace
}  // namespace marsim::lidar_gl
