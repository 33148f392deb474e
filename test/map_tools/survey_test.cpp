// SPDX-License-Identifier: BSD-3-Clause
#include "map_tools/survey.hpp"

#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "map/test_files.hpp"
#include "map_tools/neighbours.hpp"
#include "marsim/common/random.hpp"
#include "marsim/common/units.hpp"
#include "marsim/geometry/kd_tree.hpp"

namespace marsim::map_tools {
namespace {

/// Points at random on floor and walls of a room, on average one a square of side `spacing`.
map::PointCloud room(double length, double width, double height, double spacing) {
  map::PointCloud cloud;
  RandomStream random(3);
  const auto fill = [&](double area, const auto& place) {
    const auto count = static_cast<std::size_t>(area / (spacing * spacing));
    for (std::size_t i = 0; i < count; ++i) {
      const double u = random.uniform(), v = random.uniform();
      cloud.points.push_back(place(u, v));
    }
  };
  fill(length * width, [&](double u, double v) {
    return Eigen::Vector3d(length * u, width * v, 0).cast<float>().eval();
  });
  fill(2 * length * height, [&](double u, double v) {
    return Eigen::Vector3d(length * u, v < 0.5 ? 0 : width, height * std::fmod(2 * v, 1.0))
        .cast<float>()
        .eval();
  });
  return cloud;
}

TEST(Survey, SpacingIsThatOfThePoints) {
  for (const double spacing : {0.02, 0.1}) {
    EXPECT_NEAR(surveyCloud(room(10, 8, 3, spacing)).spacing, spacing, 0.1 * spacing);
  }
}

TEST(Survey, StartHasTheClearanceItSays) {
  const map::PointCloud cloud = room(10, 8, 3, 0.05);
  const Survey survey = surveyCloud(cloud);
  ASSERT_TRUE(survey.start);
  EXPECT_GE(survey.start_clearance, 1.0);
  EXPECT_TRUE(survey.box.contains(*survey.start));
  const KdTree tree(cloud.points);
  EXPECT_NEAR(tree.nearest(survey.start->cast<float>()).distance, survey.start_clearance, 0.1);
}

/// Points of a surface of 40 x 40 m, 0.5 m apart.
map::PointCloud surface(const std::function<double(double, double)>& height) {
  map::PointCloud cloud;
  for (int i = 0; i <= 80; ++i) {
    for (int k = 0; k <= 80; ++k) {
      const double x = 0.5 * i, y = 0.5 * k;
      cloud.points.push_back(Eigen::Vector3d(x, y, height(x, y)).cast<float>());
    }
  }
  return cloud;
}

// Never in the ground or beneath it, and on a field though nothing of the map is so high.
TEST(Survey, StartIsAboveTheGround) {
  const std::vector<std::function<double(double, double)>> grounds{
      [](double x, double) { return x; }, [](double, double) { return 0.0; },
      [](double, double y) { return 7.0 - 0.03 * y; },
      [](double x, double y) { return -30.0 + 8.0 * std::sin(0.1 * x) * std::cos(0.12 * y); }};
  for (std::size_t i = 0; i < grounds.size(); ++i) {
    const Survey survey = surveyCloud(surface(grounds[i]));
    ASSERT_TRUE(survey.start) << i;
    const Eigen::Vector3d& start = *survey.start;
    EXPECT_NEAR(start.z() - grounds[i](start.x(), start.y()), 1.5, 0.45) << i;
    EXPECT_LT((start - survey.box.center()).head<2>().norm(), 10.0) << i;
    if (survey.box.contains(start)) {
      EXPECT_GT(survey.free.volume, 0.0) << i;
    }
  }
}

// In a hall the start is above the floor and not above the roof; over houses of which only the
// roofs were seen, as from the air, it is above these.
TEST(Survey, StartIsNotUnderRoofsWithoutAFloor) {
  map::PointCloud hall = surface([](double, double) { return 0.0; });
  const map::PointCloud roof = surface([](double, double) { return 6.0; });
  hall.points.insert(hall.points.end(), roof.points.begin(), roof.points.end());
  EXPECT_NEAR(surveyCloud(hall).start->z(), 1.5, 1e-6);
  map::PointCloud houses = surface([](double x, double y) {
    return std::fmod(x + 6.0, 20.0) < 12.0 && std::fmod(y + 6.0, 20.0) < 12.0 ? 18.0 : 0.0;
  });
  houses.points.emplace_back(1.0F, 1.0F, 30.0F);  // an antenna: the map is higher than its roofs
  const Eigen::Vector3d start = *surveyCloud(houses).start;
  EXPECT_TRUE(start.isApprox(Eigen::Vector3d(20.0, 20.0, 19.5), 0.01)) << start.transpose();
}

TEST(Survey, UnitAndUpAxisThatLookWrongAreWarned) {
  const Survey right = surveyCloud(room(10, 8, 3, 0.1));
  EXPECT_TRUE(right.warnings.empty());
  EXPECT_TRUE(right.z_up && right.metres);
  map::PointCloud turned = room(30, 20, 3, 0.1);
  for (Eigen::Vector3f& p : turned.points) p = {p.x(), p.z(), -p.y()};
  const Survey survey = surveyCloud(turned);
  EXPECT_GT(survey.planes[1], survey.planes[2]);
  ASSERT_EQ(survey.warnings.size(), 1U);
  EXPECT_NE(survey.warnings[0].find("--up"), std::string::npos);
  EXPECT_TRUE(!survey.z_up && survey.metres);
  map::PointCloud millimetres = room(10, 8, 3, 0.1);
  for (Eigen::Vector3f& p : millimetres.points) p *= 1000.0F;
  ASSERT_FALSE(surveyCloud(millimetres).warnings.empty());
  EXPECT_FALSE(surveyCloud(millimetres).metres);
  EXPECT_NE(surveyCloud(millimetres).warnings[0].find("millimetres"), std::string::npos);
}

TEST(Survey, NoiseIsThatOfThePoints) {
  for (const double sigma : {0.005, 0.02}) {
    map::PointCloud cloud = room(10, 8, 3, 0.02);
    RandomStream random(5);
    for (Eigen::Vector3f& p : cloud.points) {
      const int across = p.z() == 0.0F ? 2 : 1;
      p[across] += static_cast<float>(sigma * random.normal());
    }
    EXPECT_NEAR(surveyCloud(cloud).noise, sigma, 0.1 * sigma);
  }
}

TEST(Survey, IsolatedPointsAreCounted) {
  map::PointCloud cloud = room(10, 8, 3, 0.1);
  const auto surface = static_cast<double>(cloud.size());
  EXPECT_EQ(surveyCloud(cloud).isolated, 0.0);
  // One in fifty floats in the air, a metre from every other.
  const std::size_t floating = cloud.size() / 50;
  for (std::size_t i = 0; i < floating; ++i) {
    const auto step = static_cast<float>(i);
    cloud.points.emplace_back(std::fmod(step, 10.0F), std::floor(step / 10.0F), 40.0F);
  }
  const Survey survey = surveyCloud(cloud);
  EXPECT_NEAR(survey.isolated, static_cast<double>(floating) / (surface + floating), 1e-9);
  EXPECT_TRUE(
      std::any_of(survey.warnings.begin(), survey.warnings.end(), [](const std::string& warning) {
        return warning.find("2 % of the points") == 0 && warning.find("clean") != std::string::npos;
      }));
}

TEST(Survey, SampleOfManyPointsShowsTheShareOfIsolatedOnes) {
  map::PointCloud cloud = room(40, 30, 3, 0.1);  // 144,000 points
  const std::size_t surface = cloud.size();
  for (std::size_t i = 0; i < surface / 20; ++i) {
    const auto step = static_cast<float>(i);
    cloud.points.emplace_back(std::fmod(step, 200.0F), std::floor(step / 200.0F), 80.0F);
  }
  EXPECT_NEAR(surveyCloud(cloud).isolated, 1.0 / 21.0, 0.006);  // four standard deviations
}

TEST(FreeVolume, IsThatOfTheRoomThatHoldsThePlace) {
  map::PointCloud cloud;  // a floor, a wall across x at 4 m, a ceiling at 3 m: borders of 0.2 m
  const auto fill = [&](const Eigen::Vector3d& low, const Eigen::Vector3d& high) {
    for (double x = low.x(); x <= high.x(); x += 0.1) {
      for (double y = low.y(); y <= high.y(); y += 0.1) {
        for (double z = low.z(); z <= high.z(); z += 0.1) {
          cloud.points.emplace_back(Eigen::Vector3d(x, y, z).cast<float>());
        }
      }
    }
  };
  fill({0, 0, 0}, {10.0, 6.0, 0});
  fill({0, 0, 3}, {10.0, 6.0, 3});
  fill({4.1, 0, 0}, {4.1, 6.0, 3});
  const FreeVolume left = freeVolume(cloud, {1, 1, 1}, 0.2);
  EXPECT_DOUBLE_EQ(left.voxel, 0.2);
  EXPECT_NEAR(left.volume, 4.0 * 6.0 * 2.6, 1e-6);
  EXPECT_NEAR(left.share, 4.0 * 2.6 / 30.0, 1e-6);
  EXPECT_NEAR(freeVolume(cloud, {9, 5, 2}, 0.2).volume, 5.8 * 6.0 * 2.6, 1e-6);
  EXPECT_EQ(freeVolume(cloud, {9, 5, 0}, 0.2).volume, 0.0);
  EXPECT_GT(freeVolume(cloud, {1, 1, 1}, 0.001).voxel, 0.01);
}

TEST(Survey, FreeVolumeIsReachedFromTheStart) {
  const Survey survey = surveyCloud(room(10, 8, 3, 0.05));
  EXPECT_NEAR(survey.free.volume, 10.0 * 7.6 * 2.8, 2.0);
  EXPECT_NEAR(survey.free.share, 7.6 * 2.8 / 24.0, 0.01);
}

TEST(Neighbours, AreThoseOfAllPairs) {
  std::vector<Eigen::Vector3f> points;
  RandomStream random(9);
  for (int i = 0; i < 3000; ++i) {
    const double size = i < 2000 ? 1.0 : 50.0;
    points.push_back(
        Eigen::Vector3d(random.uniform(0, size), random.uniform(0, size), random.uniform(0, 0.1))
            .cast<float>());
  }
  points.emplace_back(0, 0, 500);
  std::vector<Eigen::Vector3f> twice = points;
  twice.insert(twice.end(), points.begin(), points.end());
  const std::vector<std::size_t> queries{0, 5, 1999, 2000, 2500, 2999, 3000};
  const auto found = nearestPoints(twice, queries, 9, 100.0);
  for (std::size_t i = 0; i < queries.size(); ++i) {
    std::vector<float> distances;
    for (const Eigen::Vector3f& p : points) {
      const float distance = (p - points[queries[i]]).norm();
      if (distance <= 100.0F) distances.push_back(distance);
    }
    std::sort(distances.begin(), distances.end());
    distances.resize(std::min<std::size_t>(9, distances.size()));
    ASSERT_EQ(found[i].size(), distances.size()) << i;
    for (std::size_t k = 0; k < distances.size(); ++k) {
      EXPECT_NEAR((found[i][k] - points[queries[i]]).norm(), distances[k], 1e-5F);
    }
  }
}

TEST(Survey, ViewpointOfAFileIsWarned) {
  const map::TestFolder folder;
  const auto path = folder.write(
      "a.pcd",
      "FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nWIDTH 3\nHEIGHT 1\nVIEWPOINT 0 0 5 1 0 0 0\n"
      "DATA ascii\n0 0 0\n9 0 0\n0 9 1\n");
  const std::vector<std::string> warnings = surveyFile(path, nullptr).warnings;
  ASSERT_FALSE(warnings.empty());
  EXPECT_EQ(warnings.back().rfind("its VIEWPOINT at (0.00, 0.00, 5.00)", 0), 0U);
}

TEST(Survey, FewPointsAreNoError) {
  map::PointCloud cloud;
  cloud.points = {{0, 0, 0}, {1, 1, 1}, {1, 1, 1}};
  const Survey survey = surveyCloud(cloud);
  EXPECT_EQ(survey.spacing, 0.0);
}

}  // namespace
}  // namespace marsim::map_tools
