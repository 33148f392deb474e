// SPDX-License-Identifier: BSD-3-Clause
// Every layout against its driver: fields, sizes, and the bytes of points worked out by hand from
// IEEE 754 and the drivers' structs.
#include "layouts/cloud_encoder.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cloud_bytes.hpp"
#include "example_scan.hpp"
#include "lidar/planes.hpp"
#include "marsim/common/units.hpp"
#include "marsim/lidar/plants.hpp"

namespace marsim::layouts {
namespace {

using lidar::CloudLayout;
using lidar::MissEncoding;
using lidar::OutputConfig;
using lidar::StampPolicy;

/// The fields as "name:datatype@offset ...", with the numbers of sensor_msgs/PointField.
std::string fieldsOf(const Cloud& cloud) {
  std::string text;
  for (const auto& field : cloud.fields) {
    text += fmt::format("{}{}:{}@{}", text.empty() ? "" : " ", field.name, field.datatype,
                        field.offset);
  }
  return text;
}

struct Shape {
  std::string fields;
  std::uint32_t point_step, width, height;
  bool is_dense;
};

void expectShape(const Cloud& cloud, const Shape& expected) {
  EXPECT_EQ(fieldsOf(cloud), expected.fields);
  EXPECT_EQ(cloud.point_step, expected.point_step);
  EXPECT_EQ(cloud.width, expected.width);
  EXPECT_EQ(cloud.height, expected.height);
  EXPECT_EQ(cloud.row_step, expected.width * expected.point_step);
  EXPECT_EQ(cloud.data.size(), cloud.row_step * expected.height);
  EXPECT_EQ(cloud.is_dense, expected.is_dense);
  EXPECT_EQ(cloud.frame_id, "lidar");
  EXPECT_EQ(cloud.stamp, 2'000'000'000);
}

TEST(CloudLayouts, Xyzi) {
  const Cloud cloud = cloudOf(encoderOf(CloudLayout::kXyzi), exampleScan());
  expectShape(cloud, {"x:7@0 y:7@4 z:7@8 intensity:7@16", 32, 3, 1, true});
  EXPECT_EQ(bytesOf(cloud, 1), joined(kXyz + kOne + kIntensity + "00000000 00000000 00000000"));
}

TEST(CloudLayouts, Xyzit) {
  const Cloud cloud = cloudOf(encoderOf(CloudLayout::kXyzit), exampleScan());
  expectShape(cloud, {"x:7@0 y:7@4 z:7@8 intensity:7@12 time:7@16", 20, 3, 1, true});
  EXPECT_EQ(bytesOf(cloud, 1), joined(kXyz + kIntensity + kTime));
}

TEST(CloudLayouts, Labelled) {
  lidar::Scan scan = exampleScan();
  scan.points[1].identity = 258;
  scan.points[1].semantic_class = 70;
  const Cloud cloud = cloudOf(encoderOf(CloudLayout::kLabelled), scan);
  expectShape(cloud, {"x:7@0 y:7@4 z:7@8 intensity:7@12 time:7@16 label:6@20 class:4@24 "
                      "return_number:2@26 return_count:2@27",
                      28, 3, 1, true});
  EXPECT_EQ(bytesOf(cloud, 1), joined(kXyz + kIntensity + kTime + "02010000 4600 01 01"));
  EXPECT_EQ(valueAt<std::uint32_t>(cloud, 2, 20), 0xffffffffU) << "the map";
}

// A shrub's wood and leaves before a wall, through a whole scan.
TEST(CloudLayouts, LabelledTellsPlantsFromTheMap) {
  scene::Vegetation shrubs;
  scene::Patch& patch = shrubs.patches.emplace_back();
  patch.cylinders = {{{0, 0, -1}, {0, 0, 0.4F}, 0.1F, 60, map::semantic::kTrunk}};
  patch.discs = {{{0, 0, 1}, {1, 0, 0}, 0.5F, 140, map::semantic::kVegetation}};
  shrubs.instances.resize(2);
  shrubs.instances[0].foot = {4, -1, 0};
  shrubs.instances[1].foot = {4, 1, 0};
  lidar::LidarConfig config = lidar::spinner();
  config.outputs[0].layout = CloudLayout::kLabelled;
  const std::shared_ptr<const lidar::RayRenderer> wall =
      std::make_shared<lidar::PlaneRenderer>(Eigen::Vector3d::UnitX(), 6.0);
  const auto plants = std::make_shared<const lidar::Plants>(shrubs);
  lidar::Lidar lidar(config, lidar::withPlants(wall, plants, {}));
  const lidar::Scan scan = lidar.scan(0, kNsPerSecond / 10, lidar::resting({}));
  const Cloud cloud = cloudOf({config.outputs[0], config, "lidar"}, scan);
  std::map<std::pair<std::uint32_t, int>, int> points;
  for (std::size_t i = 0; i < cloud.width; ++i) {
    const auto label = valueAt<std::uint32_t>(cloud, i, 20);
    const int semantic_class = valueAt<std::uint16_t>(cloud, i, 24);
    ++points[{label, semantic_class}];
    const float x = valueAt<float>(cloud, i, 0), y = valueAt<float>(cloud, i, 4);
    if (label == 0xffffffffU) {
      EXPECT_NEAR(x, 6.0F, 1e-3F);
    } else {
      EXPECT_NEAR(x, 4.0F, 0.11F);
      EXPECT_EQ(label, y < 0.0F ? 16777216U : 16777217U);
    }
  }
  EXPECT_EQ(points.size(), 5U) << "the map, and trunk and leaf of two shrubs";
  EXPECT_GT((points[{16777216U, map::semantic::kTrunk}]), 20);
  EXPECT_GT((points[{16777217U, map::semantic::kVegetation}]), 20);
  EXPECT_GT((points[{0xffffffffU, 0}]), 1000);
}

TEST(CloudLayouts, Velodyne) {
  OutputConfig output;
  output.layout = CloudLayout::kVelodyne;
  Cloud cloud = cloudOf(encoderOf(output), exampleScan());
  expectShape(cloud, {"x:7@0 y:7@4 z:7@8 intensity:7@12 ring:4@16 time:7@18", 22, 3, 1, true});
  EXPECT_EQ(bytesOf(cloud, 1), joined(kXyz + kIntensity + "0000" + kTime));
  EXPECT_EQ(valueAt<std::uint16_t>(cloud, 2, 16), 1);
  EXPECT_EQ(valueAt<float>(cloud, 2, 18), 0.0625F);

  output.time_unit = 1e-6;  // 31250 microseconds
  cloud = cloudOf(encoderOf(output), exampleScan());
  EXPECT_EQ(bytesOf(cloud, 1), joined(kXyz + kIntensity + "0000 0024f446"));
}

TEST(CloudLayouts, Ouster) {
  const Cloud cloud = cloudOf(encoderOf(CloudLayout::kOuster), exampleScan());
  expectShape(cloud, {"x:7@0 y:7@4 z:7@8 intensity:7@16 t:6@20 reflectivity:4@24 ring:4@26 "
                      "ambient:4@28 range:6@32",
                      48, 3, 2, true});
  // Ring 0 is the lower row and stays; 1500 mm.
  EXPECT_EQ(bytesOf(cloud, 4), joined(kXyz + kOne + kIntensity + kTimeNs +
                                      "ff00 0100 0000 0000 "
                                      "dc050000 00000000 00000000 00000000"));
  // Ring 1, the upper row, moves two columns right: its shot of column 0 stands in column 2, that
  // of column 1, a miss, in column 0.
  EXPECT_EQ(valueAt<float>(cloud, 2, 0), 1.0F);
  EXPECT_EQ(valueAt<std::uint32_t>(cloud, 2, 32), 3750U);
  EXPECT_EQ(bytesOf(cloud, 0), joined("00000000 00000000 00000000" + kOne + "00000000" + kTimeNs +
                                      "0000 0000 0000 0000 00000000 00000000 00000000 00000000"));
  EXPECT_EQ(valueAt<std::uint16_t>(cloud, 1, 24), 8) << "intensity 7.6";
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(valueAt<std::uint16_t>(cloud, i, 26), i / 3);
}

TEST(CloudLayouts, Livox) {
  const Cloud cloud = cloudOf(encoderOf(CloudLayout::kLivox), exampleScan());
  expectShape(cloud, {"x:7@0 y:7@4 z:7@8 intensity:7@12 tag:2@16 line:2@17", 18, 5, 1, true});
  EXPECT_EQ(bytesOf(cloud, 3), joined(kXyz + kIntensity + "10 03"));
  EXPECT_EQ(bytesOf(cloud, 1), joined("00000000 00000000 00000000 00000000 00 02"));
  EXPECT_EQ(valueAt<float>(cloud, 4, 12), 8.0F) << "reflectivity is a byte";
}

TEST(CloudLayouts, Livox2) {
  const Cloud cloud = cloudOf(encoderOf(CloudLayout::kLivox2), exampleScan());
  expectShape(cloud, {"x:7@0 y:7@4 z:7@8 intensity:7@12 tag:2@16 line:2@17 timestamp:8@18", 26, 5,
                      1, true});
  // 2031250000 ns as float64.
  EXPECT_EQ(bytesOf(cloud, 3), joined(kXyz + kIntensity + "10 03 000000949a44de41"));
}

TEST(CloudLayouts, Hesai) {
  const Cloud cloud = cloudOf(encoderOf(CloudLayout::kHesai), exampleScan());
  expectShape(cloud,
              {"x:7@0 y:7@4 z:7@8 intensity:7@12 ring:4@16 timestamp:8@18", 26, 3, 1, false});
  // 2.03125 s as float64.
  EXPECT_EQ(bytesOf(cloud, 1), joined(kXyz + kIntensity + "0000 0000000000400040"));
}

TEST(CloudLayouts, PointsHaveTimesOfDay) {
  constexpr TimeNs kEpoch = 1'700'000'000 * kNsPerSecond;
  for (const CloudLayout layout : {CloudLayout::kLivox2, CloudLayout::kHesai}) {
    OutputConfig output;
    output.layout = layout;
    lidar::LidarConfig config;
    config.pattern = examplePattern();
    const Cloud cloud = cloudOf(CloudEncoder(output, config, "lidar", kEpoch), exampleScan());
    const bool is_livox = layout == CloudLayout::kLivox2;  // in nanoseconds
    EXPECT_EQ(valueAt<double>(cloud, is_livox ? 3 : 1, 18),
              is_livox ? 1'700'000'002'031'250'000.0 : 1'700'000'002.03125);
    EXPECT_EQ(cloud.stamp, 2 * kNsPerSecond);
  }
}

TEST(CloudLayouts, Rslidar) {
  const Cloud cloud = cloudOf(encoderOf(CloudLayout::kRslidar), exampleScan());
  expectShape(cloud,
              {"x:7@0 y:7@4 z:7@8 intensity:7@12 ring:4@16 timestamp:8@18", 26, 5, 1, false});
  EXPECT_EQ(bytesOf(cloud, 3), joined(kXyz + kIntensity + "0000 0000000000400040"));
  EXPECT_EQ(bytesOf(cloud, 1),
            joined(kNan + kNan + kNan + "00000000 0000 0000000000000040"));  // at 2 s
}

TEST(CloudLayouts, OrganisedSaysWhatBecameOfEachShot) {
  const Cloud cloud = cloudOf(encoderOf(CloudLayout::kOrganised), exampleScan());
  expectShape(cloud,
              {"x:7@0 y:7@4 z:7@8 intensity:7@12 ring:4@16 time:7@20 range:7@24", 28, 3, 2, false});
  EXPECT_EQ(bytesOf(cloud, 1), joined(kXyz + kIntensity + "0000 0000" + kTime + "0000c03f"));
  const std::string nowhere = kNan + kNan + kNan + "00000000";
  EXPECT_EQ(bytesOf(cloud, 0), joined(nowhere + "0000 0000 00000000 0000807f")) << "+inf";
  EXPECT_EQ(bytesOf(cloud, 4), joined(nowhere + "0100 0000" + kTime + "000080ff")) << "-inf";
  EXPECT_EQ(bytesOf(cloud, 2), joined(nowhere + "0000 0000" + kNan + kNan)) << "no shot";
}

/// Columns 1 to 5 of a scan of seven, each a degree and 1/64 s after the one before, from -3
/// degrees.
lidar::Scan planarScan() {
  lidar::Scan scan;
  scan.stamp = 2 * kNsPerSecond;
  scan.columns = 7;
  scan.rings = 1;
  scan.rays = 5;
  for (std::uint32_t column = 1; column < 6; ++column) {
    const auto angle = static_cast<float>(radians(static_cast<double>(column) - 4.0));
    const Eigen::Vector3f direction(std::cos(angle), std::sin(angle), 0.0F);
    const float time = static_cast<float>(column - 1) / 64.0F;
    if (column == 2 || column == 4) {
      scan.misses.push_back({direction, time, column - 1, column, 0, 0, column == 4});
      continue;
    }
    lidar::ScanPoint point{};
    point.p_S = point.p_W = direction * 8.0F;
    point.range = 8.0F;
    point.intensity = 30.0F;
    point.time = time;
    point.shot = column - 1;
    point.column = column;
    scan.points.push_back(point);
  }
  return scan;
}

TEST(CloudLayouts, LaserScan) {
  const CloudEncoder encoder = encoderOf(CloudLayout::kLaserScan);
  EXPECT_TRUE(encoder.needsMisses());
  const PlanarScan scan = std::get<PlanarScan>(encoder.encode(planarScan()));
  EXPECT_EQ(scan.stamp, 2 * kNsPerSecond);
  EXPECT_EQ(scan.frame_id, "lidar");
  EXPECT_NEAR(static_cast<double>(scan.angle_min), radians(-4.0), 1e-6);
  EXPECT_NEAR(static_cast<double>(scan.angle_max), radians(2.0), 1e-6);
  EXPECT_NEAR(static_cast<double>(scan.angle_increment), radians(1.0), 1e-7);
  EXPECT_FLOAT_EQ(scan.time_increment, 1.0F / 64.0F);
  EXPECT_FLOAT_EQ(scan.scan_time, 0.1F);
  EXPECT_FLOAT_EQ(scan.range_min, 0.5F);
  EXPECT_FLOAT_EQ(scan.range_max, 80.0F);
  ASSERT_EQ(scan.ranges.size(), 7U);
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(std::isnan(scan.ranges[0]));
  EXPECT_EQ(scan.ranges[1], 8.0F);
  EXPECT_EQ(scan.ranges[2], infinity);
  EXPECT_EQ(scan.ranges[4], -infinity);
  EXPECT_TRUE(std::isnan(scan.ranges[6]));
  EXPECT_EQ(scan.intensities, (std::vector<float>{0, 30, 0, 30, 0, 30, 0}));
}

TEST(CloudLayouts, MissesCanBeChosen) {
  OutputConfig output;
  const auto width = [&](CloudLayout layout, MissEncoding misses) {
    output.layout = layout;
    output.misses = misses;
    return cloudOf(encoderOf(output), exampleScan()).width;
  };
  EXPECT_EQ(width(CloudLayout::kLivox, MissEncoding::kDrop), 3U);
  EXPECT_EQ(width(CloudLayout::kRslidar, MissEncoding::kDrop), 3U);
  EXPECT_EQ(width(CloudLayout::kHesai, MissEncoding::kZero), 5U);
  EXPECT_EQ(width(CloudLayout::kXyzit, MissEncoding::kNan), 5U);
  const Cloud cloud = cloudOf(encoderOf(output), exampleScan());
  EXPECT_FALSE(cloud.is_dense);
  EXPECT_EQ(bytesOf(cloud, 2), joined(kNan + kNan + kNan + "00000000" + kTime));
  EXPECT_FALSE(encoderOf(CloudLayout::kXyzit).needsMisses());
  EXPECT_FALSE(encoderOf(CloudLayout::kVelodyne).needsMisses());
  for (const CloudLayout layout : {CloudLayout::kOrganised, CloudLayout::kOuster,
                                   CloudLayout::kLivox, CloudLayout::kLivoxCustom2}) {
    EXPECT_TRUE(encoderOf(layout).needsMisses()) << lidar::nameOf(layout);
  }
}

/// 800 shots 2^-14 s apart; every second one returns.
lidar::Scan longScan() {
  lidar::Scan scan;
  scan.stamp = kNsPerSecond;
  scan.rays = 800;
  for (std::uint32_t shot = 0; shot < 800; ++shot) {
    const float time = static_cast<float>(shot) / 16384.0F;
    if (shot % 2 == 0) {
      lidar::ScanPoint point{};
      point.p_S = point.p_W = Eigen::Vector3f::UnitX();
      point.time = time;
      point.shot = shot;
      scan.points.push_back(point);
    } else {
      scan.misses.push_back({Eigen::Vector3f::UnitX(), time, shot, 0, 0, 0, false});
    }
  }
  return scan;
}

TEST(CloudStamps, TheDriversHabitIsAChoice) {
  OutputConfig output;
  output.layout = CloudLayout::kVelodyne;
  output.stamp = StampPolicy::kDriver;
  EXPECT_TRUE(encoderOf(output).needsMisses());
  Cloud cloud = cloudOf(encoderOf(output), longScan());
  // The third packet of 384 begins with shot 768 at 3/64 s.
  EXPECT_EQ(cloud.stamp, 1'046'875'000);
  EXPECT_EQ(valueAt<float>(cloud, 0, 18), -0.046875F);
  EXPECT_EQ(valueAt<float>(cloud, 399, 18), 30.0F / 16384.0F);

  output.layout = CloudLayout::kRslidar;  // the last point's, shot 799
  cloud = cloudOf(encoderOf(output), longScan());
  EXPECT_NEAR(toSeconds(cloud.stamp), 1.0 + 799.0 / 16384.0, 1e-9);
  EXPECT_EQ(valueAt<double>(cloud, 0, 18), 1.0) << "absolute times do not care";

  output.layout = CloudLayout::kHesai;
  cloud = cloudOf(encoderOf(output), longScan());
  EXPECT_EQ(cloud.stamp, 1'000'000'000);
}

TEST(CloudLayouts, ShotsOutsideAnOrganisedCloudAreLeftOut) {
  lidar::Scan scan = exampleScan();
  scan.points[0].column = 3;
  scan.points[1].ring = 2;
  for (const CloudLayout layout : {CloudLayout::kOrganised, CloudLayout::kOuster}) {
    const Cloud cloud = cloudOf(encoderOf(layout), scan);
    std::size_t returns = 0;
    for (std::size_t i = 0; i < 6; ++i) returns += valueAt<float>(cloud, i, 0) == 8.0F ? 1 : 0;
    EXPECT_EQ(returns, 1U);
    EXPECT_EQ(cloud.data.size(), 6U * cloud.point_step);
  }
}

TEST(CloudLayouts, AFrameOfItsOwnAndEmptyScans) {
  OutputConfig output;
  output.frame_id = "velodyne";
  EXPECT_EQ(cloudOf(encoderOf(output), exampleScan()).frame_id, "velodyne");
  for (const auto& [name, layout] : lidar::cloudLayouts()) {
    output.layout = layout;
    output.stamp = StampPolicy::kDriver;
    const CloudEncoder encoder = encoderOf(output);
    const Contents contents = encoder.encode({});
    if (const auto* cloud = std::get_if<Cloud>(&contents)) {
      EXPECT_TRUE(cloud->data.empty()) << name;
    } else if (const auto* custom = std::get_if<LivoxCloud>(&contents)) {
      EXPECT_TRUE(lidar::isLivoxCustom(layout)) << name;
      EXPECT_TRUE(custom->points.empty());
    } else {
      EXPECT_EQ(layout, CloudLayout::kLaserScan) << name;
      EXPECT_TRUE(std::get<PlanarScan>(contents).ranges.empty());
    }
  }
}

TEST(WorldCloud, HoldsWorldPositions) {
  const Cloud cloud = worldCloud(exampleScan(), "world");
  EXPECT_EQ(fieldsOf(cloud), "x:7@0 y:7@4 z:7@8 intensity:7@12");
  EXPECT_EQ(cloud.point_step, 16U);
  EXPECT_EQ(cloud.width, 3U);
  EXPECT_EQ(cloud.frame_id, "world");
  EXPECT_EQ(valueAt<float>(cloud, 2, 0), 18.0F);
  EXPECT_EQ(valueAt<float>(cloud, 2, 8), 30.0F);
}

}  // namespace
}  // namespace marsim::layouts
