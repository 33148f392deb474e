// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sensors/sensor_table.hpp"

#include <cstdlib>
#include <fstream>
#include <set>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/text.hpp"
#include "marsim/common/units.hpp"
#include "marsim/config/load.hpp"
#include "tools/temporary_folder.hpp"

namespace marsim::tools {
namespace {

std::ifstream sensorPage() {
  return std::ifstream(std::string(std::getenv("MARSIM_TEST_SOURCE_DIR")) + "/docs/sensors.md");
}

/// Rows of the page's table of LiDARs.
std::multiset<std::string> documentedRows() {
  std::ifstream page = sensorPage();
  std::multiset<std::string> rows;
  bool in_section = false;
  for (std::string line; std::getline(page, line);) {
    if (line.rfind("## ", 0) == 0) in_section = line == "## LiDARs";
    if (in_section && line.rfind("| `", 0) == 0) rows.insert(line);
  }
  return rows;
}

TEST(SensorTable, PageHasTheRowOfEverySensorAndNoOther) {
  const auto rows = documentedRows();
  std::multiset<std::string> wanted;
  for (const std::string& row : split(sensorMarkdown(summariseSensors({})), '\n')) {
    if (!row.empty()) wanted.insert(row);
  }
  EXPECT_EQ(wanted.size(), config::knownNames("lidar").size());
  for (const std::string& row : wanted) {
    EXPECT_EQ(rows.count(row), 1U) << "docs/sensors.md wants (marsim sensors --markdown): " << row;
  }
  for (const std::string& row : rows) {
    EXPECT_EQ(wanted.count(row), 1U) << "docs/sensors.md has of no sensor: " << row;
  }
}

TEST(SensorTable, SensorOfOnesOwnOnThePageLoads) {
  std::ifstream page = sensorPage();
  std::string yaml;
  bool inside = false, found = false;
  for (std::string line; std::getline(page, line) && !(inside && line == "```");) {
    found = found || line == "## A sensor of your own";
    if (inside) yaml += line + "\n";
    inside = inside || (found && line == "```yaml");
  }
  const TemporaryFolder folder;
  const SensorSummary summary =
      summarise("mine", config::loadLidar(folder.write("mine.yaml", yaml).string()));
  EXPECT_EQ(summary.sensor, "Eight channels");
  EXPECT_EQ(summary.output, "xyzit, velodyne");
  EXPECT_NEAR(summary.fov_v_deg, 28.0, 0.1);
}

lidar::LidarConfig spinner() {
  lidar::SpinningPatternConfig pattern;
  for (int i = 0; i < 5; ++i) pattern.channels.push_back({radians(10.0 * i - 30.0), 0.0, 0.0});
  pattern.cycle_period = 1e-4;
  pattern.rotation_rate = 20.0 * kPi;
  lidar::LidarConfig config;
  config.name = "Spinner";
  config.pattern = pattern;
  return config;
}

TEST(SensorTable, SummariesAreWhatThePatternFires) {
  const SensorSummary whole = summarise("spinner", spinner());
  EXPECT_EQ(whole.name, "spinner");
  EXPECT_EQ(whole.sensor, "Spinner");
  EXPECT_EQ(whole.fov_h_deg, 360.0);
  EXPECT_NEAR(whole.fov_v_deg, 40.0, 1e-3);
  EXPECT_EQ(whole.points_per_s, 50'000);
  EXPECT_EQ(whole.rate_hz, 10.0);
  EXPECT_EQ(whole.pattern, "spinning");
  EXPECT_EQ(whole.output, "xyzit");
}

TEST(SensorTable, ViewAndBlindZonesAreLeftOut) {
  lidar::LidarConfig config = spinner();
  config.elevation_max = radians(5.0);  // the uppermost of the channels goes
  lidar::AngularSector rear;
  rear.azimuth_min = radians(160.0);  // across the seam
  rear.azimuth_max = radians(196.0);
  config.blind_zones = {rear};
  config.outputs.emplace_back().layout = lidar::CloudLayout::kOuster;
  const SensorSummary summary = summarise("spinner", config);
  EXPECT_NEAR(summary.fov_h_deg, 324.0, 0.4);  // columns are 0.36 degrees apart
  EXPECT_NEAR(summary.fov_v_deg, 30.0, 1e-3);
  EXPECT_NEAR(static_cast<double>(summary.points_per_s), 50'000.0 * 0.8 * 0.9, 100.0);
  EXPECT_EQ(summary.output, "xyzit, ouster");
}

TEST(SensorTable, NothingInViewIsNothing) {
  lidar::LidarConfig config = spinner();
  config.elevation_min = radians(60.0);
  const SensorSummary summary = summarise("spinner", config);
  EXPECT_EQ(summary.points_per_s, 0);
  EXPECT_EQ(summary.fov_h_deg, 0.0);
  EXPECT_EQ(summary.fov_v_deg, 0.0);
}

TEST(SensorTable, JsonIsAListWithEveryKey) {
  const auto list = nlohmann::json::parse(sensorJson(summariseSensors({"vlp16", "mid40"})));
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[0].at("name"), "vlp16");
  EXPECT_EQ(list[0].at("sensor"), "Velodyne VLP-16");
  EXPECT_EQ(list[0].at("fov_h_deg"), 360.0);
  EXPECT_EQ(list[0].at("fov_v_deg"), 30.0);
  EXPECT_EQ(list[0].at("rate_hz"), 10.0);
  EXPECT_EQ(list[0].at("points_per_s"), 289'352);
  EXPECT_EQ(list[0].at("pattern"), "spinning");
  EXPECT_EQ(list[0].at("output"), "velodyne");
  EXPECT_EQ(list[1].at("pattern"), "risley");
  EXPECT_NEAR(list[1].at("fov_h_deg").get<double>(), 38.4, 0.15);
}

TEST(SensorTable, TableForPeopleHasALineASensor) {
  const std::string table = sensorTable(summariseSensors({"vlp16", "avia"}));
  EXPECT_NE(table.find("\nvlp16  Velodyne VLP-16  360.0 x 30.0"), std::string::npos) << table;
  EXPECT_NE(table.find("289,352"), std::string::npos) << table;
}

}  // namespace
}  // namespace marsim::tools
