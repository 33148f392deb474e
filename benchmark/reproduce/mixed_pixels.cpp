// SPDX-License-Identifier: BSD-3-Clause
#include "physics/mixed_pixels.hpp"

#include <fmt/format.h>

#include "reproduce/experiment.hpp"

namespace marsim::reproduce {

Reproduction reproduceMixedPixels(Extent extent, Progress& progress) {
  Reproduction result;
  FigureTable table{
      "Beams between rods and wall, of 320", {"wall behind the rods [m]", "mixed"}, {}};
  suite::Chart chart;
  chart.title = "mixed pixels";
  chart.x_label = "distance of the wall behind the rods [m]";
  chart.y_label = "mixed beams of 320";
  chart.from_zero = true;
  chart.curves = {{"mixed", "u0", {}}};
  const int step = extent == Extent::kTest ? 4 : 1;
  const double paper_limit = 1.6;
  int nearer_without = 0, farther_with = 0;
  progress.phase("walls");
  for (int tenths = 4; tenths <= 24; tenths += step) {
    const double behind = 0.1 * tenths;
    const int mixed = physics::mixedBeams(behind);
    table.rows.push_back({fmt::format("{:.1f}", behind), fmt::format("{}", mixed)});
    chart.curves[0].points.emplace_back(behind, mixed);
    if (behind < paper_limit - 0.05 && mixed == 0) ++nearer_without;
    if (behind > paper_limit + 0.05) farther_with += mixed;
  }
  result.criteria = {
      {"walls nearer than 1.6 m without a mixed beam", static_cast<double>(nearer_without), 0.0,
       0.0},
      {"mixed beams with walls farther than 1.6 m", static_cast<double>(farther_with), 0.0, 0.0}};
  result.tables.push_back(std::move(table));
  result.charts.push_back(std::move(chart));
  return result;
}

}  // namespace marsim::reproduce
