// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

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

suite::Chart chartOf(const std::vector<double>& ranges) {
  std::vector<double> counts(static_cast<std::size_t>(std::lround((kHigh - kLow) / kBin)), 0.0);
  for (const double range : ranges) {
    const auto bin = static_cast<std::size_t>(std::max(0.0, (range - kLow) / kBin));
    if (bin < counts.size()) counts[bin] += 1.0;
  }
  suite::Chart chart;
  chart.title = "ranges of the shipped shrub";
  chart.x_label = "range of a shrub 8 m away, seed 1 [m]";
  chart.y_label = "returns";
  chart.from_zero = true;
  chart.curves = {{"returns", "u0", {}}};
  for (std::size_t i = 0; i < counts.size(); ++i) {
    chart.curves[0].points.emplace_back(kLow + kBin * static_cast<double>(i), counts[i]);
    chart.curves[0].points.emplace_back(kLow + kBin * static_cast<double>(i + 1), counts[i]);
  }
  return chart;
}

}  // namespace

Reproduction reproduceShrub(Extent extent, Progress& progress) {
  const scene::SpeciesConfig species = shippedShrub();
  const int seeds = extent == Extent::kFull ? 20 : extent == Extent::kQuick ? 4 : 1;
  Reproduction result;
  if (seeds < 20) result.skipped.push_back(fmt::format("seeds {} to 20", seeds + 1));
  FigureTable table{"The shrub of config/species/shrub.yaml",
                    {"seed", "returns", "deviation [m]", "dip [deviations]", "two modes"},
                    {}};
  int broad = 0, two = 0;
  progress.phase("seeds", static_cast<std::size_t>(seeds));
  for (int seed = 1; seed <= seeds; ++seed) {
    const std::vector<double> ranges =
        physics::rangesOfShrub(species, static_cast<std::uint64_t>(seed), kHeight);
    const double deviation = deviationOf(ranges), dip = physics::dipOfRanges(ranges);
    broad += deviation > 0.05 ? 1 : 0;
    two += dip > physics::kSureDip ? 1 : 0;
    table.rows.push_back({fmt::format("{}", seed), fmt::format("{}", ranges.size()),
                          fmt::format("{:.3f}", deviation), fmt::format("{:.1f}", dip),
                          dip > physics::kSureDip ? "yes" : "no"});
    if (seed == 1) result.charts.push_back(chartOf(ranges));
    progress.update(static_cast<std::size_t>(seed));
  }
  const double all = seeds;
  result.criteria = {
      {fmt::format("broad: of {} seeds", seeds), static_cast<double>(broad), all, all},
      {fmt::format("two modes: of {} seeds", seeds), static_cast<double>(two), all, all}};
  result.tables.push_back(std::move(table));
  return result;
}

}  // namespace marsim::reproduce
