#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include "command_line.hpp"
#include "fidelity_benchmark.hpp"
#include "marsim/common/error.hpp"
#include "render_bench.hpp"
#include "scan_benchmark.hpp"
#include "sensors.hpp"
#include "starts.hpp"

namespace {

namespace fs = std::filesystem;
using marsim::benchmarks::RenderBench;

/// A folder of its own that goes when the program ends, unless the user named one.
class WorkFolder {
 public:
  explicit WorkFolder(const std::string& named) : path_(named), kept_(!named.empty()) {
    if (!kept_) {
      path_ = fs::temp_directory_path() / fmt::format("marsim-bench-{}", getpid());
    }
    fs::create_directories(path_);
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

int render(RenderBench bench, const std::string& work, const std::string& out) {
  for (const std::string& name : bench.sensors) marsim::benchmarks::sensorOf(name);
  if (!out.empty()) marsim::benchmarks::writeRows(out, {});  // a path that fails does so at once
  const WorkFolder folder(work);
  bench.work = folder.path();
  const std::vector<marsim::benchmarks::Row> rows = runRenderBench(bench);
  if (!out.empty()) {
    marsim::benchmarks::writeRows(out, rows);
    fmt::print("{}: {} rows\n", out, rows.size());
  }
  return 0;
}

int scans(marsim::benchmarks::ScanBench settings, const std::string& work, bool quick) {
  const WorkFolder folder(work);
  settings.work = folder.path();
  if (quick) settings.repeats = 3;
  runScanBench(settings);
  return 0;
}

int start(const std::vector<std::string>& arguments) {
  marsim::map::SurfelMapConfig config;
  config.resolution = std::stod(arguments.at(1));
  config.surface = marsim::map::surfaceOf(arguments.at(2));
  config.storage = marsim::map::storageOf(arguments.at(3));
  return marsim::benchmarks::startOnce(arguments.at(0), config, arguments.at(4));
}

}  // namespace

int main(int argc, char** argv) {
  RenderBench bench;
  bench.sensors = marsim::benchmarks::sensorNames();
  bench.places = {"forest", "building"};
  bench.resolutions = {0.2, 0.1, 0.05, 0.02};
  bench.program = fs::read_symlink("/proc/self/exe").string();
  std::string out, work, renderer = "cpu";
  bool quick = false;
  CLI::App app(
      "Times the renderers on generated places, beside Embree's disc points on the same surfels\n"
      "and rays where Embree was found at build time. docs/benchmarks.md explains the columns.",
      "marsim bench");
  app.option_defaults()->always_capture_default();
  app.add_option("--out", out, "JSON file for the rows");
  app.add_flag("--quick", quick, "r = 0.2 and 0.1 m only, fewer repeats");
  app.add_option("--sensors", bench.sensors, "which")->delimiter(',');
  app.add_option("--places", bench.places, "which")
      ->delimiter(',')
      ->check(CLI::IsMember({"forest", "building"}));
  auto* resolutions = app.add_option("--resolutions", bench.resolutions, "of the maps [m]")
                          ->delimiter(',')
                          ->check(CLI::Range(0.005, 10.0));
  app.add_option("--threads", bench.threads, "which numbers of threads")
      ->delimiter(',')
      ->check(CLI::Range(1, 256));
  app.add_option("--repeats", bench.repeats, "timings a pose")->check(CLI::Range(1, 1000));
  app.add_option("--renderer", renderer, "who renders: cpu (both renderers) or opengl")
      ->check(CLI::IsMember({"cpu", "opengl"}));
  app.add_option("--work", work, "folder for clouds and maps, kept (default: temporary)");
  auto* fidelity_app = app.add_subcommand(
      "fidelity", "how true ranges are on a map of a noisy scan of a place of known geometry");
  fidelity_app->add_option("--out", out, "JSON file for the rows");
  fidelity_app->add_flag("--quick", quick, "fewer points, r = 0.1 and 0.05 m only");
  auto* scan_app = app.add_subcommand(
      "scan", "what point times, motion, noise and intensity add to the time of a scan");
  scan_app->add_flag("--quick", quick, "fewer repeats");
  scan_app->add_option("--work", work, "as above");
  marsim::benchmarks::ScanBench scan_bench;
  std::string surface = marsim::map::nameOf(scan_bench.surface);
  scan_app->add_option("--surface", surface, "of the map: blended or paper");
  scan_app->add_option("--places", scan_bench.places, "as above")
      ->delimiter(',')
      ->check(CLI::IsMember({"forest", "building"}));
  scan_app->add_option("--sensors", scan_bench.sensors, "names of sensors")->delimiter(',');
  auto* child = app.add_subcommand("start", "")->group("");
  child->allow_extras();
  return marsim::tools::runCommand(app, argc, argv, [&] {
    if (child->parsed()) return start(child->remaining());
    if (scan_app->parsed()) {
      scan_bench.surface = marsim::map::surfaceOf(surface);
      return scans(scan_bench, work, quick);
    }
    if (fidelity_app->parsed()) return marsim::benchmarks::fidelity(out, quick);
    if (quick) {
      if (resolutions->count() == 0) bench.resolutions = {0.2, 0.1};
      bench.repeats = 2;
      bench.oracle_rays = 200;
    }
    bench.opengl = renderer == "opengl";
    return render(bench, work, out);
  });
}
