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
using namespace marsim::benchmarks;  // NOLINT: this program is theirs
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
struct CommandLine {
  std::string out, work;
  bool quick = false;
  std::string program;
  std::function<int()> chosen;

  /// Runs a benchmark of these settings in the work folder.
  template <class Settings>
  int run(Settings settings, void (*bench)(const Settings&)) const {
    const WorkFolder folder(work);
    settings.work = folder.path();
    bench(settings);
    return 0;
  }
};

const CLI::IsMember& placeNames() {
  static const CLI::IsMember names({"forest", "building"});
  return names;
}

/// Rejects a name or file that `load` does not accept, before anything is timed.
CLI::Validator loads(void (*load)(const std::string&)) {
  return {[load](const std::string& name) -> std::string {
            try {
              load(name);
              return "";
            } catch (const marsim::Error& error) {
              return error.what();
            }
          },
          ""};
}

const CLI::Validator& areLidars() {
  static const CLI::Validator lidars =
      loads([](const std::string& name) { marsim::config::loadLidar(name); });
  return lidars;
}

void addWork(CLI::App& app, CommandLine& line) {
  app.add_option("--work", line.work, "folder for clouds and maps, kept (default: temporary)")
      ->type_name(kFolder);
}

int render(RenderBench bench, const CommandLine& line) {
  const WorkFolder folder(line.work);
  bench.work = folder.path();
  const std::vector<Row> rows = runRenderBench(bench);
  if (!line.out.empty()) {
    writeRows(line.out, rows);
    fmt::print("{}: {} rows\n", line.out, rows.size());
  }
  return 0;
}

void addRender(CLI::App& app, CommandLine& line) {
  const auto bench = std::make_shared<RenderBench>();
  bench->sensors = sensorNames();
  bench->places = {"forest", "building"};
  bench->resolutions = {0.2, 0.1, 0.05, 0.02};
  bench->program = line.program;
  app.add_option("--out", line.out, "JSON file for the rows")->type_name(kOutput);
  app.add_flag("--quick", line.quick, "r = 0.2 and 0.1 m only, fewer repeats");
  app.add_option("--sensors", bench->sensors, "which")
      ->type_name(kInput)
      ->delimiter(',')
      ->check(loads([](const std::string& name) { sensorOf(name); }));
  app.add_option("--places", bench->places, "which")
      ->type_name(kWord)
      ->delimiter(',')
      ->check(placeNames());
  auto* resolutions = app.add_option("--resolutions", bench->resolutions, "of the maps [m]")
                          ->delimiter(',')
                          ->transform(number(Quantity::kLength, kResolutions));
  app.add_option("--threads", bench->threads, "which numbers of threads")
      ->delimiter(',')
      ->transform(whole(1, 256));
  app.add_option("--repeats", bench->repeats, "timings a pose")->transform(whole(1, 1000));
  const auto renderer = std::make_shared<std::string>("cpu");
  app.add_option("--renderer", *renderer,
                 "who renders: cpu (both renderers) or opengl (beside the processor)")
      ->type_name(kWord)
      ->check(CLI::IsMember({"cpu", "opengl"}));
  addWork(app, line);
  line.chosen = [&line, bench, resolutions, renderer] {
    bench->opengl = *renderer == "opengl";
    bench->starts = !bench->opengl;
    if (line.quick) {
      if (resolutions->count() == 0) bench->resolutions = {0.2, 0.1};
      bench->repeats = 2;
      bench->oracle_rays = 200;
    }
    return render(*bench, line);
  };
}

void addFidelity(CLI::App& app, CommandLine& line) {
  CLI::App& sub = *app.add_subcommand(
      "fidelity", "how true ranges are on a map of a noisy scan of a place of known geometry");
  sub.add_option("--out", line.out, "JSON file for the rows")->type_name(kOutput);
  sub.add_flag("--quick", line.quick, "fewer points, r = 0.1 and 0.05 m only");
  sub.callback([&line] { line.chosen = [&line] { return fidelity(line.out, line.quick); }; });
}

void addScan(CLI::App& app, CommandLine& line) {
  const auto bench = std::make_shared<ScanBench>();
  const auto surface = std::make_shared<std::string>(marsim::map::nameOf(bench->surface));
  CLI::App& sub = *app.add_subcommand(
      "scan", "what point times, motion, noise and intensity add to the time of a scan");
  sub.add_flag("--quick", line.quick, "fewer repeats");
  sub.add_option("--surface", *surface, "of the map: blended, paper or sized")->type_name(kWord);
  sub.add_option("--places", bench->places, "which")
      ->type_name(kWord)
      ->delimiter(',')
      ->check(placeNames());
  sub.add_option("--sensors", bench->sensors, "names of sensors")
      ->type_name(kInput)
      ->delimiter(',')
      ->check(areLidars());
  addWork(sub, line);
  sub.callback([&line, bench, surface] {
    line.chosen = [&line, bench, surface] {
      bench->surface = marsim::map::surfaceOf(*surface);
      if (line.quick) bench->repeats = 3;
      return line.run(*bench, runScanBench);
    };
  });
}

void addBeams(CLI::App& app, CommandLine& line) {
  const auto bench = std::make_shared<BeamsBench>();
  CLI::App& sub = *app.add_subcommand(
      "beams", "what nine rays a beam and weather cost; pictures of beams and their echoes");
  sub.add_option("--out", line.out, "JSON file for the rows")->type_name(kOutput);
  sub.add_flag("--quick", line.quick, "no timings");
  sub.add_option("--pictures", bench->pictures, "folder for pictures of scans and histograms")
      ->type_name(kFolder);
  sub.add_option("--sensors", bench->sensors, "names of sensors that are timed")
      ->type_name(kInput)
      ->delimiter(',')
      ->check(areLidars());
  sub.add_option("--places", bench->places, "which")
      ->type_name(kWord)
      ->delimiter(',')
      ->check(placeNames());
  sub.add_option("--threads", bench->threads, "which numbers of threads")
      ->delimiter(',')
      ->transform(whole(1, 256));
  sub.add_option("--repeats", bench->repeats, "timings a pose")->transform(whole(1, 1000));
  addWork(sub, line);
  sub.callback([&line, bench] {
    line.chosen = [&line, bench] {
      const WorkFolder folder(line.work);
      bench->quick = line.quick;
      bench->out = line.out;
      bench->work = folder.path();
      return runBeamsBench(*bench) ? 0 : 1;
    };
  });
}

void addCameras(CLI::App& app, CommandLine& line) {
  const auto bench = std::make_shared<CamerasBench>();
  CLI::App& sub = *app.add_subcommand("cameras", "what images of colour cameras cost");
  sub.add_option("--cameras", bench->cameras, "names of cameras or files")
      ->type_name(kInput)
      ->delimiter(',')
      ->check(loads([](const std::string& name) { marsim::config::loadCameras(name); }));
  sub.add_option("--places", bench->places, "which")
      ->type_name(kWord)
      ->delimiter(',')
      ->check(placeNames());
  sub.add_option("--resolutions", bench->resolutions, "of the maps [m]")
      ->delimiter(',')
      ->transform(number(Quantity::kLength, kResolutions));
  sub.add_option("--repeats", bench->repeats, "timings a pose")->transform(whole(1, 1000));
  addWork(sub, line);
  sub.callback([&line, bench] {
    line.chosen = [&line, bench] { return line.run(*bench, runCamerasBench); };
  });
}

void addCollision(CLI::App& app, CommandLine& line) {
  const auto bench = std::make_shared<CollisionBench>();
  CLI::App& sub = *app.add_subcommand(
      "collision", "collision checks of a UAV: the map's tree beside a KD-tree, objects that move");
  sub.add_option("--place", bench->place, "forest or building")
      ->type_name(kWord)
      ->check(placeNames());
  sub.add_option("--resolution", bench->resolution, "of the map [m]")
      ->transform(number(Quantity::kLength, kResolutions));
  sub.add_option("--vehicle", bench->vehicle, "a vehicle's name or file")
      ->type_name(kInput)
      ->check(loads([](const std::string& name) { marsim::config::loadVehicle(name); }));
  addWork(sub, line);
  sub.callback([&line, bench] {
    line.chosen = [&line, bench] { return line.run(*bench, runCollisionBench); };
  });
}

void addObjects(CLI::App& app, CommandLine& line) {
  const auto bench = std::make_shared<ObjectsBench>();
  CLI::App& sub = *app.add_subcommand(
      "objects", "what obstacles that move and other UAVs add to the time of a scan");
  sub.add_flag("--quick", line.quick, "fewer repeats");
  sub.add_option("--obstacles", bench->obstacles, "how many")->transform(whole(0, 10000));
  sub.add_option("--peers", bench->peers, "how many")->transform(whole(0, 1000));
  sub.add_option("--sensors", bench->sensors, "names of sensors")
      ->type_name(kInput)
      ->delimiter(',')
      ->check(areLidars());
  addWork(sub, line);
  sub.callback([&line, bench] {
    line.chosen = [&line, bench] {
      if (line.quick) bench->repeats = 5;
      return line.run(*bench, runObjectsBench);
    };
  });
}

void addVegetation(CLI::App& app, CommandLine& line) {
  const auto bench = std::make_shared<VegetationBench>();
  CLI::App& sub =
      *app.add_subcommand("vegetation", "what plants on a map add to the time of a scan");
  sub.add_flag("--quick", line.quick, "fewer repeats");
  sub.add_option("--map", bench->map, "as marsim scan takes it")->type_name(kInput);
  sub.add_option("--vegetation", bench->vegetation, "as marsim scan takes it")
      ->type_name(kInput)
      ->check(loads([](const std::string& name) { marsim::config::loadVegetation(name); }));
  sub.add_option("--resolution", bench->resolution, "of the map [m]")
      ->transform(number(Quantity::kLength, kResolutions));
  sub.add_option("--sensors", bench->sensors, "names of sensors")
      ->type_name(kInput)
      ->delimiter(',')
      ->check(areLidars());
  addWork(sub, line);
  sub.callback([&line, bench] {
    line.chosen = [&line, bench] {
      if (line.quick) bench->repeats = 2;
      return line.run(*bench, runVegetationBench);
    };
  });
}

void addWorld(CLI::App& app, CommandLine& line) {
  const auto bench = std::make_shared<WorldBench>();
  bench->program = line.program;
  CLI::App& sub = *app.add_subcommand(
      "world", "what a shared world costs: collisions, objects that move, many UAVs");
  sub.add_option("--out", line.out, "JSON file for the figures")->type_name(kOutput);
  sub.add_flag("--quick", line.quick, "fewer repeats, smaller maps, no ROS nodes");
  sub.add_option("--uavs", bench->uavs, "tried first in one nodelet manager")
      ->transform(whole(1, 200));
  sub.add_option("--duration", bench->duration, "that they fly [s, simulated]")
      ->transform(number(Quantity::kTime, {5.0, 3600.0}));
  addWork(sub, line);
  sub.callback([&line, bench] {
    line.chosen = [&line, bench] {
      bench->quick = line.quick;
      bench->out = line.out;
      return line.run(*bench, runWorldBench);
    };
  });
}

void addFlight(CLI::App& app, CommandLine& line) {
  CLI::App& sub = *app.add_subcommand(
      "flight", "how many times faster than real time 1, 5, 10 and 100 UAVs without LiDAR fly");
  sub.add_flag("--quick", line.quick, "a tenth of the time");
  addWork(sub, line);
  sub.callback([&line] {
    line.chosen = [&line] {
      WorldBench bench;
      bench.quick = line.quick;
      return line.run(bench, runFlightBench);
    };
  });
}

/// The process that measures a start, see starts.hpp.
void addStart(CLI::App& app, CommandLine& line) {
  struct Start {
    std::string cloud, surface, folder;
    marsim::map::SurfelMapConfig config;
  };
  const auto start = std::make_shared<Start>();
  CLI::App* sub = app.add_subcommand("start", "")->group("");
  sub->add_option("cloud", start->cloud)->required()->type_name(kInput);
  sub->add_option("resolution", start->config.resolution)
      ->required()
      ->transform(number(Quantity::kLength, kResolutions));
  sub->add_option("surface", start->surface)->required()->type_name(kWord);
  sub->add_option("folder", start->folder)->required()->type_name(kName);
  sub->callback([&line, start] {
    line.chosen = [start] {
      start->config.surface = marsim::map::surfaceOf(start->surface);
      return startOnce(start->cloud, start->config, start->folder);
    };
  });
}

}  // namespace

int main(int argc, char** argv) {
  CommandLine line;
  line.program = fs::read_symlink("/proc/self/exe").string();
  CLI::App app(
      "Times the renderers on generated places, beside Embree's disc points on the same surfels\n"
      "and rays where Embree was found at build time. docs/benchmarks.md explains the columns.",
      "marsim bench");
  app.option_defaults()->always_capture_default();
  for (const auto add : {addRender, addFidelity, addBeams, addScan, addCameras, addCollision,
                         addObjects, addVegetation, addFlight, addWorld, addStart}) {
    add(app, line);
  }
  return runCommand(app, argc, argv, [&] {
    if (!line.out.empty()) {  // a wrong path fails at once
      marsim::requireExtension(line.out, {".json"});
      marsim::requireWritable(line.out);
    }
    return line.chosen();
  });
}
