#include <chrono>
#include <cstdio>

#include <fmt/format.h>

#include "command_line.hpp"
#include "marsim/common/text.hpp"
#include "marsim/config/load.hpp"
#include "marsim/map/cloud_io.hpp"
#include "marsim/map/surfel_map.hpp"
#include "points.hpp"

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void printLine(const char* name, const std::string& value) {
  fmt::print("{:<14}{}\n", name, value);
}

Eigen::AlignedBox3f boxOf(const marsim::map::PointCloud& cloud) {
  Eigen::AlignedBox3f box;
  for (const Eigen::Vector3f& point : cloud.points) box.extend(point);
  return box;
}

// What loading the file gives, then what the simulation makes of it.
int describeMap(const std::string& name, double resolution) {
  using marsim::withThousands;
  marsim::Progress progress("map");
  const auto path = marsim::config::resolveMap(name);
  Clock::time_point start = Clock::now();
  const marsim::map::LoadedCloud loaded = marsim::map::loadCloud(path, progress);
  const double load_time = secondsSince(start);
  const Eigen::AlignedBox3f box = boxOf(loaded.cloud);
  const Eigen::Vector3f size = box.sizes();
  marsim::map::SurfelMapConfig config;
  config.resolution = resolution;
  start = Clock::now();
  const auto map = marsim::map::SurfelMap::build(loaded.cloud, config, progress);
  const double build_time = secondsSince(start);
  progress.finish();

  printLine("file", path.string());
  printLine("points", fmt::format("{} read in {:.2f} s", withThousands(loaded.read), load_time));
  printLine("dropped", fmt::format("{} not finite, {} duplicates", withThousands(loaded.non_finite),
                                   withThousands(loaded.duplicates)));
  printLine("intensity", loaded.cloud.hasIntensity() ? "yes" : "no");
  printLine("extent", fmt::format("{:.2f} x {:.2f} x {:.2f} m, {} to {}", size.x(), size.y(),
                                  size.z(), marsim::tools::pointText(box.min().cast<double>()),
                                  marsim::tools::pointText(box.max().cast<double>())));
  printLine("surfels",
            fmt::format("{} at {} m, {:.1f} % planar, made in {:.2f} s", withThousands(map.size()),
                        resolution, 100.0 * map.planarShare(), build_time));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::string name;
  std::string resolution = "0.1";
  CLI::App app("Says what a map file holds and what becomes of it at a resolution.", "marsim map");
  app.add_option("map", name, "forest, building or a PCD, PLY or place file")->required();
  app.add_option("--resolution", resolution, "voxel side [m]")->capture_default_str();
  return marsim::tools::runCommand(app, argc, argv, [&] {
    return describeMap(
        name, marsim::tools::parseOption("--resolution", resolution, marsim::Quantity::kLength));
  });
}
