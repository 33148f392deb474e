// SPDX-License-Identifier: BSD-3-Clause
#include "beams_benchmark.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "common/output_file.hpp"
#include "common/result_folder.hpp"
#include "marsim/config/load.hpp"
#include "marsim/lidar/lidar.hpp"
#include "physics/grass_stand.hpp"
#include "physics/limit_row.hpp"
#include "physics/mixed_pixels.hpp"
#include "physics/shrub_ranges.hpp"
#include "physics/special_surfaces.hpp"
#include "physics/weather_rating.hpp"
#include "places.hpp"
#include "sensors.hpp"
#include "timing.hpp"
#ifdef MARSIM_HAS_EMBREE
#include "embree_discs.hpp"
#endif

namespace marsim::benchmarks {
namespace {

using lidar::LidarConfig;
using physics::LimitRow;

constexpr double kMostTimes = 4.5;  // most time of a scan with nine rays, relative to one ray

/// A sensor's file with so many rays a beam; if it has no divergence, with beams of 3 x 1.5 mrad
/// and pulses of 5 ns.
LidarConfig sensorWith(int rays, const std::string& name) {
  LidarConfig config = config::loadLidar(name);
  config.range_max = std::min(config.range_max, kRangeMax);
  config.noise = {};
  config.beam.rays = rays;
  if (config.beam.divergence_horizontal == 0.0 && config.beam.divergence_vertical == 0.0) {
    config.beam.divergence_horizontal = 3e-3;
    config.beam.divergence_vertical = 1.5e-3;
    config.beam.shape = lidar::BeamConfig::Shape::kEllipse;
  }
  if (config.beam.pulse_length == 0.0) config.beam.pulse_length = 5e-9;
  return config;
}

/// Processor time of one thread [ms], which other programs hardly affect.
template <class Work>
double timeOf(int threads, const Work& work) {
  return threads == 1 ? processorMilliseconds(work) : millisecondsOf(work);
}

/// Scans of several sensors in turn, each pose of a place several times. Returns the medians [ms]
/// over the poses of each pose's least time.
std::vector<double> scanTimes(std::vector<lidar::Lidar>& lidars, const Place& place, int threads,
                              int repeats) {
  std::vector<PoseTimes> times(lidars.size());
  for (int repeat = 0; repeat < repeats; ++repeat) {
    for (int pose = 0; pose < kPoses; ++pose) {
      const StateHistory flight = flightFrom(poseOf(place, pose));
      for (std::size_t i = 0; i < lidars.size(); ++i) {
        times[i].add(pose, timeOf(threads, [&] {
                       const lidar::Scan scan = lidars[i].scan(0, kScan, flight);
                       benchmark::DoNotOptimize(scan.points.data());
                     }));
      }
    }
  }
  std::vector<double> medians;
  for (const PoseTimes& of_one : times) medians.push_back(of_one.median());
  return medians;
}

/// Times a sensor as in its file, in weathers and in clear air.
void timeWeather(const std::string& sensor, const Place& place, const BeamsBench& bench,
                 std::vector<LimitRow>& rows) {
  const std::vector<std::string> weathers = {"none", "rain_heavy", "fog_dense", "snow", "dust"};
  const std::shared_ptr<const lidar::RayRenderer> caster =
      lidar::makeRayCaster(mapOf(place, bench.work), {});
  std::vector<lidar::Lidar> lidars;
  for (const std::string& weather : weathers) {
    lidars.emplace_back(config::loadLidar(sensor), caster).setWeather(config::loadWeather(weather));
  }
  const std::vector<double> times = scanTimes(lidars, place, 1, bench.repeats);
  const std::string name = fmt::format("{} in {}, ", sensor, place.name);
  rows.push_back({name + "clear air: scan [ms]", times[0]});
  for (std::size_t i = 1; i < weathers.size(); ++i) {
    rows.push_back({name + weathers[i] + ": scan by that in clear air", times[i] / times[0]});
  }
}

/// Passes rays on and records them.
class Recorder : public lidar::RayRenderer {
 public:
  explicit Recorder(std::shared_ptr<const lidar::RayRenderer> caster)
      : caster_(std::move(caster)) {}
  std::string name() const override { return caster_->name(); }
  map::SurfelChannelViews channels() const override { return caster_->channels(); }
  void cast(const std::vector<lidar::Ray>& rays, View<lidar::MovingObject> objects,
            std::vector<lidar::Hit>& hits) const override {
    rays_ = rays;
    caster_->cast(rays, objects, hits);
  }
  const std::vector<lidar::Ray>& rays() const { return rays_; }

 private:
  std::shared_ptr<const lidar::RayRenderer> caster_;
  mutable std::vector<lidar::Ray> rays_;
};

class NineRays {
 public:
  NineRays(Place place, const BeamsBench& bench)
      : place_(std::move(place)), bench_(bench), map_(mapOf(place_, bench.work)) {}

  void time(const std::string& sensor, int threads, std::vector<LimitRow>& rows) const {
    lidar::RendererConfig renderer;
    renderer.threads = threads;
    const std::shared_ptr<const lidar::RayRenderer> caster = lidar::makeRayCaster(map_, renderer);
    std::vector<lidar::Lidar> lidars;
    for (const int rays : {1, 9}) lidars.emplace_back(sensorWith(rays, sensor), caster);
    const std::vector<double> times = scanTimes(lidars, place_, threads, bench_.repeats);
    const std::string name = fmt::format("{} in {}, {} thread{}: ", sensor, place_.name, threads,
                                         threads > 1 ? "s" : "");
    rows.push_back({name + "scan of one ray a beam [ms]", times[0]});
    rows.push_back({name + "scan of nine rays a beam [ms]", times[1]});
    rows.push_back(
        {name + "scan of nine rays by that of one", times[1] / times[0], 0.0, kMostTimes});
#ifdef MARSIM_HAS_EMBREE
    timeBesideEmbree(sensor, threads, name, rows);
#endif
  }

 private:
#ifdef MARSIM_HAS_EMBREE
  /// Times casting alone, with the same rays and surfels: those of `surface: paper`, since Embree
  /// knows no other.
  void timeBesideEmbree(const std::string& sensor, int threads, const std::string& name,
                        std::vector<LimitRow>& rows) const {
    const auto paper = mapOf(place_, bench_.work, map::Surface::kPaper);
    if (embree_ == nullptr) embree_ = std::make_unique<EmbreeDiscs>(*paper);
    lidar::RendererConfig renderer;
    renderer.threads = threads;
    const std::shared_ptr<const lidar::RayRenderer> caster = lidar::makeRayCaster(paper, renderer);
    const auto recorder = std::make_shared<Recorder>(caster);
    lidar::Lidar nine(sensorWith(9, sensor), recorder);
    PoseTimes ours, theirs;
    std::vector<lidar::Hit> hits;
    std::vector<float> ranges;
    for (int pose = 0; pose < kPoses; ++pose) {
      nine.scan(0, kScan, flightFrom(poseOf(place_, pose)));
      for (int repeat = 0; repeat < std::min(3, bench_.repeats); ++repeat) {
        ours.add(pose,
                 timeOf(threads, [&] { caster->castBeams(0, recorder->rays(), 9, {}, hits); }));
        for (const auto mode : {EmbreeDiscs::Mode::kSingle, EmbreeDiscs::Mode::kPacket8,
                                EmbreeDiscs::Mode::kPacket16}) {
          theirs.add(pose, timeOf(threads,
                                  [&] { embree_->cast(recorder->rays(), mode, threads, ranges); }));
        }
      }
    }
    rows.push_back({name + "casting nine rays by Embree's time", ours.median() / theirs.median()});
  }
#endif

  const Place place_;
  const BeamsBench& bench_;
  const std::shared_ptr<const map::SurfelMap> map_;
#ifdef MARSIM_HAS_EMBREE
  mutable std::unique_ptr<EmbreeDiscs> embree_;
#endif
};

}  // namespace

bool runBeamsBench(const BeamsBench& bench) {
  std::optional<ResultFolder> pictures;
  if (!bench.pictures.empty()) {
    pictures.emplace(bench.pictures, "marsim bench beams");
    pictures->begin({"bloom.svg", "mixed_pixels.svg", "particles.svg", "pool.svg",
                     "shrub_ranges.svg", "stand_depths.svg", "two_modes.svg"});
  }
  std::vector<LimitRow> rows;
  if (!bench.quick) {
    for (const std::string& place : bench.places) {
      const NineRays nine({place, 0.1}, bench);
      for (const std::string& sensor : bench.sensors) {
        for (const int threads : bench.threads) nine.time(sensor, threads, rows);
        timeWeather(sensor, {place, 0.1}, bench, rows);
      }
    }
  }
  if (pictures) {
    physics::drawMixedPixels(bench.pictures);
    physics::drawDepths(6120, bench.pictures);
    physics::drawShrub(bench.pictures);
    physics::drawSurfaces(bench.pictures);
    physics::drawParticles(20, bench.pictures);
  }
  if (!bench.out.empty()) writeFile(bench.out, physics::toJson(rows).dump(2) + "\n");
  return bench.quick || physics::printRows(rows);
}

}  // namespace marsim::benchmarks
