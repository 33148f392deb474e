// SPDX-License-Identifier: BSD-3-Clause
#include "lidar/renderer_suite.hpp"

namespace marsim::lidar {
namespace {

Renderers makeCaster(Map map, const RendererConfig& config) {
  return both(makeRayCaster(std::move(map), config));
}

Renderers makeImages(Map map, const RendererConfig& config) {
  return {nullptr, makeDepthImageRenderer(std::move(map), config)};
}

}  // namespace

// Both renderers as everything that this processor can run.
std::vector<Maker> makersUnderTest() {
  std::vector<Maker> makers;
  for (const SimdLevel level : simdLevels()) {
    RendererConfig config;
    config.simd = level;
    const std::string suffix = nameOf(level);
    makers.push_back({"ray_caster", makeCaster, config, "caster_" + suffix});
    makers.push_back({"ray_caster", makeCaster, config, "caster_" + suffix + "_blended", true});
    makers.push_back({"projection", makeImages, config, "projection_" + suffix});
    makers.push_back({"projection", makeImages, config, "projection_" + suffix + "_blended", true});
  }
  return makers;
}

std::vector<Maker> fewMakers() {
  std::vector<Maker> makers = {{"ray_caster", makeCaster, {}, "caster_blended", true},
                               {"projection", makeImages, {}, "projection"}};
  for (const SimdLevel level : simdLevels()) {
    RendererConfig config;
    config.simd = level;
    makers.push_back({"ray_caster", makeCaster, config, std::string("caster_") + nameOf(level)});
  }
  return makers;
}

}  // namespace marsim::lidar
