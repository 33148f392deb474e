// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/output_file.hpp"
#include "common/text.hpp"
#include "map_tools/compare.hpp"
#include "marsim/config/load.hpp"
#include "marsim/map/cloud_io.hpp"
#include "marsim/viz/picture.hpp"
#include "tools/map/map_commands.hpp"
#include "tools/process/command_line.hpp"

namespace marsim::tools {
namespace {

/// The command line of `marsim map compare`.
struct CompareOptions {
  std::array<std::string, 2> names;
  std::string out;
  bool json = false;
};

// Moves a cloud into the first one's coordinates.
void moveTo(const Eigen::Vector3d& origin, map::LoadedCloud& loaded) {
  const Eigen::Vector3d shift = loaded.origin - origin;
  if (shift.isZero()) return;
  for (Eigen::Vector3f& p : loaded.cloud.points) p = (p.cast<double>() + shift).cast<float>();
}

void draw(const CompareOptions& options, const map::PointCloud& cloud,
          const map_tools::CloudDistances& distances) {
  viz::FlightScene scene;
  scene.map = &cloud;
  scene.map_lengths = distances.each;
  scene.map_length_shown = std::max(distances.high, 1e-3);
  scene.map_length_name = "distance to " + clipped(options.names[1], 30);
  scene.title = clipped(options.names[0]);
  viz::drawFlight(scene, viz::Viewpoint::kOblique, {}, options.out);
}

void printTable(const CompareOptions& options,
                const std::array<map_tools::CloudDistances, 2>& distances) {
  const auto name = [&](std::size_t i) {
    return clipped(std::filesystem::path(options.names.at(i)).filename().string(), 24);
  };
  fmt::print("{:<52}{:>10}{:>10}{:>10}{:>10}\n", "distance [m]", "mean", "median", "95 %",
             "largest");
  for (std::size_t i = 0; i < 2; ++i) {
    const map_tools::CloudDistances& d = distances.at(i);
    fmt::print("{:<51} {:>10.4f}{:>10.4f}{:>10.4f}{:>10.4f}\n",
               fmt::format("{} to {}", name(i), name(1 - i)), d.mean, d.median, d.high, d.largest);
  }
}

void printJson(const CompareOptions& options,
               const std::array<map_tools::CloudDistances, 2>& distances) {
  nlohmann::json json = nlohmann::json::array();
  for (std::size_t i = 0; i < 2; ++i) {
    const map_tools::CloudDistances& d = distances.at(i);
    json.push_back({{"from", options.names.at(i)},
                    {"to", options.names.at(1 - i)},
                    {"points", d.each.size()},
                    {"mean", d.mean},
                    {"median", d.median},
                    {"percentile_95", d.high},
                    {"largest", d.largest}});
  }
  fmt::print("{}\n", json.dump(2));
}

int runCompare(const CompareOptions& options) {
  if (!options.out.empty()) {
    requireExtension(options.out, {".png"});
    requireWritable(options.out);
  }
  Progress progress("compare");
  std::array<map::LoadedCloud, 2> loaded;
  for (std::size_t i = 0; i < 2; ++i) {
    loaded.at(i) = map::loadCloud(config::resolveMap(options.names.at(i)), progress);
  }
  moveTo(loaded[0].origin, loaded[1]);
  progress.phase("comparing");
  const std::array<map_tools::CloudDistances, 2> distances{
      map_tools::distancesBetween(loaded[0].cloud, loaded[1].cloud),
      map_tools::distancesBetween(loaded[1].cloud, loaded[0].cloud)};
  if (!options.out.empty()) draw(options, loaded[0].cloud, distances[0]);
  progress.finish();
  options.json ? printJson(options, distances) : printTable(options, distances);
  return 0;
}

}  // namespace

MapCommand addMapCompare(CommandLine& line) {
  const auto options = std::make_shared<CompareOptions>();
  CommandLine sub =
      line.subcommand("compare", "Tells how far two maps' points lie from one another");
  addMapName(sub, options->names[0]);
  sub.option("other", options->names[1], kInput, "another, in the same frame").required();
  sub.option("--out", options->out, kOutput, "PNG to draw, the first map coloured by distance");
  sub.flag("--json", options->json, "print JSON");
  return {sub, [options] { return runCompare(*options); }};
}

}  // namespace marsim::tools
