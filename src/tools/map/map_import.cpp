// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <memory>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/bounds.hpp"
#include "common/output_file.hpp"
#include "common/text.hpp"
#include "map_tools/import.hpp"
#include "marsim/common/error.hpp"
#include "marsim/map/cloud_io.hpp"
#include "tools/map/map_commands.hpp"
#include "tools/map/points.hpp"
#include "tools/map/recording_options.hpp"
#include "tools/process/command_line.hpp"
#include "tools/process/interrupts.hpp"

namespace marsim::tools {
namespace {

/// The command line of `marsim map import`.
struct ImportOptions {
  std::vector<std::string> files;
  std::string out, columns;
  std::string up = "auto";
  bool points_only = false, json = false;
  RecordingOptions recording;
  map_tools::ImportConfig config;
};

std::string dropped(const map_tools::ImportedFile& file) {
  if (file.not_finite == 0) return "";
  return fmt::format(", {} dropped: not finite{}", withThousands(file.not_finite),
                     map_tools::isRecording(file.path) ? " or at the LiDAR itself" : "");
}

void report(const map_tools::Imported& imported, const map_tools::ImportConfig& config) {
  for (const map_tools::ImportedFile& file : imported.files) {
    const Eigen::Vector3d size = file.box.sizes();
    printLine("file", fmt::format("{}: {}", file.path.string(), file.kind));
    printLine("  points", withThousands(file.read) + dropped(file));
    printLine("  extent", fmt::format("{:.2f} x {:.2f} x {:.2f} m", size.x(), size.y(), size.z()));
    for (const std::string& note : file.notes) printLine("", note);
  }
  if (config.scale) printLine("scale", fmt::format("{:g} m a unit", *config.scale));
  if (imported.before_thinning > 0) {
    printLine("thinned", fmt::format("{} of {} points, one a voxel of {} m (without --resolution "
                                     "points stay as they are)",
                                     withThousands(imported.cloud.size()),
                                     withThousands(imported.before_thinning), config.resolution));
  }
  if (!imported.origin.isZero()) {
    printLine("origin",
              fmt::format("{} of the files is (0, 0, 0) of the map", pointText(imported.origin)));
  }
}

// Writes the report as one JSON object.
void reportJson(const map_tools::Imported& imported, const ImportOptions& options) {
  nlohmann::json files = nlohmann::json::array();
  for (const map_tools::ImportedFile& file : imported.files) {
    files.push_back({{"file", file.path.string()},
                     {"kind", file.kind},
                     {"points", file.read},
                     {"dropped", file.not_finite},
                     {"box_min", pointJson(file.box.min())},
                     {"box_max", pointJson(file.box.max())},
                     {"notes", file.notes}});
  }
  nlohmann::json json{{"files", files},
                      {"scale", options.config.metres()},
                      {"origin", pointJson(imported.origin)},
                      {"written", options.out},
                      {"points", imported.cloud.size()}};
  if (imported.before_thinning > 0) json["points_before_thinning"] = imported.before_thinning;
  fmt::print("{}\n", json.dump(2));
}

int runImport(ImportOptions& options) {
  map_tools::ImportConfig& config = options.config;
  if (!options.columns.empty()) config.columns = split(options.columns, ',');
  config.up = map_tools::upAxisOf(options.up);
  config.recording = options.recording.config();
  config.limits = config.recording.limits;
  if (std::none_of(options.files.begin(), options.files.end(), map_tools::isRecording)) {
    options.recording.requireNone("with a bag or a folder of scans among the files");
  }
  const auto is_pcd = [](const std::string& file) { return lowerExtension(file) == ".pcd"; };
  marsim::Validator("command line")
      .require(!config.apply_viewpoint ||
                   std::any_of(options.files.begin(), options.files.end(), is_pcd),
               "--viewpoint", "given", "with a PCD file among the files");
  requireExtension(options.out, map::cloudFormats());
  requireWritable(options.out);
  Progress progress("import");
  map_tools::Imported imported =
      map_tools::importFiles({options.files.begin(), options.files.end()}, config, progress);
  if (options.points_only) imported.cloud.to_sensor = {};
  progress.phase("writing");
  const int code = saveWhole(options.out, imported.cloud);
  progress.finish();
  if (options.json) {
    reportJson(imported, options);
    return code;
  }
  report(imported, config);
  printLine("written",
            fmt::format("{}, {} points", options.out, withThousands(imported.cloud.size())));
  return code;
}

}  // namespace

int writeWhole(const std::function<void()>& write) {
  const InterruptGuard guard;
  write();
  return InterruptGuard::count() > 0 ? 130 : 0;
}

int saveWhole(const std::filesystem::path& path, const map::PointCloud& cloud) {
  return writeWhole([&] { map::saveCloud(path, cloud); });
}

MapCommand addMapImport(CommandLine& line) {
  const auto options = std::make_shared<ImportOptions>();
  CommandLine sub = line.subcommand("import",
                                    "Makes a map of scans (PCD, PLY, LAS, XYZ, CSV, PTS), "
                                    "OctoMaps (BT, OT) and meshes (OBJ, STL, "
                                    "PLY, DAE, glTF, OFF), and recordings: a bag or a folder of "
                                    "scans with a trajectory");
  sub.option("files", options->files, kInput,
             "files, folders of scans and bags that become one map")
      .required();
  sub.option("--out", options->out, kOutput, "PCD or PLY to write").required();
  sub.option("--resolution", options->config.resolution, number(Quantity::kLength, kResolutions),
             "meshes are sampled at it, points thinned to one a voxel [m]; without it points "
             "stay as they are")
      .hideDefault();
  sub.option("--scale", options->config.scale,
             number(Quantity::kNumber, map_tools::ImportConfig::kScales),
             "metres a unit of the files; by default 1, or what a LAS says");
  sub.option("--columns", options->columns, kName,
             "columns of tables, with commas: x, y, z, intensity, red, green, blue, label, or "
             "- for one that is not read; by default by a header or the values");
  sub.option("--up", options->up, kWord, "the files' axis that is up: y, z, or auto, as they say");
  sub.flag("--viewpoint", options->config.apply_viewpoint,
           "points of PCD files lie in the frame of the file's VIEWPOINT: move them to where "
           "that is");
  options->recording.addTo(sub);
  sub.flag("--points-only", options->points_only,
           "leave out the places of the sensor: the map follows from the points alone");
  addSeed(sub, options->config.seed, "of the sampling of meshes");
  sub.flag("--json", options->json, "print one JSON object");
  return {sub, [options] { return runImport(*options); }};
}

}  // namespace marsim::tools
