// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/bounds.hpp"
#include "common/output_file.hpp"
#include "common/text.hpp"
#include "map/cache/map_file.hpp"
#include "map_tools/survey.hpp"
#include "marsim/config/load.hpp"
#include "marsim/map/cloud_io.hpp"
#include "marsim/map/load_map.hpp"
#include "marsim/map/semantic_class.hpp"
#include "tools/map/map_commands.hpp"
#include "tools/map/points.hpp"
#include "tools/process/command_line.hpp"

namespace marsim::tools {
namespace {

using Clock = std::chrono::steady_clock;

constexpr Bounds kReaches{0.0, kFarthestPlace, true};  // [m]

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The share of surfels of each class, by its name.
std::map<std::string, double> classShares(const map::SurfelMap& map) {
  std::map<std::string, double> shares;
  for (const std::uint8_t number : map.channels().classes) {
    shares[map::semantic::nameOf(number)] += 1.0 / static_cast<double>(map.size());
  }
  return shares;
}

// Prints the survey of the points.
void printSurvey(const map_tools::Survey& survey, const map::PointSpacing& spacing,
                 double resolution) {
  printLine("axes", fmt::format("z looks {}, a unit looks {} a metre",
                                survey.z_up ? "up" : "not up", survey.metres ? "like" : "unlike"));
  if (spacing.median > 0.0) {
    printLine("spacing", fmt::format("{:.3g} m: {:.2g} % of beams would pass at {} m; advised is a "
                                     "resolution of {:g} m",
                                     spacing.median, 100.0 * spacing.passing, resolution,
                                     spacing.advised_resolution));
  }
  if (survey.spacing > 0.0) {
    printLine("planes", fmt::format("{:.0f} % of the surface across x, {:.0f} % y, {:.0f} % z",
                                    100.0 * survey.planes[0], 100.0 * survey.planes[1],
                                    100.0 * survey.planes[2]));
    printLine("isolated", fmt::format("{:.2g} % of the points, no neighbour within {:g} spacings",
                                      100.0 * survey.isolated, map_tools::Survey::kIsolated));
  }
  printLine("noise", survey.noise > 0.0
                         ? fmt::format("{:.1f} mm off the surfaces", 1e3 * survey.noise)
                         : std::string("not measured: no surface is flat"));
  if (survey.start) {
    printLine("start", fmt::format("{}, clearance {:.2f} m", pointText(*survey.start),
                                   survey.start_clearance));
  }
  if (survey.free.volume > 0.0) {
    printLine("free",
              fmt::format("{:.4g} m3 reached from start, {:.0f} % of the box, in voxels of "
                          "{:.2g} m",
                          survey.free.volume, 100.0 * survey.free.share, survey.free.voxel));
  }
  for (const std::string& warning : survey.warnings) printLine("warning", warning);
}

// Prints the report as one JSON object.
void printJson(const std::filesystem::path& path, const map::LoadedMap& loaded,
               const map_tools::Survey& survey) {
  const map::MapSource& source = loaded.source;
  nlohmann::json json{{"file", path.string()},
                      {"points", source.points},
                      {"not_finite", source.non_finite},
                      {"duplicates", source.duplicates},
                      {"intensity", source.has_intensity},
                      {"beams", source.has_beams},
                      {"colours", !loaded.map->channels().colour.empty()},
                      {"classes", classShares(*loaded.map)},
                      {"box_min", pointJson(source.box.min().cast<double>())},
                      {"box_max", pointJson(source.box.max().cast<double>())},
                      {"origin", pointJson(source.origin)},
                      {"resolution", loaded.map->resolution()},
                      {"surfels", loaded.map->size()},
                      {"planar_share", loaded.map->planarShare()},
                      {"noise", survey.noise},
                      {"isolated_share", survey.isolated},
                      {"spacing", source.spacing.median},
                      {"resolution_advised", source.spacing.advised_resolution},
                      {"beams_passing", source.spacing.passing},
                      {"planes_across", survey.planes},
                      {"z_up", survey.z_up},
                      {"metres", survey.metres},
                      {"warnings", survey.warnings}};
  if (survey.start) {
    json["start"] = pointJson(*survey.start);
    json["start_clearance"] = survey.start_clearance;
    json["free_volume"] = survey.free.volume;
    json["free_share"] = survey.free.share;
    json["free_voxel"] = survey.free.voxel;
  }
  fmt::print("{}\n", json.dump(2));
}

// Prints the file's contents and their effect in the simulation.
int describeMap(const std::string& name, const map::SurfelMapConfig& config, bool use_cache,
                bool json) {
  Progress progress("map");
  const auto path = config::resolveMap(name);
  map::MapLoading loading;
  loading.use_cache = use_cache;
  const Clock::time_point start = Clock::now();
  const auto loaded = map::loadSurfelMap(path, config, progress, loading);
  const double seconds = secondsSince(start);
  progress.phase("surveying");
  const map_tools::Survey survey = map_tools::surveyFile(path, loaded.map, progress);
  progress.finish();
  if (json) {
    printJson(path, loaded, survey);
    return 0;
  }

  const map::MapSource& source = loaded.source;
  const map::SurfelMap& map = *loaded.map;
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
  const bool follows = source.has_beams && map.config().surface != map::Surface::kPaper;
  printLine("beams", follows ? "surfels follow those of a recording" : "no");
  if (!map.channels().reflectivity.empty()) {
    double sum = 0.0;
    for (const std::uint8_t value : map.channels().reflectivity) sum += value;
    printLine("reflectivity",
              fmt::format("{:.0f} % on average", sum / 2.55 / static_cast<double>(map.size())));
  }
  printLine("colours", map.channels().colour.empty() ? "no" : "yes");
  std::vector<std::string> classes;
  for (const auto& [of_class, share] : classShares(map)) {
    classes.push_back(fmt::format("{} {:.0f} %", of_class, 100.0 * share));
  }
  printLine("classes", classes.empty() ? "no" : join(classes));
  printLine("extent", fmt::format("{:.2f} x {:.2f} x {:.2f} m, {} to {}", size.x(), size.y(),
                                  size.z(), pointText(source.box.min().cast<double>()),
                                  pointText(source.box.max().cast<double>())));
  if (!source.origin.isZero()) {
    printLine("origin",
              fmt::format("{} of the file is the world's (0, 0, 0)", pointText(source.origin)));
  }
  printLine("surfels", fmt::format("{} at {} m, {:.1f} % planar", withThousands(map.size()),
                                   config.resolution, 100.0 * map.planarShare()));
  if (map.config().surface != map::Surface::kPaper) {
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
  printSurvey(survey, loaded.source.spacing, config.resolution);
  return 0;
}

// Writes a copy of the file without stray points.
int cropMap(const std::string& name, double reach, const std::filesystem::path& out) {
  requireExtension(out, map::cloudFormats());
  requireWritable(out);
  Progress progress("map");
  const auto loaded = map::loadCloud(config::resolveMap(name), progress);
  const map::PointCloud kept = map::within(loaded.cloud, reach);
  map::saveCloud(out, kept);
  progress.finish();
  printLine("written", fmt::format("{}, {} of {} points", out.string(), withThousands(kept.size()),
                                   withThousands(loaded.read)));
  if (!loaded.origin.isZero()) {
    printLine("origin",
              fmt::format("{} of the source is (0, 0, 0) of the copy", pointText(loaded.origin)));
  }
  return 0;
}

/// The command line of `marsim map info`.
struct InfoOptions {
  std::string name;
  map::SurfelMapConfig config;
  std::string surface = map::nameOf(config.surface);
  bool no_cache = false, json = false;
  double within = 0.0;  ///< [m]
  std::string out;
};

int runInfo(InfoOptions& options) {
  options.config.surface = map::surfaceOf(options.surface);
  if (!options.out.empty()) {
    return cropMap(options.name, options.within, options.out);
  }
  return describeMap(options.name, options.config, !options.no_cache, options.json);
}

}  // namespace

void addMapName(CommandLine& line, std::string& name) {
  line.option("map", name, kInput, "name of a place, or a PCD, PLY or place file").required();
}

void addMapMaking(CommandLine& line, double& resolution, std::string& surface) {
  line.option("--resolution", resolution, number(Quantity::kLength, kResolutions),
              "voxel side [m]");
  line.option("--surface", surface, kWord, "blended, sized or paper");
}

void printLine(const std::string& name, const std::string& value) {
  fmt::print("{:<14}{}\n", name, value);
}

MapCommand addMapInfo(CommandLine& line) {
  const auto options = std::make_shared<InfoOptions>();
  CommandLine sub =
      line.subcommand("info", "Says what a map file holds and what becomes of it at a resolution");
  addMapName(sub, options->name);
  addMapMaking(sub, options->config.resolution, options->surface);
  sub.option("--intensity-full-scale", options->config.intensity_full_scale,
             number(Quantity::kNumber, Bounds{0.0, 1e9}),
             "the intensity that stands for 100 %; 0: 1, 255 or the largest");
  sub.flag("--no-cache", options->no_cache, "make the map anew and keep nothing");
  sub.flag("--json", options->json, "print one JSON object");
  const Option reach = sub.option("--within", options->within, number(Quantity::kLength, kReaches),
                                  "with --out: only points so near the middle on every axis [m]")
                           .hideDefault();
  reach.needs(
      sub.option("--out", options->out, kOutput, "PCD or PLY to write, a copy without stray points")
          .needs(reach));
  return {sub, [options] { return runInfo(*options); }};
}

}  // namespace marsim::tools
