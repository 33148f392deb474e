// SPDX-License-Identifier: BSD-3-Clause
#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "lidar/renderer_suite.hpp"
#include "marsim/map/cloud_io.hpp"

namespace marsim::lidar {
namespace {

struct Place {
  const char* file;
  Eigen::Vector3d start;  // [m] in free space
};

class RealPlace : public RendererTest {
 protected:
  // The surfels within 5 m of the start, made of a real scan at r = 0.1 m.
  static Map load(const std::filesystem::path& folder, const Place& place) {
    const map::LoadedCloud loaded = map::loadCloud(folder / place.file);
    map::PointCloud piece;
    for (const Eigen::Vector3f& point : loaded.cloud.points) {
      if ((point.cast<double>() - place.start).cwiseAbs().maxCoeff() < 5.0) {
        piece.points.push_back(point);
      }
    }
    map::SurfelMapConfig config;
    config.resolution = 0.1;
    return std::make_shared<const map::SurfelMap>(map::SurfelMap::build(piece, config));
  }

  static void check(const Place& place) {
    const char* folder = std::getenv("MARSIM_REAL_DATA");
    if (folder == nullptr) GTEST_SKIP() << "MARSIM_REAL_DATA is not set";
    const Map map = load(folder, place);
    EXPECT_GT(map->size(), 5000U);
    RandomStream random(22);
    std::vector<Ray> rays;
    for (int i = 0; i < 2000; ++i) {
      const Eigen::Vector3d origin = place.start + randomInCube(random, 0.8);
      rays.push_back(makeRay(origin, randomDirection(random), 12.0));
    }
    expectMeaningful(checkRays(map, rays));
    const Pose X_WS{fromRollPitchYaw(0.02, -0.05, 2.9), place.start};
    expectMeaningful(checkImage(map, sphericalGrid(120, 40, -180, 180, -60, 60), X_WS, 12.0));
    expectMeaningful(checkImage(map, sphericalGrid(60, 60, -35, 35, -38, 38), X_WS, 12.0));
  }
};

INSTANTIATE_TEST_SUITE_P(All, RealPlace, testing::ValuesIn(makersUnderTest()), labelOf);

TEST_P(RealPlace, Building) { check({"building_indoor_2storey.pcd", {10.0, 11.0, 1.8}}); }
TEST_P(RealPlace, Office) { check({"office_floor_geb079_008.pcd", {30.0, 7.4, 1.3}}); }

}  // namespace
}  // namespace marsim::lidar
