// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/bounds.hpp"
#include "common/nth_smallest.hpp"
#include "common/output_file.hpp"
#include "common/text.hpp"
#include "config/defaults.hpp"
#include "marsim/common/error.hpp"
#include "marsim/viz/picture.hpp"
#include "tools/map/map_accuracy.hpp"
#include "tools/map/map_commands.hpp"
#include "tools/map/recording_options.hpp"
#include "tools/process/command_line.hpp"

namespace marsim::tools {
namespace {

/// The command line of `marsim map fidelity`.
struct FidelityOptions {
  std::string source, surface = config::defaultOf("surface"), out;
  bool json = false;
  RecordingOptions recording;
  AccuracyConfig config;
  viz::PictureConfig picture;
};

void printRow(const AccuracyRow& row) {
  fmt::print("{:<16}{:>10}{:>10.2f}{:>10.2f}{:>10.2f}{:>10.4f}{:>10.4f}{:>10.4f}\n", row.name,
             withThousands(row.beams), 100.0 * row.misses, 100.0 * row.too_near,
             100.0 * row.too_far, row.median, row.signed_median, row.high);
}

nlohmann::json jsonOf(const AccuracyRow& row) {
  return {{"name", row.name},
          {"beams", row.beams},
          {"misses", row.misses},
          {"too_near", row.too_near},
          {"too_far", row.too_far},
          {"median", row.median},
          {"signed_median", row.signed_median},
          {"percentile_90", row.high}};
}

nlohmann::json jsonOf(const std::vector<AccuracyRow>& rows) {
  nlohmann::json list = nlohmann::json::array();
  for (const AccuracyRow& row : rows) list.push_back(jsonOf(row));
  return list;
}

void printTable(const char* name, const AccuracyTable& table) {
  fmt::print("{:<16}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}\n", name, "", "misses %", "near %",
             "far %", "median m", "signed m", "90 % m");
  printRow(table.all);
  for (const auto* rows : {&table.by_range, &table.by_incidence, &table.by_kind}) {
    for (const AccuracyRow& row : *rows) printRow(row);
  }
}

nlohmann::json jsonOf(const AccuracyTable& table) {
  return {{"surfels", table.surfels},
          {"all", jsonOf(table.all)},
          {"by_range", jsonOf(table.by_range)},
          {"by_incidence", jsonOf(table.by_incidence)},
          {"by_kind", jsonOf(table.by_kind)}};
}

void print(const Accuracy& accuracy) {
  printLine(
      "scans",
      fmt::format("{} in the map of {} surfels, {} left out", withThousands(accuracy.scans_in_map),
                  withThousands(accuracy.surfels), withThousands(accuracy.scans_left_out)));
  for (const std::string& note : accuracy.notes) printLine("", note);
  printTable("points alone", accuracy.without_beams);
  printTable("with beams", accuracy);
  printLine("clouds", fmt::format("real to simulated {:.4f} m, simulated to real {:.4f} m on "
                                  "average",
                                  accuracy.real_to_simulated, accuracy.simulated_to_real));
}

void printJson(const Accuracy& accuracy) {
  nlohmann::json json = jsonOf(static_cast<const AccuracyTable&>(accuracy));
  json.update({{"without_beams", jsonOf(accuracy.without_beams)},
               {"scans_in_map", accuracy.scans_in_map},
               {"scans_left_out", accuracy.scans_left_out},
               {"notes", accuracy.notes},
               {"real_to_simulated", accuracy.real_to_simulated},
               {"simulated_to_real", accuracy.simulated_to_real}});
  fmt::print("{}\n", json.dump(2));
}

// Draws the ends of the beams, coloured by error up to the 95th percentile; misses as the largest.
void draw(const FidelityOptions& options, const Accuracy& accuracy) {
  map::PointCloud cloud;
  cloud.points = accuracy.places;
  std::vector<float> finite;
  for (const float error : accuracy.errors) {
    if (std::isfinite(error)) finite.push_back(error);
  }
  const float shown = finite.empty() ? 1.0F : nthSmallest(finite, 95 * (finite.size() - 1) / 100);
  viz::FlightScene scene;
  scene.map = &cloud;
  scene.title = "beams that were left out of the map";
  scene.map_length_shown = std::max(1e-3, static_cast<double>(shown));
  scene.map_length_name = "error of the range";
  for (const float error : accuracy.errors) scene.map_lengths.push_back(std::min(error, shown));
  viz::drawFlight(scene, viz::Viewpoint::kTop, options.picture, options.out);
}

int runFidelity(FidelityOptions& options) {
  AccuracyConfig& config = options.config;
  config.recording = options.recording.config();
  config.recording.source = options.source;
  config.map.surface = map::surfaceOf(options.surface);
  config.validate("command line");
  if (!options.out.empty()) {
    requireExtension(options.out, {".png"});
    requireWritable(options.out);
  }
  if (!map_tools::isRecording(options.source)) {
    throw FileError(options.source, "is no recording, allowed: a bag or a folder of scans");
  }
  Progress progress("fidelity");
  const Accuracy accuracy = measureAccuracy(config, progress);
  if (!options.out.empty()) draw(options, accuracy);
  progress.finish();
  options.json ? printJson(accuracy) : print(accuracy);
  if (!options.out.empty() && !options.json) printLine("written", options.out);
  return 0;
}

}  // namespace

MapCommand addMapFidelity(CommandLine& line) {
  const auto options = std::make_shared<FidelityOptions>();
  CommandLine sub = line.subcommand(
      "fidelity",
      "Leaves scans of a recording out, makes a map of the rest and casts their beams at it: how "
      "true a map is to a real LiDAR");
  sub.option("recording", options->source, kInput, "a bag or a folder of scans").required();
  options->recording.addTo(sub);
  addMapMaking(sub, options->config.map.resolution, options->surface);
  sub.option("--leave-out", options->config.leave_out, whole(AccuracyConfig::kLeaveOut),
             "every so many scans one is left out");
  sub.option("--rays", options->config.rays, whole(AccuracyConfig::kRays),
             "at most so many beams of a scan");
  sub.option("--out", options->out, kOutput, "PNG: where beams ended, coloured by their errors");
  sub.flag("--json", options->json, "print one JSON object");
  return {sub, [options] { return runFidelity(*options); }};
}

}  // namespace marsim::tools
