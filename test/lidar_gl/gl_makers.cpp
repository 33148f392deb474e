// SPDX-License-Identifier: BSD-3-Clause
#include "lidar/renderer_suite.hpp"

#include <algorithm>
#include <cstdlib>

#include "marsim/lidar_gl/renderer.hpp"

namespace marsim::lidar {
namespace {

// Where a context comes from, by the environment: one program tests both.
lidar_gl::GlOptions options() {
  const char* source = std::getenv("MARSIM_TEST_GL_SOURCE");
  lidar_gl::GlOptions options;
  options.context.source = source != nullptr && source == std::string("glfw")
                               ? lidar_gl::ContextSource::kWindow
                               : lidar_gl::ContextSource::kEgl;
  return options;
}

// Kept, so that the shaders of one renderer serve the next.
void keepContext() {
  static const std::shared_ptr<lidar_gl::Context> context =
      lidar_gl::Context::shared(options().context);
}

Renderers makeOnGl(Map map, const RendererConfig& config) {
  keepContext();
  return both(lidar_gl::makeRayCaster(std::move(map), config, options()));
}

// Buffers so small that every map lies in several.
lidar_gl::GlOptions inParts(const map::SurfelMap& map) {
  constexpr std::size_t kLeast = 40000;  // bytes: eight rows of the widest image
  lidar_gl::GlOptions small = options();
  small.block_bytes = std::max(map::bytesOf(map.tree()) / 5, kLeast);
  return small;
}

Renderers makeInParts(Map map, const RendererConfig& config) {
  keepContext();
  const lidar_gl::GlOptions small = inParts(*map);
  return both(lidar_gl::makeRayCaster(std::move(map), config, small));
}

}  // namespace

std::vector<Maker> makersUnderTest() {
  return {{"opengl", makeOnGl, {}, "paper", false, true},
          {"opengl", makeOnGl, {}, "blended", true, true},
          {"opengl", makeInParts, {}, "in_parts_blended", true, true}};
}

std::vector<Maker> fewMakers() {
  return {{"opengl", makeOnGl, {}, "paper", false, true},
          {"opengl", makeOnGl, {}, "blended", true, true}};
}

}  // namespace marsim::lidar
