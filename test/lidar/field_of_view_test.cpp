// SPDX-License-Identifier: BSD-3-Clause
#include "lidar/measure/field_of_view.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "marsim/common/error.hpp"
#include "marsim/common/random.hpp"
#include "marsim/common/units.hpp"
#include "marsim/geometry/pose.hpp"

namespace marsim::lidar {
namespace {

constexpr double kEdge = 1e-4;  // [rad] so near an edge rounding may decide

bool nearAnEdge(const AngularSector& sector, double azimuth, double elevation) {
  const auto near = [](double a, double b) {
    return std::abs(std::remainder(a - b, 2.0 * kPi)) < kEdge;
  };
  return near(azimuth, sector.azimuth_min) || near(azimuth, sector.azimuth_max) ||
         near(elevation, sector.elevation_min) || near(elevation, sector.elevation_max);
}

/// By the angles themselves.
bool within(const AngularSector& sector, double azimuth, double elevation) {
  if (elevation < sector.elevation_min || elevation > sector.elevation_max) return false;
  const double from = std::fmod(azimuth - sector.azimuth_min + 8.0 * kPi, 2.0 * kPi);
  return from <= sector.azimuth_max - sector.azimuth_min;
}

TEST(FieldOfView, BlindZonesAreLeftOut) {
  LidarConfig config;
  config.azimuth_min = radians(-150.0);
  config.azimuth_max = radians(200.0);
  config.elevation_min = radians(-40.0);
  config.elevation_max = radians(60.0);
  AngularSector all_round;  // a ring
  all_round.elevation_min = radians(10.0);
  all_round.elevation_max = radians(12.0);
  config.blind_zones = {{radians(170.0), radians(190.0), radians(-30.0), radians(0.0)},
                        {radians(-100.0), radians(100.0), radians(-40.0), radians(-35.0)},
                        all_round};
  const FieldOfView view(config);
  const AngularSector whole = {config.azimuth_min, config.azimuth_max, config.elevation_min,
                               config.elevation_max};
  RandomStream random(7);
  int inside = 0, blind = 0;
  for (int i = 0; i < 100'000; ++i) {
    const double azimuth = random.uniform(-kPi, kPi);
    const double elevation = std::asin(random.uniform(-1.0, 1.0));
    bool doubtful = nearAnEdge(whole, azimuth, elevation);
    for (const AngularSector& zone : config.blind_zones) {
      doubtful = doubtful || nearAnEdge(zone, azimuth, elevation);
    }
    if (doubtful) continue;
    bool wanted = within(whole, azimuth, elevation);
    inside += wanted ? 1 : 0;
    for (const AngularSector& zone : config.blind_zones) {
      if (wanted && within(zone, azimuth, elevation)) {
        wanted = false;
        ++blind;
      }
    }
    const Eigen::Vector3f d =
        Eigen::Vector3d(std::cos(elevation) * std::cos(azimuth),
                        std::cos(elevation) * std::sin(azimuth), std::sin(elevation))
            .cast<float>();
    ASSERT_EQ(view.contains(d), wanted) << degrees(azimuth) << " " << degrees(elevation);
  }
  EXPECT_GT(inside, 50'000);
  EXPECT_GT(blind, 3'000);
}

TEST(FieldOfView, InTheBodyIsWhatTheMountedPatternCovers) {
  LidarConfig config;
  SpinningPatternConfig pattern;
  pattern.channels = {{radians(-15.0), 0.0, 0.0}, {radians(15.0), 0.0, 0.0}};
  pattern.cycle_period = 1e-4;
  pattern.rotation_rate = -20.0 * kPi;
  config.pattern = pattern;
  AngularSector view = viewInBody(config);
  EXPECT_NEAR(view.azimuth_max - view.azimuth_min, 2.0 * kPi, 1e-9);
  EXPECT_NEAR(degrees(view.elevation_min), -15.0, 1e-3);
  EXPECT_NEAR(degrees(view.elevation_max), 15.0, 1e-3);
  config.azimuth_min = radians(-40.0);
  config.azimuth_max = radians(30.0);
  config.X_BS.q = fromRollPitchYaw(0.0, 0.0, radians(10.0));
  view = viewInBody(config);
  EXPECT_NEAR(degrees(view.azimuth_min), -30.0, 0.5);
  EXPECT_NEAR(degrees(view.azimuth_max), 40.0, 0.5);
}

TEST(FieldOfView, BlindZonesAreChecked) {
  LidarConfig config;
  config.name = "x";
  SpinningPatternConfig pattern;
  pattern.channels = {{0.0, 0.0, 0.0}};
  pattern.cycle_period = 1e-4;
  config.pattern = pattern;
  config.validate("x.yaml");
  config.blind_zones.resize(2);
  config.blind_zones[1].azimuth_min = 4.0;
  try {
    config.validate("x.yaml");
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("x.yaml: blind_zones[1].azimuth is [4, 3.14"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace marsim::lidar
