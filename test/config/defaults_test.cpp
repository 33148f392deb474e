// SPDX-License-Identifier: BSD-3-Clause
#include "config/defaults.hpp"

#include <filesystem>
#include <stdexcept>

#include <gtest/gtest.h>

#include "common/data_dir.hpp"
#include "config/launch_words.hpp"
#include "marsim/config/load.hpp"

namespace marsim::config {
namespace {

TEST(Defaults, NamesOfFilesAreThere) {
  EXPECT_TRUE(std::filesystem::exists(dataDir() / "maps" / (defaultOf("map") + ".yaml")));
  EXPECT_NO_THROW(loadLidar(defaultOf("lidar")));
  EXPECT_NO_THROW(loadVehicle(defaultOf("vehicle")));
  for (const bool on_estimate : {false, true}) {
    const std::string controller = controllerName(defaultOf("controller"), on_estimate);
    EXPECT_NO_THROW(loadController(controller));
  }
  EXPECT_NO_THROW(loadSwarm(defaultOf("swarm")));
}

TEST(Defaults, OfStructsAreTextsThatLaunchFilesTake) {
  EXPECT_EQ(defaultOf("resolution"), "0.1");
  EXPECT_EQ(defaultOf("surface"), "blended");
  EXPECT_EQ(defaultOf("threads"), "1");
  EXPECT_EQ(defaultOf("collision"), "true");
  EXPECT_EQ(defaultOf("collision_response"), "report");
  EXPECT_EQ(defaultOf("speed"), "2.0");
  EXPECT_EQ(defaultOf("pace"), "1.0");
  EXPECT_EQ(defaultOf("paused"), "false");
}

TEST(Defaults, MayBeEmptyOrNumbers) {
  EXPECT_EQ(defaultOf("report"), "");
  EXPECT_EQ(defaultNumber("z", Quantity::kLength), 1.5);
  EXPECT_EQ(defaultNumber("position_noise", Quantity::kLength), 0.01);
}

TEST(Defaults, OtherNamesHaveNone) {
  EXPECT_EQ(defaults().count(""), 0U);
  EXPECT_THROW(defaultOf("lidr"), std::out_of_range);
}

}  // namespace
}  // namespace marsim::config
