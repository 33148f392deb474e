// SPDX-License-Identifier: BSD-3-Clause
// Two returns of the first shot (see dualScan()) in every layout, to the byte.
#include <utility>

#include <gtest/gtest.h>

#include "cloud_bytes.hpp"
#include "example_scan.hpp"
#include "layouts/cloud_encoder.hpp"
#include "marsim/common/error.hpp"

namespace marsim::layouts {
namespace {

using lidar::CloudLayout;
using lidar::MissEncoding;
using lidar::OutputConfig;
using lidar::StampPolicy;

// (1, 2, 3) and (2, 4, 6), intensities 100 and 200.
const std::string kNearXyz = "0000803f 00000040 00004040 ";
const std::string kFarXyz = "00000040 00008040 0000c040 ";
const std::string kNearIntensity = "0000c842 ";
const std::string kFarIntensity = "00004843 ";
const std::string kZeroXyz = "00000000 00000000 00000000 ";

Cloud dualCloud(CloudLayout layout, int number = 0) {
  return cloudOf(encoderOf(layout, 2), dualScan(), number);
}

TEST(DualReturns, XyzitHasThemAfterOneAnother) {
  const Cloud cloud = dualCloud(CloudLayout::kXyzit);
  ASSERT_EQ(cloud.width, 4U);
  EXPECT_EQ(bytesOf(cloud, 0), joined(kNearXyz + kNearIntensity + "00000000"));
  EXPECT_EQ(bytesOf(cloud, 1), joined(kFarXyz + kFarIntensity + "00000000"));
}

TEST(DualReturns, LabelledCountsThem) {
  const Cloud cloud = dualCloud(CloudLayout::kLabelled);
  const std::string label = "00000000 ffffffff 0000 ";
  EXPECT_EQ(bytesOf(cloud, 0), joined(kNearXyz + kNearIntensity + label + "01 02"));
  EXPECT_EQ(bytesOf(cloud, 1), joined(kFarXyz + kFarIntensity + label + "02 02"));
  EXPECT_EQ(valueAt<std::uint16_t>(cloud, 2, 26), 0x0101);
  OutputConfig output;
  output.layout = CloudLayout::kLabelled;
  output.misses = MissEncoding::kZero;
  EXPECT_EQ(valueAt<std::uint16_t>(cloudOf(encoderOf(output, 2), dualScan()), 2, 26), 0U);
}

// A block of last returns, then the same shots' other ones; what returned once is in both.
TEST(DualReturns, VelodyneAndHesaiHavePairsOfBlocks) {
  Cloud cloud = dualCloud(CloudLayout::kVelodyne);
  ASSERT_EQ(cloud.width, 6U);
  EXPECT_EQ(bytesOf(cloud, 0), joined(kFarXyz + kFarIntensity + "0100 00000000"));
  EXPECT_EQ(bytesOf(cloud, 3), joined(kNearXyz + kNearIntensity + "0100 00000000"));
  for (const std::size_t i : {1U, 4U}) {
    EXPECT_EQ(bytesOf(cloud, i), joined(kXyz + kIntensity + "0000" + kTime));
  }
  cloud = dualCloud(CloudLayout::kHesai);
  ASSERT_EQ(cloud.width, 6U);
  EXPECT_EQ(bytesOf(cloud, 0), joined(kFarXyz + kFarIntensity + "0100 0000000000000040"));
  EXPECT_EQ(bytesOf(cloud, 3), joined(kNearXyz + kNearIntensity + "0100 0000000000000040"));
}

TEST(DualReturns, RslidarHasMissesTwiceToo) {
  const Cloud cloud = dualCloud(CloudLayout::kRslidar);
  ASSERT_EQ(cloud.width, 10U);
  EXPECT_EQ(bytesOf(cloud, 0), joined(kFarXyz + kFarIntensity + "0100 0000000000000040"));
  EXPECT_EQ(bytesOf(cloud, 5), joined(kNearXyz + kNearIntensity + "0100 0000000000000040"));
  for (const std::size_t i : {1U, 6U}) {
    EXPECT_EQ(bytesOf(cloud, i), joined(kNan + kNan + kNan + "00000000 0000 0000000000000040"));
  }
  for (const std::size_t i : {3U, 8U}) {
    EXPECT_EQ(bytesOf(cloud, i), joined(kXyz + kIntensity + "0000 0000000000400040"));
  }
}

TEST(DualReturns, BlocksAreOf32Shots) {
  lidar::Scan scan = exampleScan();
  scan.points.clear();
  scan.misses.clear();
  scan.rays = 70;
  for (std::uint32_t shot = 0; shot < 70; ++shot) {
    lidar::ScanPoint point{};
    point.p_S = point.p_W = Eigen::Vector3f::Zero();
    point.shot = shot;
    point.return_count = 2;
    for (const std::uint8_t number : {1, 2}) {
      point.return_number = number;
      point.p_S.x() = static_cast<float>(shot) + (number == 2 ? 0.5F : 0.0F);
      scan.points.push_back(point);
    }
  }
  const Cloud cloud = cloudOf(encoderOf(CloudLayout::kVelodyne, 2), scan);
  ASSERT_EQ(cloud.width, 140U);
  const auto at = [&](std::size_t i) { return valueAt<float>(cloud, i, 0); };
  EXPECT_EQ(at(0), 0.5F);
  EXPECT_EQ(at(31), 31.5F);
  EXPECT_EQ(at(32), 0.0F);
  EXPECT_EQ(at(63), 31.0F);
  EXPECT_EQ(at(64), 32.5F);
  EXPECT_EQ(at(128), 64.5F) << "the last block is short";
  EXPECT_EQ(at(134), 64.0F);
  EXPECT_EQ(at(139), 69.0F);
}

TEST(DualReturns, OusterHasASecondCloud) {
  const CloudEncoder encoder = encoderOf(CloudLayout::kOuster, 2);
  EXPECT_EQ(encoder.clouds(), 2);
  EXPECT_EQ(encoderOf(CloudLayout::kOuster).clouds(), 1);
  EXPECT_EQ(encoderOf(CloudLayout::kVelodyne, 2).clouds(), 1);
  const Cloud strongest = cloudOf(encoder, dualScan(), 0), second = cloudOf(encoder, dualScan(), 1);
  EXPECT_EQ(second.fields.size(), strongest.fields.size());
  EXPECT_EQ(second.width, 3U);
  EXPECT_EQ(second.height, 2U);
  // The shot of two returns stands in column 2 of the upper row.
  const std::string padding = " 00000000 00000000 00000000";
  EXPECT_EQ(bytesOf(strongest, 2), joined(kFarXyz + kOne + kFarIntensity +
                                          "00000000 c800 0000 0000 "
                                          "0000 4c1d0000" +
                                          padding));
  EXPECT_EQ(bytesOf(second, 2), joined(kNearXyz + kOne + kNearIntensity +
                                       "00000000 6400 0000 0000 "
                                       "0000 a60e0000" +
                                       padding));
  // A shot of one return: nothing in the second cloud but its time.
  EXPECT_EQ(bytesOf(strongest, 4),
            bytesOf(cloudOf(encoderOf(CloudLayout::kOuster), exampleScan()), 4));
  EXPECT_EQ(bytesOf(second, 4), joined(kZeroXyz + kOne + "00000000" + kTimeNs +
                                       "0000 0100 0000 0000 00000000" + padding));
}

// Always as many points a shot as returns are asked for, at one time.
TEST(DualReturns, LivoxCountsThemInItsTag) {
  Cloud cloud = dualCloud(CloudLayout::kLivox);
  ASSERT_EQ(cloud.width, 10U);
  EXPECT_EQ(bytesOf(cloud, 0), joined(kNearXyz + kNearIntensity + "10 01"));
  EXPECT_EQ(bytesOf(cloud, 1), joined(kFarXyz + kFarIntensity + "20 01"));
  for (const std::size_t i : {2U, 3U}) {
    EXPECT_EQ(bytesOf(cloud, i), joined(kZeroXyz + "00000000 00 02")) << "nothing";
  }
  EXPECT_EQ(bytesOf(cloud, 6), joined(kXyz + kIntensity + "10 03"));
  EXPECT_EQ(bytesOf(cloud, 7), joined(kZeroXyz + "00000000 00 03")) << "no second return";
  cloud = cloudOf(encoderOf(CloudLayout::kLivox2, 3), dualScan());
  ASSERT_EQ(cloud.width, 15U);
  for (std::size_t i = 9; i < 12; ++i) {
    EXPECT_EQ(valueAt<double>(cloud, i, 18), 2'031'250'000.0) << "a time a shot";
  }
  const auto message =
      std::get<LivoxCloud>(encoderOf(CloudLayout::kLivoxCustom, 2).encode(dualScan()));
  ASSERT_EQ(message.points.size(), 10U);
  for (std::size_t i = 0; i < 10; i += 2) {
    EXPECT_EQ(message.points[i].offset_time, message.points[i + 1].offset_time);
    EXPECT_EQ(message.points[i].line, message.points[i + 1].line);
  }
  EXPECT_EQ(int{message.points[0].tag}, 0x10);
  EXPECT_EQ(int{message.points[1].tag}, 0x20);
  EXPECT_EQ(int{message.points[1].reflectivity}, 200);
  EXPECT_EQ(int{message.points[7].tag}, 0);
  OutputConfig output;
  output.layout = CloudLayout::kLivox;
  output.misses = MissEncoding::kDrop;
  EXPECT_EQ(cloudOf(encoderOf(output, 2), dualScan()).width, 4U);
}

TEST(DualReturns, APacketOfVelodyneHoldsHalfAsManyShots) {
  OutputConfig output;
  output.layout = CloudLayout::kVelodyne;
  output.stamp = StampPolicy::kDriver;
  lidar::Scan scan = exampleScan();
  scan.rays = 200;
  for (std::uint32_t shot = 5; shot < 200; ++shot) {
    scan.misses.push_back(
        {Eigen::Vector3f::UnitX(), static_cast<float>(shot) / 1024.0F, shot, 2, 0, 0, false});
  }
  // The second packet begins with shot 192; in a single return mode all are in the first.
  EXPECT_EQ(cloudOf(encoderOf(output, 2), scan).stamp, 2'187'500'000);
  EXPECT_EQ(cloudOf(encoderOf(output, 1), scan).stamp, 2'000'000'000);
}

}  // namespace
}  // namespace marsim::layouts
