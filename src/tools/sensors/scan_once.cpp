// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sensors/scan_once.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "common/bounds.hpp"
#include "common/nth_smallest.hpp"
#include "common/output_file.hpp"
#include "common/text.hpp"
#include "config/launch_words.hpp"
#include "marsim/common/error.hpp"
#include "marsim/config/load.hpp"
#include "marsim/lidar/lidar.hpp"
#include "marsim/lidar/plants.hpp"
#include "marsim/map/cloud_io.hpp"
#include "marsim/map/load_map.hpp"
#include "marsim/map/voxel_grid.hpp"

namespace marsim::tools {
namespace fs = std::filesystem;
namespace {

constexpr double kRaysMax = 1e8;
constexpr std::size_t kPicturePoints = 2'000'000;  // more are not visible at the picture's size

/// The returns in all parts of the duration.
struct Returns {
  map::PointCloud in_world, in_sensor;
  std::vector<float> ranges;
  ScanSummary summary;

  void add(const lidar::Scan& scan) {
    summary.shots += scan.rays;
    summary.too_near += scan.too_near;
    summary.too_dark += scan.too_dark;
    summary.returned += lidar::shotsReturned(scan);
    summary.returns += scan.points.size();
    for (const lidar::ScanPoint& point : scan.points) {
      if (scene::isPlant(point.identity)) ++summary.of_plants;
      if (lidar::isParticle(point)) ++summary.of_particles;
      in_world.points.push_back(point.p_W);
      in_world.intensity.push_back(point.intensity);
      in_sensor.points.push_back(point.p_S);
      in_sensor.intensity.push_back(point.intensity);
      ranges.push_back(point.range);
    }
  }
};

/// Reports a file that cannot be written before anything is rendered.
void requireOutput(const fs::path& file, const std::vector<std::string>& formats) {
  if (file.empty()) return;
  requireExtension(file, formats);
  requireWritable(file);
}

Returns scanFor(lidar::Lidar& lidar, const Pose& X_WS, double duration, Progress& progress) {
  const TimeNs end = std::max<TimeNs>(1, toNs(duration));
  const TimeNs step = periodNs(lidar.config().rate);
  const StateHistory motion(X_WS, 0, end);  // the body is the sensor
  Returns returns;
  progress.phase("scanning", static_cast<std::size_t>(end / step) + 1);
  std::size_t done = 0;
  for (TimeNs begin = 0; begin < end; begin += step) {
    returns.add(lidar.scan(begin, std::min(begin + step, end), motion));
    progress.update(++done);
  }
  return returns;
}

std::shared_ptr<const lidar::RayRenderer> makeRenderer(
    const ScanRequest& request, const std::shared_ptr<const map::SurfelMap>& map,
    std::vector<std::string>& log, Progress& progress) {
  lidar::RendererConfig config;
  config.threads = 0;
  std::shared_ptr<const lidar::RayRenderer> of_map =
      lidar_gl::makeRayRenderer(request.renderer, map, config,
                                [&log](const std::string& line, bool) { log.push_back(line); });
  if (request.vegetation == "none") return of_map;
  progress.phase("planting");
  return lidar::withPlants(
      std::move(of_map),
      lidar::plantOn(map, config::loadVegetation(request.vegetation), request.vegetation), config);
}

void draw(const ScanRequest& request, const map::SurfelMap& map, const Returns& returns) {
  map::PointCloud shown = map.positions();
  if (shown.size() > kPicturePoints) shown = map::downsample(shown, 2.0 * map.resolution());
  viz::FlightScene scene;
  scene.map = &shown;
  scene.scan = returns.in_world.points;
  scene.scan_origin = request.X_WS.p;
  scene.title =
      fmt::format("{}, {}, {:g} s: {} returns of {} shots", fs::path(request.map).stem().string(),
                  returns.summary.sensor, returns.summary.duration,
                  withThousands(returns.summary.returns), withThousands(returns.summary.shots));
  viz::drawScan(scene, returns.in_sensor.points, request.picture, request.image);
}

}  // namespace

ScanSummary scanOnce(const ScanRequest& request) {
  lidar::LidarConfig config = config::loadLidar(request.lidar);
  config::chooseBeam(request.rays, request.returns, "command line", config);
  config.X_BS = Pose{};
  if (request.surfaces != "none") config.surfaces = config::loadSurfaces(request.surfaces);
  const lidar::Weather weather = config::loadWeather(request.weather);
  const double duration = request.duration > 0.0 ? request.duration : 1.0 / config.rate;
  const double rate =
      lidar::makePattern(config.pattern)->pointsPerSecond() * config.beam.rays;  // [rays/s]
  Validator("command line")
      .require(std::isfinite(duration) && request.duration >= 0.0 && duration * rate <= kRaysMax,
               "--duration", fmt::format("{} s", request.duration),
               fmt::format("0 s (one scan) to {:g} s", kRaysMax / rate));
  if (request.vegetation != "none") config::loadVegetation(request.vegetation);  // before the map
  requireOutput(request.cloud, map::cloudFormats());
  requireOutput(request.image, {".png"});

  Progress progress("scan");
  const map::LoadedMap loaded =
      map::loadSurfelMap(config::resolveMap(request.map), request.surfels, progress);
  const auto& map = loaded.map;
  std::vector<std::string> log;
  lidar::Lidar lidar(std::move(config), makeRenderer(request, map, log, progress));
  lidar.setWeather(weather);
  Returns returns = scanFor(lidar, request.X_WS, duration, progress);
  ScanSummary& summary = returns.summary;
  summary.log = log;
  summary.spacing = map::adviseOn(loaded.source, request.surfels.resolution);
  summary.sensor = lidar.config().name;
  summary.duration = duration;
  if (!request.image.empty()) {
    progress.phase("drawing");
    draw(request, *map, returns);
  }
  if (!request.cloud.empty()) {
    map::saveCloud(request.cloud, request.sensor_frame ? returns.in_sensor : returns.in_world);
  }
  progress.finish();
  std::vector<float>& ranges = returns.ranges;
  if (!ranges.empty()) {
    summary.range_least = nthSmallest(ranges, 0);
    summary.range_median = nthSmallest(ranges, ranges.size() / 2);
    summary.range_most = nthSmallest(ranges, ranges.size() - 1);
  }
  return summary;
}

std::string whyEmpty(const ScanRequest& request, const ScanSummary& summary) {
  if (lidar::nearlyAllTooDark(summary.returned, summary.too_dark)) {
    const std::string lost =
        fmt::format("{} of {} shots that met a surface are lost", withThousands(summary.too_dark),
                    withThousands(summary.too_dark + summary.returned));
    if (request.weather != "none") return fmt::format("{} in {}", lost, request.weather);
    return fmt::format(
        "{} to its low reflectivity: the intensities of the map {} are low (intensity_full_scale "
        "says what is 100 %), or "
        "noise.range_by_reflectivity of the sensor {} is short",
        lost, request.map, request.lidar);
  }
  if (1000 * summary.returned > summary.shots) return {};  // fewer may be false returns
  const std::string returned =
      summary.returned == 0
          ? "no shot returned"
          : fmt::format("{} of {} shots returned", summary.returned, withThousands(summary.shots));
  return fmt::format("{}: is the pose {} inside the map?", returned, pointText(request.X_WS.p));
}

}  // namespace marsim::tools
