// SPDX-License-Identifier: BSD-3-Clause
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "beams_benchmark.hpp"
#include "cameras_benchmark.hpp"
#include "collision_benchmark.hpp"
#include "common/output_file.hpp"
#include "common/result_folder.hpp"
#include "fidelity_benchmark.hpp"
#include "marsim/common/error.hpp"
#include "marsim/config/load.hpp"
#include "objects_benchmark.hpp"
#include "render_bench.hpp"
#include "scan_benchmark.hpp"
#include "sensors.hpp"
#include "starts.hpp"
#include "tools/process/command_line.hpp"
#include "vegetation_benchmark.hpp"
#include "world_benchmark.hpp"

namespace {

namespace fs = std::filesystem;
using namespace marsim::benchmarks;  // NOLINT: a program of this namespace
using namespace marsim::tools;       // NOLINT
using marsim::Quantity;

constexpr marsim::Bounds kResolutions{0.005, 10.0};  // [m]

/// A temporary folder that is removed when the program ends, unless the user named one.
class WorkFolder {
 public:
  explicit WorkFolder(const std::string& named) : path_(named), kept_(!named.empty()) {
    if (kept_) {
      marsim::ResultFolder(path_, "marsim bench").begin({"clouds", "maps", "starts"});
    } else {
      path_ = fs::temp_directory_path() / fmt::format("marsim-bench-{}", getpid());
    }
    marsim::makeFolder(path_ / "clouds");
  }
  ~WorkFolder() {
    std::error_code none;
    if (!kept_) fs::remove_all(path_, none);
  }
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
  bool kept_;
};

/// Options common to the subcommands, and the chosen one.
struct BenchOptions {
  std::string out, work;
  bool quick = false;
  std::string program;
  std::function<int()> chosen;

  /// Makes `run` the benchmark if the subcommand is given.
  void choose(CommandLine sub, const std::function<int()>& run) {
    sub.onGiven([this, run] { chosen = run; });
  }

  /// Runs a benchmark of these settings in the work folder.
  template <class Settings>
  int run(Settings settings, void (*bench)(const Settings&)) const {
    const WorkFolder folder(work);
    settings.work = folder.path();
    bench(settings);
    return 0;
  }
};

/// A name or file that `load` accepts; others are rejected before anything is timed.
OptionType loadedBy(void (*load)(const std::string&)) {
  return {kInput.name, [load](const std::string& name) -> std::string {
            try {
              load(name);
              return "";
            } catch (const marsim::Error& error) {
              return error.what();
            }
          }};
}

const OptionType& lidars() {
  static const OptionType type =
      loadedBy([](const std::string& name) { marsim::config::loadLidar(name); });
  return type;
}

const OptionType& places() {
  static const OptionType type = oneOf({"forest", "building"});
  return type;
}

void addWork(CommandLine& line, BenchOptions& options) {
  line.option("--work", options.work, kFolder,
              "folder for clouds and maps, kept (default: temporary)");
}

int render(RenderBench bench, const BenchOptions& options) {
  const WorkFolder folder(options.work);
  bench.work = folder.path();
  const std::vector<Row> rows = runRenderBench(bench);
  if (!options.out.empty()) {
    writeRows(options.out, rows);
    fmt::print("{}: {} rows\n", options.out, rows.size());
  }
  return 0;
}

void addRender(CommandLine& line, BenchOptions& options) {
  const auto bench = std::make_shared<RenderBench>();
  bench->sensors = sensorNames();
  bench->places = {"forest", "building"};
  bench->resolutions = {0.2, 0.1, 0.05, 0.02};
  bench->program = options.program;
  line.option("--out", options.out, kOutput, "JSON file for the rows");
  line.flag("--quick", options.quick, "r = 0.2 and 0.1 m only, fewer repeats");
  line.option("--sensors", bench->sensors,
              loadedBy([](const std::string& name) { sensorOf(name); }), "which")
      .delimiter(',');
  line.option("--places", bench->places, places(), "which").delimiter(',');
  const Option resolutions = line.option("--resolutions", bench->resolutions,
                                         number(Quantity::kLength, kResolutions), "of the maps [m]")
                                 .delimiter(',');
  line.option("--threads", bench->threads, whole(1, 256), "which numbers of threads")
      .delimiter(',');
  line.option("--repeats", bench->repeats, whole(1, 1000), "timings a pose");
  const auto renderer = std::make_shared<std::string>("cpu");
  line.option("--renderer", *renderer, oneOf({"cpu", "opengl"}),
              "who renders: cpu (both renderers) or opengl (beside the processor)");
  addWork(line, options);
  options.chosen = [&options, bench, resolutions, renderer] {
    bench->opengl = *renderer == "opengl";
    bench->starts = !bench->opengl;
    if (options.quick) {
      if (!resolutions.isGiven()) bench->resolutions = {0.2, 0.1};
      bench->repeats = 2;
      bench->oracle_rays = 200;
    }
    return render(*bench, options);
  };
}

void addFidelity(CommandLine& line, BenchOptions& options) {
  CommandLine sub = line.subcommand(
      "fidelity", "how true ranges are on a map of a noisy scan of a place of known geometry");
  sub.option("--out", options.out, kOutput, "JSON file for the rows");
  sub.flag("--quick", options.quick, "fewer points, r = 0.1 and 0.05 m only");
  options.choose(sub, [&options] { return fidelity(options.out, options.quick); });
}

void addScan(CommandLine& line, BenchOptions& options) {
  const auto bench = std::make_shared<ScanBench>();
  const auto surface = std::make_shared<std::string>(marsim::map::nameOf(bench->surface));
  CommandLine sub = line.subcommand(
      "scan", "what point times, motion, noise and intensity add to the time of a scan");
  sub.flag("--quick", options.quick, "fewer repeats");
  sub.option("--surface", *surface, kWord, "of the map: blended, paper or sized");
  sub.option("--places", bench->places, places(), "which").delimiter(',');
  sub.option("--sensors", bench->sensors, lidars(), "names of sensors").delimiter(',');
  addWork(sub, options);
  options.choose(sub, [&options, bench, surface] {
    bench->surface = marsim::map::surfaceOf(*surface);
    if (options.quick) bench->repeats = 3;
    return options.run(*bench, runScanBench);
  });
}

void addBeams(CommandLine& line, BenchOptions& options) {
  const auto bench = std::make_shared<BeamsBench>();
  CommandLine sub = line.subcommand(
      "beams", "what nine rays a beam and weather cost; pictures of beams and their echoes");
  sub.option("--out", options.out, kOutput, "JSON file for the rows");
  sub.flag("--quick", options.quick, "no timings");
  sub.option("--pictures", bench->pictures, kFolder, "folder for pictures of scans and histograms");
  sub.option("--sensors", bench->sensors, lidars(), "names of sensors that are timed")
      .delimiter(',');
  sub.option("--places", bench->places, places(), "which").delimiter(',');
  sub.option("--threads", bench->threads, whole(1, 256), "which numbers of threads").delimiter(',');
  sub.option("--repeats", bench->repeats, whole(1, 1000), "timings a pose");
  addWork(sub, options);
  options.choose(sub, [&options, bench] {
    const WorkFolder folder(options.work);
    bench->quick = options.quick;
    bench->out = options.out;
    bench->work = folder.path();
    return runBeamsBench(*bench) ? 0 : 1;
  });
}

void addCameras(CommandLine& line, BenchOptions& options) {
  const auto bench = std::make_shared<CamerasBench>();
  CommandLine sub = line.subcommand("cameras", "what images of colour cameras cost");
  sub.option("--cameras", bench->cameras,
             loadedBy([](const std::string& name) { marsim::config::loadCameras(name); }),
             "names of cameras or files")
      .delimiter(',');
  sub.option("--places", bench->places, places(), "which").delimiter(',');
  sub.option("--resolutions", bench->resolutions, number(Quantity::kLength, kResolutions),
             "of the maps [m]")
      .delimiter(',');
  sub.option("--repeats", bench->repeats, whole(1, 1000), "timings a pose");
  addWork(sub, options);
  options.choose(sub, [&options, bench] { return options.run(*bench, runCamerasBench); });
}

void addCollision(CommandLine& line, BenchOptions& options) {
  const auto bench = std::make_shared<CollisionBench>();
  CommandLine sub = line.subcommand(
      "collision", "collision checks of a UAV: the map's tree beside a KD-tree, objects that move");
  sub.option("--place", bench->place, places(), "forest or building");
  sub.option("--resolution", bench->resolution, number(Quantity::kLength, kResolutions),
             "of the map [m]");
  sub.option("--vehicle", bench->vehicle,
             loadedBy([](const std::string& name) { marsim::config::loadVehicle(name); }),
             "a vehicle's name or file");
  addWork(sub, options);
  options.choose(sub, [&options, bench] { return options.run(*bench, runCollisionBench); });
}

void addObjects(CommandLine& line, BenchOptions& options) {
  const auto bench = std::make_shared<ObjectsBench>();
  CommandLine sub = line.subcommand(
      "objects", "what obstacles that move and other UAVs add to the time of a scan");
  sub.flag("--quick", options.quick, "fewer repeats");
  sub.option("--obstacles", bench->obstacles, whole(0, 10000), "how many");
  sub.option("--peers", bench->peers, whole(0, 1000), "how many");
  sub.option("--sensors", bench->sensors, lidars(), "names of sensors").delimiter(',');
  addWork(sub, options);
  options.choose(sub, [&options, bench] {
    if (options.quick) bench->repeats = 5;
    return options.run(*bench, runObjectsBench);
  });
}

void addVegetation(CommandLine& line, BenchOptions& options) {
  const auto bench = std::make_shared<VegetationBench>();
  CommandLine sub = line.subcommand("vegetation", "what plants on a map add to the time of a scan");
  sub.flag("--quick", options.quick, "fewer repeats");
  sub.option("--map", bench->map, kInput, "as marsim scan takes it");
  sub.option("--vegetation", bench->vegetation,
             loadedBy([](const std::string& name) { marsim::config::loadVegetation(name); }),
             "as marsim scan takes it");
  sub.option("--resolution", bench->resolution, number(Quantity::kLength, kResolutions),
             "of the map [m]");
  sub.option("--sensors", bench->sensors, lidars(), "names of sensors").delimiter(',');
  addWork(sub, options);
  options.choose(sub, [&options, bench] {
    if (options.quick) bench->repeats = 2;
    return options.run(*bench, runVegetationBench);
  });
}

void addWorld(CommandLine& line, BenchOptions& options) {
  const auto bench = std::make_shared<WorldBench>();
  bench->program = options.program;
  CommandLine sub = line.subcommand(
      "world", "what a shared world costs: collisions, objects that move, many UAVs");
  sub.option("--out", options.out, kOutput, "JSON file for the figures");
  sub.flag("--quick", options.quick, "fewer repeats, smaller maps, no ROS nodes");
  sub.option("--uavs", bench->uavs, whole(1, 200), "tried first in one nodelet manager");
  sub.option("--duration", bench->duration, number(Quantity::kTime, {5.0, 3600.0}),
             "that they fly [s, simulated]");
  addWork(sub, options);
  options.choose(sub, [&options, bench] {
    bench->quick = options.quick;
    bench->out = options.out;
    return options.run(*bench, runWorldBench);
  });
}

void addFlight(CommandLine& line, BenchOptions& options) {
  CommandLine sub = line.subcommand(
      "flight", "how many times faster than real time 1, 5, 10 and 100 UAVs without LiDAR fly");
  sub.flag("--quick", options.quick, "a tenth of the time");
  addWork(sub, options);
  options.choose(sub, [&options] {
    WorldBench bench;
    bench.quick = options.quick;
    return options.run(bench, runFlightBench);
  });
}

/// The process that measures a start, see starts.hpp.
void addStart(CommandLine& line, BenchOptions& options) {
  struct Start {
    std::string cloud, surface, folder;
    marsim::map::SurfelMapConfig config;
  };
  const auto start = std::make_shared<Start>();
  CommandLine sub = line.subcommand("start", "");
  sub.option("cloud", start->cloud, kInput, "").required();
  sub.option("resolution", start->config.resolution, number(Quantity::kLength, kResolutions), "")
      .required();
  sub.option("surface", start->surface, kWord, "").required();
  sub.option("folder", start->folder, kName, "").required();
  options.choose(sub, [start] {
    start->config.surface = marsim::map::surfaceOf(start->surface);
    return startOnce(start->cloud, start->config, start->folder);
  });
}

}  // namespace

int main(int argc, char** argv) {
  BenchOptions options;
  options.program = fs::read_symlink("/proc/self/exe").string();
  CommandLine line(
      "Times the renderers on generated places, beside Embree's disc points on the same surfels\n"
      "and rays where Embree was found at build time. docs/benchmarks.md explains the columns.",
      "marsim bench");
  for (const auto add : {addRender, addFidelity, addBeams, addScan, addCameras, addCollision,
                         addObjects, addVegetation, addFlight, addWorld, addStart}) {
    add(line, options);
  }
  return line.run(argc, argv, [&] {
    if (!options.out.empty()) {  // a wrong path fails at once
      marsim::requireExtension(options.out, {".json"});
      marsim::requireWritable(options.out);
    }
    return options.chosen();
  });
}
