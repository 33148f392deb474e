// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"
#include "marsim/lidar/scan_pattern.hpp"

namespace marsim::lidar {
namespace {

class CsvPatternTest : public testing::Test {
 protected:
  ~CsvPatternTest() override { std::filesystem::remove(file_); }

  ScanTable tableOf(const std::string& text, const ScanTableColumns& columns = {},
                    bool with_times = true) const {
    std::ofstream(file_) << text;
    return readScanTable(file_, columns, with_times);
  }
  /// The error on reading a table, from the file's name on.
  std::string complaint(const std::string& text, const ScanTableColumns& columns = {}) const {
    try {
      tableOf(text, columns);
    } catch (const FileError& error) {
      return std::string(error.what()).substr(file_.size() - 5);
    }
    return "none";
  }
  std::vector<Firing> fired(const CsvPatternConfig& config, TimeNs begin, TimeNs end) const {
    validatePattern(config, "x.yaml");
    std::vector<Firing> firings;
    makePattern(config)->fire(begin, end, firings);
    return firings;
  }
  CsvPatternConfig config(const std::string& text, const ScanTableColumns& columns = {}) const {
    CsvPatternConfig config;
    config.table = std::make_shared<ScanTable>(tableOf(text, columns));
    return config;
  }

  const std::string file_ = (std::filesystem::temp_directory_path() /
                             ("csv_pattern_test_" + std::to_string(getpid()) + "_t.csv"))
                                .string();
};

Eigen::Vector3f direction(double azimuth_deg, double elevation_deg) {
  const double a = radians(azimuth_deg), e = radians(elevation_deg);
  return Eigen::Vector3d(std::cos(e) * std::cos(a), std::cos(e) * std::sin(a), std::sin(e))
      .cast<float>();
}

TEST_F(CsvPatternTest, ShotsAreTheTablesRowsAndWrap) {
  const auto config = this->config(
      "# a table\n"
      "Time/s,Azimuth/deg,Zenith/deg,Line\r\n"
      "\n"
      "0.5,0,90,1\n"
      "0.5,10,80,0\n"
      "0.501,350,100,1\n"
      "0.5025,-20.5,59.5,2\n");
  const std::vector<Eigen::Vector3f> rows = {direction(0, 0), direction(10, 10),
                                             direction(-10, -10), direction(-20.5, 30.5)};
  const std::vector<TimeNs> times = {0, 0, 1'000'000, 2'500'000};
  const std::vector<int> lines = {1, 0, 1, 2};
  // Three instants in 2.5 ms: the mean step of 1.25 ms leads to the start again.
  const TimeNs period = 3'750'000;
  EXPECT_DOUBLE_EQ(makePattern(config)->pointsPerSecond(), 4.0 / 3.75e-3);
  EXPECT_EQ(makePattern(config)->rings(), 3);
  const auto firings = fired(config, -period, 100 * period);
  ASSERT_EQ(firings.size(), 404U);
  for (std::size_t i = 0; i < firings.size(); ++i) {
    const std::size_t row = i % 4;
    const auto turn = static_cast<TimeNs>(i / 4) - 1;
    ASSERT_EQ(firings[i].stamp, turn * period + times[row]);
    ASSERT_TRUE(firings[i].direction.isApprox(rows[row], 1e-6F)) << i;
    ASSERT_EQ(firings[i].line, lines[row]);
    ASSERT_EQ(firings[i].ring, lines[row]);
  }
}

TEST_F(CsvPatternTest, PeriodMayBeGiven) {
  auto config = this->config("azimuth;elevation;time\n0;0;0\n1;0;0.001\n");
  config.period = 0.01;
  const auto firings = fired(config, 0, 20'000'000);
  ASSERT_EQ(firings.size(), 4U);
  EXPECT_EQ(firings[2].stamp, 10'000'000);
  EXPECT_EQ(firings[3].stamp, 11'000'000);
}

TEST_F(CsvPatternTest, RowsMayFollowEvenlyInsteadAndTakeTurns) {
  CsvPatternConfig config;
  // A column of times that are row numbers, as in Livox' published tables, is not looked at.
  config.table = std::make_shared<ScanTable>(tableOf(
      "Time/s,Azimuth/deg,Elevation/deg\n100000,0,0\n200000,1,0\n1,2,0\n4,3,0\n", {}, false));
  config.points_per_second = 200'000.0;
  config.lines = 2;
  const auto firings = fired(config, 0, 1'000'000);
  ASSERT_EQ(firings.size(), 200U);
  for (std::size_t i = 0; i < firings.size(); ++i) {
    ASSERT_EQ(firings[i].stamp, static_cast<TimeNs>(5'000 * i));
    ASSERT_TRUE(firings[i].direction.isApprox(direction(static_cast<double>(i % 4), 0), 1e-6F));
    ASSERT_EQ(firings[i].line, i % 2);
    ASSERT_EQ(firings[i].column, i / 2);
  }
}

TEST_F(CsvPatternTest, ColumnsAreFoundByNumberOrName) {
  ScanTableColumns numbered;
  numbered.azimuth = "3";
  numbered.elevation = "1";
  numbered.ring = "2";
  const ScanTable plain = tableOf("10\t7\t-90\n-10\t3\t180\n", numbered);  // without a header
  ASSERT_EQ(plain.directions.size(), 2U);
  EXPECT_TRUE(plain.directions[0].isApprox(direction(-90, 10), 1e-6F));
  EXPECT_EQ(plain.rings, (std::vector<std::uint16_t>{7, 3}));
  EXPECT_TRUE(plain.times.empty());

  ScanTableColumns named;
  named.azimuth = "phi";
  named.zenith = "theta";
  const ScanTable other = tableOf("\xEF\xBB\xBFtheta,phi\n+45,3e1\n", named);
  EXPECT_TRUE(other.directions[0].isApprox(direction(30, 45), 1e-6F));
}

TEST_F(CsvPatternTest, BadTablesNameFileLineColumnAndValue) {
  EXPECT_EQ(complaint("azimuth,elevation\n1,2\n1,x2\n"),
            "t.csv: line 3, column 2 is 'x2', allowed: -90 to 90 degrees");
  EXPECT_EQ(complaint("azimuth,elevation\n1,91\n"),
            "t.csv: line 2, column 2 is '91', allowed: -90 to 90 degrees");
  EXPECT_EQ(complaint("azimuth,elevation\n1\n"),
            "t.csv: line 2, column 2 is missing, allowed: -90 to 90 degrees");
  EXPECT_EQ(complaint("azimuth,elevation\nnan,1\n"),
            "t.csv: line 2, column 1 is 'nan', allowed: -360 to 360 degrees");
  EXPECT_EQ(complaint("azimuth,zenith,line\n1,1,0.5\n"),
            "t.csv: line 2, column 3 is '0.5', allowed: whole numbers from 0 to 255");
  EXPECT_EQ(complaint("azimuth,zenith,time\n1,1,2\n1,1,1\n"),
            "t.csv: line 3, column 3 is '1', allowed: the time of the row before or later");
  EXPECT_EQ(complaint("azimuth,zenith,time\n1,1,800000\n"),
            "t.csv: line 2, column 3 is '800000', allowed: -3600 to 3600 s (else set "
            "points_per_second)");
  EXPECT_EQ(complaint("azimuth,heigth\n1,1\n"),
            "t.csv: line 1: no column for elevation or zenith among 'azimuth, heigth' "
            "(pattern.columns names or numbers it)");
  EXPECT_EQ(complaint("azimuth,elevation,zenith\n1,1,1\n"),
            "t.csv: has both elevation and zenith, one is wanted");
  EXPECT_EQ(complaint("1,1\n"),
            "t.csv: line 1: no column for azimuth among '1, 1' (pattern.columns names or numbers "
            "it)");
  ScanTableColumns columns;
  columns.azimuth = "4";
  EXPECT_EQ(complaint("1,1\n", columns), "t.csv: line 1: no column '4' for azimuth among '1, 1'");
  EXPECT_EQ(complaint("# nothing\n"), "t.csv: holds no rows");
  EXPECT_EQ(complaint("azimuth,elevation\n"), "t.csv: holds no rows");
  EXPECT_THROW(readScanTable("no/such.csv", {}, true), FileError);
}

TEST_F(CsvPatternTest, BadSettingsAreNamed) {
  const auto complaintOf = [](const CsvPatternConfig& config) -> std::string {
    try {
      validatePattern(config, "x.yaml");
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_EQ(complaintOf({}),
            "x.yaml: pattern.file is without rows, allowed: a table of one row or "
            "more");
  CsvPatternConfig config = this->config("azimuth,elevation\n1,1\n");
  EXPECT_EQ(complaintOf(config),
            "x.yaml: pattern.points_per_second is missing, allowed: a rate, or "
            "a table with a column of times");
  config.points_per_second = -1.0;
  EXPECT_NE(complaintOf(config).find("pattern.points_per_second is -1"), std::string::npos);
  config.points_per_second = 1000.0;
  EXPECT_EQ(complaintOf(config), "none");
  config.lines = 0;
  EXPECT_NE(complaintOf(config).find("pattern.lines is 0"), std::string::npos);
  CsvPatternConfig timed = this->config("azimuth,elevation,time\n1,1,0\n1,1,2\n");
  EXPECT_EQ(complaintOf(timed), "none");
  timed.period = 1.5;
  EXPECT_EQ(complaintOf(timed),
            "x.yaml: pattern.period is 1.5 s, allowed: more than the 2 s from "
            "the table's first time to its last");
  EXPECT_NE(
      complaintOf(this->config("azimuth,elevation,time\n1,1,0\n")).find("pattern.period is 0"),
      std::string::npos);
}

}  // namespace
}  // namespace marsim::lidar
