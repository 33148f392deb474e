// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "physics/grass_stand.hpp"
#include "reproduce/experiment.hpp"

namespace marsim::reproduce {
namespace {

constexpr double kDepth = 5.0, kArea = 50.0;  // [m], [m^2] of a stand
constexpr double kDivergence = 1e-3;          // [rad]

/// The regularised lower incomplete gamma function, by its series.
double gammaShare(double shape, double x) {
  if (x <= 0.0) return 0.0;
  double term = 1.0 / shape, sum = term;
  for (int n = 1; n < 1000 && term > 1e-14 * sum; ++n) sum += term *= x / (shape + n);
  return sum * std::exp(shape * std::log(x) - x - std::lgamma(shape));
}

/// Distributions of the depth x of returns in a stand (equations 2 to 5 of the paper, whose symbols
/// are derived anew from its text).
struct Models {
  explicit Models(const physics::GrassStand& stand)
      : stems(stand.stems / kArea), diameter(stand.diameter), distance(stand.distance) {
    const double rate = stems * diameter, all = 1.0 - std::exp(-rate * kDepth);
    mean = 1.0 / rate - kDepth * (1.0 - all) / all;
    shape = 1.0 + kDivergence * distance / diameter;
  }
  /// Nearest stem in the spot, of the depths in the stand.
  double exponential(double x) const { return reached(x) / reached(kDepth); }
  /// A ray without divergence: the exponential distribution of the gamma distribution's mean.
  double thinRay(double x) const {
    const double rate = stems * diameter;
    return (1.0 - std::exp(-rate * x)) / (1.0 - std::exp(-rate * kDepth));
  }
  double gamma(double x) const {
    return gammaShare(shape, shape * x / mean) / gammaShare(shape, shape * kDepth / mean);
  }

  double stems, diameter, distance;  ///< [1/m^2], [m], [m]
  double mean, shape;                ///< [m] of a thin ray's depth; of the gamma distribution

 private:
  double reached(double x) const {
    return 1.0 - std::exp(-stems * x * (diameter + 0.5 * kDivergence * (2.0 * distance + x)));
  }
};

/// Kolmogorov-Smirnov distance of sorted values from a distribution.
template <class Share>
double distanceFrom(const std::vector<double>& sorted, const Share& share) {
  double largest = 0.0;
  const auto count = static_cast<double>(sorted.size());
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const double expected = share(sorted[i]), below = static_cast<double>(i) / count;
    largest = std::max({largest, expected - below, below + 1.0 / count - expected});
  }
  return largest;
}

suite::Chart chartOf(const Models& models, const std::vector<double>& sorted) {
  suite::Chart chart;
  chart.title = "depths in a stand of stems";
  chart.x_label = fmt::format("depth [m], {:g} stems/m^2 of {:g} mm, {:g} m away", models.stems,
                              1e3 * models.diameter, models.distance);
  chart.y_label = "share of the returns below";
  chart.from_zero = true;
  chart.curves = {{"LiDAR", "u0", {}},
                  {"gamma", "u1", {}},
                  {"exponential", "u1 d1", {}},
                  {"exponential without divergence", "u0 d1", {}}};
  for (double x = 0.0; x <= kDepth; x += 0.05) {
    const auto below = std::upper_bound(sorted.begin(), sorted.end(), x) - sorted.begin();
    chart.curves[0].points.emplace_back(
        x, static_cast<double>(below) / static_cast<double>(sorted.size()));
    chart.curves[1].points.emplace_back(x, models.gamma(x));
    chart.curves[2].points.emplace_back(x, models.exponential(x));
    chart.curves[3].points.emplace_back(x, models.thinRay(x));
  }
  chart.marks = {{{3.6, 0.35}, "LiDAR of nine rays", "u0"},
                 {{3.6, 0.25}, "gamma", "u1"},
                 {{3.6, 0.15}, "dashed: exponential", "u1"},
                 {{3.6, 0.05}, "dashed: thin ray", "u0"}};
  return chart;
}

}  // namespace

Reproduction reproduceStands(Extent extent, Progress& progress) {
  Reproduction result;
  const int pulses = extent == Extent::kFull ? 61'200 : extent == Extent::kQuick ? 6120 : 1080;
  if (extent != Extent::kFull) {
    result.skipped.push_back(fmt::format("{} of 61,200 pulses a stand", 61'200 - pulses));
  }
  FigureTable table{
      fmt::format("Kolmogorov-Smirnov distances of {} pulses a stand", pulses),
      {"stem [mm]", "stems/m^2", "edge [m]", "returns", "mean depth [m]", "gamma's shape",
       "to gamma", "to exponential", "to exponential without divergence"},
      {}};
  progress.phase("stands", 8);
  for (const double diameter : {0.005, 0.010}) {
    for (const int stems : {2500, 5000}) {
      for (const double distance : {20.0, 30.0}) {
        const physics::GrassStand stand{diameter, stems, distance};
        const Models models(stand);
        std::vector<double> depths = physics::standDepths(stand, pulses);
        std::sort(depths.begin(), depths.end());
        double mean = 0.0;
        for (const double depth : depths) mean += depth / static_cast<double>(depths.size());
        const double gamma = distanceFrom(depths, [&](double x) { return models.gamma(x); });
        const double exponential =
            distanceFrom(depths, [&](double x) { return models.exponential(x); });
        const double thin = distanceFrom(depths, [&](double x) { return models.thinRay(x); });
        table.rows.push_back({fmt::format("{:g}", 1e3 * diameter),
                              fmt::format("{:g}", models.stems), fmt::format("{:g}", distance),
                              fmt::format("{}", depths.size()), fmt::format("{:.2f}", mean),
                              fmt::format("{:g}", models.shape), fmt::format("{:.3f}", gamma),
                              fmt::format("{:.3f}", exponential), fmt::format("{:.3f}", thin)});
        result.criteria.push_back(
            {fmt::format(
                 "{:g} mm, {:g}/m^2, {:g} m: distance to gamma by that to the nearer exponential",
                 1e3 * diameter, models.stems, distance),
             gamma / std::min(exponential, thin), 0.0, 0.95});
        if (diameter == 0.010) result.charts.push_back(chartOf(models, depths));
        progress.update(table.rows.size());
      }
    }
  }
  result.tables.push_back(std::move(table));
  return result;
}

}  // namespace marsim::reproduce
