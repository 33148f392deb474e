// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "marsim/lidar/renderer.hpp"
#include "marsim/scene/vegetation.hpp"

namespace marsim::lidar {

/// Channels of the surfaces of the map, of plants and of moving objects, by identity.
class SurfaceChannels {
 public:
  SurfaceChannels(const RayRenderer& renderer, View<MovingObject> objects)
      : of_map_(renderer.channels()), of_plants_(renderer.plantChannels()) {
    for (const MovingObject& object : objects) {
      entries_.push_back(
          {object.identity, object.reflectivity, object.semantic_class, object.shape->channels()});
    }
    std::sort(entries_.begin(), entries_.end(),
              [](const Entry& a, const Entry& b) { return a.identity < b.identity; });
  }

  /// 255 for 100 %.
  std::optional<std::uint8_t> reflectivity(const Hit& hit) const {
    if (hit.identity == kMapIdentity) return at(of_map_.reflectivity, hit);
    if (scene::isPlant(hit.identity)) return at(of_plants_.reflectivity, hit);
    const Entry& object = entryOf(hit);
    return object.reflectivity ? object.reflectivity : at(object.of_surfels.reflectivity, hit);
  }

  std::uint8_t semanticClass(const Hit& hit) const {
    if (hit.identity == kMapIdentity) return at(of_map_.classes, hit).value_or(0);
    if (scene::isPlant(hit.identity)) return at(of_plants_.classes, hit).value_or(0);
    const Entry& object = entryOf(hit);
    return object.semantic_class ? *object.semantic_class
                                 : at(object.of_surfels.classes, hit).value_or(0);
  }

  /// Number of the map's thing that was hit; 0: none.
  std::uint16_t instance(const Hit& hit) const {
    const bool is_known = hit.identity == kMapIdentity && !of_map_.instances.empty();
    return is_known ? of_map_.instances[hit.surfel] : std::uint16_t{0};
  }

 private:
  struct Entry {
    std::uint32_t identity;
    std::optional<std::uint8_t> reflectivity, semantic_class;
    map::SurfelChannelViews of_surfels;
  };

  static std::optional<std::uint8_t> at(View<std::uint8_t> channel, const Hit& hit) {
    if (channel.empty()) return std::nullopt;
    return channel[hit.surfel];
  }
  /// The object of a hit, which is among them.
  const Entry& entryOf(const Hit& hit) const {
    return *std::lower_bound(
        entries_.begin(), entries_.end(), hit.identity,
        [](const Entry& known, std::uint32_t wanted) { return known.identity < wanted; });
  }

  map::SurfelChannelViews of_map_, of_plants_;
  std::vector<Entry> entries_;
};

}  // namespace marsim::lidar
