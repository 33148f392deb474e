// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/collision/clearance.hpp"

#include <cmath>
#include <cstdio>
#include <string>

#include <gtest/gtest.h>

#include "marsim/common/error.hpp"
#include "test_maps.hpp"

namespace marsim::collision {
namespace {

std::string messageOf(const ClearanceMap& map, const Eigen::Vector3d& start, double radius) {
  try {
    requireFreeStart(map, start, radius);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(ClearanceMap, EqualsBruteForce) {
  const map::PointCloud cloud = randomCloud(500, 1);
  const ClearanceMap map(cloud, 0.1);
  RandomStream random(2);
  for (int i = 0; i < 200; ++i) {
    const double x = random.uniform(-8.0, 8.0);
    const double y = random.uniform(-8.0, 8.0);
    const double z = random.uniform(-3.0, 7.0);
    const ClearanceMap::NearestPoint clearance = map.at({x, y, z});
    EXPECT_NEAR(clearance.distance, bruteClearance(cloud, {x, y, z}), 1e-5);
    EXPECT_NEAR((clearance.nearest - Eigen::Vector3d(x, y, z)).norm(), clearance.distance, 1e-9);
  }
}

// There all distances to the map are one number: a search that goes on for a nearer place never
// ends.
TEST(ClearanceMap, APlaceFarAwayHasANearestFreeOne) {
  const ClearanceMap map(randomCloud(500, 1), 0.1);
  const auto place = map.nearestFree({1e30, 0.0, 1.0}, 0.3, 1e30 + 20.0);
  ASSERT_TRUE(place);
  EXPECT_GE(map.at(*place).distance, 0.3);
  EXPECT_NE(messageOf(map, {1e30, 0.0, 1.0}, 0.3).find("outside"), std::string::npos);
}

// Over the surfels of a map, by the map's own tree: what a copy of the points gives.
TEST(ClearanceMap, ASurfelMapGivesTheClearanceOfItsPoints) {
  std::vector<map::Surfel> surfels;
  for (const Eigen::Vector3f& p : randomCloud(500, 1).points) {
    surfels.push_back({p + Eigen::Vector3f(300.0F, 0.0F, 0.0F), Eigen::Vector3f::UnitZ(), 0.0F});
  }
  map::SurfelMapConfig config;
  config.resolution = 0.1;
  const auto surfel_map = std::make_shared<const map::SurfelMap>(surfels, config);
  const ClearanceMap map(surfel_map), copy(surfel_map->positions(), 0.1);
  EXPECT_EQ(map.resolution(), 0.1);
  EXPECT_LT((map.bounds().min() - copy.bounds().min()).norm(), 1e-3F);
  EXPECT_LT((map.bounds().max() - copy.bounds().max()).norm(), 1e-3F);
  RandomStream random(2);
  int refused = 0;
  for (int i = 0; i < 200; ++i) {
    const double x = random.uniform(291.0, 309.0), y = random.uniform(-8.0, 8.0);
    const Eigen::Vector3d p(x, y, random.uniform(-3.0, 7.0));
    EXPECT_NEAR(map.at(p).distance, copy.at(p).distance, 1e-4);
    EXPECT_NEAR((map.at(p).nearest - p).norm(), map.at(p).distance, 1e-9);
    const std::string said = messageOf(copy, p, 0.5);
    EXPECT_EQ(messageOf(map, p, 0.5), said);
    refused += said.empty() ? 0 : 1;
  }
  EXPECT_GT(refused, 20);
  EXPECT_LT(refused, 180);
}

TEST(ClearanceMap, EmptyMapIsFreeEverywhereAndHasNoPlace) {
  const ClearanceMap map({}, 0.1);
  EXPECT_TRUE(std::isinf(map.at({1.0, 2.0, 3.0}).distance));
  EXPECT_FALSE(map.nearestFree({0.0, 0.0, 0.0}, 0.3, 5.0));
  EXPECT_NO_THROW(requireFreeStart(map, {0.0, 0.0, 0.0}, 0.3));
}

TEST(ClearanceMap, PointsThatAreNotFiniteAreLeftOut) {
  map::PointCloud cloud = randomCloud(10, 1);
  cloud.points.emplace_back(NAN, 0.0F, 0.0F);
  EXPECT_TRUE(std::isfinite(ClearanceMap(cloud, 0.1).at({0.0, 0.0, 0.0}).distance));
}

// Against every node of a grid of 5 cm.
TEST(NearestFree, EqualsBruteForceOverAGrid) {
  const map::PointCloud cloud = randomCloud(400, 3);
  const ClearanceMap map(cloud, 0.1);
  const Eigen::AlignedBox3d box = map.bounds().cast<double>();
  RandomStream random(4);
  const double clearance = 0.75;
  const double radius = 2.0;
  for (int i = 0; i < 8; ++i) {
    const double qx = random.uniform(-5.0, 5.0);
    const double qy = random.uniform(-5.0, 5.0);
    const double qz = random.uniform(0.0, 4.0);
    const Eigen::Vector3d query(qx, qy, qz);
    double best = std::numeric_limits<double>::infinity();
    for (int x = -40; x <= 40; ++x) {
      for (int y = -40; y <= 40; ++y) {
        for (int z = -40; z <= 40; ++z) {
          const Eigen::Vector3d p = query + 0.05 * Eigen::Vector3d(x, y, z);
          const double distance = (p - query).norm();
          if (distance >= best || distance > radius || !box.contains(p)) continue;
          if (map.at(p).distance >= clearance) best = distance;
        }
      }
    }
    const auto place = map.nearestFree(query, clearance, radius);
    ASSERT_EQ(place.has_value(), std::isfinite(best)) << query.transpose();
    if (!place) continue;
    EXPECT_TRUE(box.contains(*place));
    EXPECT_GE(bruteClearance(cloud, *place), clearance - 1e-5);
    EXPECT_LE((*place - query).norm(), best + 0.03);
  }
}

TEST(NearestFree, ReturnsTheVeryPlaceWhereItIsFree) {
  map::PointCloud cloud;
  addRoom(cloud, {0.0, 0.0, 0.0}, {4.0, 4.0, 3.0});
  const ClearanceMap map(cloud, 0.1);
  EXPECT_EQ(map.nearestFree({2.0, 2.0, 1.5}, 0.5, 3.0).value(), Eigen::Vector3d(2.0, 2.0, 1.5));
  EXPECT_FALSE(map.nearestFree({2.0, 2.0, 1.5}, 1.6, 5.0)) << "the room is 3 m high";
}

TEST(RequireFreeStart, AcceptsFreePlacesAlsoALittleAsideAndAboveTheBox) {
  map::PointCloud cloud;
  addRoom(cloud, {0.0, 0.0, 0.0}, {4.0, 4.0, 3.0});
  const ClearanceMap map(cloud, 0.1);
  EXPECT_EQ(messageOf(map, {2.0, 2.0, 1.5}, 0.3), "");
  EXPECT_EQ(messageOf(map, {4.8, 2.0, 1.5}, 0.3), "");
  EXPECT_EQ(messageOf(map, {2.0, 2.0, 50.0}, 0.3), "");
}

TEST(RequireFreeStart, NamesClearanceAndNearestFreePlace) {
  map::PointCloud cloud;
  addRoom(cloud, {0.0, 0.0, 0.0}, {4.0, 4.0, 3.0});
  const ClearanceMap map(cloud, 0.1);
  const std::string message = messageOf(map, {0.12, 2.0, 1.5}, 0.3);
  EXPECT_EQ(message.find("start (0.12, 2.00, 1.50): 0.12 m from the map at (0.00, 2.00, 1.50), "
                         "needs 0.30 m; nearest free place: ("),
            0U)
      << message;
  // The place as printed is one that is accepted.
  double x = 0.0;
  double y = 0.0;
  double z = 0.0;
  const std::string place = message.substr(message.rfind('('));
  ASSERT_EQ(std::sscanf(place.c_str(), "(%lf, %lf, %lf)", &x, &y, &z), 3) << message;
  EXPECT_EQ(messageOf(map, {x, y, z}, 0.3), "");
  EXPECT_NEAR(x, 0.32, 0.05);
}

TEST(RequireFreeStart, NamesTheBoxOutsideOfIt) {
  map::PointCloud cloud;
  addRoom(cloud, {0.0, 0.0, 0.0}, {4.0, 4.0, 3.0});
  const ClearanceMap map(cloud, 0.1);
  for (const Eigen::Vector3d& start :
       {Eigen::Vector3d(10.0, 2.0, 1.5), Eigen::Vector3d(2.0, 2.0, -5.0)}) {
    const std::string message = messageOf(map, start, 0.3);
    EXPECT_NE(message.find("lies outside the map's box (0.00, 0.00, 0.00) to (4.00, 4.00, 3.00); "
                           "nearest free place inside: ("),
              std::string::npos)
        << message;
  }
}

TEST(RequireFreeStart, SaysWhereNoPlaceIsFreeOrTheStartIsNoNumber) {
  map::PointCloud cloud;
  addRoom(cloud, {0.0, 0.0, 0.0}, {1.0, 1.0, 1.0});
  const ClearanceMap map(cloud, 0.1);
  EXPECT_NE(messageOf(map, {0.5, 0.5, 0.5}, 0.8).find("nearest free place: none within 20 m"),
            std::string::npos);
  EXPECT_NE(messageOf(map, {NAN, 0.5, 0.5}, 0.1).find("three finite numbers"), std::string::npos);
}

}  // namespace
}  // namespace marsim::collision
