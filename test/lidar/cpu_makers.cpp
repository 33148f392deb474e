#include "lidar/renderer_suite.hpp"

namespace marsim::lidar {
namespace {

// Sanitizers look at the code and not at figures, and take their time: of a caster every level
// meets each storage and each surface once.
#ifdef __SANITIZE_ADDRESS__
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

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
    for (const auto storage : {map::SurfelStorage::kCompact, map::SurfelStorage::kFloat}) {
      const bool compact = storage == map::SurfelStorage::kCompact;
      const std::string suffix = std::string(nameOf(level)) + (compact ? "_compact" : "_float");
      RendererConfig config;
      config.simd = level;
      const std::string label = "caster_" + suffix;
      if (!kSanitized || !compact) {
        makers.push_back({"ray_caster", makeCaster, config, storage, label});
      }
      if (!kSanitized || compact) {
        makers.push_back({"ray_caster", makeCaster, config, storage, label + "_blended", true});
      }
      makers.push_back({"projection", makeImages, config, storage, "projection_" + suffix});
    }
  }
  makers.push_back(
      {"ray_caster", makeImages, {}, map::SurfelStorage::kCompact, "projection_blended", true});
  return makers;
}

std::vector<Maker> fewMakers() {
  constexpr auto kCompact = map::SurfelStorage::kCompact, kFloat = map::SurfelStorage::kFloat;
  std::vector<Maker> makers = {{"ray_caster", makeCaster, {}, kFloat, "caster_float"},
                               {"ray_caster", makeCaster, {}, kCompact, "caster_blended", true},
                               {"projection", makeImages, {}, kCompact, "projection"}};
  for (const SimdLevel level : simdLevels()) {
    RendererConfig config;
    config.simd = level;
    makers.push_back(
        {"ray_caster", makeCaster, config, kCompact, std::string("caster_") + nameOf(level)});
  }
  return makers;
}

}  // namespace marsim::lidar
