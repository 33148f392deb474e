// Times the renderers, and Embree's disc points beside them where it was found: a scan of 24,000
// Livox Avia rays and an image of 385 x 350 cells of its field of view, up to 30 m, from ten poses
// in turn. Forest and building at the resolutions of MARSIM_BENCHMARK_RESOLUTIONS (default "0.1
// 0.05", in metres). Embree gets the rays already sorted by direction; the ray caster's time
// includes its sorting. "cold": caches are overwritten before every scan.
//
// MARSIM_BENCHMARK_RESOLUTIONS="0.1" render_benchmark --benchmark_filter=forest

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <sstream>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "benchmark_places.hpp"
#ifdef MARSIM_HAS_EMBREE
#include "embree_discs.hpp"
#endif
#include "marsim/lidar/renderer.hpp"

namespace marsim::benchmarks {
namespace {

using lidar::Hit;
using lidar::Ray;
using lidar::Renderer;
using lidar::RendererConfig;

// More than a processor's last cache, where it is not shared by dozens of cores.
void overwriteCaches() {
  static std::vector<char> bytes(std::size_t{128} << 20);
  for (std::size_t i = 0; i < bytes.size(); i += 64) ++bytes[i];
  benchmark::ClobberMemory();
}

// Runs work(pose index) once an iteration; reports the median of the scans' times too.
template <class Work>
void timeScans(benchmark::State& state, bool cold, const Work& work) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> times;
  int i = 0;
  for (int warm = 0; warm < 2; ++warm) work(warm);
  for (auto _ : state) {
    if (cold) overwriteCaches();
    const auto start = Clock::now();
    work(i++ % kPoses);
    times.push_back(std::chrono::duration<double>(Clock::now() - start).count());
    state.SetIterationTime(times.back());
  }
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2),
                   times.end());
  state.counters["median_ms"] = 1e3 * times[times.size() / 2];
}

std::vector<std::vector<Ray>> scansOf(const Place& place) {
  std::vector<std::vector<Ray>> scans;
  for (int i = 0; i < kPoses; ++i) scans.push_back(aviaRays(poseOf(place, i), i));
  return scans;
}

using Map = std::shared_ptr<const map::SurfelMap>;

Map inStorage(const Map& map, map::SurfelStorage storage) {
  if (map->config().storage == storage) return map;
  map::SurfelMapConfig config = map->config();
  config.storage = storage;
  return std::make_shared<const map::SurfelMap>(map->surfels(), config);
}

void castRays(benchmark::State& state, const Place& place, map::SurfelStorage storage,
              const RendererConfig& config, bool cold) {
  const auto map = inStorage(mapOf(place), storage);
  const auto renderer = lidar::makeRayCaster(map, config);
  const auto scans = scansOf(place);
  std::vector<Hit> hits;
  timeScans(state, cold, [&](int i) { renderer->cast(scans[static_cast<std::size_t>(i)], hits); });
  state.counters["surfels"] = static_cast<double>(map->size());
  state.counters["planar"] = map->planarShare();
}

void renderImages(benchmark::State& state, const Place& place,
                  const std::function<std::unique_ptr<Renderer>()>& make) {
  const auto map = mapOf(place);
  const auto renderer = make();
  std::vector<Hit> hits;
  timeScans(state, false,
            [&](int i) { renderer->renderImage(denseGrid(), poseOf(place, i), kRangeMax, hits); });
  state.counters["surfels"] = static_cast<double>(map->size());
}

void buildTree(benchmark::State& state, const Place& place) {
  const auto map = mapOf(place);
  const std::vector<map::Surfel> surfels = map->surfels();
  for (auto _ : state) {
    const auto start = std::chrono::steady_clock::now();
    benchmark::DoNotOptimize(map::SurfelMap(surfels, map->config()));
    state.SetIterationTime(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
}

#ifdef MARSIM_HAS_EMBREE
// By octant, then along a curve through two components of the direction.
void sortByDirection(std::vector<Ray>& rays) {
  const auto key = [](const Ray& ray) {
    const Eigen::Vector3f& d = ray.direction;
    const float size = d.lpNorm<1>();
    std::uint32_t place = 0;
    const auto x = static_cast<std::uint32_t>(std::abs(d.x()) / size * 255.0F);
    const auto y = static_cast<std::uint32_t>(std::abs(d.y()) / size * 255.0F);
    for (int bit = 7; bit >= 0; --bit) place = place << 2 | (x >> bit & 1U) << 1 | (y >> bit & 1U);
    const std::uint32_t octant =
        (d.x() < 0.0F ? 1U : 0U) | (d.y() < 0.0F ? 2U : 0U) | (d.z() < 0.0F ? 4U : 0U);
    return octant << 16 | place;
  };
  std::stable_sort(rays.begin(), rays.end(),
                   [&](const Ray& a, const Ray& b) { return key(a) < key(b); });
}

void castEmbree(benchmark::State& state, const Place& place, EmbreeDiscs::Mode mode, int threads,
                bool cold) {
  const auto map = mapOf(place);
  const EmbreeDiscs discs(*map);
  auto scans = scansOf(place);
  for (auto& scan : scans) sortByDirection(scan);
  std::vector<float> ranges;
  timeScans(state, cold,
            [&](int i) { discs.cast(scans[static_cast<std::size_t>(i)], mode, threads, ranges); });
  const auto caster =
      lidar::makeRayCaster(inStorage(map, map::SurfelStorage::kFloat), RendererConfig{});
  std::vector<Hit> hits;
  double other = 0.0, all = 0.0;
  for (const auto& scan : scans) {
    discs.cast(scan, mode, threads, ranges);
    caster->cast(scan, hits);
    for (std::size_t i = 0; i < scan.size(); ++i) {
      ++all;
      const bool same = hits[i].range == ranges[i] || std::abs(hits[i].range - ranges[i]) < 1e-3F;
      other += same ? 0.0 : 1.0;
    }
  }
  state.counters["other"] = other / all;
  state.counters["bytes_per_point"] =
      static_cast<double>(discs.bytes()) / static_cast<double>(map->size());
}
#endif

template <class Function>
void add(const std::string& name, const Function& function) {
  benchmark::RegisterBenchmark(name.c_str(), function)
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

void addPlace(const Place& place) {
  const std::string at = fmt::format("{}/{}", place.name, place.resolution);
  for (const int threads : {1, 2}) {
    for (const bool cold : {false, true}) {
      const std::string how = fmt::format("{}t/{}", threads, cold ? "cold" : "warm");
      for (const auto storage : {map::SurfelStorage::kCompact, map::SurfelStorage::kFloat}) {
        RendererConfig config;
        config.threads = threads;
        const char* kind = storage == map::SurfelStorage::kCompact ? "compact" : "float";
        add(fmt::format("{}/avia/{}/caster_{}", at, how, kind),
            [=](benchmark::State& state) { castRays(state, place, storage, config, cold); });
      }
#ifdef MARSIM_HAS_EMBREE
      const std::pair<const char*, EmbreeDiscs::Mode> modes[] = {
          {"embree_1", EmbreeDiscs::Mode::kSingle},
          {"embree_8", EmbreeDiscs::Mode::kPacket8},
          {"embree_16", EmbreeDiscs::Mode::kPacket16}};
      for (const auto& [name, mode] : modes) {
        const auto chosen = mode;
        add(fmt::format("{}/avia/{}/{}", at, how, name),
            [=](benchmark::State& state) { castEmbree(state, place, chosen, threads, cold); });
      }
#endif
    }
    RendererConfig config;
    config.threads = threads;
    add(fmt::format("{}/image/{}t/caster", at, threads), [=](benchmark::State& state) {
      renderImages(state, place, [&] { return lidar::makeRayCaster(mapOf(place), config); });
    });
    add(fmt::format("{}/image/{}t/projection", at, threads), [=](benchmark::State& state) {
      renderImages(state, place,
                   [&] { return lidar::makeDepthImageRenderer(mapOf(place), config); });
    });
  }
  add(fmt::format("{}/build", at), [=](benchmark::State& state) { buildTree(state, place); });
}

}  // namespace
}  // namespace marsim::benchmarks

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  const char* given = std::getenv("MARSIM_BENCHMARK_RESOLUTIONS");
  std::istringstream resolutions(given == nullptr ? "0.1 0.05" : given);
  for (double r = 0.0; resolutions >> r;) {
    for (const char* name : {"forest", "building"}) marsim::benchmarks::addPlace({name, r});
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
