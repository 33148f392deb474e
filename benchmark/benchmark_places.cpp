#include "benchmark_places.hpp"

#include <cmath>

#include "marsim/common/units.hpp"
#include "marsim/lidar/scan_pattern.hpp"
#include "marsim/scene/places.hpp"

namespace marsim::benchmarks {
namespace {

template <class Config>
map::PointCloud sampled(map::PointCloud (*make)(const Config&), double resolution) {
  Config config;
  config.spacing = 0.4 * resolution;
  config.range_noise = std::min(config.range_noise, 0.1 * resolution);
  return make(config);
}

lidar::RisleyPatternConfig avia() {
  lidar::RisleyPatternConfig config;
  config.points_per_second = 240000.0;
  config.beam_angles.clear();
  for (const double angle : {-2.990, -1.855, -0.619, 0.619, 1.855, 3.039}) {
    config.beam_angles.push_back(radians(angle));
  }
  const double rpm = 2.0 * kPi / 60.0;
  config.prisms = {{-7892.778 * rpm, radians(30.8856), 1.51, 0.0},
                   {2448.192 * rpm, radians(29.7735), 1.51, 0.0},
                   {12789.666 * rpm, radians(3.1351), 1.51, 0.0}};
  return config;
}

}  // namespace

std::shared_ptr<const map::SurfelMap> mapOf(const Place& place) {
  static Place kept{"", 0.0};
  static std::shared_ptr<const map::SurfelMap> map;
  if (kept.name == place.name && kept.resolution == place.resolution) return map;
  map.reset();
  kept = place;
  map::SurfelMapConfig config;
  config.resolution = place.resolution;
  Progress progress("map", Progress::Output::kNone);
  const map::PointCloud cloud = place.name == "forest"
                                    ? sampled(scene::makeForest, place.resolution)
                                    : sampled(scene::makeBuilding, place.resolution);
  map = std::make_shared<const map::SurfelMap>(map::SurfelMap::build(cloud, config, progress));
  return map;
}

Pose poseOf(const Place& place, int index) {
  const double angle = 2.0 * kPi * index / kPoses;
  const double x = place.name == "forest" ? 10.0 : 3.0, y = place.name == "forest" ? 6.0 : 2.5;
  return {fromRollPitchYaw(0.0, 0.0, angle + 2.0),
          Eigen::Vector3d(x * std::cos(angle), y * std::sin(angle), 1.8)};
}

std::vector<lidar::Ray> aviaRays(const Pose& X_WS, int scan) {
  static const auto pattern = lidar::makePattern(avia());
  std::vector<lidar::Firing> firings;
  pattern->fire(scan * TimeNs{100'000'000}, (scan + 1) * TimeNs{100'000'000}, firings);
  std::vector<lidar::Ray> rays;
  for (const lidar::Firing& firing : firings) {
    rays.push_back({X_WS.p.cast<float>(), static_cast<float>(kRangeMax),
                    (X_WS.q * firing.direction.cast<double>()).cast<float>().normalized(), 0.0F});
  }
  return rays;
}

lidar::ImageGrid denseGrid() {
  lidar::ImageGrid image;
  image.width = 350;
  image.height = 385;
  image.azimuth_min = radians(-35.2);
  image.azimuth_max = radians(35.2);
  image.elevation_min = radians(-38.6);
  image.elevation_max = radians(38.6);
  return image;
}

}  // namespace marsim::benchmarks
