// SPDX-License-Identifier: BSD-3-Clause
// Two sensors of one's own, from YAML and from C++: own_sensor [MAP [SENSOR.yaml]]
#include <cstdio>
#include <memory>
#include <string>

#include "marsim/marsim.hpp"

using namespace marsim;

namespace {

// A flash LiDAR of 64 x 16 pixels, all fired at once.
lidar::LidarConfig flashLidar() {
  lidar::LidarConfig config;
  config.name = "Flash 64 x 16";
  config.range_max = 30.0;  // [m]
  config.rate = 20.0;       // [Hz]
  config.noise.range_sigma_per_metre = 0.002;
  lidar::GridPatternConfig pattern;
  pattern.frame_rate = config.rate;
  pattern.grid.width = 64;
  pattern.grid.height = 16;
  pattern.grid.azimuth_min = radians(-60.0);
  pattern.grid.azimuth_max = radians(60.0);
  pattern.grid.elevation_min = radians(-15.0);
  pattern.grid.elevation_max = radians(15.0);
  config.pattern = pattern;
  config.validate("flash LiDAR");
  return config;
}

void scanOnce(const lidar::LidarConfig& config, std::shared_ptr<const lidar::RayRenderer> caster) {
  lidar::Lidar lidar(config, std::move(caster));
  const lidar::Scan scan = lidar.scan({fromRollPitchYaw(0.0, 0.0, 0.0), {0.0, 0.0, 1.5}});
  std::printf("%s: %zu of %zu shots returned\n", config.name.c_str(), scan.points.size(),
              scan.rays);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const auto path = config::resolveMap(argc > 1 ? argv[1] : "building");
    std::shared_ptr<const lidar::RayRenderer> renderer =
        lidar::makeRayCaster(map::loadSurfelMap(path).map);
    scanOnce(config::loadLidar(argc > 2 ? argv[2] : "own_sensor.yaml"), renderer);
    scanOnce(flashLidar(), renderer);
    return 0;
  } catch (const Error& error) {
    std::fprintf(stderr, "own_sensor: %s\n", error.what());
    return 1;
  }
}
