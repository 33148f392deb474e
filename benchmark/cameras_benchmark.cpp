// SPDX-License-Identifier: BSD-3-Clause
#include "cameras_benchmark.hpp"

#include <memory>

#include <fmt/format.h>

#include "marsim/config/load.hpp"
#include "marsim/lidar/camera.hpp"
#include "places.hpp"
#include "timing.hpp"

namespace marsim::benchmarks {
namespace {

// The optical axis of a camera that looks along the body's x.
struct Timed {
  PoseTimes whole, met, plain;
};

Timed timesOf(const lidar::CameraConfig& config, const lidar::CameraRenderers& renderers,
              const Place& place, int repeats) {
  lidar::CameraConfig plain_config = config;
  plain_config.antialiasing = false;
  const lidar::Camera camera(config, renderers, 1), plain(plain_config, renderers, 1);
  Timed times;
  std::vector<lidar::Hit> hits;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    for (int pose = 0; pose < kPoses; ++pose) {
      const Pose X_WB = poseOf(place, pose);
      times.whole.add(pose, processorMilliseconds([&] { camera.image(0, X_WB); }));
      times.plain.add(pose, processorMilliseconds([&] { plain.image(0, X_WB); }));
      if (!config.model.isIdeal()) continue;
      times.met.add(pose, processorMilliseconds([&] {
                      renderers.images->renderImage(config.model.grid(), X_WB * config.X_BC,
                                                    config.range_max, hits);
                    }));
    }
  }
  return times;
}

}  // namespace

void runCamerasBench(const CamerasBench& bench) {
  fmt::print(
      "| camera | place | r (m) | image ms | without smooth edges | what is met |\n"
      "| --- | --- | --- | --- | --- | --- |\n");
  for (const std::string& name : bench.cameras) {
    const lidar::CameraConfig config = config::loadCameras(name).cameras.front();
    for (const std::string& place_name : bench.places) {
      for (const double resolution : bench.resolutions) {
        const Place place{place_name, resolution};
        const auto map = mapOf(place, bench.work);
        const lidar::CameraRenderers renderers{map, lidar::makeRayCaster(map, {}),
                                               lidar::makeDepthImageRenderer(map, {}), 1};
        const Timed times = timesOf(config, renderers, place, bench.repeats);
        fmt::print("| {} | {} | {} | {:.1f} | {:.1f} | {:.1f} |\n", name, place_name, resolution,
                   times.whole.median(), times.plain.median(), times.met.median());
      }
    }
  }
}

}  // namespace marsim::benchmarks
