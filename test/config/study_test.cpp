// SPDX-License-Identifier: BSD-3-Clause
#include "config/study.hpp"

#include <filesystem>
#include <set>

#include <gtest/gtest.h>

#include "marsim/common/error.hpp"
#include "tools/temporary_folder.hpp"

namespace marsim::config {
namespace {

Factor range(const std::string& name, double from, double to, int steps = 0) {
  return {name, {}, from, to, steps};
}

TEST(Study, GridIsEveryCombinationTheLastFactorFirst) {
  Study study;
  study.factors = {{"lidar", {"a", "b"}}, range("speed", 1.0, 2.0, 3)};
  EXPECT_EQ(study.count(), 6.0);
  const std::vector<std::vector<std::string>> expected = {{"a", "1"}, {"a", "1.5"}, {"a", "2"},
                                                          {"b", "1"}, {"b", "1.5"}, {"b", "2"}};
  EXPECT_EQ(study.expanded(), expected);
}

TEST(Study, LatinHypercubeHasEachPartOfARangeOnceAndIndependentFactors) {
  Study study;
  study.is_grid = false;
  study.runs = 50;
  study.factors = {range("speed", 2.0, 12.0),
                   range("resolution", 0.0, 1.0),
                   {"lidar", {"a", "b", "c", "d", "e"}}};
  const auto rows = study.expanded();
  std::set<int> first, second;
  std::map<std::string, int> words;
  double together = 0.0;
  for (const auto& row : rows) {
    const double u = (std::stod(row[0]) - 2.0) / 10.0, v = std::stod(row[1]);
    first.insert(static_cast<int>(u * 50.0));
    second.insert(static_cast<int>(v * 50.0));
    together += (u - 0.5) * (v - 0.5) / (50.0 / 12.0);
    ++words[row[2]];
  }
  EXPECT_EQ(first.size(), 50U);
  EXPECT_EQ(second.size(), 50U);
  for (const auto& [word, count] : words) EXPECT_EQ(count, 10) << word;
  EXPECT_LT(std::abs(together), 0.5);  // 3.5 standard deviations of independent ones
  EXPECT_EQ(study.expanded(), rows);
  study.design_seed = 2;
  EXPECT_NE(study.expanded(), rows);
}

TEST(Study, TrajectoriesVaryBesideArguments) {
  const tools::TemporaryFolder folder;
  const std::string a = folder.write("a.tum", "0 0 0 0 0 0 0 1\n");
  const std::string vary =
      "description: x\nvary:\n  trajectory: [a.tum, ./a.tum]\n  lidar: [avia, vlp16]\n";
  const Study study = loadStudy(folder.write("study.yaml", vary));
  const auto rows = study.expanded();
  ASSERT_EQ(rows.size(), 4U);
  for (const auto& row : rows) {
    const DatasetRun run = study.runOf(row);
    EXPECT_EQ(std::filesystem::canonical(run.trajectory), std::filesystem::canonical(a));
    EXPECT_EQ(run.arguments.size(), 1U);
  }
  EXPECT_THROW(loadStudy(folder.write("both.yaml", vary + "scenario: lidar_forest\n")), Error);
  EXPECT_THROW(loadStudy(folder.write("none.yaml", "description: x\nvary:\n  seed: [1]\n")), Error);
  EXPECT_THROW(
      loadStudy(folder.write("missing.yaml", "description: x\nvary:\n  trajectory: [b.tum]\n")),
      Error);
}

TEST(Study, ARunReadsAsItWasWritten) {
  const tools::TemporaryFolder folder;
  DatasetRun run;
  run.scenario = folder.write("there is one.yaml", "description: x\n");
  run.arguments = {{"wind", "0,5,0"}, {"vegetation", "none"}, {"speed", "2"}};
  run.format = "asl,mcap";
  run.frame = "ned";
  run.truth_frame = "0,0,0.1";
  run.trajectory_frame = "ned";
  run.imu_rate = 1000.0;
  run.truth_rate = 300.0;
  run.image_truth = true;
  run.duration = toNs(12.345);
  run.seed = 18446744073709551615ULL;
  const DatasetRun read = loadDatasetRun(folder.write("run.yaml", textOf(run)));
  EXPECT_EQ(read.scenario, run.scenario);
  EXPECT_EQ(read.arguments, run.arguments);
  EXPECT_EQ(read.format, run.format);
  EXPECT_EQ(read.frame, run.frame);
  EXPECT_EQ(read.truth_frame, run.truth_frame);
  EXPECT_EQ(read.trajectory_frame, run.trajectory_frame);
  EXPECT_EQ(read.imu_rate, run.imu_rate);
  EXPECT_EQ(read.truth_rate, run.truth_rate);
  EXPECT_TRUE(read.image_truth);
  EXPECT_EQ(read.duration, run.duration);
  EXPECT_EQ(read.seed, run.seed);
  EXPECT_EQ(textOf(read), textOf(run));
}

}  // namespace
}  // namespace marsim::config
