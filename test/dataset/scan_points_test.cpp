// SPDX-License-Identifier: BSD-3-Clause
#include "dataset/scan_points.hpp"

#include <gtest/gtest.h>

#include "marsim/map/semantic_class.hpp"
#include "marsim/scene/vegetation.hpp"

namespace marsim::dataset {
namespace {

lidar::ScanPoint returnOf(std::uint32_t identity, std::uint8_t semantic_class) {
  lidar::ScanPoint point{};
  point.surfel = 0;
  point.identity = identity;
  point.semantic_class = semantic_class;
  return point;
}

TEST(Labels, StaticPointsHaveTheirClass) {
  Labels labels(0);
  EXPECT_EQ(labels.of(returnOf(lidar::kMapIdentity, map::semantic::kTrunk)), 71U);
  EXPECT_EQ(labels.of(returnOf(lidar::kMapIdentity, map::semantic::kNone)), 0U);
  EXPECT_EQ(labels.of(returnOf(scene::kFirstPlantIdentity + 4, map::semantic::kVegetation)), 70U);
}

// Moving objects are numbered after the things of the map.
TEST(Labels, ThingsKeepTheirNumbers) {
  Labels labels(40'000);
  lidar::ScanPoint point = returnOf(lidar::kMapIdentity, map::semantic::kChair);
  point.instance = 40'000;
  EXPECT_EQ(labels.of(point), (40'000U << 16U) + 104U);
  EXPECT_EQ(labels.instanceOf(scene::kFirstThingIdentity + 40'000), 40'000);
  EXPECT_EQ(labels.instanceOf(scene::kFirstPlantIdentity + 3), 0);
  EXPECT_EQ(labels.instanceOf(lidar::kMapIdentity), 0);
  EXPECT_EQ(labels.of(returnOf(2, map::semantic::kCar)), (40'001U << 16U) + 252U);
}

TEST(Labels, MovingObjectsHaveInstances) {
  Labels labels(0);
  const std::uint32_t first = scene::kFirstObstacleIdentity;
  EXPECT_EQ(labels.of(returnOf(first + 7, map::semantic::kPerson)), (1U << 16U) + 254U);
  EXPECT_EQ(labels.of(returnOf(first + 2, map::semantic::kCar)), (2U << 16U) + 252U);
  EXPECT_EQ(labels.of(returnOf(first + 7, map::semantic::kPerson)), (1U << 16U) + 254U);
  EXPECT_EQ(labels.of(returnOf(3, map::semantic::kOtherVehicle)), (3U << 16U) + 259U);
}

TEST(Labels, FalseReturnsAreOutliers) {
  Labels labels(0);
  lidar::ScanPoint point = returnOf(lidar::kMapIdentity, 0);
  point.surfel = lidar::kNoSurfel;
  EXPECT_EQ(labels.of(point), 1U);
}

}  // namespace
}  // namespace marsim::dataset
