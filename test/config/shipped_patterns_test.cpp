// SPDX-License-Identifier: BSD-3-Clause
// The patterns of shipped sensors against their makers' documents, shot by shot.
#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "firings.hpp"
#include "marsim/common/units.hpp"
#include "marsim/config/load.hpp"
#include "support.hpp"

namespace marsim::config {
namespace {

constexpr TimeNs kScan = 100'000'000;

class ShippedPatterns : public ConfigTest {};

struct Extents {
  double azimuth = 0.0;  // [deg] largest of either side
  double elevation_min = 90.0, elevation_max = -90.0;
};

Extents extentsOf(const std::vector<Firing>& firings) {
  Extents extents;
  for (const Firing& firing : firings) {
    extents.azimuth = std::max(extents.azimuth, std::abs(azimuthOf(firing)));
    extents.elevation_min = std::min(extents.elevation_min, elevationOf(firing));
    extents.elevation_max = std::max(extents.elevation_max, elevationOf(firing));
  }
  return extents;
}

/// Cells of half a degree that have been hit.
std::size_t coverage(const LidarConfig& config, TimeNs duration) {
  std::set<std::pair<int, int>> cells;
  for (const Firing& firing : fired(config, 0, duration)) {
    cells.emplace(std::floor(2.0 * azimuthOf(firing)), std::floor(2.0 * elevationOf(firing)));
  }
  return cells.size();
}

// Livox Avia specifications: 240,000 points/s, 70.4 x 77.2 degrees.
TEST_F(ShippedPatterns, AviaAgreesWithItsDatasheet) {
  const LidarConfig config = loadLidar("avia");
  const auto firings = fired(config, 0, 10 * kScan);
  EXPECT_EQ(firings.size(), 240'000U);
  const Extents extents = extentsOf(firings);
  EXPECT_NEAR(extents.elevation_max - extents.elevation_min, 77.2, 0.5);
  double across = 0.0;  // at the height of the axis
  for (const Firing& firing : firings) {
    if (std::abs(elevationOf(firing)) < 3.0) {
      across = std::max(across, std::abs(azimuthOf(firing)));
    }
  }
  EXPECT_NEAR(2.0 * across, 70.4, 0.5);
  EXPECT_EQ(firings[5].stamp, 0);
  EXPECT_EQ(firings[6].stamp, 25'000);
  EXPECT_EQ(firings[5].line, 5);
}

TEST_F(ShippedPatterns, AviaCoversMoreTheLongerItLooks) {
  const LidarConfig config = loadLidar("avia");
  const std::size_t once = coverage(config, kScan), thrice = coverage(config, 3 * kScan);
  EXPECT_GT(static_cast<double>(thrice), 1.3 * static_cast<double>(once));
}

// Livox Mid-360 specifications: 200,000 points/s, 360 degrees, -7 to +52.
TEST_F(ShippedPatterns, Mid360AgreesWithItsDatasheet) {
  const LidarConfig config = loadLidar("mid360");
  const auto firings = fired(config, 0, 10 * kScan);
  EXPECT_EQ(firings.size(), 200'000U);
  const Extents extents = extentsOf(firings);
  EXPECT_GT(extents.azimuth, 179.9);
  EXPECT_NEAR(extents.elevation_min, -7.2, 1.0);
  EXPECT_NEAR(extents.elevation_max, 52.3, 1.0);
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(firings[i].stamp, static_cast<TimeNs>(5'000 * i));
    EXPECT_EQ(firings[i].line, i % 4);
  }
}

TEST_F(ShippedPatterns, Mid360CoversMoreTheLongerItLooks) {
  const LidarConfig config = loadLidar("mid360");
  const std::size_t once = coverage(config, kScan), thrice = coverage(config, 3 * kScan);
  EXPECT_GT(static_cast<double>(thrice), 1.3 * static_cast<double>(once));
}

// Rows (from 1) of mid360.csv in Livox-SDK/livox_laser_simulation: azimuth, zenith angle.
TEST_F(ShippedPatterns, Mid360FollowsThePublishedTable) {
  struct Row {
    std::size_t number;
    double azimuth, zenith;
  };
  const std::vector<Row> rows = {
      {1, 268.99, 37.838},     {2, 269.0, 40.825},      {3, 269.0, 43.581},
      {4, 269.0, 46.152},      {5, 267.82, 37.84},      {5197, 25.722, 71.282},
      {5200, 32.59, 71.318},   {5353, 335.63, 70.378},  {5356, 339.75, 73.892},
      {5469, 299.45, 70.539},  {5472, 299.43, 74.974},  {5737, 214.41, 74.253},
      {5740, 207.78, 74.237},  {5961, 138.24, 77.625},  {5964, 135.91, 73.31},
      {34129, 201.01, 73.744}, {34132, 196.38, 77.194}, {34281, 151.76, 74.646},
      {34284, 145.17, 74.642}, {34473, 86.498, 75.573}, {34476, 83.807, 71.584},
      {34725, 359.16, 73.411}, {34728, 4.9084, 71.048}, {34925, 293.19, 69.891},
      {34928, 299.01, 72.398}};
  const auto firings = fired(loadLidar("mid360"), 0, 2 * kScan);
  double squares = 0.0;
  for (const Row& row : rows) {
    const double azimuth = radians(row.azimuth), zenith = radians(row.zenith);
    const Eigen::Vector3d published(std::sin(zenith) * std::cos(azimuth),
                                    std::sin(zenith) * std::sin(azimuth), std::cos(zenith));
    const Eigen::Vector3d d = firings[row.number - 1].direction.cast<double>();
    const double error = degrees(std::acos(std::min(1.0, d.dot(published))));
    EXPECT_LT(error, 1.5) << "row " << row.number;
    squares += error * error;
  }
  EXPECT_LT(std::sqrt(squares / static_cast<double>(rows.size())), 0.9);
}

// The sweep: at the top of the view near the start, at its bottom half a tenth of a second on; the
// mirror makes 176.4 turns a second (63.5e3 deg/s) at the top and 187.2 (67.4e3) at the bottom.
TEST_F(ShippedPatterns, Mid360SweepsUpAndDownTenTimesASecond) {
  const LidarConfig config = loadLidar("mid360");
  const auto meanElevation = [&](TimeNs at) {
    double sum = 0.0;
    const auto firings = fired(config, at, at + 5'500'000);  // one revolution
    for (const Firing& firing : firings) sum += elevationOf(firing);
    return sum / static_cast<double>(firings.size());
  };
  for (int sweep = 0; sweep < 5; ++sweep) {
    EXPECT_GT(meanElevation(sweep * kScan), 40.0);
    EXPECT_LT(meanElevation(sweep * kScan + 48'000'000), 0.0);
  }
  const auto turning = [&](TimeNs at) {  // [deg/s]
    const auto firings = fired(config, at, at + 5'500'000);
    double turned = 0.0;
    for (std::size_t i = 5; i < firings.size(); i += 4) {
      turned += std::remainder(azimuthOf(firings[i]) - azimuthOf(firings[i - 4]), 360.0);
    }
    return turned / 5.5e-3;
  };
  EXPECT_NEAR(turning(0), -63.5e3, 1.0e3);
  EXPECT_NEAR(turning(47'000'000), -67.4e3, 1.0e3);
}

// Velodyne VLP-16 user manual: 289,344 measurements/s, 16 rings of 2 degrees from -15 to 15, 2.304
// us between lasers, 55.296 us a cycle; at 10 Hz a column every 0.199 degrees, clockwise.
TEST_F(ShippedPatterns, Vlp16AgreesWithItsManual) {
  const LidarConfig config = loadLidar("vlp16");
  EXPECT_EQ(config.outputs.front().layout, lidar::CloudLayout::kVelodyne);
  EXPECT_NEAR(lidar::makePattern(config.pattern)->pointsPerSecond(), 289'344.0, 12.0);
  const auto firings = fired(config, 0, kScan);
  EXPECT_NEAR(static_cast<double>(firings.size()), 28'935.0, 16.0);
  const std::vector<int> elevations = {-15, 1, -13, 3,  -11, 5,  -9, 7,
                                       -7,  9, -5,  11, -3,  13, -1, 15};
  for (std::size_t i = 0; i < 64; ++i) {
    const int elevation = elevations[i % 16];
    EXPECT_NEAR(elevationOf(firings[i]), elevation, 1e-4);
    EXPECT_EQ(firings[i].ring, (elevation + 15) / 2);
    EXPECT_EQ(firings[i].stamp, static_cast<TimeNs>(55'296 * (i / 16) + 2'304 * (i % 16)));
  }
  EXPECT_NEAR(azimuthOf(firings[16]) - azimuthOf(firings[0]), -0.19907, 1e-4);
}

// Three sets of the upper block's shots, then one of the lower block's, 32 us apart; 781 columns of
// the lower block a turn at 10 Hz (Goodin et al. 2018, section 3.5.2; MAVS).
TEST_F(ShippedPatterns, TheLowerBlockOfGoodinsHdl64HasAQuarterOfTheColumns) {
  const LidarConfig config = loadLidar("hdl64e_goodin");
  EXPECT_NEAR(lidar::makePattern(config.pattern)->pointsPerSecond(), 1e6, 1.0);
  const auto firings = fired(config, 0, kScan);
  std::size_t lower = 0;
  for (const Firing& firing : firings) lower += firing.ring < 32 ? 1 : 0;
  EXPECT_NEAR(static_cast<double>(lower) / 32.0, 781.25, 1.0);
  EXPECT_NEAR(static_cast<double>(firings.size() - lower) / 32.0, 3.0 * 781.25, 3.0);
  for (std::size_t i = 0; i < 1280; ++i) {
    const std::size_t set = i / 32;
    EXPECT_EQ(firings[i].ring < 32, set % 4 == 3) << i;
    EXPECT_EQ(firings[i].column, set);
    EXPECT_EQ(firings[i].stamp, static_cast<TimeNs>(32'000 * set + 1'000 * (i % 32)));
  }
}

// 181 beams a scan, from right to left, a degree and 1/27000 s apart.
TEST_F(ShippedPatterns, Lms291SweepsHalfATurn) {
  const LidarConfig config = loadLidar("lms291");
  for (const std::int64_t scan : {0, 1, 2, 1000, 100'000}) {
    const auto begin = toNs(static_cast<double>(scan) / 75.0);
    const auto firings = fired(config, begin, toNs(static_cast<double>(scan + 1) / 75.0));
    ASSERT_EQ(firings.size(), 181U) << scan;
    for (std::size_t i = 0; i < 181; ++i) {
      ASSERT_NEAR(azimuthOf(firings[i]), static_cast<double>(i) - 90.0, 1e-4);
      ASSERT_NEAR(toSeconds(firings[i].stamp - firings[0].stamp), static_cast<double>(i) / 27e3,
                  2e-9);
    }
  }
}

// ouster-sdk, xyzlut.cpp: beams begin n off the axis, where the encoder points; VLP16db.yaml of
// ros-drivers/velodyne: vert_offset_correction, across the beam.
TEST_F(ShippedPatterns, BeamsBeginWhereTheMakersSay) {
  const LidarConfig ouster = loadLidar("os1_64");
  for (const Firing& firing : fired(ouster, kScan / 3, kScan / 2)) {
    ASSERT_NEAR(firing.origin.norm(), 0.012163F, 1e-7F);
    ASSERT_EQ(firing.origin.z(), 0.0F);
    // The encoder's azimuth: clockwise, zero at simulated time 0.
    const double encoder = -20.0 * kPi * toSeconds(firing.stamp);
    ASSERT_NEAR(static_cast<double>(firing.origin.x()), 0.012163 * std::cos(encoder), 1e-6);
    ASSERT_NEAR(static_cast<double>(firing.origin.y()), 0.012163 * std::sin(encoder), 1e-6);
  }
  const std::vector<double> offsets = {11.2, -0.7, 9.7, -2.2, 8.1, -3.7, 6.6, -5.1,
                                       5.1,  -6.6, 3.7, -8.1, 2.2, -9.7, 0.7, -11.2};  // [mm]
  const auto firings = fired(loadLidar("vlp16"), 0, kScan);
  for (std::size_t i = 0; i < firings.size(); ++i) {
    const Eigen::Vector3f& o = firings[i].origin;
    ASSERT_NEAR(o.dot(firings[i].direction), 0.0F, 1e-6F);
    ASSERT_NEAR(1e3 * static_cast<double>(o.norm()), std::abs(offsets[i % 16]), 1e-4);
    ASSERT_EQ(o.z() > 0.0F, offsets[i % 16] > 0.0);
  }
}

}  // namespace
}  // namespace marsim::config
