// SPDX-License-Identifier: BSD-3-Clause
#include "physics/grass_stand.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <random>

#include <fmt/format.h>

#include "common/output_file.hpp"
#include "marsim/common/random.hpp"
#include "marsim/lidar/lidar.hpp"
#include "physics/exact_scene.hpp"
#include "physics/gamma_fit.hpp"
#include "suite/svg_chart.hpp"

namespace marsim::physics {
namespace {

constexpr double kWidth = 10.0, kDepth = 5.0;  // [m] of the stand
constexpr double kDivergence = 1e-3;           // [rad] full angle

// --- by a Lidar ---

constexpr double kStep = 0.05;  // [m] from pulse to pulse: wider than spot and stem
constexpr int kPulsesAStand = 180;
constexpr TimeNs kBetweenPulses = 1'000'000;

/// One beam along x, a pulse a millisecond.
lidar::LidarConfig pointLidar() {
  const auto table = std::make_shared<lidar::ScanTable>();
  table->file = "x axis";
  table->directions = {Eigen::Vector3f::UnitX()};
  lidar::CsvPatternConfig pattern;
  pattern.table = table;
  pattern.points_per_second = 1e9 / static_cast<double>(kBetweenPulses);
  lidar::LidarConfig config;
  config.name = "point LiDAR";
  config.range_max = 100.0;
  config.noise.range_by_reflectivity = {{1e-4, 1e5}};  // sees everything, as the Monte Carlo's
  config.pattern = pattern;
  config.beam.divergence_horizontal = config.beam.divergence_vertical = kDivergence;
  config.beam.rays = 9;
  config.beam.pulse_length = 5e-9;
  config.returns.mode = lidar::ReturnMode::kFirst;
  config.returns.signal_cutoff = 100.0;
  return config;
}

/// Along the stand, a step a pulse.
StateHistory walkAlong() {
  StateHistory states;
  for (int i = 0; i <= kPulsesAStand; ++i) {
    KinematicState state;
    state.stamp = i * kBetweenPulses;
    state.X_WB.p.y() = (i - kPulsesAStand / 2) * kStep;
    state.v_WB.y() = kStep / toSeconds(kBetweenPulses);
    states.push(state);
  }
  return states;
}

}  // namespace

std::vector<double> standDepths(const GrassStand& stand, int pulses) {
  RandomStream random(1, "stems");
  const StateHistory walk = walkAlong();
  std::vector<double> depths;
  for (int done = 0; done < pulses; done += kPulsesAStand) {
    std::vector<ExactScene::Cylinder> stems;
    for (int i = 0; i < stand.stems; ++i) {
      stems.push_back({stand.distance + kDepth * random.uniform(),
                       kWidth * (random.uniform() - 0.5), 0.5 * stand.diameter});
    }
    lidar::Lidar lidar(pointLidar(), std::make_shared<ExactScene>(stems, std::vector<double>{}));
    const lidar::Scan scan = lidar.scan(0, kPulsesAStand * kBetweenPulses, walk);
    for (const lidar::ScanPoint& point : scan.points) {
      depths.push_back(static_cast<double>(point.range) - stand.distance);
    }
  }
  return depths;
}

namespace {

// --- by a Monte Carlo simulation in the plane ---

std::vector<double> depthsByMonteCarlo(const GrassStand& stand, int pulses) {
  std::mt19937_64 random(2018);
  const auto uniform = [&] { return static_cast<double>(random() >> 11) * 0x1.0p-53; };
  const double edge = std::tan(0.5 * kDivergence);
  const std::array<double, 9> slopes = {0.0,        0.0,         0.0,        edge,       -edge,
                                        edge / 2.0, edge / -2.0, edge / 2.0, edge / -2.0};
  const double radius = 0.5 * stand.diameter;
  std::vector<double> depths;
  for (int pulse = 0; pulse < pulses; ++pulse) {
    std::array<double, 9> nearest;
    nearest.fill(1e9);
    for (int i = 0; i < stand.stems; ++i) {
      const double x = stand.distance + kDepth * uniform();
      const double y = kWidth * uniform() - 0.5 * kWidth;
      if (std::abs(y) > 0.1) continue;
      for (std::size_t ray = 0; ray < 9; ++ray) {
        // Distance of the stem's axis from the ray from the origin along (1, slope).
        const double length = std::hypot(1.0, slopes[ray]);
        const double off = (y - slopes[ray] * x) / length;
        if (std::abs(off) >= radius) continue;
        const double range =
            (x + slopes[ray] * y) / length - std::sqrt(radius * radius - off * off);
        nearest[ray] = std::min(nearest[ray], range);
      }
    }
    double sum = 0.0;
    int met = 0;
    for (const double range : nearest) {
      if (range > 1e8) continue;
      sum += range;
      ++met;
    }
    if (met > 0) depths.push_back(sum / met - stand.distance);
  }
  return depths;
}

/// The middle of the bin of 0.2 m with the most depths.
double likeliest(const std::vector<double>& depths) {
  constexpr double kBin = 0.2;
  std::array<int, 25> bins{};
  for (const double depth : depths) {
    ++bins[std::min<std::size_t>(24, static_cast<std::size_t>(std::max(0.0, depth) / kBin))];
  }
  const auto fullest = std::max_element(bins.begin(), bins.end()) - bins.begin();
  return (static_cast<double>(fullest) + 0.5) * kBin;
}

void rate(const GrassStand& stand, int pulses, std::vector<LimitRow>& rows) {
  std::vector<double> depths = standDepths(stand, pulses);
  const double nearest = *std::min_element(depths.begin(), depths.end());
  // Stems extend in front of the edge by their radius.
  const auto inFront = [&](double depth) { return depth <= 0.0; };
  depths.erase(std::remove_if(depths.begin(), depths.end(), inFront), depths.end());
  std::vector<double> expected = depthsByMonteCarlo(stand, pulses);
  expected.erase(std::remove_if(expected.begin(), expected.end(), inFront), expected.end());
  const GammaFit found = fitGamma(depths), right = fitGamma(expected);
  const std::string name = fmt::format("stand of {:g} mm, {:g}/m^2, {:g} m: ", 1e3 * stand.diameter,
                                       stand.stems / (kWidth * kDepth), stand.distance);
  rows.push_back({name + "mean depth by Monte Carlo's", found.mean / right.mean, 0.95, 1.05});
  rows.push_back(
      {name + "deviation by Monte Carlo's", found.deviation / right.deviation, 0.95, 1.05});
  rows.push_back({name + "gamma shape by Monte Carlo's", found.shape / right.shape, 0.9, 1.1});
  rows.push_back({name + "AIC of gamma less that of exponential",
                  found.gamma_aic - found.exponential_aic, -1e9, 0.0});
  rows.push_back({name + "likeliest depth [m]", likeliest(depths), 0.2, kDepth});
  rows.push_back({name + "least depth [m]", nearest, -stand.diameter});
}

/// Densities of the depths per metre, in bins.
suite::Curve histogram(const std::vector<double>& depths, const std::string& name,
                       const std::string& style) {
  constexpr double kBin = 0.1;
  std::array<double, 50> bins{};
  for (const double depth : depths) {
    const auto bin = static_cast<std::size_t>(std::max(0.0, depth) / kBin);
    if (bin < bins.size()) bins[bin] += 1.0 / (kBin * static_cast<double>(depths.size()));
  }
  suite::Curve curve{name, style, {}};
  for (std::size_t i = 0; i < bins.size(); ++i) {
    curve.points.emplace_back(kBin * static_cast<double>(i), bins[i]);
    curve.points.emplace_back(kBin * static_cast<double>(i + 1), bins[i]);
  }
  return curve;
}

suite::Curve gammaDensity(const GammaFit& fit) {
  suite::Curve curve{"gamma", "u1 d1", {}};
  const double k = fit.shape, rate = k / fit.mean;
  for (double x = 0.01; x < kDepth; x += 0.02) {
    curve.points.emplace_back(
        x, std::exp(k * std::log(rate) - std::lgamma(k) + (k - 1.0) * std::log(x) - rate * x));
  }
  return curve;
}

}  // namespace

void drawDepths(int pulses, const std::filesystem::path& folder) {
  const GrassStand stand{0.005, 5000, 20.0};
  const std::vector<double> depths = standDepths(stand, pulses);
  suite::Chart chart;
  chart.title = "depths of returns in a stand of stems";
  chart.x_label = "depth in a stand of 100 stems/m^2, 5 mm thick, 20 m away [m]";
  chart.y_label = "share a metre";
  chart.from_zero = true;
  const std::vector<double> expected = depthsByMonteCarlo(stand, pulses);
  chart.curves = {histogram(depths, "Lidar", "u0"), histogram(expected, "Monte Carlo", "u1"),
                  gammaDensity(fitGamma(depths))};
  chart.marks = {{{3.2, 0.55}, "Lidar of nine rays", "u0"},
                 {{3.2, 0.48}, "Monte Carlo; dashed: gamma", "u1"}};
  writeFile(folder / "stand_depths.svg", suite::svgFile(chart));
}

void rateGrassStands(int pulses, std::vector<LimitRow>& rows) {
  for (const double diameter : {0.005, 0.010}) {
    for (const int stems : {2500, 5000}) {
      for (const double distance : {20.0, 30.0}) {
        rate({diameter, stems, distance}, pulses, rows);
      }
    }
  }
}

}  // namespace marsim::physics
