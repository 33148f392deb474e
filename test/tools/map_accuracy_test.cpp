// SPDX-License-Identifier: BSD-3-Clause
#include "tools/map/map_accuracy.hpp"

#include <cmath>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "marsim/common/error.hpp"
#include "marsim/common/random.hpp"
#include "marsim/common/units.hpp"
#include "marsim/map/cloud_io.hpp"
#include "temporary_folder.hpp"

namespace marsim::tools {
namespace {

/// Scans of the inside of a room of 10 x 8 x 3 m with a bias and noise of the ranges, in a folder,
/// and their KITTI poses.
class MapAccuracy : public testing::Test {
 protected:
  void record(double noise, double bias_of_left_out, double pose_error, int points = 12000,
              double jitter = 0.0) {
    std::ofstream poses(folder_.path() / "poses.txt");
    RandomStream random(3);
    for (int scan = 0; scan < 20; ++scan) {
      const Eigen::Vector3d at(2.0 + 0.3 * scan, 4.0, 1.2);
      map::PointCloud cloud;
      const bool left_out = scan % 10 == 5;
      for (int i = 0; i < points; ++i) {
        const double azimuth = random.uniform(-kPi, kPi), elevation = random.uniform(-0.9, 0.9);
        const Eigen::Vector3d d(std::cos(azimuth) * std::cos(elevation),
                                std::sin(azimuth) * std::cos(elevation), std::sin(elevation));
        double range = 1e9;
        const Eigen::Vector3d high(10, 8, 3);
        for (int axis = 0; axis < 3; ++axis) {
          if (d[axis] != 0.0)
            range = std::min(range, ((d[axis] > 0 ? high[axis] : 0.0) - at[axis]) / d[axis]);
        }
        range += noise * random.normal() + (left_out ? bias_of_left_out : 0.0);
        cloud.points.push_back((range * d).cast<float>());
      }
      map::saveCloud(folder_.path() / fmt::format("{}.ply", scan), cloud);
      Eigen::Vector3d known = at;
      if (left_out) known += Eigen::Vector3d(pose_error, pose_error, 0.0);
      for (double& axis : known) axis += jitter * random.normal();
      poses << "1 0 0 " << known.x() << " 0 1 0 " << known.y() << " 0 0 1 " << known.z() << "\n";
    }
    poses.close();
    config_.recording.source = folder_.path();
    config_.recording.poses = folder_.path() / "poses.txt";
    config_.map.resolution = 0.1;
  }
  Accuracy measured() { return measureAccuracy(config_); }
  std::string complaint() {
    try {
      measured();
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }
  TemporaryFolder folder_;
  AccuracyConfig config_;
};

// Half of normal errors are smaller than 0.67 of their sigma.
TEST_F(MapAccuracy, KnowsNoiseAndBiasOfWhatWasLeftOut) {
  record(0.02, 0.03, 0.0);
  const Accuracy accuracy = measured();
  EXPECT_EQ(accuracy.scans_left_out, 2U);
  EXPECT_EQ(accuracy.scans_in_map, 18U);
  ASSERT_EQ(accuracy.notes.size(), 2U);
  EXPECT_EQ(accuracy.notes[1], "points have no times: each scan was placed by one pose");
  EXPECT_EQ(accuracy.all.beams, 24000U);
  EXPECT_NEAR(accuracy.all.signed_median, -0.03, 0.003);
  EXPECT_NEAR(accuracy.all.median, 0.03, 0.006);
  EXPECT_LT(accuracy.all.misses, 0.02);
  EXPECT_LT(accuracy.all.too_near, 0.002);
  std::size_t beams = 0;
  for (const AccuracyRow& row : accuracy.by_range) beams += row.beams;
  EXPECT_EQ(beams, accuracy.all.beams);
  EXPECT_EQ(accuracy.without_beams.all.beams, accuracy.all.beams);
  EXPECT_NEAR(accuracy.without_beams.all.signed_median, -0.03, 0.003);
  EXPECT_LT(accuracy.all.too_far, 0.002);
  ASSERT_EQ(accuracy.by_kind.size(), 3U);
  EXPECT_EQ(accuracy.by_kind[0].name, "sheets");
  // Within 0.17 m of the room's edges points lie on two walls: 6 % of its surface.
  const auto all = static_cast<double>(accuracy.all.beams);
  EXPECT_GT(static_cast<double>(accuracy.by_kind[0].beams), 0.8 * all);
  EXPECT_GT(static_cast<double>(accuracy.by_kind[2].beams), 0.02 * all);
  EXPECT_EQ(accuracy.by_kind[0].beams + accuracy.by_kind[1].beams + accuracy.by_kind[2].beams,
            accuracy.all.beams);
  record(0.02, 0.0, 0.0);
  const Accuracy unbiased = measured();
  EXPECT_NEAR(unbiased.all.signed_median, 0.0, 0.003);
  EXPECT_NEAR(unbiased.all.median, 0.67 * 0.02, 0.003);
  EXPECT_LT(unbiased.simulated_to_real, unbiased.all.high);
}

// Where a beam meets a wall squarely, the jitter of its scan adds to its noise; where it meets it
// flatly, the jitter counts by 1 / cos of the angle.
TEST_F(MapAccuracy, KnowsNoiseAndJitterOfPoses) {
  record(0.02, 0.0, 0.0, 6000, 0.01);
  config_.leave_out = 2;
  const Accuracy accuracy = measured();
  EXPECT_EQ(accuracy.scans_left_out, 10U);
  EXPECT_NEAR(accuracy.all.signed_median, 0.0, 0.004);
  const double square = 0.67 * std::hypot(0.02, 0.01);
  EXPECT_NEAR(accuracy.by_incidence.front().median, square, 0.2 * square);
  const double flat = 0.67 * std::hypot(0.02, 0.01 / std::cos(radians(67.5)));
  EXPECT_NEAR(accuracy.by_incidence[4].median, flat, 0.25 * flat);
  EXPECT_LT(accuracy.all.misses, 0.02);
}

TEST_F(MapAccuracy, SparseMapsAreNamed) {
  record(0.01, 0.0, 0.0, 30);
  EXPECT_NE(complaint().find("the map is too sparse: "), std::string::npos) << complaint();
}

TEST_F(MapAccuracy, ScansThatDoNotFitAreNamed) {
  record(0.01, 0.0, 10.0);
  EXPECT_NE(complaint().find("the scans do not fit each other"), std::string::npos);
  config_.leave_out = 1;
  EXPECT_NE(complaint().find("leave-out is 1, allowed: 2 to 1000000"), std::string::npos);
  config_.leave_out = 100;
  EXPECT_NE(complaint().find("20 scans are too few to leave one of 100 out"), std::string::npos);
}

}  // namespace
}  // namespace marsim::tools
