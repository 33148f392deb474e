// SPDX-License-Identifier: BSD-3-Clause
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/bounds.hpp"
#include "common/output_file.hpp"
#include "common/text.hpp"
#include "map_tools/export.hpp"
#include "marsim/common/error.hpp"
#include "marsim/config/load.hpp"
#include "marsim/map/cloud_io.hpp"
#include "marsim/map/load_map.hpp"
#include "tools/map/map_commands.hpp"
#include "tools/process/command_line.hpp"
#include "tools/process/interrupts.hpp"

namespace marsim::tools {
namespace {

/// The command line of `marsim map export`.
struct ExportOptions {
  std::string name, out;
  std::optional<double> resolution;  // [m]
  std::vector<double> slice;         // ZMIN ZMAX [m]
  bool json = false;
};

/// Report on a written file, in words and for programs.
struct Exported {
  int code = 0;  ///< of the program
  std::vector<std::pair<std::string, std::string>> lines;
  nlohmann::json json;

  void add(const std::string& name, const std::string& value) { lines.emplace_back(name, value); }
};

constexpr double kUsualResolution = 0.1;  // [m] of voxels and cells

void addOrigin(const Eigen::Vector3d& origin, Exported& exported) {
  exported.json["origin"] = {origin.x(), origin.y(), origin.z()};
  if (origin.isZero()) return;
  exported.add("origin",
               fmt::format("{} of the source is (0, 0, 0) of the copy", pointText(origin)));
}

/// The surfels of a map as points with their channels, the reflectivity as intensity (255: 100 %).
map::PointCloud surfelPoints(const map::SurfelMap& map) {
  map::PointCloud cloud = map.positions();
  cloud.weight.clear();
  const map::SurfelChannelViews& channels = map.channels();
  cloud.intensity.assign(channels.reflectivity.begin(), channels.reflectivity.end());
  cloud.colour.assign(channels.colour.begin(), channels.colour.end());
  cloud.classes.assign(channels.classes.begin(), channels.classes.end());
  cloud.instances.assign(channels.instances.begin(), channels.instances.end());
  return cloud;
}

Exported exportPoints(const ExportOptions& options, Progress& progress) {
  const std::filesystem::path path = config::resolveMap(options.name);
  Exported exported;
  map::PointCloud cloud;
  Eigen::Vector3d origin;
  std::string what;
  if (!options.resolution) {
    map::LoadedCloud loaded = map::loadCloud(path, progress);
    cloud = std::move(loaded.cloud);
    origin = loaded.origin;
    exported.json["points_read"] = loaded.read;
    what = fmt::format(
        "{} of the file's {} points{}", withThousands(cloud.size()), withThousands(loaded.read),
        cloud.size() == loaded.read
            ? ""
            : fmt::format(" ({} not finite and {} duplicates are left out)",
                          withThousands(loaded.non_finite), withThousands(loaded.duplicates)));
  } else {
    map::SurfelMapConfig config;
    config.resolution = *options.resolution;
    const map::LoadedMap loaded = map::loadSurfelMap(path, config, progress);
    cloud = surfelPoints(*loaded.map);
    origin = loaded.source.origin;
    exported.json["points_read"] = loaded.source.points;
    exported.json["resolution"] = config.resolution;
    what = fmt::format("{} surfels at {:g} m, of {} points", withThousands(cloud.size()),
                       config.resolution, withThousands(loaded.source.points));
  }
  progress.phase("writing");
  exported.code = saveWhole(options.out, cloud);
  exported.json["points"] = cloud.size();
  exported.add("written", fmt::format("{}: {}", options.out, what));
  addOrigin(origin, exported);
  return exported;
}

Exported exportOctoMap(const ExportOptions& options, Progress& progress) {
  const double resolution = options.resolution.value_or(kUsualResolution);
  const map::LoadedCloud loaded = map::loadCloud(config::resolveMap(options.name), progress);
  std::size_t voxels = 0;
  Exported exported;
  exported.code = writeWhole(
      [&] { voxels = map_tools::writeOctoMap(options.out, loaded.cloud, resolution, progress); });
  exported.json.update(
      {{"points_read", loaded.read}, {"resolution", resolution}, {"occupied", voxels}});
  exported.add("written", fmt::format("{}: {} occupied voxels of {:g} m, of {} points; all else is "
                                      "unknown",
                                      options.out, withThousands(voxels), resolution,
                                      withThousands(loaded.read)));
  addOrigin(loaded.origin, exported);
  return exported;
}

Exported exportSlice(const ExportOptions& options, Progress& progress) {
  if (options.slice.size() != 2) {
    throw ConfigError("command line", "--slice", "absent",
                      "with a .yaml two heights: --slice ZMIN ZMAX");
  }
  map_tools::SliceConfig config;
  config.resolution = options.resolution.value_or(kUsualResolution);
  config.z_min = options.slice[0];
  config.z_max = options.slice[1];
  config.validate("command line");
  requireWritable(map_tools::imageOf(options.out));
  const map::LoadedCloud loaded = map::loadCloud(config::resolveMap(options.name), progress);
  progress.phase("slicing");
  const map_tools::OccupancySlice slice = map_tools::sliceOf(loaded.cloud, config);
  progress.phase("writing");
  Exported exported;
  exported.code = writeWhole([&] { map_tools::writeSlice(options.out, slice); });
  const auto count = [&](map_tools::Occupancy cell) { return slice.count(cell); };
  exported.json.update({{"points_read", loaded.read},
                        {"resolution", slice.resolution},
                        {"width", slice.width},
                        {"height", slice.height},
                        {"occupied", count(map_tools::Occupancy::kOccupied)},
                        {"free", count(map_tools::Occupancy::kFree)},
                        {"unknown", count(map_tools::Occupancy::kUnknown)}});
  exported.add("written",
               fmt::format("{} and {}: {} x {} cells of {:g} m between {:g} and {:g} m",
                           options.out, map_tools::imageOf(options.out).string(), slice.width,
                           slice.height, slice.resolution, config.z_min, config.z_max));
  exported.add("cells", fmt::format("{} occupied, {} free (a point lies below), {} unknown",
                                    withThousands(count(map_tools::Occupancy::kOccupied)),
                                    withThousands(count(map_tools::Occupancy::kFree)),
                                    withThousands(count(map_tools::Occupancy::kUnknown))));
  addOrigin(loaded.origin, exported);
  return exported;
}

Exported exportAs(const std::string& extension, const ExportOptions& options, Progress& progress) {
  if (extension == ".yaml") return exportSlice(options, progress);
  if (extension == ".bt" || extension == ".ot") return exportOctoMap(options, progress);
  return exportPoints(options, progress);
}

int runExport(const ExportOptions& options) {
  const std::string extension =
      requireExtension(options.out, {".pcd", ".ply", ".bt", ".ot", ".yaml"});
  if (!options.slice.empty() && extension != ".yaml") {
    throw ConfigError("command line", "--slice", "given", "with an --out that ends in .yaml");
  }
  requireWritable(options.out);
  Progress progress("export");
  Exported exported = exportAs(extension, options, progress);
  progress.finish();
  if (options.json) {
    exported.json["written"] = options.out;
    fmt::print("{}\n", exported.json.dump(2));
    return exported.code;
  }
  for (const auto& [name, value] : exported.lines) printLine(name, value);
  return exported.code;
}

}  // namespace

MapCommand addMapExport(CommandLine& line) {
  const auto options = std::make_shared<ExportOptions>();
  CommandLine sub = line.subcommand(
      "export", "Writes a map as points, OctoMap or 2-D occupancy grid for other programs");
  addMapName(sub, options->name);
  sub.option("--out", options->out, kOutput,
             "by its extension: PCD, PLY; BT, OT (OctoMap); YAML, with a PGM beside it "
             "(map_server)")
      .required();
  sub.option("--resolution", options->resolution, number(Quantity::kLength, kResolutions),
             "PCD, PLY: the surfels at it in place of the file's points; others: side of "
             "voxels or cells, 0.1 unless given [m]");
  sub.option("--slice", options->slice, number(Quantity::kLength, kPlaces),
             "ZMIN ZMAX: heights of the occupancy grid [m]")
      .expected(2);
  sub.flag("--json", options->json, "print one JSON object");
  return {sub, [options] { return runExport(*options); }};
}

}  // namespace marsim::tools
