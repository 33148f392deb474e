#include <chrono>

#include <fmt/format.h>

#include "common/bounds.hpp"
#include "common/text.hpp"
#include "marsim/config/load.hpp"
#include "marsim/map/cloud_io.hpp"
#include "marsim/map/load_map.hpp"
#include "tools/command_line.hpp"

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void printLine(const char* name, const std::string& value) {
  fmt::print("{:<14}{}\n", name, value);
}

// Prints what the file holds and what the simulation makes of it.
int describeMap(const std::string& name, const marsim::map::SurfelMapConfig& config,
                bool use_cache) {
  using marsim::withThousands;
  marsim::Progress progress("map");
  const auto path = marsim::config::resolveMap(name);
  marsim::map::MapLoading loading;
  loading.use_cache = use_cache;
  const Clock::time_point start = Clock::now();
  const auto loaded = marsim::map::loadSurfelMap(path, config, progress, loading);
  const double seconds = secondsSince(start);
  progress.finish();

  const marsim::map::MapSource& source = loaded.source;
  const marsim::map::SurfelMap& map = *loaded.map;
  const Eigen::Vector3f size = source.box.sizes();
  printLine("file", path.string());
  printLine("points", withThousands(source.points));
  printLine("dropped", fmt::format("{} not finite, {} duplicates", withThousands(source.non_finite),
                                   withThousands(source.duplicates)));
  printLine("intensity",
            source.constant_intensity
                ? fmt::format("{} at every point, taken as absent", *source.constant_intensity)
            : source.has_intensity ? std::string("yes")
                                   : std::string("no"));
  if (!map.reflectivity().empty()) {
    double sum = 0.0;
    for (const std::uint8_t value : map.reflectivity()) sum += value;
    printLine("reflectivity",
              fmt::format("{:.0f} % on average", sum / 2.55 / static_cast<double>(map.size())));
  }
  printLine("extent", fmt::format("{:.2f} x {:.2f} x {:.2f} m, {} to {}", size.x(), size.y(),
                                  size.z(), marsim::pointText(source.box.min().cast<double>()),
                                  marsim::pointText(source.box.max().cast<double>())));
  if (!source.origin.isZero()) {
    printLine("origin", fmt::format("{} of the file is the world's (0, 0, 0)",
                                    marsim::pointText(source.origin)));
  }
  printLine("surfels", fmt::format("{} at {} m, {:.1f} % planar", withThousands(map.size()),
                                   config.resolution, 100.0 * map.planarShare()));
  if (map.config().surface == marsim::map::Surface::kBlended) {
    printLine("surface", fmt::format("noise of {:.1f} mm, ranges averaged over {:.0f} mm",
                                     1e3 * static_cast<double>(map.noise()),
                                     1e3 * static_cast<double>(map.blending().depth)));
  }
  printLine("time", fmt::format("{:.2f} s, {}", seconds,
                                loaded.from_cache ? "made before" : "read and made now"));
  if (map.file() != nullptr) {
    printLine("kept as", fmt::format("{} ({:.1f} MB)", map.file()->name(),
                                     1e-6 * static_cast<double>(map.file()->size())));
  }
  return 0;
}

// A copy of the file without the points that stray.
int cropMap(const std::string& name, double reach, const std::filesystem::path& out) {
  using marsim::withThousands;
  marsim::Progress progress("map");
  const auto loaded = marsim::map::loadCloud(marsim::config::resolveMap(name), progress);
  const marsim::map::PointCloud kept = marsim::map::within(loaded.cloud, reach);
  marsim::map::saveCloud(out, kept);
  progress.finish();
  printLine("written", fmt::format("{}, {} of {} points", out.string(), withThousands(kept.size()),
                                   withThousands(loaded.read)));
  if (!loaded.origin.isZero()) {
    printLine("origin", fmt::format("{} of the source is (0, 0, 0) of the copy",
                                    marsim::pointText(loaded.origin)));
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::string name;
  std::string resolution = "0.1";
  marsim::map::SurfelMapConfig config;
  CLI::App app("Says what a map file holds and what becomes of it at a resolution.", "marsim map");
  app.add_option("map", name, "forest, building or a PCD, PLY or place file")->required();
  app.add_option("--resolution", resolution, "voxel side [m]")->capture_default_str();
  std::string surface = marsim::map::nameOf(config.surface);
  app.add_option("--surface", surface, "blended or paper")->capture_default_str();
  std::string storage = "compact";
  app.add_option("--storage", storage)->group("");  // one is left: not told any more
  app.add_option("--intensity-full-scale", config.intensity_full_scale,
                 "the intensity that stands for 100 %; 0: 1, 255 or the largest")
      ->capture_default_str();
  bool no_cache = false;
  app.add_flag("--no-cache", no_cache, "make the map anew and keep nothing");
  std::string within, out;
  auto* reach = app.add_option("--within", within,
                               "with --out: only points so near the middle on every axis [m]");
  app.add_option("--out", out, "PCD or PLY to write, a copy without stray points")->needs(reach);
  reach->needs(app.get_option("--out"));
  return marsim::tools::runCommand(app, argc, argv, [&] {
    if (!out.empty()) {
      return cropMap(
          name, marsim::tools::parseOption("--within", within, marsim::Quantity::kLength), out);
    }
    config.resolution =
        marsim::tools::parseOption("--resolution", resolution, marsim::Quantity::kLength);
    config.surface = marsim::map::surfaceOf(surface);
    marsim::requireCompactStorage("", "--storage", storage);
    return describeMap(name, config, !no_cache);
  });
}
