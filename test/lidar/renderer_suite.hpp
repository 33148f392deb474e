// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "lidar/comparison.hpp"
#include "lidar/surfel_sets.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"
#include "marsim/lidar/renderer.hpp"

namespace marsim::lidar {

using Map = std::shared_ptr<const map::SurfelMap>;

/// The renderers of one map by one maker.
struct Renderers {
  std::shared_ptr<const RayRenderer> rays;  ///< null: images alone are rendered
  std::shared_ptr<const ImageRenderer> images;
};

inline Renderers both(std::shared_ptr<const RayCaster> caster) { return {caster, caster}; }

/// Renderers as they are put to the test.
struct Maker {
  const char* name;
  Renderers (*make)(Map, const RendererConfig&);
  RendererConfig config;
  std::string label;
  bool blended = false;
  bool small_images = false;  ///< under 5000 cells
};

inline std::string labelOf(const testing::TestParamInfo<Maker>& maker) { return maker.param.label; }

/// The makers of a test program, which a file of its own defines.
std::vector<Maker> makersUnderTest();
/// A few of them, for suites of moving objects and scans.
std::vector<Maker> fewMakers();
/// The makers among fewMakers() that cast rays.
inline std::vector<Maker> rayMakers() {
  std::vector<Maker> makers = fewMakers();
  makers.erase(std::remove_if(makers.begin(), makers.end(),
                              [](const Maker& m) { return m.name == std::string("projection"); }),
               makers.end());
  return makers;
}

/// The map as a maker's renderer is tested with it: of the paper's surface or a blended one.
inline Map storedFor(const Maker& maker, const Map& map) {
  if (!maker.blended || map->blending().on()) return map;
  const auto r = static_cast<float>(map->resolution());
  return std::make_shared<const map::SurfelMap>(map->surfels(), map->config(),
                                                map::Blending{1.7F * r, 0.8F, 0.7F * r});
}

inline Ray makeRay(const Eigen::Vector3d& origin, const Eigen::Vector3d& direction,
                   double range_max) {
  const Eigen::Vector3f unit = direction.cast<float>();
  return {origin.cast<float>(), static_cast<float>(range_max), unit, 0.0F};
}

inline ImageGrid sphericalGrid(int width, int height, double azimuth_min, double azimuth_max,
                               double elevation_min, double elevation_max) {
  ImageGrid grid;
  grid.width = width;
  grid.height = height;
  grid.azimuth_min = radians(azimuth_min);
  grid.azimuth_max = radians(azimuth_max);
  grid.elevation_min = radians(elevation_min);
  grid.elevation_max = radians(elevation_max);
  return grid;
}

inline ImageGrid pinholeGrid(int width, int height, double focal) {
  ImageGrid grid;
  grid.projection = ImageGrid::Projection::kPinhole;
  grid.width = width;
  grid.height = height;
  grid.fx = focal;
  grid.fy = 1.1 * focal;
  grid.cx = 0.5 * width - 3.2;
  grid.cy = 0.5 * height + 1.7;
  return grid;
}

/// An image as a maker's renderer is tested with it: OpenGL in software is slow at large ones.
inline ImageGrid gridFor(const Maker& maker, ImageGrid grid) {
  constexpr std::size_t kMost = 5000;  // cells
  while (maker.small_images && grid.size() > kMost) {
    grid.width /= 2;
    grid.height /= 2;
    for (double* intrinsic : {&grid.fx, &grid.fy, &grid.cx, &grid.cy}) *intrinsic /= 2.0;
  }
  return grid;
}

// Every renderer against the oracle.
class RendererTest : public testing::TestWithParam<Maker> {
 protected:
  static Renderers make(const Map& map, int threads = 1) {
    RendererConfig config = GetParam().config;
    config.threads = threads;
    return GetParam().make(stored(map), config);
  }

  static Map stored(const Map& map) { return storedFor(GetParam(), map); }

  // Rays of any kind, where they are rendered.
  static Agreement checkRays(const Map& map, const std::vector<Ray>& rays) {
    const Map own = stored(map);
    const Renderers renderers = make(own);
    if (renderers.rays == nullptr) return {};
    std::vector<Hit> hits;
    renderers.rays->cast(rays, hits);
    std::vector<OracleRay> oracle_rays;
    for (const Ray& ray : rays) oracle_rays.push_back(toOracleRay(ray));
    return compare(*own, oracle_rays, hits);
  }

  static Agreement checkImage(const Map& map, const ImageGrid& large, const Pose& X_WS,
                              double range_max) {
    const ImageGrid grid = gridFor(GetParam(), large);
    std::vector<Hit> hits(7);  // of another size: it is resized
    const Map own = stored(map);
    make(own).images->renderImage(grid, X_WS, range_max, hits);
    return compare(*own, imageRays(grid, X_WS, range_max), hits);
  }

  static void expectMeaningful(const Agreement& agreement) {
    if (agreement.rays == 0) return;  // no rays are rendered
    EXPECT_GT(agreement.hits, agreement.rays / 10);
#ifndef __SANITIZE_ADDRESS__  // one of the few that are judged there is too large a share
    EXPECT_LT(agreement.ambiguousShare(), 1e-3);
#endif
  }
};

}  // namespace marsim::lidar
