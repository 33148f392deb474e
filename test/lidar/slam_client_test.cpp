// SPDX-License-Identifier: BSD-3-Clause
#include "lidar/output/slam_client.hpp"

#include <gtest/gtest.h>

#include "marsim/common/error.hpp"

namespace marsim::lidar {
namespace {

std::vector<OutputConfig> of(const std::vector<CloudLayout>& layouts) {
  std::vector<OutputConfig> outputs(layouts.size());
  for (std::size_t i = 0; i < layouts.size(); ++i) outputs[i].layout = layouts[i];
  return outputs;
}

/// "layout on topic, ..." of what a client gets of a sensor whose file has these layouts.
std::string given(const std::string& client, const std::vector<CloudLayout>& configured,
                  const std::string& words = "auto") {
  const auto outputs = outputsFor(client, of(configured), words, "x");
  const auto topics = outputTopics(outputs);
  std::string text;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    text += (i > 0 ? ", " : "") + std::string(nameOf(outputs[i].layout)) + " on " + topics[i];
  }
  return text;
}

TEST(SlamClient, FastLioReadsTheLayoutOfTheSensorsOwnDriver) {
  EXPECT_EQ(given("fast_lio", {CloudLayout::kXyzit, CloudLayout::kLivoxCustom2}),
            "livox_custom on livox/lidar");
  EXPECT_EQ(given("fast_lio", {CloudLayout::kLivox}), "livox_custom on livox/lidar");
  EXPECT_EQ(given("fast_lio", {CloudLayout::kOuster}), "ouster on os_cloud_node/points");
  EXPECT_EQ(given("fast_lio", {CloudLayout::kVelodyne}), "velodyne on velodyne_points");
  EXPECT_EQ(given("fast_lio", {CloudLayout::kHesai}), "velodyne on velodyne_points");
  EXPECT_EQ(given("lio_sam", {CloudLayout::kOuster}), "velodyne on points");
  EXPECT_EQ(given("kiss_icp", {CloudLayout::kOuster}), "xyzit on points");
}

TEST(SlamClient, OtherClientsReadTheLayoutOfTheSensorsOwnDriverToo) {
  EXPECT_EQ(given("point_lio", {CloudLayout::kLivoxCustom2}), "livox_custom on livox/lidar");
  EXPECT_EQ(given("point_lio", {CloudLayout::kHesai}), "velodyne on velodyne_points");
  EXPECT_EQ(given("dlio", {CloudLayout::kXyzit, CloudLayout::kLivoxCustom2}), "livox2 on points");
  EXPECT_EQ(given("dlio", {CloudLayout::kOuster}), "ouster on points");
  EXPECT_EQ(given("dlio", {CloudLayout::kHesai}), "velodyne on points");
  EXPECT_EQ(given("openvins", {CloudLayout::kHesai}), "hesai on points") << "it reads none";
}

TEST(SlamClient, OutputMayBeChosen) {
  EXPECT_EQ(given("fast_lio", {CloudLayout::kXyzit, CloudLayout::kLivoxCustom}, "livox_custom2"),
            "livox_custom2 on livox/lidar");
  EXPECT_EQ(given("fast_lio", {CloudLayout::kLivoxCustom}, "velodyne, xyzi"),
            "velodyne on velodyne_points, xyzi on points_xyzi");
  EXPECT_EQ(given("none", {CloudLayout::kHesai, CloudLayout::kXyzi}),
            "hesai on points, xyzi on points_xyzi");
  EXPECT_EQ(given("", {CloudLayout::kHesai}, ""), "hesai on points");
  EXPECT_EQ(given("none", {CloudLayout::kHesai}, "ouster"), "ouster on points");
}

TEST(SlamClient, SettingsOfTheFileStay) {
  OutputConfig output;
  output.layout = CloudLayout::kVelodyne;
  output.topic = "my_points";
  output.time_unit = 1e-6;
  const auto outputs = outputsFor("fast_lio", {output}, "auto", "x");
  EXPECT_EQ(outputs.at(0).topic, "my_points");
  EXPECT_EQ(outputs.at(0).time_unit, 1e-6);
}

TEST(SlamClient, UnknownOnesListTheKnown) {
  try {
    outputsFor("fastlio", of({CloudLayout::kXyzit}), "auto", "uav0/lidar");
    FAIL();
  } catch (const UnknownNameError& error) {
    EXPECT_STREQ(
        error.what(),
        "uav0/lidar: unknown slam_client 'fastlio' (did you mean "
        "'fast_lio'?), known: fast_lio, point_lio, lio_sam, kiss_icp, dlio, openvins, fast_livo2");
  }
  EXPECT_THROW(outputsFor("none", of({CloudLayout::kXyzit}), "velodine", "x"), UnknownNameError);
}

}  // namespace
}  // namespace marsim::lidar
