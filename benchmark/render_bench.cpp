// SPDX-License-Identifier: BSD-3-Clause
#include "render_bench.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <functional>
#include <limits>
#include <memory>
#include <utility>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "common/text.hpp"
#include "lidar/oracle.hpp"
#include "map/cache/map_file.hpp"
#include "marsim/common/random.hpp"
#include "marsim/lidar/renderer.hpp"
#include "marsim/lidar_gl/renderer.hpp"
#include "marsim/map/load_map.hpp"
#include "marsim/sim/world.hpp"
#include "places.hpp"
#include "sensors.hpp"
#include "starts.hpp"
#include "timing.hpp"
#ifdef MARSIM_HAS_EMBREE
#include "embree_discs.hpp"
#endif

namespace marsim::benchmarks {
namespace {

namespace fs = std::filesystem;
using lidar::Hit;
using lidar::Ray;
using map::Surface;

constexpr const char* kOpenGl = "opengl";

std::sig_atomic_t volatile interrupted = 0;

// Reads more than the processor's caches hold, so that a scan begins with cold caches.
void overwriteCaches() {
  static std::vector<char> bytes(std::size_t{128} << 20);
  for (std::size_t i = 0; i < bytes.size(); i += 64) ++bytes[i];
  benchmark::ClobberMemory();
}

// Sorts by octant, then along a curve through two components of the direction, which suits Embree.
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

struct Cell {
  Place place;
  Sensor sensor;
  std::string renderer;
  Surface surface;
  int threads;
  bool cold;
};

// The present map and everything made from it; neighbouring cells share it.
class Bench {
 public:
  explicit Bench(const RenderBench& settings) : settings_(settings) {}

  Row measure(const Cell& cell, benchmark::State& state) {
    open(cell);
    const sim::Renderers renderers = makeRenderers(cell);
    std::vector<std::vector<Ray>> scans;
    for (int pose = 0; pose < kPoses; ++pose) {
      scans.push_back(cell.sensor.rays(poseOf(cell.place, pose), pose));
    }
    Row row = describe(cell);
    row.rays = scans[0].size();
    time(cell, renderers, scans, state, row);
    if (!cell.cold && cell.threads == settings_.threads.front()) {
      compareWithOracle(cell, renderers, scans, row);
    }
    return row;
  }

 private:
  // Pattern scans are cast; images are cast as well or, with "projection", projected.
  static sim::Renderers makeOnCpu(const std::shared_ptr<const map::SurfelMap>& map,
                                  const Cell& cell) {
    lidar::RendererConfig config;
    config.threads = cell.threads;
    if (cell.renderer == "projection") return {nullptr, lidar::makeDepthImageRenderer(map, config)};
    const std::shared_ptr<const lidar::RayCaster> caster = lidar::makeRayCaster(map, config);
    return {caster, caster};
  }
  sim::Renderers makeRenderers(const Cell& cell) {
    if (!settings_.opengl) return makeOnCpu(map_, cell);
    lidar::RendererConfig config;
    config.threads = cell.threads;
    const auto tell = [this](const std::string& line, bool warning) {
      if (warning) fmt::print("{}\n", line);
      if (device_.empty()) fmt::print("{}\n\n{}\n", line, openGlTableHead());
      device_ = line;
    };
    constexpr auto kChoice = lidar_gl::RendererChoice::kOpenGl;
    if (!cell.sensor.pattern) {
      return {nullptr, lidar_gl::makeImageRenderer(kChoice, map_, config, tell)};
    }
    return {lidar_gl::makeRayRenderer(kChoice, map_, config, tell), nullptr};
  }

  static void render(const Cell& cell, const sim::Renderers& by, const std::vector<Ray>& scan,
                     int pose, std::vector<Hit>& hits) {
    if (cell.sensor.pattern) {
      by.rays->cast(scan, hits);
    } else {
      by.images->renderImage(cell.sensor.image, cell.sensor.imagePose(poseOf(cell.place, pose)),
                             kRangeMax, hits);
    }
  }

  static bool sameMap(const Cell& a, const Cell& b) {
    return a.place.name == b.place.name && a.place.resolution == b.place.resolution &&
           a.surface == b.surface;
  }

  void open(const Cell& cell) {
    if (map_ != nullptr && sameMap(cell, opened_)) return;
    oracle_.reset();
    stored_.clear();
    map_.reset();
#ifdef MARSIM_HAS_EMBREE
    embree_.reset();
#endif
    opened_ = cell;
    map::SurfelMapConfig config;
    config.resolution = cell.place.resolution;
    config.surface = cell.surface;
    Progress progress(fmt::format("{} at {} m", cell.place.name, cell.place.resolution));
    progress.phase("making the place");
    const fs::path cloud = cloudOf(cell.place, settings_.work);
    progress.phase("making the map");
    const fs::path maps = settings_.work / "maps";
    starts_.reset();
    if (settings_.starts) starts_ = measureStarts(settings_.program, cloud, config, maps);
    map::MapLoading loading;
    loading.folder = maps;
    map_ = map::loadSurfelMap(cloud, config, progress, loading).map;
    bytes_ = map_->file() != nullptr ? static_cast<double>(map_->file()->size()) : 0.0;
    progress.finish();
    if (starts_) fmt::print("{}\n", startLine(cell.place, config, *starts_));
  }

  static std::string startLine(const Place& place, const map::SurfelMapConfig& config,
                               const Starts& starts) {
    return fmt::format(
        "{} at {} m, {}: {} points made a map in {:.2f} s ({:.2f} M/s, at most {:.0f} MB); "
        "from a program's start to its first scan {:.2f} s, with the map made before {:.2f} s and "
        "{:.0f} MB of its own",
        place.name, place.resolution, map::nameOf(config.surface),
        withThousands(starts.source_points), starts.preprocess_s,
        1e-6 * static_cast<double>(starts.source_points) / starts.preprocess_s,
        starts.preprocess_peak_mb, starts.first_start_to_scan_s, starts.warm_start_to_scan_s,
        starts.process_private_mb);
  }

  Row describe(const Cell& cell) const {
    Row row;
    row.sensor = cell.sensor.name;
    row.place = cell.place.name;
    row.resolution = cell.place.resolution;
    row.points = map_->size();
    row.threads = cell.threads;
    row.renderer = settings_.opengl ? kOpenGl : cell.renderer;
    if (settings_.opengl) {
      row.device = device_;
      row.cpu_renderer = cell.renderer;
    }
    row.surface = map::nameOf(cell.surface);
    row.cold = cell.cold;
    row.bytes_per_point = bytes_ / static_cast<double>(map_->size());
    row.starts = starts_;
    return row;
  }

  // Times our renderer and Embree's, or OpenGL's and the processor's, in turn, so that both have
  // the same load of the machine. Warm: the same scan was just made.
  void time(const Cell& cell, const sim::Renderers& renderers,
            const std::vector<std::vector<Ray>>& scans, benchmark::State& state, Row& row) {
    std::vector<Hit> hits;
    const auto by = [&](const sim::Renderers& any, int pose) {
      render(cell, any, scans[static_cast<std::size_t>(pose)], pose, hits);
    };
    const auto ours = [&](int pose) { by(renderers, pose); };
    const sim::Renderers cpu = settings_.opengl ? makeOnCpu(map_, cell) : sim::Renderers{};
    const auto timed = [&](const std::function<void(int)>& scan, int pose) {
      if (cell.cold) {
        overwriteCaches();
      } else {
        scan(pose);
      }
      return millisecondsOf([&] { scan(pose); });
    };
    PoseTimes times, cpu_times, embree_times;
#ifdef MARSIM_HAS_EMBREE
    const bool beside = !settings_.opengl;
    if (beside) prepareEmbree(cell, scans);
    const auto theirs = [&](int pose) {
      embree_->cast(sorted_[static_cast<std::size_t>(pose)], mode_, cell.threads, ranges_);
    };
#endif
    int i = 0;
    for (auto _ : state) {
      const int pose = i++ % kPoses;
      const double milliseconds = timed(ours, pose);
      times.add(pose, milliseconds);
      state.SetIterationTime(1e-3 * milliseconds);
      if (settings_.opengl) cpu_times.add(pose, timed([&](int p) { by(cpu, p); }, pose));
#ifdef MARSIM_HAS_EMBREE
      if (beside) embree_times.add(pose, timed(theirs, pose));
#endif
    }
    row.ms_median = times.median();
    if (settings_.opengl) row.cpu_ms_median = cpu_times.median();
#ifdef MARSIM_HAS_EMBREE
    if (beside) {
      row.embree_ms_median = embree_times.median();
      row.embree_bytes_per_point =
          static_cast<double>(embree_->bytes()) / static_cast<double>(map_->size());
    }
#endif
  }

#ifdef MARSIM_HAS_EMBREE
  void prepareEmbree(const Cell& cell, const std::vector<std::vector<Ray>>& scans) {
    // On blended and sized maps Embree finds the nearest disc and blends nothing.
    if (embree_ == nullptr) embree_ = std::make_unique<EmbreeDiscs>(*map_);
    sorted_ = scans;
    for (auto& scan : sorted_) sortByDirection(scan);
    double best = std::numeric_limits<double>::infinity();
    for (const auto mode :
         {EmbreeDiscs::Mode::kSingle, EmbreeDiscs::Mode::kPacket8, EmbreeDiscs::Mode::kPacket16}) {
      double sum = 0.0;
      for (std::size_t pose = 0; pose < 4; ++pose) {
        embree_->cast(sorted_[pose], mode, cell.threads, ranges_);
        sum += millisecondsOf([&] { embree_->cast(sorted_[pose], mode, cell.threads, ranges_); });
      }
      if (sum < best) mode_ = mode;
      best = std::min(best, sum);
    }
  }
#endif

  // Compares random rays of the poses' scans with the oracle.
  void compareWithOracle(const Cell& cell, const sim::Renderers& renderers,
                         const std::vector<std::vector<Ray>>& scans, Row& row) {
    if (oracle_ == nullptr) {
      oracle_ = std::make_unique<lidar::Oracle>(*map_);
    }
    RandomStream random(1, row.sensor + row.place);
    int rays = 0, ours = 0, theirs = 0;
    const int each = std::max(1, settings_.oracle_rays / kPoses);
    for (std::size_t pose = 0; pose < scans.size(); ++pose) {
      std::vector<std::size_t> chosen;
      for (int i = 0; i < each; ++i) chosen.push_back(random.index(scans[pose].size()));
      const auto ranges = rangesOf(cell, renderers, scans[pose], static_cast<int>(pose), chosen);
      std::vector<Ray> some;
      for (const std::size_t i : chosen) some.push_back(scans[pose][i]);
#ifdef MARSIM_HAS_EMBREE
      if (isJudged(cell)) embree_->cast(some, EmbreeDiscs::Mode::kSingle, 1, ranges_);
#endif
      for (std::size_t i = 0; i < some.size(); ++i) {
        const lidar::OracleResult truth = oracle_->trace(lidar::toOracleRay(some[i]));
        if (truth.ambiguous) continue;
        ++rays;
        ours += agrees(truth.range, ranges[i]) ? 1 : 0;
#ifdef MARSIM_HAS_EMBREE
        if (isJudged(cell)) theirs += agrees(truth.range, ranges_[i]) ? 1 : 0;
#endif
      }
    }
    if (rays == 0) return;
    row.oracle_agreement = static_cast<double>(ours) / rays;
    if (row.embree_ms_median && cell.surface == Surface::kPaper)
      row.embree_agreement = static_cast<double>(theirs) / rays;
  }

#ifdef MARSIM_HAS_EMBREE
  // Whether a cell is compared with Embree, which has the paper's surface.
  bool isJudged(const Cell& cell) const {
    return embree_ != nullptr && cell.surface == Surface::kPaper;
  }
#endif

  static std::vector<float> rangesOf(const Cell& cell, const sim::Renderers& renderers,
                                     const std::vector<Ray>& scan, int pose,
                                     const std::vector<std::size_t>& chosen) {
    std::vector<Hit> hits;
    render(cell, renderers, scan, pose, hits);
    std::vector<float> ranges;
    for (const std::size_t i : chosen) ranges.push_back(hits[i].range);
    return ranges;
  }

  static bool agrees(double truth, float range) {
    if (std::isinf(truth) || std::isinf(range)) return std::isinf(truth) && std::isinf(range);
    return std::abs(truth - static_cast<double>(range)) <= 1e-3;
  }

  const RenderBench& settings_;
  Cell opened_{};
  std::shared_ptr<const map::SurfelMap> map_;
  std::vector<map::Surfel> stored_;
  double bytes_ = 0.0;
  std::string device_;  // last report on the device
  std::optional<Starts> starts_;
  std::unique_ptr<lidar::Oracle> oracle_;
#ifdef MARSIM_HAS_EMBREE
  std::unique_ptr<EmbreeDiscs> embree_;
  std::vector<std::vector<Ray>> sorted_;
  std::vector<float> ranges_;
  EmbreeDiscs::Mode mode_ = EmbreeDiscs::Mode::kSingle;
#endif
};

// Cells of one map, the plain ones first.
void addCells(const RenderBench& bench, const Place& place, Surface surface,
              std::vector<Cell>& cells) {
  const bool plain = surface == Surface::kPaper;
  for (const std::string& name : bench.sensors) {
    const Sensor sensor = sensorOf(name);
    for (const int threads : bench.threads) {
      if ((!plain || bench.opengl) && threads != bench.threads.front()) continue;
      for (const bool cold : {false, true}) {
        if (cold && bench.opengl) continue;
        if (cold && (!plain || threads != bench.threads.front() || !sensor.pattern)) continue;
        cells.push_back(
            {place, sensor, sensor.pattern ? "ray_caster" : "projection", surface, threads, cold});
        if (plain && !bench.opengl && !sensor.pattern && threads == bench.threads.front()) {
          cells.push_back({place, sensor, "ray_caster", surface, threads, cold});
        }
      }
    }
  }
}

std::vector<Cell> cellsOf(const RenderBench& bench) {
  std::vector<Cell> cells;
  for (const std::string& name : bench.places) {
    for (const double resolution : bench.resolutions) {
      const Place place{name, resolution};
      addCells(bench, place, Surface::kPaper, cells);
      addCells(bench, place, Surface::kBlended, cells);
      addCells(bench, place, Surface::kSized, cells);
    }
  }
  return cells;
}

// Suppresses the library's output: rows are printed where they are made.
class Silent : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>&) override {}
};

}  // namespace

std::vector<Row> runRenderBench(const RenderBench& settings) {
  std::vector<Row> rows;
  Bench bench(settings);
  const std::vector<Cell> cells = cellsOf(settings);
  if (settings.opengl) {
    // OpenGL in software gets as many threads as the processor's renderers. Mesa's count is of the
    // threads beside the caller's, which waits for them, or renders if there are none.
    const int threads = settings.threads.front();
    setenv("LP_NUM_THREADS", std::to_string(threads == 1 ? 0 : threads).c_str(), 0);
  } else {
    fmt::print("{}\n", tableHead());
  }
  interrupted = 0;
  const auto previous = std::signal(SIGINT, [](int) { interrupted = 1; });
  for (const Cell& cell : cells) {
    const auto measure = [&bench, &rows, &settings, cell](benchmark::State& state) {
      if (interrupted != 0) {
        state.SkipWithError("interrupted");
        return;
      }
      rows.push_back(bench.measure(cell, state));
      fmt::print("{}\n", settings.opengl ? openGlTableLine(rows.back()) : tableLine(rows.back()));
      std::fflush(stdout);
    };
    benchmark::RegisterBenchmark(fmt::format("{}/{}", cell.place.name, cell.sensor.name).c_str(),
                                 measure)
        ->UseManualTime()
        ->Iterations(kPoses * settings.repeats);
  }
  Silent reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  std::signal(SIGINT, previous);
  return rows;
}

}  // namespace marsim::benchmarks
