// SPDX-License-Identifier: BSD-3-Clause
#include "physics/shrub_ranges.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "common/output_file.hpp"
#include "marsim/common/units.hpp"
#include "marsim/config/load.hpp"
#include "marsim/lidar/plants.hpp"
#include "physics/exact_scene.hpp"
#include "scene/plants/species.hpp"
#include "suite/svg_chart.hpp"

namespace marsim::physics {
namespace {

constexpr int kPlaces = 91;                            // a degree apart on a quarter circle
constexpr double kDistance = 8.0;                      // [m]
constexpr double kLow = kDistance - 0.5, kBin = 0.02;  // [m] of the histogram
constexpr std::size_t kBins = 50;

}  // namespace

scene::SpeciesConfig pottedShrub() {
  scene::SpeciesConfig species;
  species.kind = scene::SpeciesConfig::Kind::kShrub;
  species.height_min = species.height_max = 0.3;
  species.diameter_min = species.diameter_max = 0.02;
  species.crown_width = 0.3;
  species.crown_height = 0.08;
  species.twigs = 8;
  species.twig_diameter = 0.002;
  species.leaves = 400;
  species.leaf_min = 0.012;
  species.leaf_max = 0.02;
  return species;
}

std::vector<double> rangesOfShrub(const scene::SpeciesConfig& species, std::uint64_t seed,
                                  double height) {
  RandomStream random(seed, "shrub");
  scene::Vegetation vegetation;
  scene::growPlant(species, {0.0, 0.0}, random, vegetation.patches.emplace_back());
  vegetation.instances.emplace_back();
  const auto nothing = std::make_shared<const ExactScene>(std::vector<ExactScene::Cylinder>{},
                                                          std::vector<double>{});
  const auto plants = std::make_shared<const lidar::Plants>(vegetation);
  lidar::LidarConfig config = config::loadLidar("hdl64e_goodin");
  config.rate = 5.0;
  std::get<lidar::SpinningPatternConfig>(config.pattern).rotation_rate = radians(-5.0 * 360.0);
  config.X_BS = {};
  config.noise = {};  // as in the paper
  lidar::Lidar lidar(
      config, lidar::withPlants(std::shared_ptr<const lidar::RayRenderer>(nothing), plants, {}));
  std::vector<double> ranges;
  for (int place = 0; place < kPlaces; ++place) {
    const double azimuth = radians(static_cast<double>(place));
    Pose X_WB;
    X_WB.p = {kDistance * std::cos(azimuth), kDistance * std::sin(azimuth), height};
    const lidar::Scan scan = lidar.scan(X_WB);
    for (const lidar::ScanPoint& point : scan.points) {
      ranges.push_back(static_cast<double>(point.range));
    }
  }
  return ranges;
}

namespace {

std::vector<double> shrubRanges() { return rangesOfShrub(pottedShrub(), 3, kPottedHeight); }

std::vector<double> histogram(const std::vector<double>& ranges) {
  std::vector<double> counts(kBins, 0.0);
  for (const double range : ranges) {
    const auto bin = static_cast<std::size_t>(std::max(0.0, (range - kLow) / kBin));
    if (bin < kBins) counts[bin] += 1.0;
  }
  return counts;
}

}  // namespace

double dipOfRanges(const std::vector<double>& ranges) {
  const std::vector<double> counts = histogram(ranges);
  double deepest = 0.0;
  for (auto dip = counts.begin() + 1; dip + 1 < counts.end(); ++dip) {
    const double side =
        std::min(*std::max_element(counts.begin(), dip), *std::max_element(dip + 1, counts.end()));
    if (side > *dip) deepest = std::max(deepest, (side - *dip) / std::sqrt(side + *dip));
  }
  return deepest;
}

namespace {

double deviationOf(const std::vector<double>& values) {
  double mean = 0.0, square = 0.0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  for (const double value : values) square += (value - mean) * (value - mean);
  return std::sqrt(square / static_cast<double>(values.size()));
}

}  // namespace

void rateShrub(std::vector<LimitRow>& rows) {
  const std::vector<double> ranges = shrubRanges();
  const double deviation = deviationOf(ranges);
  RandomStream random(1, "one mode");
  std::vector<double> of_one_mode;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    of_one_mode.push_back(kDistance + deviation * random.normal());
  }
  rows.push_back({"shrub at 8 m: ranges", static_cast<double>(ranges.size()), 2000.0, 4000.0});
  rows.push_back({"shrub at 8 m: deviation of the ranges [m]", deviation, 0.05, 0.5});
  rows.push_back(
      {"shrub at 8 m: dip between two modes [deviations]", dipOfRanges(ranges), kSureDip});
  rows.push_back({"as many normal values: dip between two modes [deviations]",
                  dipOfRanges(of_one_mode), 0.0, kSureDip});
}

void drawShrub(const std::filesystem::path& folder) {
  const std::vector<double> counts = histogram(shrubRanges());
  suite::Curve curve{"returns", "u0", {}};
  for (std::size_t i = 0; i < counts.size(); ++i) {
    curve.points.emplace_back(kLow + kBin * static_cast<double>(i), counts[i]);
    curve.points.emplace_back(kLow + kBin * static_cast<double>(i + 1), counts[i]);
  }
  suite::Chart chart;
  chart.title = "ranges of a shrub";
  chart.x_label = "range of a small shrub 8 m away, from 91 places [m]";
  chart.y_label = "returns";
  chart.from_zero = true;
  chart.curves = {std::move(curve)};
  writeFile(folder / "shrub_ranges.svg", suite::svgFile(chart));
}

}  // namespace marsim::physics
