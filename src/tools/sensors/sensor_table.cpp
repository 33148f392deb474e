// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sensors/sensor_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/text.hpp"
#include "lidar/measure/field_of_view.hpp"
#include "marsim/common/units.hpp"
#include "marsim/config/load.hpp"

namespace marsim::tools {
namespace {

constexpr TimeNs kStep = 50'000'000;
constexpr double kGap = 1.01;  // [deg] narrower ones lie between shots

/// The covered azimuths, exact at the ends of gaps.
class Azimuths {
 public:
  void add(double degrees) {
    const auto bin = static_cast<std::size_t>((degrees + 180.0) * kBins / 360.0) % kBins;
    low_[bin] = std::min(low_[bin], degrees);
    high_[bin] = std::max(high_[bin], degrees);
  }

  /// [deg]
  double covered() const {
    double covered = 360.0, first = kNone, last = -kNone;
    for (std::size_t bin = 0; bin < kBins; ++bin) {
      if (low_[bin] == kNone) continue;
      if (first == kNone) {
        first = low_[bin];
      } else if (low_[bin] - last > kGap) {
        covered -= low_[bin] - last;
      }
      last = high_[bin];
    }
    if (first == kNone) return 0.0;
    const double seam = first + 360.0 - last;
    return seam > kGap ? covered - seam : covered;
  }

 private:
  static constexpr std::size_t kBins = 3600;
  static constexpr double kNone = 1e9;
  template <int kSign>
  static std::vector<double> none() {
    return std::vector<double>(kBins, kSign * kNone);
  }
  std::vector<double> low_ = none<1>(), high_ = none<-1>();
};

double tenths(double value) { return std::round(10.0 * value) / 10.0; }

}  // namespace

SensorSummary summarise(const std::string& name, const lidar::LidarConfig& config) {
  SensorSummary summary;
  summary.name = name;
  summary.sensor = config.name;
  summary.range_min = config.range_min;
  summary.range_max = config.range_max;
  summary.rate_hz = config.rate;
  summary.pattern = lidar::nameOf(config.pattern);
  std::vector<std::string> layouts;
  for (const auto& output : config.outputs) layouts.emplace_back(lidar::nameOf(output.layout));
  summary.output = join(layouts);

  const auto pattern = lidar::makePattern(config.pattern);
  const lidar::FieldOfView view(config);
  Azimuths azimuths;
  float low = 1.0F, high = -1.0F;  // sines of elevation
  std::vector<lidar::Firing> firings;
  std::size_t fired = 0, kept = 0;
  for (TimeNs begin = 0; begin < kNsPerSecond; begin += kStep) {
    firings.clear();
    pattern->fire(begin, begin + kStep, firings);
    fired += firings.size();
    for (const lidar::Firing& firing : firings) {
      const Eigen::Vector3f& d = firing.direction;
      if (!view.contains(d)) continue;
      ++kept;
      azimuths.add(degrees(std::atan2(static_cast<double>(d.y()), static_cast<double>(d.x()))));
      low = std::min(low, d.z());
      high = std::max(high, d.z());
    }
  }
  if (kept == 0) return summary;
  const double share = static_cast<double>(kept) / static_cast<double>(fired);
  summary.points_per_s = std::llround(share * pattern->pointsPerSecond());
  summary.fov_h_deg = azimuths.covered();
  summary.fov_v_deg = degrees(std::asin(std::min(1.0F, high)) - std::asin(std::max(-1.0F, low)));
  return summary;
}

std::vector<SensorSummary> summariseSensors(std::vector<std::string> names) {
  if (names.empty()) names = config::knownNames("lidar");
  std::vector<SensorSummary> sensors;
  sensors.reserve(names.size());
  for (const std::string& name : names) sensors.push_back(summarise(name, config::loadLidar(name)));
  return sensors;
}

std::string sensorTable(const std::vector<SensorSummary>& sensors) {
  std::vector<std::array<std::string, 8>> rows = {
      {"name", "sensor", "view [deg]", "range [m]", "scans/s", "points/s", "pattern", "output"}};
  for (const SensorSummary& s : sensors) {
    rows.push_back(
        {s.name, s.sensor, fmt::format("{:.1f} x {:.1f}", s.fov_h_deg, s.fov_v_deg),
         fmt::format("{:g} to {:g}", s.range_min, s.range_max), fmt::format("{:g}", s.rate_hz),
         withThousands(static_cast<std::uint64_t>(s.points_per_s)), s.pattern, s.output});
  }
  std::array<std::size_t, 8> widths{};
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool number = i >= 4 && i <= 5;
      const bool last = i + 1 == row.size();
      text +=
          last ? row[i] + "\n" : fmt::format(number ? "{:>{}}  " : "{:<{}}  ", row[i], widths[i]);
    }
  }
  return text;
}

std::string sensorJson(const std::vector<SensorSummary>& sensors) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const SensorSummary& s : sensors) {
    list.push_back({{"name", s.name},
                    {"sensor", s.sensor},
                    {"fov_h_deg", tenths(s.fov_h_deg)},
                    {"fov_v_deg", tenths(s.fov_v_deg)},
                    {"range_min_m", s.range_min},
                    {"range_max_m", s.range_max},
                    {"rate_hz", s.rate_hz},
                    {"points_per_s", s.points_per_s},
                    {"pattern", s.pattern},
                    {"output", s.output}});
  }
  return list.dump(1) + "\n";
}

std::string sensorMarkdown(const std::vector<SensorSummary>& sensors) {
  std::string text;
  for (const SensorSummary& s : sensors) {
    text +=
        fmt::format("| `{}` | {} | {:g}° x {:g}° | {:g} to {:g} m | {} | {} | {} |\n", s.name,
                    s.sensor, tenths(s.fov_h_deg), tenths(s.fov_v_deg), s.range_min, s.range_max,
                    withThousands(static_cast<std::uint64_t>(s.points_per_s)), s.pattern, s.output);
  }
  return text;
}

}  // namespace marsim::tools
