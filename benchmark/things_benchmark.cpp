#include "things_benchmark.hpp"

#include <cstdlib>
#include <memory>
#include <utility>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "marsim/common/random.hpp"
#include "marsim/common/units.hpp"
#include "marsim/config/load.hpp"
#include "marsim/lidar/lidar.hpp"
#include "marsim/map/load_map.hpp"
#include "places.hpp"
#include "sensors.hpp"
#include "timing.hpp"

namespace marsim::benchmarks {
namespace {

constexpr TimeNs kScan = 100'000'000;

std::shared_ptr<const map::SurfelMap> ball(double radius, double stretch) {
  const double r = radius / 5.0;
  std::vector<map::Surfel> surfels;
  const int n = static_cast<int>(4.0 * kPi * radius * radius * stretch / (r * r));
  for (int i = 0; i < n; ++i) {
    const double z = 1.0 - 2.0 * (i + 0.5) / n, a = 2.399963 * i, s = std::sqrt(1.0 - z * z);
    const Eigen::Vector3d d(s * std::cos(a), s * std::sin(a), z);
    Eigen::Vector3d p = radius * d;
    p.z() *= stretch;
    Eigen::Vector3d nn = d;
    nn.z() /= stretch;
    surfels.push_back({p.cast<float>(), nn.normalized().cast<float>(), 0.0F});
  }
  map::SurfelMapConfig config;
  config.resolution = r;
  config.storage = map::SurfelStorage::kFloat;
  return std::make_shared<const map::SurfelMap>(surfels, config);
}

std::vector<scene::MovingThing> makeThings(int count) {
  RandomStream random(5, "things");
  std::vector<std::shared_ptr<const map::SurfelMap>> shapes = {ball(0.15, 1.0), ball(0.25, 1.0), ball(0.4, 1.0), ball(0.25, 3.5)};
  std::vector<scene::MovingThing> things;
  for (int i = 0; i < count; ++i) {
    scene::MovingThing thing;
    thing.shape = shapes[i % 4];
    thing.identity = scene::kFirstObstacleIdentity + i;
    const Eigen::Vector3d p(random.uniform(-20, 20), random.uniform(-12, 12), random.uniform(0.5, 5));
    const Eigen::Vector3d v(random.uniform(-3, 3), random.uniform(-3, 3), random.uniform(-1, 1));
    const int steps = i % 3 == 0 ? 20 : 1;
    thing.step = 0.1 / steps;
    for (int k = 0; k <= steps; ++k) thing.X_WM.push_back({fromRollPitchYaw(0, 0, i % 3 == 0 ? 1.0 * k * thing.step : 0.0), p + k * thing.step * v});
    things.push_back(thing);
  }
  return things;
}

StateHistory flightFrom(const Pose& X_WB) {
  StateHistory states;
  for (TimeNs t = 0; t <= kScan; t += 2'000'000) {
    const double s = toSeconds(t);
    KinematicState state;
    state.stamp = t;
    state.v_WB = X_WB.q * Eigen::Vector3d(5.0, 0.0, 0.0);
    state.X_WB = {X_WB.q * fromRollPitchYaw(0.0, 0.0, 2.0 * s), X_WB.p + (s - 0.05) * state.v_WB};
    state.w_WB_B = {0.0, 0.0, 2.0};
    states.push(state);
  }
  return states;
}

}  // namespace

std::vector<ThingsCost> measureThings(const ThingsBench& bench) {
  const Place place{bench.place, bench.resolution};
  map::SurfelMapConfig config;
  config.resolution = bench.resolution;
  map::MapLoading loading;
  loading.folder = bench.work / "maps";
  Progress progress("map");
  const auto map = map::loadSurfelMap(cloudOf(place, bench.work), config, progress, loading).map;
  progress.finish();
  lidar::RendererConfig renderer;
  renderer.threads = bench.threads;
  const auto things = makeThings(bench.obstacles + bench.peers);
  std::vector<ThingsCost> costs;
  for (const std::string& sensor : bench.sensors) {
    lidar::LidarConfig lidar_config = config::loadLidar(sensor);
    lidar::Lidar lidar(lidar_config, lidar::makeRayCaster(map, renderer));
    PoseTimes alone, with;
    std::size_t on = 0, points = 0;
    const char* only = std::getenv("ONLY");
    for (int repeat = 0; repeat < bench.repeats; ++repeat) {
      for (int pose = 0; pose < kPoses; ++pose) {
        const StateHistory flight = flightFrom(poseOf(place, pose));
        if (!only)
          alone.add(pose, millisecondsOf([&] {
                      benchmark::DoNotOptimize(lidar.scan(0, kScan, flight).points.data());
                    }));
        lidar::Scan scan;
        with.add(pose, millisecondsOf([&] { scan = lidar.scan(0, kScan, flight, things); }));
        points += scan.points.size();
        for (const auto& p : scan.points) on += p.identity != scene::kMapIdentity;
      }
    }
    costs.push_back({sensor, alone.median(), with.median(), double(on) / points});
  }
  return costs;
}

void runThingsBench(const ThingsBench& bench) {
  for (const ThingsCost& cost : measureThings(bench)) {
    fmt::print("{} {:.3f} {:.3f} {:+.1f} % on {:.2f} %\n", cost.sensor, cost.alone_ms, cost.with_things_ms,
               cost.overheadPercent(), 100 * cost.share_on_things);
  }
}

}  // namespace marsim::benchmarks
