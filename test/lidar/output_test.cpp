// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/lidar/output.hpp"

#include <gtest/gtest.h>

#include "marsim/common/error.hpp"

namespace marsim::lidar {
namespace {

OutputConfig of(CloudLayout layout) {
  OutputConfig output;
  output.layout = layout;
  return output;
}

std::string errorOf(const std::vector<OutputConfig>& outputs) {
  try {
    validateOutputs(outputs, "a.yaml");
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(Outputs, TopicsOfThoseThatNameNone) {
  EXPECT_EQ(outputTopics({of(CloudLayout::kVelodyne)}), std::vector<std::string>{"points"});
  EXPECT_EQ(outputTopics({of(CloudLayout::kLivoxCustom)}), std::vector<std::string>{"livox/lidar"});
  OutputConfig named = of(CloudLayout::kHesai);
  named.topic = "hesai/pandar";
  EXPECT_EQ(outputTopics({of(CloudLayout::kLivoxCustom2), of(CloudLayout::kXyzit), named,
                          of(CloudLayout::kOuster)}),
            (std::vector<std::string>{"livox/lidar", "points", "hesai/pandar", "points_ouster"}));
}

TEST(Outputs, WrongOnesAreNamed) {
  EXPECT_EQ(errorOf({of(CloudLayout::kOuster), of(CloudLayout::kLivoxCustom)}), "");
  EXPECT_EQ(errorOf({}), "a.yaml: output is an empty list, allowed: at least one layout");
  EXPECT_EQ(errorOf({of(CloudLayout::kLivoxCustom), of(CloudLayout::kLivoxCustom2)}),
            "a.yaml: output[1].topic is 'livox/lidar', allowed: a topic that no output before it "
            "has");
  OutputConfig output = of(CloudLayout::kOuster);
  output.misses = MissEncoding::kDrop;
  EXPECT_EQ(errorOf({output}),
            "a.yaml: output[0].misses is drop, allowed: driver | zero | nan ('ouster' is "
            "organised)");
  output = of(CloudLayout::kVelodyne);
  output.time_unit = 0.0;
  EXPECT_NE(errorOf({output}).find("output[0].time_unit is 0"), std::string::npos);
}

TEST(Outputs, ChosenByWordsKeepTheSettingsOfTheFile) {
  OutputConfig velodyne = of(CloudLayout::kVelodyne);
  velodyne.time_unit = 1e-6;
  const auto outputs = chooseOutputs({velodyne}, "organised, velodyne", "/uav0/lidar", "output");
  ASSERT_EQ(outputs.size(), 2U);
  EXPECT_EQ(outputs[0].layout, CloudLayout::kOrganised);
  EXPECT_EQ(outputs[1].time_unit, 1e-6);
  try {
    chooseOutputs({velodyne}, "velodine", "/uav0/lidar", "output");
    FAIL();
  } catch (const UnknownNameError& error) {
    EXPECT_NE(
        std::string(error.what()).find("unknown output 'velodine' (did you mean 'velodyne'?)"),
        std::string::npos)
        << error.what();
  }
  EXPECT_THROW(chooseOutputs({velodyne}, "velodyne,velodyne,velodyne", "a", "output"), ConfigError);
}

TEST(Outputs, EveryWordNamesItsLayout) {
  for (const auto& [name, layout] : cloudLayouts()) EXPECT_EQ(nameOf(layout), name);
}

}  // namespace
}  // namespace marsim::lidar
