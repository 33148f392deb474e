#include "lidar/renderer_suite.hpp"

#include <algorithm>
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

// Kept, so that the shaders of one renderer serve the next.
void keepContext() {
  static const std::shared_ptr<lidar_gl::Context> context =
      lidar_gl::Context::shared(options().context);
}

std::unique_ptr<Renderer> makeOnGl(Map map, const RendererConfig& config) {
  keepContext();
  return lidar_gl::makeRayCaster(std::move(map), config, options());
}

// Buffers so small that every map lies in several.
lidar_gl::GlOptions inParts(const map::SurfelMap& map) {
  constexpr std::size_t kLeast = 40000;  // bytes: eight rows of the widest image
  lidar_gl::GlOptions small = options();
  small.block_bytes = std::max(map::bytesOf(map.tree()) / 5, kLeast);
  return small;
}

std::unique_ptr<Renderer> makeInParts(Map map, const RendererConfig& config) {
  keepContext();
  const lidar_gl::GlOptions small = inParts(*map);
  return lidar_gl::makeRayCaster(std::move(map), config, small);
}

std::unique_ptr<Renderer> makeImagesOnGl(Map map, const RendererConfig& config) {
  keepContext();
  lidar_gl::GlOptions in_passes = options();
  in_passes.leaves_a_pass = 1;  // every image, however small its map
  return lidar_gl::makeDepthImageRenderer(std::move(map), config, in_passes);
}

std::unique_ptr<Renderer> makeImagesInParts(Map map, const RendererConfig& config) {
  keepContext();
  return lidar_gl::makeDepthImageRenderer(map, config, inParts(*map));
}

}  // namespace

std::vector<Maker> makersUnderTest() {
  constexpr auto kCompact = map::SurfelStorage::kCompact, kFloat = map::SurfelStorage::kFloat;
  return {{"opengl", makeOnGl, {}, kCompact, "compact", false},
          {"opengl", makeOnGl, {}, kCompact, "compact_blended", true},
          {"opengl", makeOnGl, {}, kFloat, "float", false},
          {"opengl", makeOnGl, {}, kFloat, "float_blended", true},
          {"opengl", makeInParts, {}, kCompact, "in_parts_blended", true},
          {"opengl", makeImagesOnGl, {}, kCompact, "images_compact", false},
          {"opengl", makeImagesOnGl, {}, kCompact, "images_compact_blended", true},
          {"opengl", makeImagesOnGl, {}, kFloat, "images_float", false},
          {"opengl", makeImagesOnGl, {}, kFloat, "images_float_blended", true},
          {"opengl", makeImagesInParts, {}, kCompact, "images_in_parts_blended", true}};
}

std::vector<Maker> fewMakers() {
  return {{"opengl", makeOnGl, {}, map::SurfelStorage::kCompact, "compact"},
          {"opengl", makeOnGl, {}, map::SurfelStorage::kFloat, "float_blended", true}};
}

}  // namespace marsim::lidar
