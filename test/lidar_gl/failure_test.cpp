// SPDX-License-Identifier: BSD-3-Clause
// Consequences of failures of OpenGL. The libraries read the environment once: every test is a
// process of its own (ctest runs it so).

#include <cstdlib>

#include <gtest/gtest.h>

#include "lidar/surfel_sets.hpp"
#include "lidar_gl/fault.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"
#include "marsim/lidar/plants.hpp"
#include "marsim/lidar_gl/renderer.hpp"

namespace marsim::lidar_gl {
namespace {

using lidar::Hit;

class GlFailure : public testing::Test {
 protected:
  void SetUp() override {
    unsetenv("DISPLAY");
    unsetenv("WAYLAND_DISPLAY");
  }

  std::unique_ptr<lidar::RayRenderer> make(RendererChoice choice) {
    lines_.clear();
    return makeRayRenderer(choice, map_, {}, log(), options_);
  }
  std::unique_ptr<lidar::ImageRenderer> makeImages(RendererChoice choice) {
    lines_.clear();
    return makeImageRenderer(choice, map_, {}, log(), options_);
  }
  Log log() {
    return [this](const std::string& line, bool) { lines_.push_back(line); };
  }

  // An error that says so, where OpenGL was asked for; the processor and a line, where it was not.
  void expectRefused(const std::string& why) {
    try {
      make(RendererChoice::kOpenGl);
      ADD_FAILURE() << "no error";
    } catch (const GlError& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find("renderer is opengl, and cannot be: "), std::string::npos) << text;
      EXPECT_NE(text.find(why), std::string::npos) << text;
      EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    }
    EXPECT_TRUE(lines_.empty());
    EXPECT_THROW(makeImages(RendererChoice::kOpenGl), GlError);
    const auto renderer = make(RendererChoice::kAuto);
    EXPECT_EQ(renderer->name(), "ray_caster");
    EXPECT_EQ(makeImages(RendererChoice::kAuto)->name(), "projection");
    ASSERT_EQ(lines_.size(), 1U);
    EXPECT_NE(lines_[0].find("the processor renders: "), std::string::npos) << lines_[0];
    EXPECT_NE(lines_[0].find(why), std::string::npos) << lines_[0];
    expectRight(*renderer);
  }

  // As the processor renders.
  void expectRight(const lidar::RayRenderer& renderer) const {
    std::vector<lidar::Ray> rays;
    RandomStream random(1);
    for (int i = 0; i < 200; ++i) {
      rays.push_back({lidar::randomInCube(random, 0.8).cast<float>(), 5.0F,
                      lidar::randomDirection(random).cast<float>(), 0.0F});
    }
    std::vector<Hit> hits, expected;
    renderer.cast(rays, hits);
    lidar::makeRayCaster(map_, {})->cast(rays, expected);
    ASSERT_EQ(hits.size(), expected.size());
    for (std::size_t i = 0; i < hits.size(); ++i) {
      ASSERT_EQ(hits[i].valid(), expected[i].valid()) << i;
      if (hits[i].valid()) {
        EXPECT_NEAR(hits[i].range, expected[i].range, 2e-3) << i;
      }
    }
  }

  const std::shared_ptr<const map::SurfelMap> map_ =
      lidar::roomMap({1.0, 1.0, 1.0}, 0.1, lidar::Kind::kMixed, {0.1F, 0.8F, 0.07F});
  GlOptions options_;
  std::vector<std::string> lines_;
};

TEST_F(GlFailure, NoOpenGlAtAll) {
  setenv("__EGL_VENDOR_LIBRARY_FILENAMES", "/nowhere", 1);
  expectRefused("no OpenGL 4.3: egl: no platform is known");
}

TEST_F(GlFailure, ADisplayThatDoesNotAnswer) {
  setenv("__EGL_VENDOR_LIBRARY_FILENAMES", "/nowhere", 1);
  setenv("DISPLAY", ":4095", 1);
  expectRefused("no OpenGL 4.3: glfw window: the display cannot be opened: ");
}

TEST_F(GlFailure, TooOldAnOpenGl) {
  setenv("LIBGL_ALWAYS_SOFTWARE", "1", 1);
  setenv("MESA_GL_VERSION_OVERRIDE", "3.3", 1);
  faults().auto_takes_software = true;
  expectRefused("has OpenGL 3.3, needed: 4.3");
}

TEST_F(GlFailure, AShaderThatDoesNotCompile) {
  faults().fault = Fault::kShader;
  faults().auto_takes_software = true;
  expectRefused("OpenGL: the shader does not compile: ");
}

TEST_F(GlFailure, NoRoomOnTheDevice) {
  faults().fault = Fault::kMemory;
  faults().auto_takes_software = true;
  expectRefused("OpenGL: the device has no room for the map's ");
}

TEST_F(GlFailure, MoreBuffersThanAShaderReads) {
  options_.block_bytes = 80;  // a node
  faults().auto_takes_software = true;
  expectRefused("buffers of ");
}

TEST_F(GlFailure, ALostContextLeavesTheRestToTheProcessor) {
  faults().fault = Fault::kLoss;
  const auto renderer = make(RendererChoice::kOpenGl);
  EXPECT_EQ(renderer->name(), "opengl");
  ASSERT_EQ(lines_.size(), 1U);
  expectRight(*renderer);
  EXPECT_EQ(renderer->name(), "ray_caster");
  ASSERT_EQ(lines_.size(), 2U);
  EXPECT_EQ(lines_[1],
            "the processor renders from now on: OpenGL: the graphics device was reset, the context "
            "is lost");
  expectRight(*renderer);
  EXPECT_EQ(lines_.size(), 2U);
  // A new one has a new context.
  faults().fault = Fault::kNone;
  const auto other = make(RendererChoice::kOpenGl);
  expectRight(*other);
  EXPECT_EQ(other->name(), "opengl");
}

TEST_F(GlFailure, ALostContextLeavesImagesToTheProcessor) {
  lidar::ImageGrid grid;
  grid.width = 90;
  grid.height = 30;
  grid.elevation_min = radians(-40);
  grid.elevation_max = radians(40);
  std::vector<Hit> hits, expected;
  lidar::makeDepthImageRenderer(map_, {})->renderImage(grid, {}, 5.0, expected);
  for (const Fault fault : {Fault::kNone, Fault::kLoss}) {
    faults().fault = fault;
    const auto renderer = makeImages(RendererChoice::kOpenGl);
    EXPECT_EQ(renderer->name(), "opengl");
    renderer->renderImage(grid, {}, 5.0, hits);
    EXPECT_EQ(renderer->name(), fault == Fault::kLoss ? "projection" : "opengl");
    EXPECT_EQ(lines_.size(), fault == Fault::kLoss ? 2U : 1U);
    int wrong = 0;
    for (std::size_t i = 0; i < hits.size(); ++i) {
      wrong += hits[i].valid() != expected[i].valid() ||
               (hits[i].valid() && std::abs(hits[i].range - expected[i].range) > 2e-3F);
    }
    EXPECT_LE(wrong, 2);
  }
}

TEST_F(GlFailure, NoRoomForRaysLeavesTheRestToTheProcessor) {
  faults().fault = Fault::kBuffers;
  const auto renderer = make(RendererChoice::kOpenGl);
  EXPECT_EQ(renderer->name(), "opengl");
  expectRight(*renderer);
  EXPECT_EQ(renderer->name(), "ray_caster");
  ASSERT_EQ(lines_.size(), 2U);
  EXPECT_EQ(lines_[1].find("the processor renders from now on: OpenGL: the device has no room for "
                           "buffers of "),
            0U)
      << lines_[1];
  // The device itself is well.
  faults().fault = Fault::kNone;
  const auto other = make(RendererChoice::kOpenGl);
  expectRight(*other);
  EXPECT_EQ(other->name(), "opengl");
}

// As from the processor, to the bit: leaning stems and rays that mirrors send on.
TEST_F(GlFailure, PlantsAndRaysThatGoOnAreTheProcessorsWork) {
  scene::Vegetation stems;
  scene::Patch& patch = stems.patches.emplace_back();
  for (float x = -0.6F; x < 0.7F; x += 0.05F) {
    patch.cylinders.push_back({{x, 0.3F, -0.9F}, {x, 0.3F, 0.9F}, 0.01F, 100});
  }
  stems.instances.emplace_back();
  stems.sway.lean = radians(20);
  const auto plants = std::make_shared<const lidar::Plants>(stems);
  std::vector<lidar::Ray> rays;
  RandomStream random(3);
  for (int i = 0; i < 900; ++i) {
    rays.push_back({{0.0F, -0.5F, 0.0F}, 5.0F, lidar::randomDirection(random).cast<float>(), 0.0F});
  }
  const std::shared_ptr<const lidar::RayRenderer> cpu = lidar::makeRayCaster(map_, {});
  std::vector<Hit> expected, hits;
  for (const Fault fault : {Fault::kNone, Fault::kLoss}) {
    faults().fault = fault;
    const std::shared_ptr<const lidar::RayRenderer> opengl = make(RendererChoice::kOpenGl);
    opengl->castFew(0, rays, {}, hits);
    cpu->cast(rays, expected);
    for (std::size_t i = 0; i < rays.size(); ++i) ASSERT_EQ(hits[i].range, expected[i].range) << i;
    EXPECT_EQ(opengl->name(), "opengl") << "nothing was asked of it";
    const TimeNs begin = 700'000'000;
    lidar::withPlants(opengl, plants, {})->castBeams(begin, rays, 9, {}, hits);
    lidar::withPlants(cpu, plants, {})->castBeams(begin, rays, 9, {}, expected);
    EXPECT_EQ(opengl->name(), fault == Fault::kLoss ? "ray_caster" : "opengl");
    int of_plants = 0, wrong = 0;
    for (std::size_t i = 0; i < rays.size(); ++i) {
      of_plants += scene::isPlant(expected[i].identity) ? 1 : 0;
      wrong += hits[i].identity != expected[i].identity || hits[i].valid() != expected[i].valid() ||
               (hits[i].valid() && std::abs(hits[i].range - expected[i].range) > 2e-3F);
      if (scene::isPlant(hits[i].identity) && scene::isPlant(expected[i].identity)) {
        ASSERT_EQ(hits[i].range, expected[i].range) << i;
      }
    }
    EXPECT_GT(of_plants, 20);
    EXPECT_LE(wrong, 1);
  }
}

// The least that a driver may have: OpenGL 4.3 without the extension.
TEST_F(GlFailure, BuffersThatDoNotStayMappedDoAsWell) {
  setenv("MESA_GL_VERSION_OVERRIDE", "4.3", 1);
  setenv("MESA_EXTENSION_OVERRIDE", "-GL_ARB_buffer_storage", 1);
  const auto context = Context::shared({ContextSource::kEgl, true});
  if (context->info().persistent) GTEST_SKIP() << context->info().text();
  const auto renderer = make(RendererChoice::kOpenGl);
  expectRight(*renderer);
  EXPECT_EQ(renderer->name(), "opengl");
  EXPECT_GT(context->castCounts().batches, 0U);
}

TEST_F(GlFailure, AnUnwritableShaderCacheDoesNoHarm) {
  setenv("MESA_SHADER_CACHE_DIR", "/proc/nowhere", 1);
  const auto renderer = make(RendererChoice::kOpenGl);
  EXPECT_EQ(renderer->name(), "opengl");
  expectRight(*renderer);
}

TEST_F(GlFailure, AutoNeverRendersInSoftware) {
  Context context({});
  if (!context.info().software) GTEST_SKIP() << context.info().text();
  const auto renderer = make(RendererChoice::kAuto);
  EXPECT_EQ(renderer->name(), "ray_caster");
  ASSERT_EQ(lines_.size(), 1U);
  EXPECT_NE(lines_[0].find("runs in software"), std::string::npos) << lines_[0];
  make(RendererChoice::kOpenGl);
  ASSERT_EQ(lines_.size(), 1U);
  EXPECT_EQ(lines_[0].find("rendering by OpenGL: " + context.info().renderer), 0U) << lines_[0];
}

TEST_F(GlFailure, TheProcessorNeedsNoOpenGl) {
  setenv("__EGL_VENDOR_LIBRARY_FILENAMES", "/nowhere", 1);
  expectRight(*make(RendererChoice::kCpu));
  EXPECT_TRUE(lines_.empty());
}

TEST(RendererChoice, HasNames) {
  for (const auto choice : {RendererChoice::kCpu, RendererChoice::kOpenGl, RendererChoice::kAuto}) {
    EXPECT_EQ(rendererChoiceOf(nameOf(choice), "lidar"), choice);
  }
  EXPECT_THROW(rendererChoiceOf("gpu", "lidar"), UnknownNameError);
}

}  // namespace
}  // namespace marsim::lidar_gl
