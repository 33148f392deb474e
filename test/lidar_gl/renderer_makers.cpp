#include "lidar/renderer_makers.hpp"

#include <cstdlib>

#include "marsim/lidar_gl/renderer.hpp"

namespace marsim::lidar {
namespace {

// The way to a context, by the environment: one program tests both.
lidar_gl::GlOptions options() {
  const char* way = std::getenv("MARSIM_TEST_GL_WAY");
  lidar_gl::GlOptions options;
  options.context.way =
      way != nullptr && way == std::string("glfw") ? lidar_gl::Way::kWindow : lidar_gl::Way::kEgl;
  return options;
}

using Map = std::shared_ptr<const map::SurfelMap>;

std::unique_ptr<Renderer> makeOnGl(Map map, const RendererConfig& config) {
  return lidar_gl::makeRayCaster(std::move(map), config, options());
}

// Buffers so small that every map lies in several.
std::unique_ptr<Renderer> makeInParts(Map map, const RendererConfig& config) {
  lidar_gl::GlOptions small = options();
  small.block_bytes = std::max<std::size_t>(map::bytesOf(map->tree()) / 5, std::size_t{1} << 15);
  return lidar_gl::makeRayCaster(std::move(map), config, small);
}

}  // namespace

std::vector<RendererMaker> rendererMakers() {
  constexpr auto kCompact = map::SurfelStorage::kCompact, kFloat = map::SurfelStorage::kFloat;
  return {{"opengl", makeOnGl, {}, kCompact, "compact", false},
          {"opengl", makeOnGl, {}, kCompact, "compact_blended", true},
          {"opengl", makeOnGl, {}, kFloat, "float", false},
          {"opengl", makeOnGl, {}, kFloat, "float_blended", true},
          {"opengl", makeInParts, {}, kCompact, "in_parts_blended", true}};
}

}  // namespace marsim::lidar
