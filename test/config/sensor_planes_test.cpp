// SPDX-License-Identifier: BSD-3-Clause
// The shipped sensors before planes, against their makers' figures.
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "firings.hpp"
#include "lidar/planes.hpp"
#include "marsim/config/load.hpp"
#include "support.hpp"

namespace marsim::config {
namespace {

using lidar::PlaneRenderer;

/// A maker's figures. Sources are named in the sensors' files.
struct Sheet {
  int rows;
  double step;    ///< [deg] of azimuth from shot to shot of a row; 0: rows are no circles
  double offset;  ///< [mm] of a beam's origin from the sensor's, the largest
  double blind;   ///< [m]
  double limit_10, limit_80;  ///< [m] to which 10 and 80 % are seen head-on
  double sigma;               ///< [m] from shot to shot
  double resolution;          ///< [m]
  double bias_sigma;          ///< [m] of units and channels together
  /// Figures without a source: they are assumptions or 0 (angle: the angular sigma).
  std::set<std::string> no_source;
};

const std::map<std::string, Sheet>& sheets() {
  static const std::map<std::string, Sheet> figures = {
      {"avia", {6, 0, 0, 1.0, 190, 320, 0.02, 0, 0, {}}},
      {"mid360", {4, 0, 0, 0.1, 40, 70, 0.01, 0, 0, {}}},
      {"mid40", {1, 0, 0, 1.0, 91.9, 130, 0.02, 0, 0, {"limits", "angle"}}},
      {"mid70", {1, 0, 0, 2.0, 43.3, 122.6, 0.02, 0, 0, {"limits", "angle"}}},
      {"horizon", {6, 0, 0, 0.5, 91.9, 130, 0, 0, 0, {"blind", "limits", "sigma", "angle"}}},
      {"hap", {6, 0, 0, 0.5, 150, 150, 0.01, 0, 0, {"limit_80"}}},
      {"vlp16", {16, 0.199, 11.2, 1.0, 33.3, 94.3, 0.008, 2e-3, 0.0127, {"limits", "angle"}}},
      {"vlp32c",
       {32, 0.199, 0, 0.4, 66.7, 188.6, 0, 4e-3, 0, {"blind", "limits", "sigma", "angle"}}},
      {"hdl32e", {32, 0.166, 0, 0.9, 23.3, 66.0, 0.02, 2e-3, 0, {"limits", "angle"}}},
      {"hdl64e", {64, 0.173, 0, 0.9144, 40.0, 113.1, 0.02, 2e-3, 0, {"limits", "angle"}}},
      {"hdl64e_goodin", {64, 0, 0, 1.0, 30.0, 84.9, 0.02, 2e-3, 0, {"angle"}}},
      {"lms291", {1, 1.0, 0, 1.0, 26.7, 75.4, 0.007, 0, 0, {"limits", "angle"}}},
      {"airsim_32",
       {32, 0.384, 0, 0.1, 33.3, 94.3, 0, 0, 0, {"blind", "limits", "sigma", "angle"}}},
      {"os0_128",
       {128, 0.352, 27.67, 0.5, 16.7, 47.1, 0, 0, 0, {"blind", "limits", "sigma", "angle"}}},
      {"os1_32", {32, 0.352, 15.806, 0.8, 40, 120, 0.015, 0, 0, {}}},
      {"os1_64", {64, 0.352, 12.163, 0.8, 40, 120, 0.015, 0, 0, {}}},
      {"os1_128", {128, 0.352, 16.721, 0.5, 90, 90, 0, 0, 0, {"limit_80", "sigma", "angle"}}},
      {"xt32", {32, 0.18, 0, 0.05, 80, 120, 0.005, 0, 0, {"angle"}}},
      {"helios32", {32, 0.2, 0, 0.2, 90, 150, 0.01, 2.5e-3, 0, {"angle"}}},
      {"d455", {480, 0, 0, 0.52, 10, 10, 0.00118, 0, 0, {"limits"}}},  // sigma / z^2
      {"d435i", {480, 0, 0, 0.2, 10, 10, 0.00224, 0, 0, {"limits"}}},
  };
  return figures;
}

class SensorPlanes : public ConfigTest {
 protected:
  /// The sensor, of whose shots those within two degrees of x are fired.
  static LidarConfig narrow(const std::string& name) {
    LidarConfig config = loadLidar(name);
    config.X_BS = {};
    config.azimuth_min = config.elevation_min = radians(-2.0);
    config.azimuth_max = config.elevation_max = radians(2.0);
    return config;
  }
  /// Shots that return from a plane across x, by a sensor without noise.
  static double share(const std::string& name, double distance, double reflectivity) {
    LidarConfig config = narrow(name);
    config.reflectivity = reflectivity;
    const TimeNs end = 100'000'000;
    lidar::Lidar sensor(config, std::make_shared<PlaneRenderer>(Eigen::Vector3d::UnitX(), distance),
                        1, false);
    const lidar::Scan scan = sensor.scan(0, end, lidar::resting({}));
    EXPECT_GT(scan.rays, 10U) << name;
    return static_cast<double>(scan.points.size()) / static_cast<double>(scan.rays);
  }
};

TEST_F(SensorPlanes, EverySensorHasASheet) {
  EXPECT_EQ(knownNames("lidar").size(), sheets().size());
  for (const std::string& name : knownNames("lidar")) EXPECT_EQ(sheets().count(name), 1U) << name;
}

TEST_F(SensorPlanes, RowsStepsAndOffsets) {
  for (const auto& [name, sheet] : sheets()) {
    const LidarConfig config = loadLidar(name);
    EXPECT_EQ(lidar::makePattern(config.pattern)->rings(), sheet.rows) << name;
    double offset = 0.0, last = -1e9;
    std::vector<double> steps;
    for (const Firing& firing : fired(config, 0, 20'000'000)) {
      offset = std::max(offset, 1e3 * static_cast<double>(firing.origin.norm()));
      if (firing.ring != 0) continue;
      if (last > -1e9) steps.push_back(std::abs(std::remainder(azimuthOf(firing) - last, 360.0)));
      last = azimuthOf(firing);
    }
    EXPECT_NEAR(offset, sheet.offset, 0.01) << name;
    if (sheet.step == 0.0) continue;
    std::nth_element(steps.begin(), steps.begin() + steps.size() / 2, steps.end());
    EXPECT_NEAR(steps[steps.size() / 2], sheet.step, 5e-3) << name;
  }
}

// Limits and the blind zone, with lidar_noise:=false.
TEST_F(SensorPlanes, LimitsByReflectivityAndBlindZones) {
  for (const auto& [name, sheet] : sheets()) {
    for (const auto& [reflectivity, limit] :
         {std::pair{0.1, sheet.limit_10}, std::pair{0.8, sheet.limit_80}}) {
      EXPECT_EQ(share(name, 0.5 * limit, reflectivity), 1.0) << name << " " << reflectivity;
      EXPECT_EQ(share(name, 0.99 * limit, reflectivity), 1.0) << name << " " << reflectivity;
      EXPECT_EQ(share(name, 1.01 * limit, reflectivity), 0.0) << name << " " << reflectivity;
    }
    EXPECT_EQ(share(name, 0.9 * sheet.blind, 0.8), 0.0) << name;
    EXPECT_EQ(share(name, 1.15 * sheet.blind, 0.8), 1.0) << name;
  }
}

// Errors on planes at three distances: from shot to shot, and on the average of a row.
TEST_F(SensorPlanes, SigmasAndBiases) {
  for (const auto& [name, sheet] : sheets()) {
    const LidarConfig config = narrow(name);
    const bool is_stereo = config.noise.along == lidar::NoiseConfig::Along::kAxis;
    for (const double distance : {3.0, 5.0, 8.0}) {
      lidar::Lidar sensor(config,
                          std::make_shared<PlaneRenderer>(Eigen::Vector3d::UnitX(), distance), 7);
      std::map<int, std::vector<double>> errors;
      std::size_t count = 0;
      const TimeNs period = periodNs(config.rate);
      for (TimeNs begin = 0; count < 3'000; begin += period) {
        ASSERT_LT(begin, 20 * kNsPerSecond) << name;
        const StateHistory motion({}, begin, begin + period);
        for (const lidar::ScanPoint& point : sensor.scan(begin, begin + period, motion).points) {
          if (point.surfel == lidar::kNoSurfel) continue;  // a false return
          const auto x = static_cast<double>(point.p_S.x());
          errors[point.ring].push_back((x - distance) * static_cast<double>(point.range) / x);
          ++count;
        }
      }
      double squares = 0.0, degrees_of_freedom = 0.0, farthest = 0.0;
      for (const auto& [ring, of_ring] : errors) {
        double mean = 0.0;
        for (const double error : of_ring) mean += error / static_cast<double>(of_ring.size());
        for (const double error : of_ring) squares += (error - mean) * (error - mean);
        degrees_of_freedom += static_cast<double>(of_ring.size()) - 1.0;
        if (of_ring.size() > 100) farthest = std::max(farthest, std::abs(mean));
      }
      double sigma = is_stereo ? sheet.sigma * distance * distance : sheet.sigma;
      sigma = std::hypot(sigma, sheet.resolution / std::sqrt(12.0));
      const double found = std::sqrt(squares / degrees_of_freedom);
      EXPECT_NEAR(found, sigma, std::max(0.08 * sigma, 2e-3)) << name << " at " << distance;
      EXPECT_LT(farthest, 4.0 * sheet.bias_sigma + 0.4 * sigma + 1e-3) << name;
    }
  }
}

}  // namespace
}  // namespace marsim::config
