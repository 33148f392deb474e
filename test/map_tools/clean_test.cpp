// SPDX-License-Identifier: BSD-3-Clause
#include "map_tools/clean.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "marsim/common/error.hpp"
#include "marsim/common/random.hpp"
#include "marsim/common/units.hpp"

namespace marsim::map_tools {
namespace {

using Eigen::Vector3f;

void add(map::PointCloud& cloud, const Eigen::Vector3d& p, std::uint8_t number) {
  cloud.points.push_back(p.cast<float>());
  cloud.classes.push_back(number);
}

/// Even squares of a floor at z = 0, class 40.
map::PointCloud floorOf(double size, double spacing) {
  map::PointCloud cloud;
  RandomStream random(5);
  for (double x = 0.5 * spacing; x < size; x += spacing) {
    for (double y = 0.5 * spacing; y < size; y += spacing) {
      add(cloud, {x + 0.1 * spacing * random.normal(), y, 0.002 * random.normal()}, 40);
    }
  }
  return cloud;
}

std::size_t count(const map::PointCloud& cloud, std::uint8_t number) {
  return static_cast<std::size_t>(std::count(cloud.classes.begin(), cloud.classes.end(), number));
}

// By the definition, each with each.
TEST(Clean, OutliersAsBruteForceFindsThem) {
  map::PointCloud cloud = floorOf(3.0, 0.1);
  RandomStream random(7);
  for (int i = 0; i < 30; ++i) {
    add(cloud, {random.uniform(0, 3), random.uniform(0, 3), random.uniform(0.5, 3)}, 99);
  }
  const OutlierConfig config{6, 2.0};
  std::vector<double> means;
  for (const Vector3f& p : cloud.points) {
    std::vector<double> distances;
    for (const Vector3f& q : cloud.points) distances.push_back((p - q).cast<double>().norm());
    std::sort(distances.begin(), distances.end());
    double sum = 0.0;
    for (std::size_t i = 1; i <= 6; ++i) sum += distances[i];
    means.push_back(sum / 6.0);
  }
  double mean = 0.0, square = 0.0;
  for (const double m : means) mean += m / static_cast<double>(means.size());
  for (const double m : means)
    square += (m - mean) * (m - mean) / static_cast<double>(means.size());
  std::vector<Vector3f> expected;
  for (std::size_t i = 0; i < means.size(); ++i) {
    if (means[i] <= mean + 2.0 * std::sqrt(square)) expected.push_back(cloud.points[i]);
  }
  const map::PointCloud left = removeOutliers(cloud, config);
  EXPECT_EQ(left.points, expected);
  EXPECT_EQ(count(left, 40), 900U);
  EXPECT_LT(count(left, 99), 20U);
}

TEST(Clean, LonelyPointsHaveTooFewNeighbours) {
  map::PointCloud cloud = floorOf(2.0, 0.1);
  add(cloud, {1, 1, 1}, 99);
  add(cloud, {1, 1, 1.1}, 99);
  EXPECT_EQ(count(removeLonely(cloud, 0.2, 1), 99), 2U);
  EXPECT_EQ(count(removeLonely(cloud, 0.2, 2), 99), 0U);
  EXPECT_EQ(count(removeLonely(cloud, 0.05, 1), 99), 0U);
  EXPECT_THROW(removeLonely(cloud, 0.0, 1), ConfigError);
}

TEST(Clean, CropKeepsTheBox) {
  const map::PointCloud left =
      crop(floorOf(4.0, 0.1), {Eigen::Vector3d(1, 1, -1), Eigen::Vector3d(2, 3, 1)});
  EXPECT_NEAR(static_cast<double>(left.size()), 200.0, 15.0);
  for (const Vector3f& p : left.points) ASSERT_TRUE(p.x() >= 1.0F && p.x() <= 2.0F);
  EXPECT_EQ(left.classes.size(), left.size());
}

// A floor below a larger ceiling and a table, all tilted together.
TEST(Clean, TheGroundBecomesLevel) {
  for (const double tilt : {0.0, 3.0, 15.0}) {
    map::PointCloud cloud = floorOf(8.0, 0.1);
    const std::size_t floor = cloud.size();
    RandomStream random(9);
    for (int i = 0; i < 12000; ++i) {
      add(cloud, {random.uniform(-2, 10), random.uniform(-2, 10), 3.0}, 50);
    }
    for (int i = 0; i < 500; ++i) add(cloud, {random.uniform(2, 4), random.uniform(2, 3), 0.8}, 99);
    const Eigen::Quaterniond turn = fromRollPitchYaw(radians(tilt), radians(-0.5 * tilt), 0.7);
    const Eigen::Vector3d moved(5.0, -2.0, -1.5);
    for (Vector3f& p : cloud.points) p = (turn * p.cast<double>() + moved).cast<float>();
    for (const Vector3f& p : cloud.points) cloud.to_sensor.push_back({p.x(), p.y(), p.z()});
    const GroundPlane ground = findGround(cloud);
    const double off = std::acos(std::min(1.0, ground.normal.dot(turn * Eigen::Vector3d::UnitZ())));
    EXPECT_LT(degrees(off), 0.1) << tilt;
    const map::PointCloud level = levelled(cloud, ground);
    for (std::size_t i = 0; i < floor; ++i) {
      ASSERT_NEAR(static_cast<double>(level.points[i].z()), ground.height, 0.03);
    }
    EXPECT_EQ(level.classes, cloud.classes);
    EXPECT_TRUE(level.points[7].isApprox(Eigen::Map<const Vector3f>(level.to_sensor[7].data())))
        << "turned alike";
  }
  map::PointCloud wall;
  RandomStream random(3);
  for (int i = 0; i < 5000; ++i) add(wall, {0.0, random.uniform(0, 9), random.uniform(0, 9)}, 50);
  EXPECT_THROW(findGround(wall), Error);
}

// Round holes of 0.3 and 0.9 m in a floor; and the world beyond its rim stays empty.
TEST(Clean, HolesAreFilledUpToTheirWidth) {
  map::PointCloud cloud = floorOf(4.0, 0.05);
  const Eigen::Vector2f small(1.0F, 1.0F), large(2.8F, 2.8F);
  std::vector<std::uint32_t> numbers;
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    const Eigen::Vector2f p = cloud.points[i].head<2>();
    if ((p - small).norm() > 0.15F && (p - large).norm() > 0.45F) {
      numbers.push_back(static_cast<std::uint32_t>(i));
    }
  }
  const map::PointCloud holed = map::selectPoints(cloud, numbers);
  const map::PointCloud filled = fillHoles(holed, 0.4);
  ASSERT_GT(filled.size(), holed.size());
  EXPECT_EQ(filled.classes.size(), filled.size());
  std::size_t in_small = 0;
  for (std::size_t i = holed.size(); i < filled.size(); ++i) {
    const Vector3f& p = filled.points[i];
    in_small += (p.head<2>() - small).norm() < 0.17F ? 1 : 0;
    ASSERT_GT((p.head<2>() - large).norm(), 0.25F) << "too wide to be filled";
    ASSERT_LT(std::abs(p.z()), 0.02F);
    ASSERT_TRUE(p.x() > 0.0F && p.x() < 4.0F && p.y() > 0.0F && p.y() < 4.0F);
    ASSERT_EQ(filled.classes[i], 40);
  }
  EXPECT_GT(in_small, 15U) << "28 lay there";
  EXPECT_LT(in_small, 60U);
}

/// The range at which a ray meets the inside of a room of 10 x 8 x 3 m.
double rangeToRoom(const Eigen::Vector3d& from, const Eigen::Vector3d& direction) {
  const Eigen::Vector3d low(0, 0, 0), high(10, 8, 3);
  double range = 1e9;
  for (int axis = 0; axis < 3; ++axis) {
    const double wall = direction[axis] > 0.0 ? high[axis] : low[axis];
    if (direction[axis] != 0.0) range = std::min(range, (wall - from[axis]) / direction[axis]);
  }
  return range;
}

/// The range at which a ray meets an upright cylinder of 0.3 m about a place, or a large number.
double rangeToPerson(const Eigen::Vector3d& from, const Eigen::Vector3d& direction,
                     const Eigen::Vector2d& person) {
  const Eigen::Vector2d d = direction.head<2>(), o = from.head<2>() - person;
  const double a = d.squaredNorm(), b = o.dot(d), c = o.squaredNorm() - 0.09;
  const double root = b * b - a * c;
  if (root < 0.0) return 1e9;
  const double range = (-b - std::sqrt(root)) / a;
  const double z = from.z() + range * direction.z();
  return range > 0.0 && z > 0.0 && z < 1.8 ? range : 1e9;
}

/// A person crosses the room in 40 scans; the LiDAR goes along the room's other side.
std::vector<Keyframe> scansOfARoom() {
  std::vector<Keyframe> scans;
  RandomStream random(11);
  for (int scan = 0; scan < 40; ++scan) {
    Keyframe keyframe;
    keyframe.origin = {2.0 + 0.15 * scan, 2.0, 1.2};
    const Eigen::Vector2d person(1.0 + 0.2 * scan, 5.5);
    for (int i = 0; i < 6000; ++i) {
      const double azimuth = random.uniform(-kPi, kPi), elevation = random.uniform(-0.9, 0.9);
      const Eigen::Vector3d direction(std::cos(azimuth) * std::cos(elevation),
                                      std::sin(azimuth) * std::cos(elevation), std::sin(elevation));
      const double room = rangeToRoom(keyframe.origin, direction);
      const double body = rangeToPerson(keyframe.origin, direction, person);
      const double range = std::min(room, body) + 0.01 * random.normal();
      add(keyframe.cloud, keyframe.origin + range * direction, body < room ? 30 : 50);
    }
    scans.push_back(std::move(keyframe));
  }
  return scans;
}

TEST(Clean, TracesOfAPersonAreRemovedAndWallsStay) {
  const std::vector<Keyframe> scans = scansOfARoom();
  map::PointCloud cloud;
  for (const Keyframe& scan : scans) {
    cloud.points.insert(cloud.points.end(), scan.cloud.points.begin(), scan.cloud.points.end());
    map::appendChannels(scan.cloud, cloud);
  }
  TraceReport report;
  const map::PointCloud left = removeMovingTraces(
      cloud,
      [&](const std::function<void(const Keyframe&)>& take) {
        for (const Keyframe& scan : scans) take(scan);
      },
      {}, report);
  EXPECT_EQ(report.scans, 40U);
  EXPECT_GT(report.voxels, 50U);
  const auto share = [&](std::uint8_t number) {
    return static_cast<double>(count(left, number)) / static_cast<double>(count(cloud, number));
  };
  ASSERT_GT(count(cloud, 30), 1500U);
  EXPECT_LT(share(30), 0.11) << "feet lie in one voxel with the floor";
  for (std::size_t i = 0; i < left.size(); ++i) {
    ASSERT_TRUE(left.classes[i] != 30 || left.points[i].z() < 0.3F);
  }
  EXPECT_GT(share(50), 0.99) << "of walls, floor and ceiling";
}

// A LiDAR 0.3 m above the floor: most of its beams pass close over what lies farther on.
TEST(Clean, FloorsStayUnderFlatBeams) {
  std::vector<Keyframe> scans;
  RandomStream random(13);
  map::PointCloud cloud;
  for (int scan = 0; scan < 30; ++scan) {
    Keyframe keyframe;
    keyframe.origin = {0.5 + 0.3 * scan, 4.0, 0.3};
    for (int i = 0; i < 6000; ++i) {
      const double azimuth = random.uniform(-kPi, kPi), elevation = random.uniform(-0.15, 0.05);
      const Eigen::Vector3d direction(std::cos(azimuth) * std::cos(elevation),
                                      std::sin(azimuth) * std::cos(elevation), std::sin(elevation));
      const double range = rangeToRoom(keyframe.origin, direction) + 0.01 * random.normal();
      add(keyframe.cloud, keyframe.origin + range * direction, 40);
    }
    cloud.points.insert(cloud.points.end(), keyframe.cloud.points.begin(),
                        keyframe.cloud.points.end());
    map::appendChannels(keyframe.cloud, cloud);
    scans.push_back(std::move(keyframe));
  }
  TraceReport report;
  const map::PointCloud left = removeMovingTraces(
      cloud,
      [&](const std::function<void(const Keyframe&)>& take) {
        for (const Keyframe& scan : scans) take(scan);
      },
      {}, report);
  EXPECT_GT(static_cast<double>(left.size()) / static_cast<double>(cloud.size()), 0.99);
}

}  // namespace
}  // namespace marsim::map_tools
