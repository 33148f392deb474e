// SPDX-License-Identifier: BSD-3-Clause
#include "physics/weather_rating.hpp"

#include <cmath>
#include <functional>
#include <string>

#include <fmt/format.h>

#include "common/output_file.hpp"
#include "lidar/weather_formulas.hpp"
#include "suite/svg_chart.hpp"

namespace marsim::physics {
namespace {

namespace formulas = lidar::formulas;
using lidar::LidarConfig;
using lidar::ReturnMode;

constexpr double kTarget = 20.0;  // [m]

/// Drops or flakes.
struct Fall {
  std::string name;
  lidar::Weather weather;
  formulas::Sizes sizes;

  double number(double energy, double from, double to) const {
    return formulas::particles(sizes, weather.extinction(), energy, from, to);
  }
  /// Probability that the nearest visible particle is between two ranges.
  double nearestWithin(double from, double to) const {
    const double before = number(formulas::kLeastEnergy, formulas::kNearest, from);
    return std::exp(-before) - std::exp(-before - number(formulas::kLeastEnergy, from, to));
  }
};

Fall rain() {
  Fall fall{"rain of 25 mm/h", {}, formulas::dropSizes(25.0)};
  fall.weather.rain.emplace().rate = 25.0;
  return fall;
}

Fall snow() {
  Fall fall{"snow of 1.5 mm/h", {}, formulas::flakeSizes(1.5)};
  fall.weather.snow.emplace().rate = 1.5;
  return fall;
}

lidar::Weather fogOf(double visibility) {
  lidar::Weather weather;
  weather.fog.emplace().visibility = visibility;
  return weather;
}

void add(const std::string& name, double share, double expected, std::size_t shots,
         std::vector<LimitRow>& rows) {
  const double tolerance = formulas::tolerance(expected, shots);
  rows.push_back({name + " [%]", 100.0 * share, 100.0 * (expected - tolerance),
                  100.0 * (expected + tolerance)});
}

formulas::Shares nearestIn(const lidar::Weather& weather, int scans) {
  LidarConfig config = formulas::sensor();
  config.returns.mode = ReturnMode::kFirst;
  return formulas::scansOf(config, weather, 0.0, scans);
}

void rateFall(const Fall& fall, int scans, std::vector<LimitRow>& rows) {
  const formulas::Shares sky = nearestIn(fall.weather, scans);
  for (const auto& [from, to] : {std::pair{1.0, 2.0}, {2.0, 3.0}, {3.0, 5.0}, {5.0, 15.0}}) {
    add(fmt::format("{}: nearest particle at {} to {} m", fall.name, from, to),
        sky.within(from, to), fall.nearestWithin(from, to), sky.shots, rows);
  }
  LidarConfig config = formulas::sensor();
  config.reflectivity = 0.15;
  const formulas::Shares wall = formulas::scansOf(config, fall.weather, kTarget, scans);
  const double energy =
      0.15 * std::exp(-2.0 * fall.weather.extinction() * kTarget) / (kTarget * kTarget);
  add(fmt::format("{}: target of 15 % at {} m lost to a brighter particle", fall.name, kTarget),
      1.0 - wall.share(wall.surface), 1.0 - std::exp(-fall.number(energy, 1.0, kTarget)),
      wall.shots, rows);
  config.returns.mode = ReturnMode::kLast;
  const formulas::Shares last = formulas::scansOf(config, fall.weather, kTarget, 1);
  rows.push_back({fmt::format("{}: the same, seen by the last return [%]", fall.name),
                  100.0 * last.share(last.surface), 100.0, 100.0});
}

void rateFog(double visibility, int scans, std::vector<LimitRow>& rows) {
  const lidar::Weather fog = fogOf(visibility);
  const double a = fog.extinction();
  const std::string name = fmt::format("fog of {} m: ", visibility);
  const formulas::Shares sky = formulas::scansOf(formulas::sensitiveSensor(), fog, 0.0, scans);
  const formulas::Cloud cloud(a, 60.0);
  for (const auto& [from, to] : {std::pair{1.0, 2.0}, {2.0, 4.0}, {4.0, 8.0}}) {
    add(fmt::format("{}return of the fog at {} to {} m", name, from, to), sky.within(from, to),
        cloud.strongestWithin(formulas::kThreshold, from, to), sky.shots, rows);
  }
  const formulas::Shares wall = formulas::scansOf(formulas::sensitiveSensor(), fog, 15.0, scans);
  const double energy = 0.05 * std::exp(-2.0 * a * 15.0) / 225.0;
  add(name + "target of 5 % at 15 m lost to the fog", 1.0 - wall.share(wall.surface),
      formulas::Cloud(a, 15.0).above(energy), wall.shots, rows);
}

/// Rates the farthest range at which a target of 10 %, visible to 40 m in clear air, is seen.
void rateVisibility(double visibility, std::vector<LimitRow>& rows) {
  LidarConfig config = formulas::sensor();
  config.noise.range_by_reflectivity = {{0.1, 40.0}, {0.8, 70.0}};
  config.reflectivity = 0.1;
  config.returns.mode = ReturnMode::kLast;
  config.azimuth_min = 0.0;  // a few shots are enough
  config.azimuth_max = 0.02;
  const lidar::Weather fog = fogOf(visibility);
  double seen = 0.0, lost = 40.0;
  while (lost - seen > 1e-3) {
    const double range = 0.5 * (seen + lost);
    (formulas::scansOf(config, fog, range, 1).surface > 0 ? seen : lost) = range;
  }
  const double expected = formulas::lostAt(40.0, fog.extinction());
  rows.push_back({fmt::format("fog of {} m: target of 10 %, seen to 40 m in clear air, lost at [m]",
                              visibility),
                  seen, 0.99 * expected, 1.01 * expected});
}

suite::Curve curveOf(const std::string& name, const std::string& style,
                     const std::function<double(double from, double to)>& share) {
  suite::Curve curve{name, style, {}};
  constexpr double kStep = 0.25;  // [m]
  for (double from = 1.0; from < 12.0; from += kStep) {
    curve.points.emplace_back(from + 0.5 * kStep, 100.0 * share(from, from + kStep) / kStep);
  }
  return curve;
}

}  // namespace

void rateWeather(int scans, std::vector<LimitRow>& rows) {
  for (const Fall& fall : {rain(), snow()}) rateFall(fall, scans, rows);
  for (const double visibility : {30.0, 100.0}) rateFog(visibility, scans, rows);
  for (const double visibility : {20.0, 50.0, 200.0, 1000.0}) rateVisibility(visibility, rows);
}

void drawParticles(int scans, const std::filesystem::path& folder) {
  const Fall fall = snow();
  const lidar::Weather fog = fogOf(50.0);
  const formulas::Shares flakes = nearestIn(fall.weather, scans);
  const formulas::Shares cloud = formulas::scansOf(formulas::sensitiveSensor(), fog, 0.0, scans);
  const formulas::Cloud formula(fog.extinction(), 60.0);
  suite::Chart chart;
  chart.title = "returns of particles by range";
  chart.x_label = "range [m], of a beam of 3 x 1.5 mrad into the sky";
  chart.y_label = "shots [%/m]";
  chart.from_zero = true;
  chart.curves = {
      curveOf("snow", "u0", [&](double from, double to) { return flakes.within(from, to); }),
      curveOf("fog", "u1", [&](double from, double to) { return cloud.within(from, to); }),
      curveOf("snow, formula", "u0 d1",
              [&](double from, double to) { return fall.nearestWithin(from, to); }),
      curveOf("fog, formula", "u1 d1", [&](double from, double to) {
        return formula.strongestWithin(formulas::kThreshold, from, to);
      })};
  chart.marks = {{{6.0, 30.0}, "snow of 1.5 mm/h, nearest flake", "u0"},
                 {{6.0, 24.0}, "fog of 50 m; dashed: formulas", "u1"}};
  writeFile(folder / "particles.svg", suite::svgFile(chart));
}

}  // namespace marsim::physics
