// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "marsim/common/error.hpp"
#include "marsim/config/load.hpp"
#include "physics/shrub_ranges.hpp"
#include "reproduce/experiment.hpp"

namespace marsim::reproduce {
namespace {

constexpr double kHeight = 1.2;                         // [m] of the sensor
constexpr double kLow = 7.4, kHigh = 8.6, kBin = 0.02;  // [m] of the chart

/// config/species/shrub.yaml, as a vegetation file that comes with the package has it.
scene::SpeciesConfig shippedShrub() {
  for (const scene::StandConfig& stand : config::loadVegetation("courtyard").stands) {
    if (stand.species.kind == scene::SpeciesConfig::Kind::kShrub) return stand.species;
  }
  throw Error("config/vegetation/courtyard.yaml has no shrub");
}

double deviationOf(const std::vector<double>& values) {
  double mean = 0.0, square = 0.0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  for (const double value : values) square += (value - mean) * (value - mean);
  return std::sqrt(square / static_cast<double>(values.size()));
}

suite::Chart chartOf(const std::string& name, const std::vector<double>& ranges) {
  std::vector<double> counts(static_cast<std::size_t>(std::lround((kHigh - kLow) / kBin)), 0.0);
  for (const double range : ranges) {
    const auto bin = static_cast<std::size_t>(std::max(0.0, (range - kLow) / kBin));
    if (bin < counts.size()) counts[bin] += 1.0;
  }
  suite::Chart chart;
  chart.title = "ranges of the " + name;
  chart.x_label = "range from 8 m away, all seeds [m]";
  chart.y_label = "returns";
  chart.from_zero = true;
  chart.curves = {{"returns", "u0", {}}};
  for (std::size_t i = 0; i < counts.size(); ++i) {
    chart.curves[0].points.emplace_back(kLow + kBin * static_cast<double>(i), counts[i]);
    chart.curves[0].points.emplace_back(kLow + kBin * static_cast<double>(i + 1), counts[i]);
  }
  return chart;
}

/// Ranges of one shape, grown from several seeds.
struct ShrubSeries {
  int broad = 0;     ///< seeds
  double dip = 0.0;  ///< of all ranges together [deviations]
};

ShrubSeries measureShrub(const std::string& name, const scene::SpeciesConfig& species,
                         double height, int seeds, Reproduction& result, Progress& progress) {
  FigureTable table{
      "The " + name, {"seed", "returns", "deviation [m]", "dip [deviations]", "two modes"}, {}};
  ShrubSeries series;
  std::vector<double> all;
  progress.phase(name, static_cast<std::size_t>(seeds));
  const auto rate = [&](const std::string& seed, const std::vector<double>& ranges) {
    const double deviation = deviationOf(ranges), dip = physics::dipOfRanges(ranges);
    table.rows.push_back({seed, fmt::format("{}", ranges.size()), fmt::format("{:.3f}", deviation),
                          fmt::format("{:.1f}", dip), dip > physics::kSureDip ? "yes" : "no"});
    return std::pair(deviation > 0.05, dip);
  };
  for (int seed = 1; seed <= seeds; ++seed) {
    const std::vector<double> ranges =
        physics::rangesOfShrub(species, static_cast<std::uint64_t>(seed), height);
    series.broad += rate(fmt::format("{}", seed), ranges).first ? 1 : 0;
    all.insert(all.end(), ranges.begin(), ranges.end());
    progress.update(static_cast<std::size_t>(seed));
  }
  series.dip = rate("all", all).second;
  result.tables.push_back(std::move(table));
  result.charts.push_back(chartOf(name, all));
  return series;
}

}  // namespace

Reproduction reproduceShrub(Extent extent, Progress& progress) {
  const int seeds = extent == Extent::kFull ? 20 : extent == Extent::kQuick ? 4 : 1;
  Reproduction result;
  if (seeds < 20) result.skipped.push_back(fmt::format("seeds {} to 20", seeds + 1));
  const ShrubSeries potted = measureShrub("potted shrub of 0.3 m", physics::pottedShrub(),
                                          physics::kPottedHeight, seeds, result, progress);
  const ShrubSeries shipped = measureShrub("shrub of config/species/shrub.yaml", shippedShrub(),
                                           kHeight, seeds, result, progress);
  const double all = seeds;
  result.criteria = {
      {fmt::format("potted shrub, broad: of {} seeds", seeds), static_cast<double>(potted.broad),
       all, all},
      {"potted shrub, two modes: dip of all seeds [deviations]", potted.dip, physics::kSureDip},
      {fmt::format("shipped shrub, broad: of {} seeds", seeds), static_cast<double>(shipped.broad),
       all, all}};
  return result;
}

}  // namespace marsim::reproduce
