// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>

#include "layouts/cloud_encoder.hpp"

namespace marsim::layouts {

/// Two rings whose rows are two columns apart: ring 1, the upper one, is fired first and two
/// columns behind ring 0 in azimuth (the head turns clockwise by 1/32 rad a column).
inline lidar::PatternConfig examplePattern() {
  lidar::SpinningPatternConfig pattern;
  pattern.channels = {{0.02, -1.0 / 32.0, 0.0}, {-0.02, 1.0 / 32.0, 0.0}};
  pattern.cycle_period = 1.0 / 32.0;
  pattern.rotation_rate = -1.0;
  return pattern;
}

/// Stamped 2 s; two rings, three columns 1/32 s apart, five shots:
///   shot  column  ring  what
///   0     0       1     (1, 2, 3), 3.75 m, intensity 100, line 1
///   1     0       0     nothing, line 2
///   2     1       1     too near, line 1
///   3     1       0     (-1.5, 0, 0.25), 1.5 m, intensity 255, line 3
///   4     2       1     (8, 0, 0), 8 m, intensity 7.6, line 1
inline lidar::Scan exampleScan() {
  lidar::Scan scan;
  scan.stamp = 2 * kNsPerSecond;
  scan.end = scan.stamp + kNsPerSecond / 10;
  scan.rays = 5;
  scan.columns = 3;
  scan.rings = 2;
  const auto add = [&](std::uint32_t shot, const Eigen::Vector3f& p_S, float range, float intensity,
                       std::uint32_t column, std::uint16_t ring, std::uint8_t line) {
    lidar::ScanPoint point{};
    point.p_S = p_S;
    point.p_W = p_S + Eigen::Vector3f(10.0F, 20.0F, 30.0F);
    point.range = range;
    point.intensity = intensity;
    point.time = static_cast<float>(column) / 32.0F;
    point.shot = shot;
    point.column = column;
    point.ring = ring;
    point.line = line;
    scan.points.push_back(point);
  };
  const Eigen::Vector3f forward = Eigen::Vector3f::UnitX();
  add(0, {1.0F, 2.0F, 3.0F}, 3.75F, 100.0F, 0, 1, 1);
  scan.misses.push_back({forward, 0.0F, 1, 0, 0, 2, false});
  scan.misses.push_back({forward, 1.0F / 32.0F, 2, 1, 1, 1, true});
  add(3, {-1.5F, 0.0F, 0.25F}, 1.5F, 255.0F, 1, 0, 3);
  add(4, {8.0F, 0.0F, 0.0F}, 8.0F, 7.6F, 2, 1, 1);
  return scan;
}

/// The example scan, with a second, stronger return of shot 0: (2, 4, 6), 7.5 m, intensity 200.
inline lidar::Scan dualScan() {
  lidar::Scan scan = exampleScan();
  lidar::ScanPoint second = scan.points.front();
  second.p_S *= 2.0F;
  second.range = 7.5F;
  second.intensity = 200.0F;
  second.return_number = 2;
  second.return_count = scan.points.front().return_count = 2;
  scan.points.front().energy_rank = 1;
  scan.points.insert(scan.points.begin() + 1, second);
  return scan;
}

inline CloudEncoder encoderOf(lidar::OutputConfig output, int most_returns = 1) {
  lidar::LidarConfig config;
  config.pattern = examplePattern();
  config.range_min = 0.5;
  config.range_max = 80.0;
  if (most_returns == 2) config.returns.mode = lidar::ReturnMode::kDual;
  if (most_returns == 3) config.returns.mode = lidar::ReturnMode::kTriple;
  return CloudEncoder(std::move(output), config, "lidar");
}

inline CloudEncoder encoderOf(lidar::CloudLayout layout, int most_returns = 1) {
  lidar::OutputConfig output;
  output.layout = layout;
  return encoderOf(output, most_returns);
}

inline Cloud cloudOf(const CloudEncoder& encoder, const lidar::Scan& scan, int number = 0) {
  return std::get<Cloud>(encoder.encode(scan, number));
}

}  // namespace marsim::layouts
